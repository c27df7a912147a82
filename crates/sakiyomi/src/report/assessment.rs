//! The report of an assessment, for people: its certificate first, then the numbers and figures from
//! which it follows.

use sakiyomi_core::stats::Interval;
use sakiyomi_eval::assess::{AssessReport, Fairness, Kind, LadderStep, Mean, PlayerReport};

use super::document::Block;
use crate::figures::{Bar, Content, Curve, CurvePoint, Figure};

/// The blocks of an assessment, those of its remedies last.
pub fn assessment_blocks(report: &AssessReport) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(format!("Assessment of {}", report.game))];
    blocks.push(Block::Paragraph(report.verdict.sentence.clone()));
    blocks.extend(report.remedies.iter().map(|remedy| Block::Paragraph(remedy_sentence(remedy))));
    if report.interrupted {
        let text = "Stopped early: what follows is of the games that were complete.";
        blocks.push(Block::Paragraph(text.to_owned()));
    }
    blocks.extend(fairness_blocks(report));
    blocks.extend(life_blocks(report));
    blocks.extend(ladder_blocks(report));
    blocks.push(method(report));
    blocks.push(Block::Verbatim(report.command.clone()));
    for remedy in &report.remedies {
        blocks.extend(assessment_blocks(remedy));
    }
    blocks
}

/// What a change of the rules does: `51 to 49 with pie:hex`.
fn remedy_sentence(remedy: &AssessReport) -> String {
    let Some(strongest) = remedy.strongest() else {
        return format!("With `{}`: no games were played.", remedy.game);
    };
    let percents: Vec<String> =
        strongest.seats.iter().map(|seat| format!("{:.0}", 100.0 * seat.score)).collect();
    let interval = strongest.seats.first().map(|seat| span(&seat.interval));
    format!(
        "{} with `{}`, by `{}` (first seat {}). {}",
        percents.join(" to "),
        remedy.game,
        strongest.agent,
        interval.unwrap_or_default(),
        remedy.verdict.sentence
    )
}

fn fairness_blocks(report: &AssessReport) -> Vec<Block> {
    let heads = report.seats.iter().map(|seat| format!("{seat}, 95 %"));
    let header = ["player", "kind", "games"].map(String::from).into_iter().chain(heads);
    let row = |player: &PlayerReport| {
        let first = [
            format!("`{}`", player.agent),
            player.kind.meaning().to_owned(),
            player.games.to_string(),
        ];
        let seats =
            player.seats.iter().map(|seat| format!("{:.3} {}", seat.score, span(&seat.interval)));
        first.into_iter().chain(seats).collect()
    };
    let exact = match &report.exact.values {
        Some(values) => {
            let each: Vec<String> = report
                .seats
                .iter()
                .zip(values)
                .map(|(seat, value)| format!("{seat} {}", short(*value)))
                .collect();
            format!("Perfect play: {} ({}).", each.join(", "), report.exact.how)
        }
        None => format!("Perfect play: unknown ({}).", report.exact.how),
    };
    let mut blocks = vec![
        Block::Heading("Is it fair".to_owned()),
        Block::Table { header: header.collect(), rows: report.players.iter().map(row).collect() },
        Block::Paragraph(exact),
    ];
    if report.verdict.fairness != Fairness::OneSeat {
        let trend = report.verdict.trend.meaning();
        blocks.push(Block::Paragraph(format!("The advantage of the best seat {trend}.")));
    }
    blocks.push(drawing("Score of each seat, each player against itself", seat_bars(report)));
    let curves = strength_curves(report);
    if curves.iter().any(|curve| curve.points.len() > 1) {
        let content = Content::Curves {
            x_label: "iterations of the search".to_owned(),
            y_label: "score".to_owned(),
            log_x: true,
            curves,
            baseline: Some(equal(report)),
        };
        blocks.push(drawing("Score of each seat, by the strength of the search", content));
    }
    blocks
}

fn life_blocks(report: &AssessReport) -> Vec<Block> {
    let header = [
        "player",
        "drawn",
        "length",
        "legal actions",
        "forced",
        "changes of the lead",
        "decided after",
        "different games",
    ];
    let row = |player: &PlayerReport| {
        vec![
            format!("`{}`", player.agent),
            percent(player.draws),
            format!("{:.1}", player.length.mean),
            player.branching.map_or_else(dash, |number| format!("{number:.1}")),
            player.forced.map_or_else(dash, percent),
            player.lead_changes.as_ref().map_or_else(dash, |mean| format!("{:.2}", mean.mean)),
            player.decided.as_ref().map_or_else(dash, |mean: &Mean| percent(mean.mean)),
            format!("{} of {}", player.distinct_games, player.games),
        ]
    };
    vec![
        Block::Heading("Is it alive".to_owned()),
        Block::Table {
            header: header.map(String::from).into(),
            rows: report.players.iter().map(row).collect(),
        },
        Block::Paragraph(
            "Means of a game. Length is in rounds where the game counts them, and otherwise in turns. \
             A player leads that expects at least 0.1 more than every other, and a match is decided when \
             its winner expects at least 0.9 to the end, by what players say of their own searches."
                .to_owned(),
        ),
    ]
}

