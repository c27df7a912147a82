//! What an agent thinks about a position, in texts: what inspectors show.

use sakiyomi_core::{Branch, Choice, Insight, InsightRow, Playable, Player, Turn};
use serde::Serialize;

/// What an agent thinks. While it thinks, `action` is the best so far; in the end it is what it plays.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Thought {
    pub player: u8,
    pub action: String,
    /// What the player expects to get, from 0 to 1.
    pub value: Option<f64>,
    pub iterations: u64,
    pub nodes: u64,
    pub seconds: f64,
    /// The arms of every choosing player that the agent has an opinion on.
    pub rows: Vec<ThoughtRow>,
    /// What it expects from here on, one entry per step.
    pub line: Vec<PlayedStep>,
    /// The part of its tree that it visited most; only in the end.
    pub tree: Option<ThoughtBranch>,
}

/// The arms of one choosing player, the largest share first. Values are this player's, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Row"))]
pub struct ThoughtRow {
    pub player: u8,
    pub arms: Vec<ThoughtArm>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Arm"))]
pub struct ThoughtArm {
    pub text: String,
    /// The cells that a person clicks for it, in order.
    pub cells: Vec<u16>,
    /// Its part in the strategy; the parts of a row add up to 1.
    pub share: f64,
    pub visits: Option<u64>,
    pub value: Option<f64>,
    /// Whether the value is proven.
    pub proven: bool,
    /// The share that a network gives it before the search.
    pub prior: Option<f64>,
}

/// One step of a match or of an expected line: one text for each player who chose, or the outcome of
/// chance, which no player chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlayedStep {
    pub by: Vec<u8>,
    pub texts: Vec<String>,
    /// For each player who chose, the cells that it was about, in order.
    pub cells: Vec<Vec<u16>>,
}

/// A place in the tree, and the step that leads to it; `values` are what the choices give those who
/// made them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Branch"))]
pub struct ThoughtBranch {
    pub step: PlayedStep,
    pub visits: u64,
    pub values: Vec<Option<f64>>,
    pub children: Vec<ThoughtBranch>,
}

/// A decision point: whose texts are to be written.
pub(crate) struct Scene<'a, G: Playable> {
    pub(crate) game: &'a G,
    pub(crate) state: &'a G::State,
    pub(crate) player: Player,
}

impl Thought {
    /// What the agent considered for the player itself, the largest share first.
    pub fn policy(&self) -> &[ThoughtArm] {
        let own = self.rows.iter().find(|row| row.player == self.player);
        own.map_or(&[], |row| &row.arms)
    }
}

