// Japanese names for what the server names in English. What is missing here is shown as the server sends it.

type Named = { name: string; summary: string };

export const GAMES: Record<string, Named> = {
  "tic-tac-toe": { name: "三目並べ", summary: "3×3 の盤で三つ並べたら勝ち" },
  "connect-four": { name: "コネクトフォー", summary: "石を列に落とし、四つ並べたら勝ち" },
  breakthrough: { name: "ブレイクスルー", summary: "ポーンを敵陣の最終段まで進める競走" },
  othello: { name: "オセロ", summary: "挟んだ石が裏返る。多い方の勝ち" },
  hex: { name: "ヘックス", summary: "六角形の盤で自分の二辺を石でつなぐ" },
  tubstap: { name: "TUBSTAP", summary: "六種類の部隊で戦うターン制戦略ゲーム" },
  mizugame: { name: "水瓶", summary: "六チームのロボットが六角形のマスに水をまく。全チーム同時に命令" },
  sangoku: { name: "三国", summary: "三対三の戦術ゲーム。支配領域、反動、五つの能力" },
  hagetaka: { name: "ハゲタカのえじき", summary: "全員が同時に札を出し、ハゲタカ札を取り合う。同じ数字は打ち消し合う" },
  goofspiel: { name: "グーフスピール", summary: "全員が同時に札を出して賞品を競り合う" },
  gdl: { name: "GDL のゲーム", summary: "ゲーム記述言語のルールから作られる任意のゲーム" },
};

export const AGENTS: Record<string, Named> = {
  random: { name: "ランダム", summary: "一様ランダムに選ぶ" },
  flat: { name: "原始モンテカルロ", summary: "各手の後に同じ数だけ終局までランダムに打つ" },
  halving: { name: "逐次半減", summary: "各手の後に終局までランダムに進め、有望な手に多く割り当てる" },
  sample: { name: "Sample", summary: "TUBSTAP の Sample_MaxActionEvalFunc。最良の攻撃か、敵への接近" },
  "m-uct": { name: "M-UCT", summary: "TUBSTAP の M-UCT。部隊ごとの行動の UCT" },
  m3lee: { name: "M3Lee", summary: "TUBSTAP の M3Lee。UCT による計画とランダムな計画の良い方" },
  staff: { name: "Military Staff System", summary: "TUBSTAP の Military Staff System" },
  satd2: { name: "SatD2", summary: "TUBSTAP の SatD2。一部の部隊で二ターン先まで読む" },
  "tubstap-best": { name: "TUBSTAP 最強", summary: "TUBSTAP で最も強い自作のプレイヤー" },
  squad: { name: "分隊探索", summary: "複数のロボットへの命令を順に改良し、短い試行で評価する" },
  "mizugame-best": { name: "水瓶最強", summary: "水瓶で最も強い自作のプレイヤー。三台を一緒に計画し、相手を予測する" },
  "mizugame-paper": { name: "論文の水瓶プレイヤー", summary: "補給してから、一台ずつ四手先まで全探索する" },
  "mizugame-paper-seven": { name: "論文の水瓶プレイヤー(七手)", summary: "三つ目の簡略化なし。一手に七種の命令" },
  "mizugame-paper-team": { name: "論文の水瓶プレイヤー(三台同時)", summary: "一つ目の簡略化だけ。三台を同時に探索する" },
  "mizugame-paper-all": { name: "論文の水瓶プレイヤー(簡略化なし)", summary: "全チームの全ロボットを同時に探索する" },
  painter: { name: "塗り手", summary: "近くの空きマスに一単位ずつまく(水瓶)" },
  "double-painter": { name: "二度塗り", summary: "近くの空きマスに二単位ずつまく(水瓶)" },
  "ring-builder": { name: "囲い手", summary: "半径 2 の輪を閉じる(水瓶)" },
  sucker: { name: "吸い手", summary: "首位のチームのマスを空にして奪う(水瓶)" },
  wanderer: { name: "放浪者", summary: "でたらめに歩いて空きマスに水をまく(水瓶)" },
  "strong-painter": { name: "強い塗り手", summary: "毎セッション、近くの空きマスに水をまく(水瓶)" },
  uct: { name: "UCT", summary: "モンテカルロ木探索(同時手番では DUCT)" },
  smuct: { name: "SM-UCT", summary: "各手を、相手の手との組ごとの UCB1 の和で評価する" },
  duct: { name: "DUCT", summary: "各プレイヤーが独立に UCB1 を最大化する" },
  ducb1t: { name: "DUCB1-Tuned", summary: "プレイヤーごとに独立な UCB1-Tuned" },
  exp3: { name: "Exp3", summary: "全員が Exp3。訪問の割合に従って手を引く" },
  rm: { name: "リグレットマッチング", summary: "全員がリグレットマッチング。平均戦略から手を引く" },
  oos: { name: "OOS", summary: "オンライン・アウトカム・サンプリング。平均戦略から手を引く" },
  sequential: { name: "逐次化 UCT", summary: "自分が先に決め、同時に選ぶ相手が順に応じるとみなす UCT" },
  exact: { name: "厳密解", summary: "二人ゲームの均衡戦略をそのまま打つ" },
  sp: { name: "SP", summary: "ハゲタカ札と同じ強さの札を出す" },
  maxn: { name: "max^n", summary: "反復深化の max^n。二人なら αβ 探索" },
  "rule-based": { name: "ルールベース", summary: "ゲームに付属する単純な思考ルーチン" },
  "sangoku-best": { name: "三国最強", summary: "測定された中で最も強い三国の探索" },
  experience: { name: "経験", summary: "似た局面で得た統計を新しいノードに貸す UCT(論文の方法、または auto)" },
  exec: { name: "外部プログラム", summary: "行プロトコルを話す任意の言語のプログラム" },
};

