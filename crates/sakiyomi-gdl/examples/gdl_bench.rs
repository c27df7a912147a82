//! Measures rule sheets: `gdl_bench SECONDS FILE..` prints a table of sizes and speeds; with a
//! trace of the same name beside it in `../traces`, the trace is replayed first.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;

use sakiyomi_gdl::{GdlGame, Settings, info, verify};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    println!(
        "{:<36} {:>7} {:>12} {:>8} {:>7} {:>7} {:>8} {:>8}  trace",
        "sheet", "ready s", "playouts/s", "plies", "fluents", "moves", "live", "edges"
    );
    for file in arguments {
        let path = Path::new(&file);
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let Ok(bytes) = std::fs::read(path) else {
            eprintln!("{name}: cannot be read");
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        match info(&text, &Settings::default(), seconds, 1) {
            Ok(info) => {
                let size = info.size.map_or([0; 4], |s| [s.fluents, s.moves, s.live, s.live_edges]);
                print!("{name:<36} {:>7.3} ", info.ready_seconds);
                print!("{:>12.0} {:>8.1} ", info.playouts_per_cpu_second, info.mean_plies);
                print!("{:>7} {:>7} {:>8} {:>8}  ", size[0], size[1], size[2], size[3]);
                println!("{}", replay(path, &name, &text));
                if let Some(notice) = info.notice {
                    println!("    {notice}");
                }
            }
            Err(error) => println!("{name:<36} {error}"),
        }
    }
}

fn replay(path: &Path, name: &str, text: &str) -> String {
    let Some(folder) = path.parent().and_then(Path::parent) else { return String::new() };
    let trace = folder.join("traces").join(format!("{name}.jsonl"));
    let Ok(trace) = std::fs::read_to_string(trace) else { return "none".to_owned() };
    let game = match GdlGame::new(text, &Settings::default()) {
        Ok(game) => game,
        Err(error) => return error.to_string(),
    };
    match verify(&game, &trace, None) {
        Ok(verified) => format!("same ({} plies)", verified.plies),
        Err(error) => error.to_string(),
    }
}
