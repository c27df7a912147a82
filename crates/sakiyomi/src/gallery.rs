//! A run of evolution as pictures and as a page.

use sakiyomi_evolve::{Fairness, Find, Gallery, JudgeFairness, NOISE, OPENING, Unfair};
use sakiyomi_games::tubstap::Map;

use crate::figures::{Content, Curve, CurvePoint, Figure, MapPicture, UnitPicture};
use crate::report::{Block, to_html};

/// What the folder of a run shows: a page and its pictures.
pub fn gallery_files(gallery: &Gallery) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("curves.svg", curves_figure(gallery).to_svg().into_bytes()),
        ("maps.svg", maps_figure(gallery).to_svg().into_bytes()),
        ("gallery.html", gallery_html(gallery).into_bytes()),
    ]
}

/// Best, mean and worst fitness per generation, as in the paper's figures.
fn curves_figure(gallery: &Gallery) -> Figure {
    let curve = |name: &str, value: &dyn Fn(usize) -> f64| Curve {
        name: name.to_owned(),
        points: (0..gallery.history.len())
            .map(|at| {
                let y = value(at);
                CurvePoint { x: at as f64, y, low: y, high: y }
            })
            .collect(),
        references: Vec::new(),
    };
    let history = &gallery.history;
    let mut curves = vec![
        curve("best (paper's formula)", &|at| history[at].paper.best),
        curve("mean (paper's formula)", &|at| history[at].paper.mean),
        curve("worst (paper's formula)", &|at| history[at].paper.worst),
    ];
    if !gallery.is_paper() {
        curves.push(curve("best (graded)", &|at| history[at].fitness.best));
        curves.push(curve("mean (graded)", &|at| history[at].fitness.mean));
        curves.push(curve("archive, mean (graded)", &|at| history[at].archive_mean));
    }
    Figure {
        title: format!("{}: fitness per generation", gallery.title),
        content: Content::Curves {
            x_label: "generation".to_owned(),
            y_label: "fitness".to_owned(),
            log_x: false,
            curves,
            baseline: None,
        },
    }
}

/// The maps of a gallery; none if it has other things than maps.
fn maps_figure(gallery: &Gallery) -> Figure {
    let maps = (1..).zip(&gallery.finds).filter_map(|(number, find)| {
        let map = Map::from_code(&find.code).ok()?;
        Some(picture(&map, number.to_string(), find_lines(find)))
    });
    Figure { title: gallery.title.clone(), content: Content::Maps { maps: maps.collect() } }
}

/// A map to be drawn.
pub fn picture(map: &Map, title: String, lines: Vec<String>) -> MapPicture {
    let inside = (1..map.height - 1).flat_map(|y| (1..map.width - 1).map(move |x| (x, y)));
    MapPicture {
        title,
        lines,
        columns: usize::from(map.width) - 2,
        terrain: inside.map(|(x, y)| map.terrain_at(x, y).code()).collect(),
        units: map
            .units
            .iter()
            .map(|unit| UnitPicture {
                x: usize::from(unit.x) - 1,
                y: usize::from(unit.y) - 1,
                mark: unit.kind.mark(),
                team: unit.team,
                hit_points: unit.hit_points,
            })
            .collect(),
    }
}

fn find_lines(find: &Find) -> Vec<String> {
    let judges = find.fresh.as_ref().map_or(&find.search, |fresh| &fresh.judges);
    judges
        .iter()
        .map(|one| {
            let name = short_name(&one.judge);
            // Games of the search are too few for a verdict.
            let verdict = match find.fresh.is_some() && !one.is_fair() {
                true => ", not fair",
                false => "",
            };
            format!("{name} {}-{}-{}{verdict}", one.wins[0], one.draws, one.wins[1])
        })
        .collect()
}

/// A judge without the parameters of its agent, for which a picture has no room.
fn short_name(judge: &str) -> String {
    let agent = judge.split([':', '+']).next().unwrap_or(judge);
    let starts = [OPENING, NOISE].map(|start| judge.find(start));
    let start = starts.into_iter().flatten().min().map_or("", |at| &judge[at..]);
    format!("{agent}{start}")
}

