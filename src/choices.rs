//! Options with a fixed set of named choices.

/// An option that is one of a fixed set of named choices, such as [`Profile`](crate::Profile).
///
/// ```
/// use swaplist::{Choice, Profile};
///
/// let names: Vec<_> = Profile::ALL.iter().map(|profile| profile.name()).collect();
/// assert_eq!(names, ["swap", "sf8", "sf", "legal"]);
/// ```
pub trait Choice: Copy + 'static {
    /// All choices, in the order of their declaration.
    const ALL: &'static [Self];

    /// The name of this choice in options and output.
    fn name(self) -> &'static str;
}

/// Defines an option's choices with their names, parsing and display, as those of
/// [`Rules`](crate::Rules) are.
///
/// ```
/// swaplist::choices! {
///     "order",
///     /// What comes first.
///     pub enum Order {
///         /// The best move.
///         Best = "best",
///         /// The worst move.
///         Worst = "worst",
///     }
/// }
///
/// assert_eq!("worst".parse(), Ok(Order::Worst));
/// let error = "first".parse::<Order>().unwrap_err().to_string();
/// assert_eq!(error, "unknown order 'first', expected one of: best, worst");
/// ```
#[macro_export]
macro_rules! choices {
    (
        $option:literal,
        $(#[$of_type:meta])*
        pub enum $type:ident {
            $($(#[$of_choice:meta])* $choice:ident = $name:literal,)+
        }
    ) => {
        $(#[$of_type])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$of_choice])* $choice,)+
        }

        impl $crate::Choice for $type {
            const ALL: &'static [$type] = &[$($type::$choice),+];

            fn name(self) -> &'static str {
                match self { $($type::$choice => $name),+ }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad($crate::Choice::name(*self))
            }
        }

        impl core::str::FromStr for $type {
            type Err = $crate::ParseError;

            fn from_str(name: &str) -> ::core::result::Result<$type, $crate::ParseError> {
                match name {
                    $($name => ::core::result::Result::Ok($type::$choice),)+
                    _ => ::core::result::Result::Err($crate::ParseError::unknown($option, name, &[$($name),+])),
                }
            }
        }
    };
}
