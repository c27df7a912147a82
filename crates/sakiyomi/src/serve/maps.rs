//! Maps of TUBSTAP for the page's editor: read, checked and written here, so that the page knows no
//! file format and no name of a game.

use axum::Json;
use axum::extract::State;
use sakiyomi_catalog::{GameSpec, MapSource, Named, PlayerFace, TubstapSpec};
use sakiyomi_core::{Colour, Phrase};
use sakiyomi_games::tubstap::{
    FULL_HIT_POINTS, Kind, MAX_HP_THRESHOLD, MAX_SIZE, MAX_TURN_LIMIT, MIN_SIZE, Map, Settings,
    Terrain, Unit, read_map, write_map,
};

use super::api::{
    ApiError, DrawnMap, DrawnUnit, ErrorCode, MapAnswer, MapEditor, MapRequest, MapUnit,
};
use super::lab::{Body, PathOf, Shared};
use super::{guard, queues};

/// The editor of a game's maps, if it has one.
pub(super) fn editor(game: &str) -> Option<MapEditor> {
    let GameSpec::Tubstap(_) = game.parse().ok()? else { return None };
    let side = |name: &str, colour| PlayerFace { name: Phrase::new(name), colour: Some(colour) };
    let unit = |kind: Kind| MapUnit { name: kind.name().to_owned(), mark: kind.mark() };
    Some(MapEditor {
        address: format!("/api/editor/{game}"),
        empty: drawn(&Map::plain(EMPTY_SIZE + 2, EMPTY_SIZE + 2)),
        terrains: TERRAINS.iter().map(|terrain| terrain.name().to_owned()).collect(),
        units: Kind::ALL.into_iter().map(unit).collect(),
        sides: vec![side("RED", Colour::Red), side("BLUE", Colour::Blue)],
        max_hit_points: FULL_HIT_POINTS,
        max_size: MAX_SIZE - 2,
        file_ending: ".tbsmap".to_owned(),
    })
}

const EMPTY_SIZE: u16 = 8;
/// In the order in which they are offered.
const TERRAINS: [Terrain; 7] = [
    Terrain::Plain,
    Terrain::Road,
    Terrain::Wood,
    Terrain::Mountain,
    Terrain::Sea,
    Terrain::Fortress,
    Terrain::Forbidden,
];

pub(super) async fn map(
    State(lab): State<Shared>,
    PathOf(game): PathOf<String>,
    Body(request): Body<MapRequest>,
) -> Result<Json<MapAnswer>, ApiError> {
    if editor(&game).is_none() {
        let message = format!("`{game}` has no map editor");
        return Err(ApiError::new(ErrorCode::NotFound, message));
    }
    lab.work(queues::Kind::Positions, move || answer(request)).await.map(Json)
}

fn answer(request: MapRequest) -> Result<MapAnswer, ApiError> {
    let mut odd_text = None;
    let map = match request {
        MapRequest::Text { text } => {
            let (map, warnings) = read_map(text.as_bytes()).map_err(|error| ApiError {
                line: error.line,
                ..ApiError::new(ErrorCode::BrokenMap, error.message)
            })?;
            odd_text = Some(warnings.iter().map(ToString::to_string).collect());
            map
        }
        MapRequest::Drawn { map } => undrawn(&map).map_err(broken)?,
        MapRequest::Game { game } => match guard::game(&game)? {
            GameSpec::Tubstap(Named { settings, .. }) => settings.map.read().map_err(broken)?,
            _ => return Err(broken(format!("`{game}` has no map of TUBSTAP"))),
        },
        MapRequest::Random { seed } => MapSource::Seed(seed.into()).read().map_err(broken)?,
    };
    map.check().map_err(|fault| broken(fault.to_string()))?;
    let game = game_of(&map);
    // What is odd about a text is more than what is odd about its map, and has lines.
    let odd_map = || map.warnings().into_iter().map(|(place, text)| format!("{place}{text}"));
    let warnings = odd_text.unwrap_or_else(|| odd_map().collect());
    Ok(MapAnswer { map: drawn(&map), text: write_map(&map), game: game.to_string(), warnings })
}

/// The game that is played on a map.
pub(super) fn game_of(map: &Map) -> GameSpec {
    let code = MapSource::Code(map.code());
    TubstapSpec { map: code, settings: Settings::default() }.into()
}

fn broken(message: String) -> ApiError {
    ApiError::new(ErrorCode::BrokenMap, message)
}

pub(super) fn drawn(map: &Map) -> DrawnMap {
    let inside = (1..map.height - 1).flat_map(|y| (1..map.width - 1).map(move |x| (x, y)));
    let unit = |unit: &Unit| DrawnUnit {
        column: unit.x - 1,
        row: unit.y - 1,
        kind: unit.kind.name().to_owned(),
        side: unit.team,
        hit_points: unit.hit_points,
        is_late: unit.finished,
    };
    DrawnMap {
        columns: map.width - 2,
        rows: map.height - 2,
        turn_limit: map.turn_limit,
        hp_threshold: map.hp_threshold,
        author: map.author.clone().unwrap_or_default(),
        comment: map.comment.clone().unwrap_or_default(),
        terrain: inside.map(|(x, y)| map.terrain_at(x, y).name().to_owned()).collect(),
        units: map.units.iter().map(unit).collect(),
    }
}

