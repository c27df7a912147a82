//! Options that would do nothing are errors: beside other options, and in games where nothing
//! depends on them. What the types of the settings do not rule out already stands in the two lists
//! below.

use sakiyomi_core::{Hint, Hints};
use sakiyomi_search::{
    Estimate, Groups, LeafBatch, PlayoutPolicy, PlayoutSettings, Proofs, Selection, Ties,
};

use super::spec::TreeSpec;
use crate::turns::{has_simultaneous_turns, has_single_turns};

/// Options that do not go together.
struct Rule {
    /// A text that breaks it.
    #[cfg_attr(not(test), expect(dead_code, reason = "every rule is tested by its example"))]
    example: &'static str,
    breaks: fn(&TreeSpec) -> bool,
    reason: &'static str,
}

fn proofs(spec: &TreeSpec) -> Proofs {
    spec.search.selection.ucb().map_or(Proofs::Off, |ucb| ucb.proofs)
}

fn groups(spec: &TreeSpec) -> Option<Groups> {
    spec.search.selection.ucb()?.groups
}

fn estimate(spec: &TreeSpec) -> Estimate {
    let ucb1 = spec.search.selection.ucb().and_then(|ucb| ucb.ucb1());
    ucb1.map_or(Estimate::None, |ucb1| ucb1.estimate)
}

fn has_prior(spec: &TreeSpec) -> bool {
    matches!(estimate(spec), Estimate::Prior(_))
}

fn has_value_prior(spec: &TreeSpec) -> bool {
    matches!(estimate(spec), Estimate::Value(_))
}

fn ties(spec: &TreeSpec) -> Ties {
    match spec.search.selection {
        Selection::Ucb(ucb) => ucb.ties,
        Selection::Joint(joint) => joint.ties,
        Selection::Mixed(_) | Selection::Sampling(_) => Ties::Draw,
    }
}

const RULES: &[Rule] = &[
    Rule {
        example: "uct:solver,groups=shared",
        breaks: |spec| proofs(spec) != Proofs::Off && groups(spec) == Some(Groups::Shared),
        reason: "nothing can be proven of actions that share an arm; expected `groups=one`, or no \
                 `solver`",
    },
    Rule {
        example: "uct:solver,look-ahead,groups=one",
        breaks: |spec| proofs(spec) == Proofs::LookAhead && groups(spec).is_some(),
        reason: "`look-ahead` would do nothing: an end after one action says nothing of its group; expected \
                 no `groups` beside it",
    },
    Rule {
        example: "uct:prior=3",
        breaks: |spec| has_prior(spec) && spec.search.playout.policy == PlayoutPolicy::Uniform,
        reason: "`prior` needs mean payoffs of actions; expected `playout=mast`, `nst` or `tournament` \
                 beside it",
    },
    Rule {
        example: "uct:prior=3,playout=mast,groups=one",
        breaks: |spec| has_prior(spec) && groups(spec).is_some(),
        reason: "`prior` needs mean payoffs of single actions; expected no `groups` beside it",
    },
    Rule {
        example: "uct:value-prior=3,groups=one",
        breaks: |spec| has_value_prior(spec) && groups(spec).is_some(),
        reason: "`value-prior` looks at single actions; expected no `groups` beside it",
    },
    Rule {
        example: "uct:leaf-batch=64,grave=50",
        breaks: |spec| {
            let ucb1 = spec.search.selection.ucb().and_then(|ucb| ucb.ucb1());
            let is_watched = matches!(estimate(spec), Estimate::Grave(_) | Estimate::Value(_))
                || ucb1.is_some_and(|ucb1| ucb1.experience.is_some());
            spec.search.playout.batch != LeafBatch::SINGLE
                && (!spec.search.playout.is_plain() || is_watched)
        },
        reason: "`leaf-batch` and `playouts-per-leaf` need playouts of which only the payoffs are known; \
                 expected no `grave`, `value-prior`, `experience`, `discount`, `progress-weight`, `cut`, nor \
                 what guides playouts beside them",
    },
    Rule {
        example: "uct:playouts-per-leaf=8",
        breaks: |spec| {
            let batch = spec.search.playout.batch;
            batch != LeafBatch::SINGLE && batch.n_playouts() < LeafBatch::MIN_AT_ONCE
        },
        reason: "`leaf-batch` times `playouts-per-leaf` is below 32, and so few are not played at once; \
                 expected more of them",
    },
    Rule {
        example: "uct:balanced",
        breaks: |spec| {
            let playout = spec.search.playout;
            let stops = playout.options.round_limit.is_some() || playout.options.horizon.is_some();
            playout.options.balance && !stops && playout.progress_weight == 0.0
        },
        reason: "`balanced` would do nothing: only playouts that stop early count progress; expected \
                 `round-limit` or `progress-weight` beside it",
    },
    Rule {
        example: "uct:experience=huffman,d=0,distance-weight=0.5",
        breaks: |spec| {
            let ucb1 = spec.search.selection.ucb().and_then(|ucb| ucb.ucb1());
            let experience = ucb1.and_then(|ucb1| ucb1.experience);
            experience.is_some_and(|it| it.distance == 0 && it.fade != 1.0)
        },
        reason: "`distance-weight` would do nothing: at distance 0 nothing is far; expected `d=1` or more",
    },
];

