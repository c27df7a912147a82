//! Kernels, compiled for this processor, against the lanes: match by match.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sakiyomi_core::Rng;

use super::job::{HAS_KEYS, IS_TERMINAL, Job, TELLS_EACH, cycles_between_goals, jobs};
use super::list::{OperationList, list_source};
use super::source::{SourceLimits, source};
use crate::lanes::batch::Batch;
use crate::lanes::play::{Match, Start, play};
use crate::lanes::run::Word;
use crate::lanes::tests::usual;
use crate::lanes::{Lanes, N_LANES, Picks};
use crate::run::compiled::Compiled;
use crate::run::draw::{STEP, scramble};

/// What `on_cpu_tail.c` counts keys from.
const BASE: u64 = 12_345;

/// A kernel as a program of this processor.
struct Program {
    path: PathBuf,
    list: Vec<u32>,
    n_words: u32,
}

impl Program {
    fn new(name: &str, source: &str) -> Program {
        let folder = std::env::temp_dir().join(format!("sakiyomi-kernel-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (text, path) = (folder.join(format!("{name}.c")), folder.join(name));
        let before = include_str!("../../../kernels/on_cpu_head.c");
        let after = include_str!("../../../kernels/on_cpu_tail.c");
        std::fs::write(&text, format!("{before}\n#define BASE {BASE}u\n{source}{after}")).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-std=gnu11", "-O1", "-w", "-o"]).arg(&path).arg(&text);
        let output = compiler.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::remove_file(text).unwrap();
        Program { path, list: Vec::new(), n_words: 0 }
    }

    /// Per match its plies and whether the rules ended it; the goals by role and match; the sums.
    fn run(
        &self,
        job: &Job,
        mode: u32,
        every: u32,
        max_plies: u32,
    ) -> (Vec<u32>, Vec<u8>, Vec<u64>) {
        let n = job.numbers.len();
        let (n_threads, n_list) = (2, self.list.len() as u32);
        let n_starts = job.plies_at.len() as u32;
        let head = [
            n_starts,
            n as u32,
            mode,
            job.phase,
            every,
            max_plies,
            n_threads,
            n_list,
            self.n_words,
        ];
        let mut input: Vec<u8> = Vec::new();
        for words in [&head[..], &job.facts, &job.plies_at, &job.start_of] {
            words.iter().for_each(|word| input.extend(word.to_le_bytes()));
        }
        job.keys.iter().for_each(|key| input.extend(key.to_le_bytes()));
        self.list.iter().for_each(|word| input.extend(word.to_le_bytes()));
        let mut child =
            Command::new(&self.path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success(), "{}", output.status);
        let (plies, rest) = output.stdout.split_at(4 * n);
        let n_roles = (rest.len() - 16) / (n + 16);
        let (goals, sums) = rest.split_at(n * n_roles);
        let plies = plies.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        let sums = sums.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        (plies, goals.to_vec(), sums)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        // Of several tests the last one finds the folder empty.
        let _ = self.path.parent().map(std::fs::remove_dir);
    }
}

fn has_compiler(test: &str) -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok();
    if !found {
        let mut errors = std::io::stderr();
        let _ = writeln!(errors, "{test}: skipped, there is no C compiler called cc");
    }
    found
}

fn compiled(text: &str) -> Compiled {
    crate::lanes::tests::compiled(text)
}

fn own_sheet(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The facts of some states after this many plies from the start.
fn states_after(lanes: &Lanes, initial: &[u64], n_plies: usize) -> Vec<Vec<u64>> {
    let mut rng = Rng::new(9);
    let mut batch: Batch<&Lanes> = Batch::new(lanes);
    let mut is_playing = Word::ALL;
    batch.load(is_playing, initial);
    (0..N_LANES).for_each(|lane| batch.set_key(lane, rng.bits(), 0));
    for step in 0..=n_plies {
        let over = batch.evaluate();
        let either = over.terminal.map2(over.stuck, |terminal, stuck| terminal | stuck);
        is_playing = is_playing.map2(either, |playing, over| playing & !over);
        if step < n_plies {
            batch.draw(0);
            batch.step();
        }
    }
    is_playing.lanes().take(5).map(|lane| batch.facts(lane)).collect()
}

/// Plays matches from the start and from later states in lanes and by the kernel.
fn compare(program: &Program, compiled: &Compiled, lanes: &Lanes, max_plies: u32) {
    let initial = compiled.network.initial_facts();
    let only = [Start { facts: &initial, phase: 0, plies: 0 }];
    compare_from(program, lanes, &only, max_plies);
    let states: Vec<(usize, Vec<u64>)> = (0..4)
        .flat_map(|plies| states_after(lanes, &initial, plies).into_iter().map(move |s| (plies, s)))
        .collect();
    let several: Vec<Start<'_>> = (states.iter())
        .map(|(plies, facts)| Start { facts, phase: *plies, plies: *plies as u32 })
        .collect();
    compare_from(program, lanes, &several, max_plies);
    compare_sums(program, lanes, &only, max_plies);
}

/// What lanes tell of matches: plies, whether the rules ended it, and the goals of all roles.
type Told = Vec<(u32, bool, Vec<Option<u8>>)>;

fn in_lanes(lanes: &Lanes, starts: &[Start<'_>], matches: &[Match], max_plies: u32) -> Told {
    let mut told = vec![(0, false, Vec::new()); matches.len()];
    play(lanes, starts, matches, max_plies, None, &mut |one| {
        let goals = (0..lanes.n_roles).map(|role| one.goal(role)).collect();
        told[one.number] = (one.plies, one.is_terminal, goals);
    });
    told
}

fn compare_from(program: &Program, lanes: &Lanes, starts: &[Start<'_>], max_plies: u32) {
    let mut rng = Rng::new(5);
    let matches: Vec<Match> =
        (0..400).map(|i| Match { start: (i % starts.len()) as u32, key: rng.bits() }).collect();
    let expected = in_lanes(lanes, starts, &matches, max_plies);
    let mut n_compared = 0;
    for job in jobs(lanes, starts, &matches) {
        for every in [1, cycles_between_goals(lanes) + 2] {
            let (plies, goals, _) = program.run(&job, job.mode(), every, max_plies);
            let n = job.numbers.len();
            for (i, &number) in job.numbers.iter().enumerate() {
                let own = (0..lanes.n_roles)
                    .map(|role| Some(goals[role * n + i]).filter(|&goal| goal != u8::MAX));
                let told = (plies[i] & !IS_TERMINAL, plies[i] >= IS_TERMINAL, own.collect());
                assert_eq!(told, expected[number as usize], "match {number}");
                n_compared += 1;
            }
        }
    }
    assert_eq!(n_compared, 2 * matches.len());
}

/// Keys that are counted, and results in sums.
fn compare_sums(program: &Program, lanes: &Lanes, starts: &[Start<'_>], max_plies: u32) {
    let key = |i: u64| scramble(BASE.wrapping_add(i.wrapping_mul(STEP)));
    let matches: Vec<Match> = (0..500).map(|i| Match { start: 0, key: key(i) }).collect();
    let mut expected = vec![0; 2 + 2 * lanes.n_roles];
    for (plies, is_terminal, goals) in in_lanes(lanes, starts, &matches, max_plies) {
        expected[0] += 1;
        expected[1] += u64::from(plies);
        for (role, goal) in goals.into_iter().enumerate() {
            let goal = u64::from(goal.unwrap_or(if is_terminal { 0 } else { 50 }));
            expected[2 + 2 * role] += goal;
            expected[3 + 2 * role] += goal * goal;
        }
    }
    let job = jobs(lanes, starts, &matches).remove(0);
    let (_, _, sums) = program.run(&job, job.mode() & !HAS_KEYS & !TELLS_EACH, 2, max_plies);
    assert_eq!(sums, expected);
}

fn check(name: &str, text: &str, limits: &SourceLimits, max_plies: u32) {
    let compiled = compiled(text);
    let lanes =
        Lanes::new(&compiled.network, &compiled.sequence, Picks::Once, usual(), None).unwrap();
    let program = Program::new(name, &source(&lanes, limits).unwrap());
    compare(&program, &compiled, &lanes, max_plies);
}

/// All code in one function.
#[test]
fn kernels_play_the_matches_of_lanes() {
    if !has_compiler("kernels_play_the_matches_of_lanes") {
        return;
    }
    for (i, text) in crate::tests::sheets::ALL.iter().enumerate() {
        check(&format!("small{i}"), text, &SourceLimits::default(), 2_000);
    }
    for name in ["tic_tac_toe", "connect_four", "hex", "pig"] {
        check(name, &own_sheet(&format!("{name}.kif")), &SourceLimits::default(), 2_000);
    }
}

/// Code that is split into functions, and matches that are cut off.
#[test]
fn split_kernels_play_the_matches_of_lanes() {
    if !has_compiler("split_kernels_play_the_matches_of_lanes") {
        return;
    }
    let limits = SourceLimits { inlined: 0, part: 10, compiled: 1_000_000 };
    for (i, text) in crate::tests::sheets::ALL.iter().enumerate() {
        check(&format!("split{i}"), text, &limits, 3);
    }
    let limits = SourceLimits { part: 300, ..limits };
    for name in ["breakthrough_small", "checkers_tiny"] {
        check(&format!("split_{name}"), &own_sheet(&format!("{name}.kif")), &limits, 30);
    }
}

/// Operations as numbers, for the kernel that is not compiled for one game.
#[test]
fn lists_play_the_matches_of_lanes() {
    if !has_compiler("lists_play_the_matches_of_lanes") {
        return;
    }
    let own = ["checkers_tiny", "hex"].map(|name| own_sheet(&format!("{name}.kif")));
    let texts = crate::tests::sheets::ALL.into_iter().chain(own.iter().map(String::as_str));
    for (i, text) in texts.enumerate() {
        let compiled = compiled(text);
        let lanes =
            Lanes::new(&compiled.network, &compiled.sequence, Picks::Once, usual(), None).unwrap();
        let OperationList { list, n_words } = OperationList::new(&lanes);
        let mut program = Program::new(&format!("list{i}"), &list_source(&lanes));
        (program.list, program.n_words) = (list, n_words as u32);
        compare(&program, &compiled, &lanes, 40);
    }
}

#[test]
fn code_beyond_the_limit_is_not_compiled() {
    let compiled = compiled(crate::tests::sheets::LINES);
    let lanes =
        Lanes::new(&compiled.network, &compiled.sequence, Picks::Once, usual(), None).unwrap();
    let limits = SourceLimits { compiled: 10, ..SourceLimits::default() };
    assert_eq!(source(&lanes, &limits), None);
}