export const SHEETS: Record<string, string> = {
  "tic-tac-toe": "三目並べ", breakthrough: "ブレイクスルー", "breakthrough-small": "ブレイクスルー(小)", checkers: "チェッカー",
  "checkers-small": "チェッカー(小)", "connect-five": "五目並べ", "connect-four": "コネクトフォー", "free-for-all": "乱戦",
  "golden-rectangle": "黄金の長方形", knightthrough: "ナイトスルー", "melting-ice": "溶ける氷", "pawn-whopping": "ポーン合戦",
  "pawn-whopping-corrected": "ポーン合戦(修正版)", pig: "ピッグ", "sheep-and-wolf": "羊と狼", "sliding-eight": "8 パズル",
  ttcc4: "TTCC4", "tug-of-war": "綱引き",
};

/** What parameters of games and agents mean. Those of the same name mean the same everywhere. */
export const PARAMETERS: Record<string, string> = {
  width: "盤の列数", height: "盤の段数", scenario: "a、b、c(論文のもの)、random(能力もランダム)、field(20×20)、plain(40×40)など",
  n: "手札の枚数(1〜20)", players: "人数(2〜6)", deck: "ハゲタカ札や賞品の並び。例: -1/1/2/3", ties: "同じ数字の札の扱い: carry(持ち越し)、discard(捨てる)",
  order: "山札をめくる順: random、ascending、descending", payoff: "win-loss(勝敗)または point-difference(点差)", sheet: "games/gdl にあるルールの名前",
  iterations: "一手あたりのプレイアウト数。時間だけを指定した場合は無制限", time: "一手あたりの実時間。例: 50ms、3s", cpu: "一手あたりの CPU 時間(公平な対戦用)",
  c: "探索(未知の手を試す度合い)の重み", tuned: "UCB1 の代わりに UCB1-Tuned を使う", expand: "葉を展開するまでの訪問数", graph: "合流する局面を共有する(置換表)",
  solver: "証明済みの結果を逆伝播する(MCTS-Solver)", pruned: "ゲーム固有の経験則が残した手だけを読む", explore: "一様ランダムに選ぶ割合",
  mix: "最多訪問の手ではなく、訪問の割合に従って手を引く", strict: "僅差の候補から引かず、常に最高値を選ぶ", plus: "リグレットを 0 未満にしない (RM+)",
  ordered: "手をランダムな順ではなく、ゲームが列挙する順に試す", tried: "全ての手の組を一度ずつ試さず、試した組だけの和で評価する", "raw-payoff": "戦略の価値の推定ではなく、利得そのものを逆伝播する (Lanctot ら 2013)",
  reading: "同じ強さの札: nearest(数字の大きさに最も近い札)または rank(手札の中で同じ順位の札)",
  trees: "同時に育てる木の数(スレッド数)", fresh: "毎手、木を作り直す", nodes: "木のノード数の上限", memory: "木の大きさの上限", depth: "先読みする手数",
  endgame: "二人ゲームの終盤を厳密に解き始める残り手数", keen: "プレイアウトで急所の手だけを見る確率", horizon: "プレイアウトを打ち切るラウンド数",
};
