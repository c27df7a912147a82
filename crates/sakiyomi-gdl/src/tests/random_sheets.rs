//! Well-formed rule sheets drawn at random, on which the ways to play a sheet are compared: the
//! network against the interpreter, ply by ply, and against lanes, match by match.

use sakiyomi_core::Rng;

use crate::tests::games::compare_engines;

/// Rules over a few fluents: roles that move at once or in turn, chance, recursion, negation,
/// disjunction, variables in moves, conditions on what others do, a counter, goals that may be
/// missing. Every role always has a move, and every variable is bound.
pub(crate) fn random_sheet(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let (n_fluents, n_roles) = (3 + rng.below(5), 1 + rng.below(3));
    let mut writer = Writer { rng, n_fluents, roles: &["a", "b", "random"][..n_roles] };
    let mut text = writer.constants();
    text += &writer.derived_relations();
    text += &writer.moves_and_goals();
    text += &writer.next_state();
    let parts: [fn(&Writer) -> String; 4] =
        [Writer::board, Writer::swaps, Writer::turns, Writer::answers];
    for part in parts {
        if writer.rng.below(2) == 0 {
            text += &part(&writer);
        }
    }
    let ends = writer.literals(n_fluents, 3);
    text + &format!("(<= terminal (true (s 3)) {ends})")
}

struct Writer {
    rng: Rng,
    /// Fluents `(p 0)`, `(p 1)` and so on.
    n_fluents: usize,
    roles: &'static [&'static str],
}

impl Writer {
    fn constants(&mut self) -> String {
        let mut text = String::from("(init (s 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)\n");
        for role in self.roles {
            text += &format!("(role {role}) (legal {role} (m 0))\n");
        }
        for i in 0..self.n_fluents {
            if self.rng.below(2) == 0 {
                text += &format!("(init (p {i}))\n");
            }
            text += &format!("(e {i} {})\n", self.rng.below(self.n_fluents));
        }
        text
    }

    /// `q` is defined by what has a smaller number, so its negation is stratified; `r` spreads
    /// along the edges `e`.
    fn derived_relations(&mut self) -> String {
        let mut text = String::from("(<= (r ?y) (r ?x) (e ?x ?y) (not (true (p ?y))))\n");
        for i in 0..self.n_fluents {
            text += &format!("(<= (r {i}) (true (p {i})) (true (s 2)))\n");
            text += &format!("(<= (q {i}) {})\n", self.literals(i, 3));
        }
        text
    }

    fn moves_and_goals(&mut self) -> String {
        let mut text = String::new();
        for role in self.roles {
            for k in 1..1 + self.rng.below(5) {
                let condition = self.literals(self.n_fluents, 2);
                text += &format!("(<= (legal {role} (m {k})) {condition})\n");
            }
            for value in [0, 30, 100] {
                let condition = self.literals(self.n_fluents, 2);
                text += &format!("(<= (goal {role} {value}) {condition})\n");
            }
        }
        text
    }

    fn next_state(&mut self) -> String {
        let mut text = String::new();
        for i in 0..self.n_fluents {
            for _ in 0..1 + self.rng.below(3) {
                let role = self.roles[self.rng.below(self.roles.len())];
                let does = match self.rng.below(6) {
                    0 => String::new(),
                    1 => format!("(not (does {role} (m {})))", self.rng.below(5)),
                    _ => format!("(does {role} (m {}))", self.rng.below(5)),
                };
                let condition = self.literals(self.n_fluents, 2);
                text += &format!("(<= (next (p {i})) {does} {condition})\n");
            }
        }
        text + "(<= (next (s ?y)) (true (s ?x)) (succ ?x ?y)) (<= (next (s 4)) (true (s 4)))\n"
    }

    /// Cells in a row that roles take, also two the same one at once; a fluent decides whether the
    /// neighbours of taken cells can be taken.
    fn board(&self) -> String {
        let mut text = String::from(
            "(<= (init (cell ?x free)) (place ?x))
            (<= (adjacent ?x ?y) (beside ?x ?y)) (<= (adjacent ?x ?y) (beside ?y ?x))
            (<= (blocked ?x) (true (p 0)) (adjacent ?x ?y) (true (cell ?y ?v)) (distinct ?v free))
            (<= (legal ?r (put (at ?x))) (role ?r) (true (cell ?x free)) (not (blocked ?x)))
            (<= (touched ?x) (does ?r (put (at ?x))))
            (<= (next (cell ?x ?r)) (does ?r (put (at ?x))))
            (<= (next (cell ?x ?v)) (true (cell ?x ?v)) (not (touched ?x)))
            (<= (goal ?r 70) (role ?r) (true (cell 1 ?r)) (or (true (cell 2 ?r)) (blocked 3)))\n",
        );
        for x in 1..=3 {
            text += &format!("(place {x}) (beside {x} {})\n", x + 1);
        }
        text
    }

    /// A fluent that holds is exchanged for another one along an edge.
    fn swaps(&self) -> String {
        "(<= (legal ?r (swap ?x ?y)) (role ?r) (true (p ?x)) (e ?x ?y) (distinct ?x ?y))
        (<= (next (p ?y)) (does ?r (swap ?x ?y)) (not (true (p ?y))))\n"
            .to_owned()
    }

    /// A fluent that alternates whatever is played, and a move that waits for it.
    fn turns(&self) -> String {
        "(init (turn 0)) (<= (next (turn 1)) (true (turn 0))) (<= (next (turn 0)) (true (turn 1)))
        (<= (legal a (wait ?t)) (true (turn ?t)) (true (turn 1)))
        (<= (next (p 1)) (does a (wait ?t)) (true (turn ?t)))\n"
            .to_owned()
    }

    /// What any role has done, as a relation that the next state asks for.
    fn answers(&self) -> String {
        "(<= (did ?k) (does ?r (m ?k))) (<= (next (p 2)) (did 1) (not (did 2)))
        (<= (next (p 0)) (true (p 0)) (or (did 3) (not (true (p 1)))))\n"
            .to_owned()
    }

    /// Conditions on fluents and on the relations `q` below a number, and `r`.
    fn literals(&mut self, n_derived: usize, at_most: usize) -> String {
        let n = 1 + self.rng.below(at_most);
        let one = |writer: &mut Writer| match writer.rng.below(8) {
            0 => format!("(or {} {})", writer.literal(n_derived), writer.literal(n_derived)),
            _ => writer.literal(n_derived),
        };
        (0..n).map(|_| one(self)).collect::<Vec<String>>().join(" ")
    }

    fn literal(&mut self, n_derived: usize) -> String {
        let atom = match self.rng.below(4) {
            0 if n_derived > 0 => format!("(q {})", self.rng.below(n_derived)),
            1 if n_derived > 0 => format!("(r {})", self.rng.below(self.n_fluents)),
            _ => format!("(true (p {}))", self.rng.below(self.n_fluents)),
        };
        if self.rng.below(3) == 0 { format!("(not {atom})") } else { atom }
    }
}

/// Lanes are compared with the network on the same sheets, match by match in `game/playout.rs` and
/// gate by gate in `lanes/tests.rs`.
#[test]
fn network_and_interpreter_agree_on_random_sheets() {
    for seed in 0..200 {
        compare_engines(&random_sheet(seed), 4);
    }
}
