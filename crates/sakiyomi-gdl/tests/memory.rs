//! Grounding and the interpreter keep to the memory that they are given, whatever the rules are:
//! counts the bytes that are allocated at the same time.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use sakiyomi_gdl::{EngineChoice, GdlGame, Settings};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    // A large block is moved by renaming its pages, so the old and the new one are not there at
    // the same time.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let now = NOW.fetch_add(size, Ordering::Relaxed) + size - layout.size();
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A sheet over `n` numbers with the given rules for moves and effects.
fn sheet(n: usize, rules: &str) -> String {
    let numbers: String = (0..n).map(|i| format!("(n {i}) ")).collect();
    format!(
        "(role a) (role b) (init (at 0 0)) (init (at 1 1)) {numbers} {rules}
         (<= terminal (true (at 2 2))) (goal a 50) (goal b 50)"
    )
}

#[test]
fn grounding_keeps_to_its_memory() {
    let wide_moves = "(<= (legal ?r (go ?x ?y ?u ?v)) (role ?r) (n ?x) (n ?y) (n ?u) (n ?v))
        (<= (next (at ?x ?y)) (does a (go ?x ?y ?u ?v)))";
    let wide_rules = "(<= (legal ?r (go ?x ?y)) (role ?r) (n ?x) (n ?y))
        (<= (next (at ?x ?y)) (does a (go ?x ?u)) (does b (go ?u ?y)) (not (true (at ?u ?x))))
        (<= (far ?x ?y ?z) (true (at ?x ?y)) (true (at ?y ?z)) (not (true (at ?x ?z))))
        (<= (next (at ?x ?y)) (true (at ?x ?y)) (far ?x ?y ?z) (does b (go ?z ?x)))";
    let wide_constants = "(<= (row ?x ?y ?z ?u) (n ?x) (n ?y) (n ?z) (n ?u))
        (<= (legal ?r (go ?x)) (role ?r) (row ?x ?y ?z ?u) (true (at ?x ?x)))
        (<= (next (at ?x ?x)) (does a (go ?x)))";
    for (n, rules) in [
        (16, wide_moves),
        (40, wide_moves),
        (24, wide_rules),
        (60, wide_rules),
        (60, wide_constants),
    ] {
        for megabytes in [12, 40, 120] {
            check(&sheet(n, rules), EngineChoice::Network, megabytes);
        }
    }
    let deep_legal = "(<= (legal ?r (go ?x ?y ?u ?v)) (role ?r) (one ?x ?y) (one ?u ?v))
        (<= (one ?x ?y) (n ?x) (n ?y)) (<= (next (at ?x ?y)) (does a (go ?x ?y ?u ?v)))";
    for (n, rules) in [(40, wide_moves), (40, deep_legal), (60, wide_constants)] {
        for megabytes in [20, 60] {
            check(&sheet(n, rules), EngineChoice::Interpreter, megabytes);
        }
    }
}

/// Makes a game, or fails, within some megabytes.
#[allow(clippy::print_stdout)] // Shown if it fails.
fn check(text: &str, engine: EngineChoice, megabytes: u64) {
    let mut settings = Settings { engine, ..Settings::default() };
    settings.limits.bytes = megabytes * 1_000_000;
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let game = GdlGame::new(text, &settings);
    let peak = (PEAK.load(Ordering::Relaxed) - before) as f64 / 1e6;
    let how = game.map_or_else(|error| error.to_string(), |_| format!("{engine:?}"));
    println!("{} letters, {megabytes} MB: {peak:.1} MB, {how}", text.len());
    // A table that grows is there twice for a moment, between two looks of the meter.
    assert!(peak <= 1.05 * megabytes as f64, "{peak:.1} of {megabytes} MB, {how}");
}
