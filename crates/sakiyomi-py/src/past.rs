//! What was applied to a position so far. Copies share what they have in common, since a search copies a position
//! at every step.

use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct Past(Option<Arc<Step>>);

struct Step {
    actions: Vec<u32>,
    before: Past,
}

impl Past {
    pub(crate) fn push(&mut self, actions: Vec<u32>) {
        let before = std::mem::take(self);
        *self = Past(Some(Arc::new(Step { actions, before })));
    }

    /// All steps, the first one first.
    pub(crate) fn steps(&self) -> Vec<Vec<u32>> {
        let mut steps = Vec::new();
        let mut at = &self.0;
        while let Some(step) = at {
            steps.push(step.actions.clone());
            at = &step.before.0;
        }
        steps.reverse();
        steps
    }
}

/// Step by step: a long match, dropped all at once, would need as much of the stack.
impl Drop for Past {
    fn drop(&mut self) {
        let mut at = self.0.take();
        while let Some(mut step) = at.and_then(Arc::into_inner) {
            at = step.before.0.take();
        }
    }
}