impl<G: Playable> Scene<'_, G> {
    /// What is known while the search goes on.
    pub(crate) fn so_far(&self, insight: &Insight<G::Action>, seconds: f64) -> Thought {
        let rows = self.rows(&insight.rows);
        let own = rows.iter().find(|row| row.player == self.player.0);
        let best = own.and_then(|row| row.arms.first());
        Thought {
            player: self.player.0,
            action: best.map_or(String::new(), |arm| arm.text.clone()),
            value: best.and_then(|arm| arm.value),
            iterations: insight.iterations,
            nodes: insight.nodes,
            seconds,
            line: self.line(&insight.root, None),
            tree: None,
            rows,
        }
    }

    /// What was decided, with the tree if the agent has one.
    pub(crate) fn decided(
        &self,
        choice: &Choice<G::Action>,
        insight: Option<&Insight<G::Action>>,
        seconds: f64,
    ) -> Thought {
        let rows = match insight {
            Some(insight) => self.rows(&insight.rows),
            None => vec![self.policy(choice)],
        };
        Thought {
            player: self.player.0,
            action: self.text(choice.action),
            value: choice.value,
            iterations: choice.iterations,
            nodes: choice.nodes,
            seconds,
            rows,
            line: insight.map_or(Vec::new(), |i| self.line(&i.root, Some(choice.action))),
            tree: insight.map(|insight| self.tree(self.state, &insight.root)),
        }
    }

    fn text(&self, action: G::Action) -> String {
        self.game.action_text(self.state, self.player, action)
    }

    fn rows(&self, rows: &[InsightRow<G::Action>]) -> Vec<ThoughtRow> {
        let row = |row: &InsightRow<G::Action>| {
            let arms = row.arms.iter().map(|arm| ThoughtArm {
                text: self.game.action_text(self.state, row.player, arm.action),
                cells: self.game.action_cells(self.state, row.player, arm.action),
                share: arm.share,
                visits: Some(arm.visits),
                value: arm.value,
                proven: arm.proven,
                prior: arm.prior,
            });
            ThoughtRow { player: row.player.0, arms: by_share(arms) }
        };
        rows.iter().map(row).collect()
    }

    /// The row of an agent that only tells its policy.
    fn policy(&self, choice: &Choice<G::Action>) -> ThoughtRow {
        let arms = choice.policy.iter().map(|&(action, share)| ThoughtArm {
            text: self.text(action),
            cells: self.game.action_cells(self.state, self.player, action),
            share,
            visits: None,
            value: None,
            proven: false,
            prior: None,
        });
        ThoughtRow { player: self.player.0, arms: by_share(arms) }
    }

    /// The way along the most visited places; the first step is the player's own `action` if given.
    fn line(&self, root: &Branch<G::Action>, action: Option<G::Action>) -> Vec<PlayedStep> {
        let (mut state, mut place) = (self.state.clone(), root);
        let mut line = Vec::new();
        loop {
            let own = match (self.game.turn(&state), action, line.is_empty()) {
                (Turn::Choose(who), Some(action), true) => {
                    who.enumerate().find(|&(_, p)| p == self.player).map(|(i, _)| (i, action))
                }
                _ => None,
            };
            let fits = |branch: &&Branch<G::Action>| {
                own.is_none_or(|(i, action)| branch.actions.get(i) == Some(&action))
            };
            let Some(next) = place.children.iter().find(fits) else { return line };
            line.push(played_step(self.game, &state, &next.actions));
            self.game.apply(&mut state, &next.actions);
            place = next;
        }
    }

    fn tree(&self, state: &G::State, place: &Branch<G::Action>) -> ThoughtBranch {
        let below = |child: &Branch<G::Action>| {
            let mut after = state.clone();
            self.game.apply(&mut after, &child.actions);
            let step = played_step(self.game, state, &child.actions);
            ThoughtBranch { step, ..self.tree(&after, child) }
        };
        ThoughtBranch {
            step: PlayedStep::default(),
            visits: place.visits,
            values: place.values.clone(),
            children: place.children.iter().map(below).collect(),
        }
    }
}

/// What was played in a state, and by whom.
pub(crate) fn played_step<G: Playable>(
    game: &G,
    state: &G::State,
    actions: &[G::Action],
) -> PlayedStep {
    let texts = step_texts(game, state, actions);
    let Turn::Choose(who) = game.turn(state) else {
        return PlayedStep { by: Vec::new(), texts, cells: Vec::new() };
    };
    let cells = who.zip(actions).map(|(player, &a)| game.action_cells(state, player, a));
    PlayedStep { by: who.map(|player| player.0).collect(), texts, cells: cells.collect() }
}

/// What was chosen in a state, one text per choosing player, or the outcome of chance.
pub fn step_texts<G: Playable>(game: &G, state: &G::State, actions: &[G::Action]) -> Vec<String> {
    match game.turn(state) {
        Turn::Choose(who) => {
            who.zip(actions).map(|(player, &a)| game.action_text(state, player, a)).collect()
        }
        _ => vec![game.outcome_text(state, actions[0])],
    }
}

fn by_share(arms: impl Iterator<Item = ThoughtArm>) -> Vec<ThoughtArm> {
    let mut arms: Vec<ThoughtArm> = arms.collect();
    arms.sort_by(|a, b| b.share.total_cmp(&a.share));
    arms
}
