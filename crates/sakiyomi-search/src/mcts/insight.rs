//! What a tree knows, for people who look into it: the arms at the root and the places below that
//! were visited most.

use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{Branch, Game, Hints, Insight, InsightArm, InsightRow, Player, Turn};

use super::answer::{RootArm, best_arm};
use super::path::{NodeId, ROOT};
use super::tree::Row;
use super::walk::Walk;

/// Joint actions and outcomes of chance of one place that are looked at.
const MAX_CANDIDATES: usize = 1024;

pub(super) fn insight_row<A>(player: Player, arms: Vec<RootArm<A>>) -> InsightRow<A> {
    let best = arms.iter().any(|arm| arm.visits > 0).then(|| best_arm(&arms));
    InsightRow { player, arms: insight_arms(arms), best }
}

fn insight_arms<A>(arms: Vec<RootArm<A>>) -> Vec<InsightArm<A>> {
    let total: f64 = arms.iter().map(|arm| arm.weight).sum();
    let n = arms.len() as f64;
    let insight = |arm: RootArm<A>| InsightArm {
        visits: arm.visits,
        value: arm.value(),
        share: if total > 0.0 { arm.weight / total } else { 1.0 / n },
        proven: arm.proven.is_some(),
        prior: arm.prior,
        action: arm.action,
    };
    arms.into_iter().map(insight).collect()
}

/// A place that was found, before all are put together.
struct Found<G: Game> {
    above: usize,
    node: NodeId,
    state: G::State,
    actions: Vec<G::Action>,
    values: Vec<Option<f64>>,
    visits: u64,
    is_opened: bool,
}

impl<G: Hints> Walk<G> {
    /// What this tree knows about `state`, which is its root.
    pub(super) fn insight(
        &self,
        game: &G,
        state: &G::State,
        iterations: u64,
        places: usize,
    ) -> Insight<G::Action> {
        let root = self.tree.nodes[ROOT as usize];
        let has_proofs = self.proves() && root.choosing().len() == 1;
        let rows = root.has_rows().then(|| {
            self.tree.rows(ROOT).map(|row| {
                let proof = |pick| self.tree.arm_proof(ROOT, pick).map(|all| all[row.player]);
                let arm = |pick: usize| RootArm {
                    proven: has_proofs.then(|| proof(pick)).flatten(),
                    ..self.root_arm(row.first + pick)
                };
                insight_row(row.player, (0..row.len).map(arm).collect())
            })
        });
        Insight {
            iterations,
            nodes: self.tree.nodes.len() as u64,
            rows: rows.into_iter().flatten().collect(),
            root: assemble(self.most_visited(game, state, places)),
        }
    }

    fn root_arm(&self, arm: usize) -> RootArm<G::Action> {
        RootArm {
            visits: u64::from(self.tree.arms.visits[arm]),
            weight: self.tree.weight(arm),
            sum: self.tree.arms.sums[arm],
            prior: self.tree.arms.priors.get(arm).map(|&prior| f64::from(prior)),
            ..RootArm::new(self.tree.actions[arm])
        }
    }

    /// Opens the most visited place that is not yet open until there are enough of them.
    fn most_visited(&self, game: &G, state: &G::State, places: usize) -> Vec<Found<G>> {
        let mut found = vec![Found {
            above: 0,
            node: ROOT,
            state: state.clone(),
            actions: Vec::new(),
            values: Vec::new(),
            visits: u64::from(self.tree.nodes[ROOT as usize].visits),
            is_opened: false,
        }];
        while found.len() < places {
            let closed = (0..found.len()).filter(|&i| !found[i].is_opened && found[i].visits > 1);
            let Some(at) = closed.max_by_key(|&i| (found[i].visits, usize::MAX - i)) else { break };
            found[at].is_opened = true;
            let below = self.below(game, at, &found[at]);
            found.extend(below);
        }
        found
    }

    /// The places right below one.
    fn below(&self, game: &G, above: usize, place: &Found<G>) -> Vec<Found<G>> {
        let mut found = Vec::new();
        for actions in self.candidates(game, place) {
            let child = self.child_after(game, place.node, &place.state, &actions);
            let Some(node) = child.filter(|&child| self.tree.nodes[child as usize].visits > 0)
            else {
                continue;
            };
            let mut state = place.state.clone();
            game.apply(&mut state, &actions);
            let visits = u64::from(self.tree.nodes[node as usize].visits);
            let values = self.values(place.node, &actions);
            found.push(Found { above, node, state, actions, values, visits, is_opened: false });
        }
        found
    }

    /// What may happen at a place: joint actions that have arms, or outcomes of chance.
    fn candidates(&self, game: &G, place: &Found<G>) -> Vec<Vec<G::Action>> {
        match game.turn(&place.state) {
            Turn::Over(_) => Vec::new(),
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.outcomes(&place.state, &mut outcomes);
                outcomes
                    .into_iter()
                    .take(MAX_CANDIDATES)
                    .map(|(outcome, _)| vec![outcome])
                    .collect()
            }
            Turn::Choose(_) if !self.tree.nodes[place.node as usize].has_rows() => Vec::new(),
            Turn::Choose(_) => {
                let mut joint = vec![Vec::new()];
                for row in self.tree.rows(place.node) {
                    let arms = &self.tree.actions[row.first..row.first + row.len];
                    let visits = &self.tree.arms.visits[row.first..row.first + row.len];
                    let tried: Vec<_> =
                        arms.iter().zip(visits).filter(|(_, n)| **n > 0).map(|(a, _)| *a).collect();
                    let extend = |before: &Vec<G::Action>| {
                        let before = before.clone();
                        tried.clone().into_iter().map(move |action| {
                            before.iter().copied().chain([action]).collect::<Vec<_>>()
                        })
                    };
                    joint = joint.iter().flat_map(extend).take(MAX_CANDIDATES).collect();
                }
                joint
            }
        }
    }

    /// What actions gave those who chose them.
    fn values(&self, node: NodeId, actions: &[G::Action]) -> Vec<Option<f64>> {
        if !self.tree.nodes[node as usize].has_rows() {
            return Vec::new();
        }
        let value = |(row, action): (Row, &G::Action)| {
            self.root_arm(row.first + self.tree.find(row, action)?).value()
        };
        self.tree.rows(node).zip(actions).map(value).collect()
    }
}

/// Hangs every place under the one above it, which comes before it.
fn assemble<G: Game>(mut found: Vec<Found<G>>) -> Branch<G::Action> {
    let mut children: Vec<Vec<Branch<G::Action>>> = found.iter().map(|_| Vec::new()).collect();
    loop {
        let at = found.len() - 1;
        let Found { above, actions, values, visits, .. } =
            found.pop().expect("the first place is taken out last");
        let mut below = std::mem::take(&mut children[at]);
        sort_descending(&mut below, |branch| branch.visits as f64);
        let branch = Branch { actions, visits, values, children: below };
        if at == 0 {
            return branch;
        }
        children[above].push(branch);
    }
}
