//! Counts allocations: a playout makes none once its buffers have grown, and in a game from a rule
//! sheet once its joint moves are known.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sakiyomi::catalog::{CatalogGame, GameSpec, Visitor};
use sakiyomi::core::{Game, Rng, Scratch};
use sakiyomi::gdl::{GdlGame, Settings};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

struct Playouts;

impl Visitor for Playouts {
    type Out = [u64; 2];

    fn visit<G: CatalogGame>(self, game: G) -> [u64; 2] {
        let (start, mut state) = (game.start(), game.start());
        let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
        let mut play = |n: u32| {
            for _ in 0..n {
                state.clone_from(&start);
                std::hint::black_box(game.playout(&mut state, &mut scratch, &mut rng));
            }
        };
        play(100);
        [allocations(|| play(1_000)), allocations(|| drop(Vec::<u8>::with_capacity(1)))]
    }
}

#[test]
fn playouts_do_not_allocate() {
    for entry in GameSpec::entries() {
        for text in [entry.name, entry.example] {
            let game: GameSpec = text.parse().unwrap();
            let [playouts, one] = game.with(Playouts).unwrap();
            assert_eq!(one, 1, "the counter counts");
            assert_eq!(playouts, 0, "{game}: allocations in 1,000 playouts");
        }
    }
}

/// Stones fall down three columns of three cells; recursion finds the lowest free cell.
const STONES: &str = "
(role up) (role down) (init (turn up)) (init (count 0))
(column a) (column b) (column c) (over 1 2) (over 2 3) (height 1) (height 2) (height 3)
(<= (taken ?c ?h) (true (stone ?c ?h ?p)))
(<= (lowest ?c 1) (column ?c) (not (taken ?c 1)))
(<= (lowest ?c ?h) (column ?c) (over ?g ?h) (taken ?c ?g) (not (taken ?c ?h)))
(<= (legal ?p (drop ?c)) (true (turn ?p)) (lowest ?c ?h))
(<= (legal up rest) (true (turn down))) (<= (legal down rest) (true (turn up)))
(<= (next (turn up)) (true (turn down))) (<= (next (turn down)) (true (turn up)))
(<= (next (stone ?c ?h ?p)) (does ?p (drop ?c)) (lowest ?c ?h))
(<= (next (stone ?c ?h ?p)) (true (stone ?c ?h ?p)))
(<= room (lowest ?c ?h))
(<= terminal (not room))
(<= (linked ?p a ?h) (true (stone a ?h ?p)))
(beside a b) (beside b c)
(<= (linked ?p ?d ?h) (linked ?p ?c ?h) (beside ?c ?d) (true (stone ?d ?h ?p)))
(<= (goal ?p 100) (linked ?p c ?h))
(<= (goal ?p 0) (role ?p) (not (goal ?p 100)))
";

#[test]
fn playouts_of_rule_sheets_allocate_nothing_after_the_first_ones() {
    let game = GdlGame::new(STONES, &Settings::default()).unwrap();
    let start = game.start();
    let (mut state, mut scratch, mut rng) = (start.clone(), Scratch::default(), Rng::new(1));
    let mut play = |n: usize| {
        allocations(|| {
            for _ in 0..n {
                state.clone_from(&start);
                game.playout(&mut state, &mut scratch, &mut rng);
            }
        })
    };
    play(5_000);
    assert_eq!(play(1_000), 0);
}
