//! Games on boards of any size: `width` and `height`, or both at once as in `7x6`.

use crate::fields::Value;
use crate::parameter::NamedValues;

pub(super) const MAX_SIDE: u64 = 1_000;

/// Reads `7x6`.
pub(super) fn read_size(text: &str) -> Option<NamedValues> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| text.parse().ok().map(Value::Integer);
    Some(vec![("width", side(width)?), ("height", side(height)?)])
}

/// Declares the settings of a game whose only parameters are the sides of its board:
/// `sized_game!(Type, "name", "summary", default width, default height, "example")`.
macro_rules! sized_game {
    ($Spec:ident, $name:literal, $summary:literal, $width:literal, $height:literal, $example:literal) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $Spec {
            pub width: usize,
            pub height: usize,
        }

        impl $crate::parameter::Defined for $Spec {
            const DEFINITIONS: &'static [$crate::parameter::Definition<$Spec>] = {
                use $crate::games::size::{MAX_SIDE, read_size};
                use $crate::parameter::{Definition, Parameter, place};
                &[Definition {
                    bare: read_size,
                    ..Definition::new(
                        $name,
                        $summary,
                        || $Spec { width: $width, height: $height },
                        &[
                            Parameter::integer("width", 1..=MAX_SIDE, place!(width), "columns"),
                            Parameter::integer("height", 1..=MAX_SIDE, place!(height), "rows"),
                        ],
                        $example,
                    )
                }]
            };
        }
    };
}
pub(super) use sized_game;
