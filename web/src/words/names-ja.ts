// Japanese names for what the server names in English. What is missing here is shown as the server sends it.

type Named = { name: string; summary: string };

export const GAMES: Record<string, Named> = {
  "tic-tac-toe": { name: "三目並べ", summary: "3×3 の盤で三つ並べたら勝ち" },
  "connect-four": { name: "コネクトフォー", summary: "石を列に落とし、四つ並べたら勝ち" },
  breakthrough: { name: "ブレイクスルー", summary: "ポーンを敵陣の最終段まで進める競走" },
  othello: { name: "オセロ", summary: "挟んだ石が裏返る。多い方の勝ち" },
  sangoku: { name: "三国", summary: "三対三の戦術ゲーム。支配領域、反動、五つの能力" },
  hagetaka: { name: "ハゲタカのえじき", summary: "全員が同時に札を出し、ハゲタカ札を取り合う。同じ数字は打ち消し合う" },
  goofspiel: { name: "グーフスピール", summary: "純粋戦略のゲーム。賞品に全員が同時に札で値を付ける" },
  gdl: { name: "GDL のゲーム", summary: "ゲーム記述言語のルールから作られる任意のゲーム" },
};

export const AGENTS: Record<string, Named> = {
  random: { name: "ランダム", summary: "一様にでたらめに選ぶ" },
  flat: { name: "原始モンテカルロ", summary: "各手の後に同じ数だけランダムに打ち切る" },
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
  exec: { name: "外部プログラム", summary: "行プロトコルを話す任意の言語のプログラム" },
};

export const SHEETS: Record<string, string> = {
  "tic-tac-toe": "三目並べ", breakthrough: "ブレイクスルー", "breakthrough-small": "ブレイクスルー(小)", checkers: "チェッカー",
  "checkers-small": "チェッカー(小)", "connect-five": "五目並べ", "connect-four": "コネクトフォー", "free-for-all": "乱戦",
  "golden-rectangle": "黄金の長方形", knightthrough: "ナイトスルー", "melting-ice": "溶ける氷", "pawn-whopping": "ポーン合戦",
  "pawn-whopping-corrected": "ポーン合戦(修正版)", pig: "ピッグ", "sheep-and-wolf": "羊と狼", "sliding-eight": "8 パズル",
  ttcc4: "TTCC4", "tug-of-war": "綱引き",
};

/** Player names and the short texts that games write, word by word. */
export const PHRASES: [RegExp, string][] = [
  [/\bplayer (\d+)\b/g, "プレイヤー$1"],
  [/\bblack\b/g, "黒"], [/\bwhite\b/g, "白"], [/\bred\b/g, "赤"], [/\bblue\b/g, "青"], [/\bgreen\b/g, "緑"], [/\byellow\b/g, "黄"],
  [/\blight\b/g, "明"], [/\bdark\b/g, "暗"], [/\bfirst\b/g, "先手"], [/\bsecond\b/g, "後手"], [/\bleft\b/g, "左"], [/\bright\b/g, "右"],
  [/\bwolf\b/g, "狼"], [/\bsheep\b/g, "羊"],
  [/\bon the table\b/g, "場の札"], [/\bface down\b/g, "伏せ札"], [/(-?\d+) points?, holds\b/g, "$1 点、手札"],
  [/\bholds\b/g, "手札"], [/(\S+) and (\S+) carried over/g, "$1 と持ち越し $2"], [/(\d+) discs?\b/g, "$1 枚"],
  [/(\d+) hp\b/g, "体力 $1"], [/\battack (\d+)/g, "攻撃 $1"], [/\bdefence (\d+)/g, "防御 $1"], [/\bintellect (\d+)/g, "知力 $1"],
  [/\bvalour\b/g, "武勇"], [/\bsprint\b/g, "疾走"], [/\bcharge\b/g, "突撃"], [/\bconfuse\b/g, "混乱"], [/\bfire\b/g, "火計"],
  [/\bconfused\b/g, "混乱中"], [/\bmoved\b/g, "移動済"], [/\bacted\b/g, "行動済"],
  [/\bdeals (\d+)/g, "与える損害 $1"], [/\btakes (\d+)/g, "受ける損害 $1"],
];
