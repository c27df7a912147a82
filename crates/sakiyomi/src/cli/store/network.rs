//! The matches of players on the network, as the store has them.

use std::collections::BTreeMap;
use std::io::Write;

use sakiyomi_eval::{NetworkMatch, Store, StoredMatch};

use super::super::{print_json, text_table};
use super::{Format, quoted};

/// One line per game and player.
pub(super) fn summary(store: &Store, out: &mut dyn Write) -> anyhow::Result<()> {
    let matches = store.network_matches()?;
    if matches.is_empty() {
        return Ok(());
    }
    let mut lines: BTreeMap<(&str, &str), (u64, f64, u32)> = BTreeMap::new();
    for StoredMatch { game, played, .. } in &matches {
        for (seat, player) in played.players.iter().enumerate() {
            let line = lines.entry((game, player)).or_default();
            line.0 += 1;
            line.1 += f64::from(played.goals[seat].unwrap_or(0));
            line.2 += faults(played, seat);
        }
    }
    let mut table =
        text_table(&["game", "player on the network", "matches", "mean goal", "faults"]);
    for ((game, player), (n, sum, faults)) in lines {
        let mean = format!("{:.1}", sum / n as f64);
        let (game, player) = (game.to_owned(), player.to_owned());
        table.add_row([game, player, n.to_string(), mean, faults.to_string()]);
    }
    Ok(writeln!(out, "{table}")?)
}

/// One line per match.
pub(super) fn show(store: &Store, as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let matches = store.network_matches()?;
    if as_json {
        return print_json(&matches, out);
    }
    let header = ["match", "game", "players", "goals", "faults", "plies", "seconds", "finished"];
    let mut table = text_table(&header);
    for StoredMatch { number, game, played, finished } in &matches {
        table.add_row([
            number.to_string(),
            game.clone(),
            played.players.join(", "),
            goals_text(played),
            each(played, |seat| faults(played, seat).to_string()),
            played.plies.to_string(),
            format!("{:.1}", played.seconds),
            finished.clone(),
        ]);
    }
    Ok(writeln!(out, "{table}")?)
}

/// One line per match, with lists of what is said per seat.
pub(super) fn export(store: &Store, format: Format, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Format::Csv = format {
        writeln!(
            out,
            "match,id,game,players,start_clock,play_clock,goals,timeouts,connection_errors,\
             illegal_moves,plies,seconds,finished"
        )?;
    }
    for played in store.network_matches()? {
        match format {
            Format::Jsonl => writeln!(out, "{}", serde_json::to_string(&played)?)?,
            Format::Csv => writeln!(out, "{}", csv_line(&played))?,
        }
    }
    Ok(())
}

fn csv_line(stored: &StoredMatch) -> String {
    let played = &stored.played;
    let counts = |counts: &[u32]| each(played, |seat| counts[seat].to_string());
    let fields = [
        stored.number.to_string(),
        played.id.clone(),
        stored.game.clone(),
        played.players.join(" "),
        played.start_clock.to_string(),
        played.play_clock.to_string(),
        goals_text(played),
        counts(&played.timeouts),
        counts(&played.connection_errors),
        counts(&played.illegal_moves),
        played.plies.to_string(),
        played.seconds.to_string(),
        stored.finished.clone(),
    ];
    fields.map(quoted).join(",")
}

fn goals_text(played: &NetworkMatch) -> String {
    each(played, |seat| played.goals[seat].map_or("-".to_owned(), |goal| goal.to_string()))
}

fn faults(played: &NetworkMatch, seat: usize) -> u32 {
    played.timeouts[seat] + played.connection_errors[seat] + played.illegal_moves[seat]
}

fn each(played: &NetworkMatch, text: impl Fn(usize) -> String) -> String {
    (0..played.players.len()).map(text).collect::<Vec<_>>().join(" ")
}
