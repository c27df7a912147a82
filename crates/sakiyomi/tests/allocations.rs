//! Counts allocations: a playout makes none once its buffers have grown.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sakiyomi::catalog::{GAMES, GameSpec, Visitor};
use sakiyomi::core::{Playable, Rng, Scratch};

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

    fn visit<G: Playable>(self, game: G) -> [u64; 2] {
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
    for entry in GAMES {
        for text in [entry.name, entry.example] {
            let game: GameSpec = text.parse().unwrap();
            let [playouts, one] = game.with(Playouts).unwrap();
            assert_eq!(one, 1, "the counter counts");
            assert_eq!(playouts, 0, "{game}: allocations in 1,000 playouts");
        }
    }
}
