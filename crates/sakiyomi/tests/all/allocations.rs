//! Counts allocations: a playout makes none once its buffers have grown, and in a game from a rule
//! sheet once its joint moves are known; and a tree takes the memory that it says.
#![allow(unsafe_code)] // A global allocator is an unsafe trait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use sakiyomi::catalog::{AgentSpec, CatalogGame, GameSpec, Visitor};
use sakiyomi::core::{Budget, Context, Game, Rng, Scratch, Stop, Turn};
use sakiyomi::games::tubstap::{AttackFirst, Generator, Small};
use sakiyomi::gdl::{GdlGame, Settings};
use sakiyomi::search::{MctsSettings, TreeSettings};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are allocated now.
    static BYTES: Cell<i64> = const { Cell::new(0) };
    /// The most that were allocated at a time.
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        BYTES.with(|bytes| bytes.set(bytes.get() + layout.size() as i64));
        PEAK.with(|peak| peak.set(peak.get().max(BYTES.get())));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.with(|bytes| bytes.set(bytes.get() - layout.size() as i64));
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

/// Playouts that attack first are what the players of TUBSTAP think with.
#[test]
fn attack_first_playouts_do_not_allocate() {
    let map = Generator::default().generate(&mut Rng::new(3)).unwrap();
    let game = Small::new(&map, sakiyomi::games::tubstap::Settings::default()).unwrap();
    let (start, mut rng) = (game.start(), Rng::new(1));
    let playouts = allocations(|| {
        for _ in 0..1_000 {
            let mut state = start;
            std::hint::black_box(game.attack_first_playout(
                &mut state,
                AttackFirst::M_UCT,
                &mut rng,
            ));
        }
    });
    assert_eq!(playouts, 0, "allocations in 1,000 playouts");
}

/// What a tree says that it takes, and what it takes.
struct TreeBytes(MctsSettings);

impl Visitor for TreeBytes {
    type Out = [f64; 2];

    fn visit<G: CatalogGame>(self, game: G) -> [f64; 2] {
        let mut start = game.start();
        let mut rng = Rng::new(1);
        while let Turn::Chance = game.turn(&start) {
            let outcome = game.sample(&start, &mut Vec::new(), &mut rng);
            game.apply(&mut start, &[outcome]);
        }
        let mut agent = G::tree_search(self.0);
        let before = BYTES.get();
        agent.search(&game, &start, &mut Context { rng: &mut rng, stop: &Stop::new() }).unwrap();
        [agent.bytes() as f64, (BYTES.get() - before) as f64]
    }
}

fn search(agent: &str) -> MctsSettings {
    *agent.parse::<AgentSpec>().unwrap().tree_search().unwrap()
}

#[test]
fn a_tree_takes_the_memory_that_it_says() {
    for (game, agent) in [
        ("connect-four", "uct:c=1,iterations=30000"),
        ("breakthrough", "uct:c=1,iterations=30000,graph,solver"),
        ("hagetaka", "rm:explore=0.1,iterations=30000"),
    ] {
        let game: GameSpec = game.parse().unwrap();
        let settings = search(agent);
        let [said, taken] = game.with(TreeBytes(settings)).unwrap();
        assert!((0.95..1.1).contains(&(taken / said)), "{game}: {taken} bytes instead of {said}");
        let budget = Budget { memory: said as u64 / 2, ..settings.budget };
        let tree = TreeSettings { reuse: false, ..settings.tree };
        let limited = MctsSettings { budget, tree, ..settings };
        let [_, taken] = game.with(TreeBytes(limited)).unwrap();
        assert!(taken < 0.55 * said, "{game}: {taken} bytes with a limit of {}", said / 2.0);
    }
}

/// The most that a search takes while it keeps its tree over three moves.
struct KeptBytes(MctsSettings);

impl Visitor for KeptBytes {
    type Out = f64;

    fn visit<G: CatalogGame>(self, game: G) -> f64 {
        let mut state = game.start();
        let (mut rng, stop) = (Rng::new(1), Stop::new());
        let mut agent = G::tree_search(self.0);
        let before = BYTES.get();
        PEAK.set(before);
        for _ in 0..3 {
            let Turn::Choose(who) = game.turn(&state) else { break };
            let player = who.single().expect("one player moves at a time");
            let mut context = Context { rng: &mut rng, stop: &stop };
            let action = agent.choose(&game, &state, player, &mut context).unwrap().action;
            agent.observe(&game, &state, &[action]);
            game.apply(&mut state, &[action]);
        }
        (PEAK.get() - before) as f64
    }
}

#[test]
fn a_tree_and_its_copy_stay_within_the_memory() {
    let memory = 4_000_000;
    let budget = Budget { memory, ..Budget::iterations(100_000) };
    let settings = MctsSettings { budget, ..search("uct:c=0.2") };
    for game in ["connect-four", "breakthrough"] {
        let game: GameSpec = game.parse().unwrap();
        let peak = game.with(KeptBytes(settings)).unwrap();
        assert!(peak < memory as f64 && peak > 0.4 * memory as f64, "{game}: {peak} of {memory}");
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