fn ladder_blocks(report: &AssessReport) -> Vec<Block> {
    if report.ladder.is_empty() {
        return Vec::new();
    }
    let elo = |step: &LadderStep| match &step.elo {
        Some(elo) if elo.difference.is_finite() => format!("{:+.0}", elo.difference),
        _ => dash(),
    };
    let row = |step: &LadderStep| {
        vec![
            format!("`{}` against `{}`", step.stronger, step.weaker),
            step.games.to_string(),
            format!("{:.3} {}", step.score, span(&step.interval)),
            elo(step),
        ]
    };
    let bar = |step: &LadderStep| Bar {
        label: format!("{} against {}", step.stronger, step.weaker),
        series: String::new(),
        value: Some(step.score),
        low: step.interval.low,
        high: step.interval.high,
        reference: None,
    };
    let bars = Content::Bars {
        value_label: "score of the stronger search".to_owned(),
        bars: report.ladder.iter().map(bar).collect(),
        baseline: Some(equal(report)),
    };
    let header = ["four times the thinking", "games", "score, 95 %", "Elo"].map(String::from);
    vec![
        Block::Heading("Does skill win".to_owned()),
        Block::Table { header: header.into(), rows: report.ladder.iter().map(row).collect() },
        Block::Paragraph(format!(
            "The stronger search has won {} of {} steps for sure.",
            report.verdict.steps_won, report.verdict.steps
        )),
        drawing("Score of a search against one with a quarter of its iterations", bars),
    ]
}

fn method(report: &AssessReport) -> Block {
    let forfeits: u64 = report.players.iter().map(|player| player.n_forfeits).sum();
    let lost = match forfeits {
        0 => String::new(),
        n => format!(" {n} games were lost by players that gave up."),
    };
    Block::Paragraph(format!(
        "{} games of each player against itself, seed {}; {:.1} CPU minutes in {:.1} minutes.{lost} A seat's \
         score is one point for a game won, shared by those with the same payoff. Intervals are 95 % each, of \
         these players and numbers of iterations. The same games again:",
        report.games,
        report.seed,
        report.cpu_seconds / 60.0,
        report.seconds / 60.0
    ))
}

fn seat_bars(report: &AssessReport) -> Content {
    let bar = |player: &PlayerReport, seat: usize| {
        let score = player.seats[seat];
        Bar {
            label: player.agent.clone(),
            series: if report.seats.len() > 2 { report.seats[seat].clone() } else { String::new() },
            value: Some(score.score),
            low: score.interval.low,
            high: score.interval.high,
            reference: None,
        }
    };
    // Of two seats one tells both.
    let n_shown = if report.seats.len() > 2 { report.seats.len() } else { 1 };
    let bars =
        report.players.iter().flat_map(|player| (0..n_shown).map(move |seat| bar(player, seat)));
    let value_label = match report.seats.as_slice() {
        [first, _] => format!("score of {first}"),
        _ => "score".to_owned(),
    };
    Content::Bars { value_label, bars: bars.collect(), baseline: Some(equal(report)) }
}

fn strength_curves(report: &AssessReport) -> Vec<Curve> {
    let n_shown = if report.seats.len() > 2 { report.seats.len() } else { 1 };
    let searches = || report.players.iter().filter(|player| player.kind == Kind::Search);
    let curve = |seat: usize| Curve {
        name: report.seats[seat].clone(),
        points: searches()
            .filter_map(|player| {
                let score = player.seats[seat];
                Some(CurvePoint {
                    x: player.iterations? as f64,
                    y: score.score,
                    low: score.interval.low,
                    high: score.interval.high,
                })
            })
            .collect(),
        references: Vec::new(),
    };
    (0..n_shown).map(curve).collect()
}

fn drawing(title: &str, content: Content) -> Block {
    let figure = Figure { title: String::new(), content };
    Block::Drawing { svg: figure.to_svg(), title: title.to_owned() }
}

fn equal(report: &AssessReport) -> f64 {
    1.0 / report.seats.len().max(1) as f64
}

fn span(interval: &Interval) -> String {
    format!("[{:.3}, {:.3}]", interval.low, interval.high)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A value without zeros at its end.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn dash() -> String {
    "-".to_owned()
}
