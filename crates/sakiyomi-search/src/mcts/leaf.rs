//! Where an iteration leaves the tree.

use sakiyomi_core::Game;

use super::path::Path;
use super::playout::trail::Steps;

/// Where an iteration leaves the tree, with the path that leads there. It is a value of its own, so
/// that its evaluation can wait.
#[derive(Clone, Debug)]
pub(super) struct Leaf<G: Game> {
    pub(super) state: G::State,
    pub(super) path: Path,
    /// The actions of the path, and then those of the playout, if these are of interest.
    pub(super) steps: Steps<G::Action>,
}

impl<G: Game> Leaf<G> {
    pub(super) fn new(root: G::State) -> Leaf<G> {
        Leaf { state: root, path: Path::default(), steps: Steps::default() }
    }

    /// Goes back to the root.
    pub(super) fn restart(&mut self, root: &G::State) {
        self.state.clone_from(root);
        self.path.clear();
        self.steps.clear();
    }
}