/// The map that was drawn, or what is wrong with the drawing.
fn undrawn(drawn: &DrawnMap) -> Result<Map, String> {
    let sizes = MIN_SIZE - 2..=MAX_SIZE - 2;
    for (name, size) in [("columns", drawn.columns), ("rows", drawn.rows)] {
        if !sizes.contains(&size) {
            let (least, most) = (sizes.start(), sizes.end());
            return Err(format!("{size} {name}, but a map has {least} to {most}"));
        }
    }
    let mut map = Map::plain(drawn.columns + 2, drawn.rows + 2);
    map.turn_limit = drawn.turn_limit.min(MAX_TURN_LIMIT);
    map.hp_threshold = drawn.hp_threshold.min(MAX_HP_THRESHOLD);
    map.author = Some(drawn.author.clone()).filter(|text| !text.is_empty());
    map.comment = Some(drawn.comment.clone()).filter(|text| !text.is_empty());
    let n_cells = usize::from(drawn.columns) * usize::from(drawn.rows);
    if drawn.terrain.len() != n_cells {
        return Err(format!("{} cells of terrain, but there are {n_cells}", drawn.terrain.len()));
    }
    for (i, name) in drawn.terrain.iter().enumerate() {
        let known = Terrain::ALL.into_iter().find(|terrain| terrain.name() == name);
        let terrain = known.ok_or_else(|| {
            format!("`{name}` is none of {}", Terrain::ALL.map(Terrain::name).join(", "))
        })?;
        let columns = usize::from(drawn.columns);
        map.set_terrain((1 + i % columns) as u16, (1 + i / columns) as u16, terrain);
    }
    for unit in &drawn.units {
        let kind = Kind::from_name(&unit.kind).ok_or_else(|| {
            format!("`{}` is none of {}", unit.kind, Kind::ALL.map(Kind::name).join(", "))
        })?;
        map.units.push(Unit {
            x: unit.column.saturating_add(1),
            y: unit.row.saturating_add(1),
            kind,
            team: unit.side,
            hit_points: unit.hit_points,
            finished: unit.is_late,
        });
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_game(game: &str) -> MapAnswer {
        answer(MapRequest::Game { game: game.to_owned() }).unwrap()
    }

    #[test]
    fn every_form_leads_to_the_same_map() {
        for game in ["tubstap:map=pass", "tubstap:map=air", "tubstap:seed=7"] {
            let map = of_game(game);
            let text = answer(MapRequest::Text { text: map.text.clone() }).unwrap();
            assert_eq!((&text.map, &text.game), (&map.map, &map.game));
            let drawn = answer(MapRequest::Drawn { map: map.map.clone() }).unwrap();
            assert_eq!((&drawn.text, &drawn.game), (&map.text, &map.game));
            assert_eq!(of_game(&map.game).map.units, map.map.units);
        }
    }

    #[test]
    fn a_game_with_maps_has_an_editor() {
        let editor = editor("tubstap").unwrap();
        assert_eq!(editor.terrains.len(), Terrain::ALL.len());
        let mut map = editor.empty;
        assert_eq!((map.columns, map.rows, map.terrain[0].as_str()), (8, 8, "plain"));
        map.units = of_game("tubstap:map=pass").map.units;
        map.terrain = editor.terrains.iter().cycle().take(64).cloned().collect();
        answer(MapRequest::Random { seed: 3 }).unwrap();
        let error = answer(MapRequest::Drawn { map }).err().map(|error| error.message);
        assert!(error.is_none_or(|error| !error.contains("is none of")));
        assert!(super::editor("hex").is_none());
    }

    #[test]
    fn faults_are_named() {
        let map = of_game("tubstap:map=pass").map;
        let refused = |change: &dyn Fn(&mut DrawnMap)| {
            let mut map = map.clone();
            change(&mut map);
            let error = answer(MapRequest::Drawn { map }).unwrap_err();
            assert_eq!(error.code, ErrorCode::BrokenMap);
            error.message
        };
        assert!(refused(&|map| map.columns = 60_000).contains("60000 columns"));
        assert!(refused(&|map| map.terrain[0] = "lava".to_owned()).contains("`lava` is none of"));
        assert!(
            refused(&|map| {
                map.terrain.pop();
            })
            .contains("cells of terrain")
        );
        assert!(refused(&|map| map.units[0].kind = "ship".to_owned()).contains("`ship`"));
        assert!(refused(&|map| map.units[0].column = 200).contains("unit 0"));
        assert!(refused(&|map| map.units[0].hit_points = 0).contains("hit points"));
        assert!(refused(&|map| map.units.clear()).contains("no unit"));
        assert!(refused(&|map| map.turn_limit = 0).contains("TURNLIMIT"));
        let text = "SIZEX[8];\nSIZEY[1000000000];".to_owned();
        let error = answer(MapRequest::Text { text }).unwrap_err();
        assert_eq!(error.line, Some(2));
        let other = answer(MapRequest::Game { game: "hex".to_owned() }).unwrap_err();
        assert!(other.message.contains("no map"));
        let file = answer(MapRequest::Game { game: "tubstap:file=/etc/passwd".to_owned() });
        assert_eq!(file.unwrap_err().code, ErrorCode::Refused);
    }
}