/// What is wrong with these settings as a whole.
pub(super) fn check(spec: &TreeSpec) -> Result<(), String> {
    match RULES.iter().find(|rule| (rule.breaks)(spec)) {
        Some(rule) => Err(rule.reason.to_owned()),
        None => Ok(()),
    }
}

/// An option that depends on how players choose in a game.
struct TurnRule {
    word: &'static str,
    is_used: fn(&TreeSpec) -> bool,
    switch_off: fn(&mut TreeSpec),
    /// Whether it works where one player chooses alone, or else where several choose at once.
    is_for_one: bool,
}

const TURN_RULES: &[TurnRule] = &[
    TurnRule {
        word: "solver",
        is_used: |spec| proofs(spec) != Proofs::Off,
        switch_off: |spec| {
            if let Some(ucb) = spec.search.selection.ucb_mut() {
                ucb.proofs = Proofs::Off;
            }
        },
        is_for_one: true,
    },
    TurnRule {
        word: "grave",
        is_used: |spec| matches!(estimate(spec), Estimate::Grave(_)),
        switch_off: forget_estimate,
        is_for_one: true,
    },
    TurnRule { word: "prior", is_used: has_prior, switch_off: forget_estimate, is_for_one: true },
    TurnRule {
        word: "value-prior",
        is_used: has_value_prior,
        switch_off: forget_estimate,
        is_for_one: true,
    },
    TurnRule {
        word: "tie-break",
        is_used: |spec| ties(spec) == Ties::First,
        switch_off: |spec| match &mut spec.search.selection {
            Selection::Ucb(ucb) => ucb.ties = Ties::Draw,
            Selection::Joint(joint) => joint.ties = Ties::Draw,
            Selection::Mixed(_) | Selection::Sampling(_) => {}
        },
        is_for_one: false,
    },
    TurnRule {
        word: "tried-only",
        is_used: |spec| matches!(spec.search.selection, Selection::Joint(j) if j.tried_only),
        switch_off: |spec| {
            if let Selection::Joint(joint) = &mut spec.search.selection {
                joint.tried_only = false;
            }
        },
        is_for_one: false,
    },
];

fn forget_estimate(spec: &mut TreeSpec) {
    if let Some(ucb1) = spec.search.selection.ucb_mut().and_then(|ucb| ucb.ucb1_mut()) {
        ucb1.estimate = Estimate::None;
    }
}

/// The options that would do nothing in this game because of how its players choose.
fn useless<'a, G: Hints>(
    spec: &'a TreeSpec,
    game: &'a G,
) -> impl Iterator<Item = &'static TurnRule> + use<'a, G> {
    TURN_RULES.iter().filter(|rule| (rule.is_used)(spec)).filter(|rule| match rule.is_for_one {
        true => !has_single_turns(game),
        false => !has_simultaneous_turns(game),
    })
}

/// What would do nothing in this game, which is called `name`.
pub(super) fn check_game<G: Hints>(spec: &TreeSpec, game: &G, name: &str) -> Result<(), String> {
    if let Some(TurnRule { word, is_for_one, .. }) = useless(spec, game).next() {
        let how = if *is_for_one { "all players always choose" } else { "players never choose" };
        return Err(format!("`{word}` would do nothing: in {name} {how} at once"));
    }
    let PlayoutSettings { options, progress_weight, .. } = spec.search.playout;
    if options.balance && game.players() != 2 {
        return Err(format!("`balanced` would do nothing: {name} has not two players"));
    }
    let counts_estimate = options.horizon.is_some() && game.provides().contains(Hint::Estimate);
    if options.balance && counts_estimate && progress_weight == 0.0 {
        return Err(format!(
            "`balanced` would do nothing: with `horizon` playouts count the estimate of {name}"
        ));
    }
    Ok(())
}