/// What the judges say, one row each.
pub fn fairness_lines(judges: &[JudgeFairness]) -> (Vec<String>, Vec<Vec<String>>) {
    let header = [
        "judge",
        "games",
        "RED won",
        "drawn",
        "BLUE won",
        "RED's score",
        "95 % interval",
        "draws",
        "paper's fitness",
        "wipe-outs",
        "judgements",
        "actions a game",
        "courses",
        "verdict",
    ];
    let row = |one: &JudgeFairness| {
        let share = |n: u64| format!("{:.0} %", 100.0 * n as f64 / one.games.max(1) as f64);
        vec![
            format!("`{}`", one.judge),
            one.games.to_string(),
            one.wins[0].to_string(),
            one.draws.to_string(),
            one.wins[1].to_string(),
            format!("{:.3}", one.score),
            crate::numbers::interval_text(one.interval),
            share(one.draws),
            format!("{:.2}", one.paper_fitness),
            format!("{} : {}", one.wipe_outs[0], one.wipe_outs[1]),
            format!("{} : {}", one.judgements[0], one.judgements[1]),
            format!("{:.1}", one.mean_actions),
            format!("{} of {}", one.distinct, one.compared),
            verdict(one),
        ]
    };
    (header.map(str::to_owned).to_vec(), judges.iter().map(row).collect())
}

/// Fair, or why not, and how the favoured side wins.
fn verdict(one: &JudgeFairness) -> String {
    let how = |side: usize| {
        let most =
            if one.wipe_outs[side] >= one.judgements[side] { "wipe-out" } else { "judgement" };
        format!("mostly by {most}")
    };
    let reasons: Vec<String> = one
        .unfair
        .iter()
        .map(|reason| match reason {
            Unfair::FirstSide => format!("RED is favoured, {}", how(0)),
            Unfair::SecondSide => format!("BLUE is favoured, {}", how(1)),
            Unfair::Undecided => format!(
                "undecided{}: it takes more games",
                match one.score {
                    score if score > 0.5 => ", RED is ahead",
                    score if score < 0.5 => ", BLUE is ahead",
                    _ => "",
                }
            ),
            Unfair::Draws => "too many draws".to_owned(),
            Unfair::OneCourse => "always the same game; use +opening=1".to_owned(),
        })
        .collect();
    match reasons.is_empty() {
        false => reasons.join("; "),
        true if one.repeats() => format!("fair; its games repeat, {} differ", one.distinct),
        true => "fair".to_owned(),
    }
}

/// The gallery as a page of its own.
fn gallery_html(gallery: &Gallery) -> String {
    let mut blocks = vec![
        Block::Heading(gallery.title.clone()),
        Block::Paragraph(summary(gallery)),
        Block::Picture { name: "curves".to_owned(), title: "Fitness per generation".to_owned() },
        Block::Picture { name: "maps".to_owned(), title: "Maps".to_owned() },
    ];
    for (number, find) in (1..).zip(&gallery.finds) {
        let judges = find.fresh.as_ref().map_or(&find.search, |fresh| &fresh.judges);
        let (header, rows) = fairness_lines(judges);
        let games = if find.fresh.is_some() { "fresh games" } else { "games of the search" };
        blocks.push(Block::Heading(format!("{number} ({games})")));
        if let Some(fresh) = &find.fresh {
            let text = format!("Verdict: {}. Tested {}.", fresh.verdict(), fresh.tested());
            blocks.push(Block::Paragraph(text));
        }
        blocks.push(Block::Table { header, rows });
        blocks.push(Block::Paragraph(format!("`{}`", find.code)));
    }
    to_html(&gallery.title, &blocks)
}

fn summary(gallery: &Gallery) -> String {
    let n = gallery.history.len();
    let games: u64 = gallery.history.iter().map(|one| one.games).sum();
    let mut text =
        format!("{n} of {} generations, {games} games. ", gallery.settings.all_generations());
    if gallery.tried > 0 {
        text += &format!("{}. ", gallery.tried_text());
    } else {
        text += "No candidate was tried with fresh games yet; these are the best so far. ";
    }
    if let Some(fitness) = gallery.paper_fitness() {
        text += &format!("Mean fitness by the paper's formula, on fresh games: {fitness:.2}. ");
    }
    let fair = |fairness: &Fairness| fairness.is_fair;
    let n_fair = gallery.finds.iter().filter_map(|find| find.fresh.as_ref()).filter(|it| fair(it));
    text + &format!("{} maps are shown, {} of them fair.", gallery.finds.len(), n_fair.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_with_and_without_noise_are_told_apart() {
        let names = ["sample+opening=1+noise", "m-uct:iterations=20+noise", "staff:numbers=quick"];
        assert_eq!(names.map(short_name), ["sample+opening=1+noise", "m-uct+noise", "staff"]);
    }
}
