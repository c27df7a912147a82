//! The tables of an auto-battle as text: one row per map and half, and one row per game.

use sakiyomi_core::Player;

use super::cells::bits;
use super::units::Kind;
use super::{State, Status, Tubstap};

/// The first line of a table of results; the spelling is the original's.
pub const RESULT_HEADER: &str = "MapName,RedPlayerName,BluePlayerName,BattleCnt,WinCntOfRed,WinCntOfBlue,DrawCnt,\
     OverTrunCnt,JudgeWinCntOfRed,JudgeWinCntOfBlue,NoiseOfHP,NoiseOfPos";

/// How the games of one map and one half ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BattleResult {
    pub map: String,
    /// RED's name and BLUE's.
    pub players: [String; 2],
    pub n_games: u32,
    /// By side, those by hit points included.
    pub wins: [u32; 2],
    pub draws: u32,
    /// Games that reached the turn limit.
    pub at_limit: u32,
    /// Wins by hit points at the turn limit.
    pub judged: [u32; 2],
    pub noise_hp: bool,
    pub noise_position: bool,
}

impl BattleResult {
    /// Adds a finished game.
    pub fn add<const W: usize, const N: usize>(
        &mut self,
        game: &Tubstap<W, N>,
        end: &State<W, N>,
        has_resigned: bool,
    ) {
        let is_wiped = game.rules.sides.iter().any(|side| end.alive & side == 0);
        let at_limit = !is_wiped && !has_resigned;
        self.n_games += 1;
        self.at_limit += u32::from(at_limit);
        match end.status {
            Status::Won(player) => {
                self.wins[player.index()] += 1;
                self.judged[player.index()] += u32::from(at_limit);
            }
            _ => self.draws += 1,
        }
    }

    pub fn row(&self) -> String {
        let [red, blue] = self.players.each_ref().map(|name| cell(name));
        let flag = |is_on: bool| if is_on { "True" } else { "False" };
        format!(
            "{},{red},{blue},{},{},{},{},{},{},{},{},{}",
            cell(&self.map),
            self.n_games,
            self.wins[0],
            self.wins[1],
            self.draws,
            self.at_limit,
            self.judged[0],
            self.judged[1],
            flag(self.noise_hp),
            flag(self.noise_position)
        )
    }

    /// A row, if it is one.
    pub fn read(row: &str) -> Option<BattleResult> {
        let cells: Vec<&str> = row.trim_end().split(',').collect();
        let &[map, red, blue, ref counts @ .., noise_hp, noise_position] = cells.as_slice() else {
            return None;
        };
        let counts: Vec<u32> = counts.iter().map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let &[n_games, red_wins, blue_wins, draws, at_limit, red_judged, blue_judged] =
            counts.as_slice()
        else {
            return None;
        };
        let flag = |text: &str| match text {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        };
        Some(BattleResult {
            map: map.to_owned(),
            players: [red.to_owned(), blue.to_owned()],
            n_games,
            wins: [red_wins, blue_wins],
            draws,
            at_limit,
            judged: [red_judged, blue_judged],
            noise_hp: flag(noise_hp)?,
            noise_position: flag(noise_position)?,
        })
    }
}

/// The first line of a table of games; the spelling is the original's.
pub fn log_header() -> String {
    let kinds =
        |side: &str| Kind::ALL.map(|kind| format!("{}_UnitHP_{side}", kind.mark())).join(",");
    format!(
        "WinTeam,Resing,EndTurn,AttackCntBlue_0_5,AttackCntRed_0_5,attackCntBlue_6_11,\
         attackCntRed_6_11,AllUnitHP_Blue,AllUnitHP_Red,{},{}",
        kinds("Blue"),
        kinds("Red")
    )
}

/// How often each side attacked in the first six turns and in the six after them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttackCounts {
    /// By period and side.
    n: [[u32; 2]; 2],
}

impl AttackCounts {
    /// Counts an attack of a side, by the number of completed turns.
    pub fn add(&mut self, turns: u32, player: Player) {
        if let Some(period) = self.n.get_mut(turns as usize / 6) {
            period[player.index()] += 1;
        }
    }
}

/// The row of one finished game.
pub fn log_row<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    end: &State<W, N>,
    has_resigned: bool,
    attacks: AttackCounts,
) -> String {
    let winner = match end.status {
        Status::Won(player) => i32::from(player.0),
        _ => -1,
    };
    let resigned = if has_resigned { "True" } else { "False" };
    let [red, blue] = game.totals(end);
    let kinds = |side: usize| {
        let mut sums = [0; 6];
        for unit in bits(end.alive & game.rules.sides[side]) {
            sums[game.rules.kinds[unit as usize] as usize] +=
                u32::from(end.hit_points[unit as usize]);
        }
        sums.map(|sum| sum.to_string()).join(",")
    };
    let [[red_early, blue_early], [red_late, blue_late]] = attacks.n;
    format!(
        "{winner},{resigned},{},{blue_early},{red_early},{blue_late},{red_late},{blue},{red},{},{}",
        end.turn,
        kinds(1),
        kinds(0)
    )
}

/// A name as it may stand in a cell.
fn cell(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ',' | '\r' | '\n')).collect()
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::{Game, Rng, Scratch};

    use super::*;
    use crate::tubstap::{Settings, Small, read_map};

    #[test]
    fn rows_are_those_of_the_original() {
        let row = "./map/genmap1.tbsmap,Sample_MaxActionEvalFunc,M-UCT,50,0,50,0,3,0,3,False,True";
        assert_eq!(BattleResult::read(row).unwrap().row(), row);
        assert_eq!(BattleResult::read(RESULT_HEADER), None);
        assert_eq!(RESULT_HEADER.split(',').count(), row.split(',').count());
    }

    #[test]
    fn the_header_of_games_is_that_of_the_original() {
        let expected = "WinTeam,Resing,EndTurn,AttackCntBlue_0_5,AttackCntRed_0_5,attackCntBlue_6_11,\
            attackCntRed_6_11,AllUnitHP_Blue,AllUnitHP_Red,F_UnitHP_Blue,A_UnitHP_Blue,P_UnitHP_Blue,\
            U_UnitHP_Blue,R_UnitHP_Blue,I_UnitHP_Blue,F_UnitHP_Red,A_UnitHP_Red,P_UnitHP_Red,\
            U_UnitHP_Red,R_UnitHP_Red,I_UnitHP_Red";
        assert_eq!(log_header(), expected);
    }

    #[test]
    fn games_are_counted() {
        let bytes = include_bytes!("../../../../games/tubstap/ford.tbsmap");
        let game = Small::new(&read_map(bytes).unwrap().0, Settings::default()).unwrap();
        let mut result = BattleResult::default();
        let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
        for _ in 0..100 {
            let mut state = game.start();
            game.playout(&mut state, &mut scratch, &mut rng);
            result.add(&game, &state, false);
            let row = log_row(&game, &state, false, AttackCounts::default());
            assert_eq!(row.split(',').count(), log_header().split(',').count());
        }
        assert_eq!(result.wins[0] + result.wins[1] + result.draws, 100);
        let wiped = result.wins[0] + result.wins[1] - result.judged[0] - result.judged[1];
        assert_eq!(result.at_limit + wiped, 100);
        let mut state = game.start();
        game.resign(&mut state, Player(0));
        result.add(&game, &state, true);
        assert_eq!((result.n_games, result.at_limit + wiped), (101, 100));
    }
}
