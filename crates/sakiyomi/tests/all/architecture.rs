//! The map in ARCHITECTURE.md names every module once, and nothing that is not there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Files of a crate's `src` that the map must name, relative to it. A folder's own file and tests stand for themselves.
fn modules(folder: &Path, prefix: &str, out: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match path.is_dir() {
            true if name == "tests" => {}
            true => modules(&path, &format!("{prefix}{name}/"), out),
            false if ["lib.rs", "main.rs", "mod.rs", "tests.rs"].contains(&name.as_str()) => {}
            false => out.push(format!("{prefix}{name}")),
        }
    }
}

/// What a crate's section of the map names, and how often. A point that begins with a folder names files in it.
fn named(section: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for point in section.split("\n- ").skip(1) {
        let words: Vec<&str> = point.split('`').skip(1).step_by(2).collect();
        let folder = words.first().filter(|word| point.starts_with('`') && word.ends_with('/'));
        for word in words.iter().filter(|word| word.ends_with(".rs")) {
            *counts.entry(format!("{}{word}", folder.unwrap_or(&""))).or_default() += 1;
        }
    }
    counts
}

#[test]
fn the_map_names_every_module_once() {
    let text = fs::read_to_string(format!("{ROOT}/ARCHITECTURE.md")).unwrap();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(format!("{ROOT}/crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let head = format!("\n### `{name}`");
        let Some((_, section)) = text.split_once(&head) else {
            wrong.push(format!("{name} has no section `{}`", head.trim()));
            continue;
        };
        let named = named(section.split("\n## ").next().unwrap().split("\n### ").next().unwrap());
        let mut modules_here = Vec::new();
        modules(&path.join("src"), "", &mut modules_here);
        for module in &modules_here {
            match named.get(module).copied().unwrap_or(0) {
                1 => {}
                n => wrong.push(format!("{name}: {module} is named {n} times")),
            }
        }
        let gone = named.keys().filter(|&word| !modules_here.contains(word));
        wrong.extend(gone.map(|word| format!("{name}: there is no {word}")));
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md:\n{}", wrong.join("\n"));
}