/// Switches off what would do nothing in this game because of how its players choose, or because it gives no facts or
/// plays one match at a time.
pub(super) fn fit<G: Hints>(spec: &mut TreeSpec, game: &G) {
    let rules: Vec<_> = useless(spec, game).collect();
    rules.iter().for_each(|rule| (rule.switch_off)(spec));
    if !game.provides().contains(Hint::Facts) {
        if has_value_prior(spec) {
            forget_estimate(spec);
        }
        spec.search.playout.cut = None;
    }
    if !game.provides().contains(Hint::Batches) {
        spec.search.playout.batch = LeafBatch::SINGLE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentSpec, GameSpec, Seat, Visitor};
    use sakiyomi_core::Player;

    #[test]
    fn every_rule_is_broken_by_its_example_alone() {
        for rule in RULES {
            let error = rule.example.parse::<AgentSpec>().unwrap_err().to_string();
            assert!(error.contains(rule.reason), "{}: {error}", rule.example);
        }
    }

    struct Build<'a>(&'a AgentSpec, &'a GameSpec);

    impl Visitor for Build<'_> {
        type Out = Result<(), String>;

        fn visit<G: crate::CatalogGame>(self, game: G) -> Self::Out {
            let seat = Seat { game: self.1, player: Player(0), seed: 1 };
            self.0.build(&game, &seat).map(drop).map_err(|error| error.to_string())
        }
    }

    fn build(agent: &str, game: &str) -> Result<(), String> {
        let (agent, game) = (agent.parse().unwrap(), game.parse::<GameSpec>().unwrap());
        game.with(Build(&agent, &game)).unwrap()
    }

    /// One example for each option that depends on how players choose.
    #[test]
    fn options_are_refused_where_players_choose_in_another_way() {
        let examples = [
            ("solver", "uct:solver"),
            ("solver", "uct:solver,look-ahead"),
            ("grave", "uct:grave=50"),
            ("prior", "uct:prior=3,playout=mast"),
            ("value-prior", "uct:value-prior=3"),
            ("tie-break", "duct:tie-break=first"),
            ("tie-break", "smuct:tie-break=first"),
            ("tried-only", "smuct:tried-only"),
        ];
        for rule in TURN_RULES {
            assert!(examples.iter().any(|(word, _)| *word == rule.word), "{}", rule.word);
        }
        for (word, agent) in examples {
            let rule = TURN_RULES.iter().find(|rule| rule.word == word).unwrap();
            // Only rule sheets give facts.
            let (right, wrong) = match rule.is_for_one {
                true if word == "value-prior" => ("gdl:sheet=breakthrough", "hagetaka:n=5"),
                true => ("tic-tac-toe", "hagetaka:n=5"),
                false => ("hagetaka:n=5", "tic-tac-toe"),
            };
            assert_eq!(build(agent, right), Ok(()));
            let error = build(agent, wrong).unwrap_err();
            assert!(error.contains(&format!("`{word}` would do nothing")), "{agent}: {error}");
        }
    }

    #[test]
    fn what_needs_facts_or_batches_is_refused_elsewhere() {
        for agent in
            ["uct:cut=2", "uct:value-prior=3", "uct:leaf-batch=64", "uct:playouts-per-leaf=64"]
        {
            assert_eq!(build(agent, "gdl:sheet=breakthrough"), Ok(()));
            let error = build(agent, "connect-four").unwrap_err();
            assert!(error.contains("would do nothing: connect-four does not provide"), "{error}");
        }
        let mut spec: AgentSpec = "uct:cut=2,value-prior=3".parse().unwrap();
        spec.fit(&sakiyomi_games::ConnectFour::<u64>::default());
        assert_eq!(spec.to_string(), "uct");
    }

    #[test]
    fn progress_is_balanced_only_where_it_counts() {
        assert_eq!(build("uct:round-limit=5,balanced", "sangoku"), Ok(()));
        assert_eq!(build("uct:progress-weight=0.2,balanced", "sangoku"), Ok(()));
        let error = build("uct:horizon=3,balanced", "sangoku").unwrap_err();
        assert!(error.contains("`balanced` would do nothing"), "{error}");
    }
}
