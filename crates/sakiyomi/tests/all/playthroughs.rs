//! One match of every game, written down so that a person can read it: the moves, a few states on the way, and a hash
//! of all the others. `SAKIYOMI_BLESS=1 cargo test -p sakiyomi --test all playthroughs` writes the files again.

use std::fs;
use std::path::Path;

use sakiyomi::catalog::{GameSpec, RandomSpec, open_table};
use sakiyomi::core::hash::Fnv64;
use sakiyomi::core::{Stop, Turn};
use sakiyomi::draw::draw;

/// States that are shown, spread evenly from the first to the last.
const N_SHOWN: usize = 5;
/// Legal actions that are shown of a state.
const N_LEGAL_SHOWN: usize = 12;
const WIDTH: usize = 100;

/// One state of a match, and what was done in it.
struct Step {
    /// The board, and who may play what.
    picture: String,
    /// The same with every legal action.
    whole: String,
    /// What was played, as `name action`; the payoffs at the end.
    played: Vec<String>,
}

fn steps(game: &GameSpec) -> Vec<Step> {
    let mut table = open_table(game, 1).unwrap();
    let mut steps = Vec::new();
    loop {
        let mut step = Step {
            picture: draw(&table.view(), false),
            whole: draw(&table.view(), false),
            played: Vec::new(),
        };
        let who = match table.turn() {
            Turn::Over(payoffs) => {
                step.played.push(format!("payoffs {:?}", payoffs.as_slice(table.players())));
                steps.push(step);
                return steps;
            }
            Turn::Choose(who) => who,
            Turn::Chance => unreachable!("a table draws for chance itself"),
        };
        let mut texts = Vec::new();
        for player in who {
            let name = table.player_name(player);
            let legal = table.legal(player);
            let legal: Vec<&str> = legal.iter().map(|action| action.text.as_str()).collect();
            let shown = legal[..legal.len().min(N_LEGAL_SHOWN)].join(" ");
            let dots = if legal.len() > N_LEGAL_SHOWN { " .." } else { "" };
            let line = format!("{name} may play {} actions: {shown}{dots}", legal.len());
            step.picture += &wrapped(line.split(' '));
            step.whole += &legal.join(" ");
            let action = table.advise(&RandomSpec.into(), player, &Stop::new()).unwrap().action;
            step.played.push(format!("{name} {action}"));
            texts.push(action);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        table.play(&texts).unwrap();
        steps.push(step);
    }
}

/// Words in lines that are not too long.
fn wrapped<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut lines = vec![String::new()];
    for word in words {
        let line = lines.last_mut().expect("there is a first line");
        match line.len() + 1 + word.len() {
            _ if line.is_empty() => line.push_str(word),
            length if length > WIDTH => lines.push(format!("  {word}")),
            _ => *line += &format!(" {word}"),
        }
    }
    lines.join("\n") + "\n"
}

fn playthrough(game: &GameSpec) -> String {
    let steps = steps(game);
    let last = steps.len() - 1;
    let mut hash = Fnv64::default();
    for step in &steps {
        hash.write_field(step.whole.as_bytes());
        step.played.iter().for_each(|played| hash.write_field(played.as_bytes()));
    }
    let mut text = format!("{game}, seed 1, everyone plays at random\n");
    text += &format!(
        "{} states, all of them with their legal actions: {:016x}\n",
        last + 1,
        hash.finish()
    );
    let n_shown = N_SHOWN.min(last + 1);
    let shown: Vec<usize> = (0..n_shown).map(|i| i * last / (n_shown - 1)).collect();
    for (i, &index) in shown.iter().enumerate() {
        text += &format!("\nstate {index}\n{}", steps[index].picture);
        let until = shown.get(i + 1).copied().unwrap_or(last + 1);
        let played: Vec<String> =
            steps[index..until].iter().map(|step| step.played.join(" and ")).collect();
        text += &wrapped(format!("then {}", played.join(", ")).split(' '));
    }
    text
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
