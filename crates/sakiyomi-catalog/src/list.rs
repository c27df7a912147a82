//! How a list of the catalog becomes a specification: an enum with a variant per kind of settings,
//! its reading and writing, and what is listed.

/// Makes the enum of a list. `each_kind!(spec, named => expression)` then evaluates the expression
/// for whichever kind a specification is of. (The first token is how a macro names a dollar sign.)
macro_rules! catalog {
    ($dollar:tt
        $(#[$attribute:meta])*
        pub enum $Spec:ident, $what:literal {
            $($Kind:ident($settings:ty)),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $Spec {
            $($Kind($crate::parameter::Named<$settings>)),+
        }

        macro_rules! each_kind {
            ($dollar spec:expr, $dollar named:ident => $dollar body:expr) => {
                match $dollar spec {
                    $($Spec::$Kind($dollar named) => $dollar body),+
                }
            };
        }

        impl $Spec {
            /// All of the list, in its order.
            pub fn entries() -> &'static [$crate::Entry] {
                static ENTRIES: std::sync::LazyLock<Vec<$crate::Entry>> =
                    std::sync::LazyLock::new(|| {
                        let mut entries = Vec::new();
                        $(entries.extend($crate::list::entries::<$settings>());)+
                        entries
                    });
                &ENTRIES
            }

            /// The name under which it is listed.
            pub fn name(&self) -> &'static str {
                each_kind!(self, named => named.name())
            }

            fn from_fields(fields: &$crate::fields::Fields) -> Result<$Spec, $crate::SpecError> {
                $(
                    if let Some(named) = <$settings as $crate::parameter::Defined>::read(fields) {
                        return named.map($Spec::$Kind);
                    }
                )+
                let names: Vec<&str> = $Spec::entries().iter().map(|entry| entry.name).collect();
                Err(fields.unknown_name($what, &names))
            }

            pub(crate) fn to_fields(&self) -> $crate::fields::Fields {
                each_kind!(self, named => named.write())
            }
        }

        $(
            impl From<$settings> for $Spec {
                fn from(settings: $settings) -> $Spec {
                    $Spec::$Kind($crate::parameter::Defined::named(settings))
                }
            }
        )+

        $crate::fields::spec_forms!($Spec);
    };
}
pub(crate) use catalog;

use crate::Entry;
use crate::parameter::Defined;

pub(crate) fn entries<S: Defined>() -> impl Iterator<Item = Entry> {
    S::definitions().iter().map(|definition| definition.entry())
}
