//! One match of every game, written down so that a person can read it, and compared to the letter.
//! `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test playthroughs` writes the files again.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use sakiyomi::catalog::{GameSpec, RandomSpec, open_table};
use sakiyomi::core::{Stop, Turn};
use sakiyomi::draw::draw;

fn playthrough(game: &GameSpec) -> String {
    let mut table = open_table(game, 1).unwrap();
    let mut text = format!("{game}, seed 1, everyone plays at random\n");
    loop {
        write!(text, "\n{}", draw(&table.view(), false)).unwrap();
        let who = match table.turn() {
            Turn::Over(payoffs) => {
                writeln!(text, "payoffs: {:?}", payoffs.as_slice(table.players())).unwrap();
                return text;
            }
            Turn::Choose(who) => who,
            Turn::Chance => unreachable!("a table draws for chance itself"),
        };
        let mut texts = Vec::new();
        for player in who {
            let name = table.player_name(player);
            let legal = table.legal(player);
            let legal: Vec<&str> = legal.iter().map(|action| action.text.as_str()).collect();
            writeln!(text, "{name} may play {}", legal.join(" ")).unwrap();
            let advice = table.advise(&RandomSpec.into(), player, &Stop::new()).unwrap();
            writeln!(text, "{name} plays {}", advice.action).unwrap();
            texts.push(advice.action);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        table.play(&texts).unwrap();
    }
}

/// Games whose usual match is too long to be read, and a short one instead.
const SHORT: &[(&str, &str)] = &[("mizugame", "mizugame:teams=2,sessions=6")];

#[test]
fn matches_are_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/playthroughs");
    let bless = std::env::var_os("SAKIYOMI_BLESS").is_some();
    for entry in GameSpec::entries() {
        let short = SHORT.iter().find(|(name, _)| *name == entry.name);
        let game: GameSpec = short.map_or(entry.name, |(_, spec)| spec).parse().unwrap();
        let played = playthrough(&game);
        let file = folder.join(format!("{}.txt", entry.name));
        if bless {
            fs::write(&file, &played).unwrap();
        }
        let golden = fs::read_to_string(&file).unwrap_or_default();
        let shorter = golden.lines().count().min(played.lines().count());
        let differs = golden.lines().zip(played.lines()).position(|(a, b)| a != b);
        assert!(
            golden == played,
            "{} differs from line {}; if that is intended, write it again with SAKIYOMI_BLESS=1",
            file.display(),
            differs.unwrap_or(shorter) + 1
        );
    }
}
