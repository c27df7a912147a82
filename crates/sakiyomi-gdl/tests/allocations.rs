//! Counts allocations: a playout makes none once its buffers have grown and its joint moves are known.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sakiyomi_core::{Game, Rng, Scratch};
use sakiyomi_gdl::{GdlGame, Settings};

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
fn playouts_and_copies_allocate_nothing_after_the_first_ones() {
    let game = GdlGame::new(STONES, &Settings::default()).unwrap();
    let start = game.start();
    let (mut state, mut scratch, mut rng) = (start.clone(), Scratch::default(), Rng::new(1));
    let mut play = |n: usize| {
        let before = ALLOCATIONS.get();
        for _ in 0..n {
            state.clone_from(&start);
            game.playout(&mut state, &mut scratch, &mut rng);
        }
        ALLOCATIONS.get() - before
    };
    play(5_000);
    assert_eq!(play(1_000), 0);
}
