//! Settings: keys of TOML files, and flags of the same names.

use core::fmt;

use super::preset::Preset;
use super::value::Value;

/// A setting: a TOML key, and a flag if it has a help text.
#[derive(Clone, Copy)]
pub struct Key {
    /// The name, with `_` between words.
    pub name: &'static str,
    /// What the flag does; empty for keys of files only.
    pub help: &'static str,
    pub(super) kind: Kind,
    pub(super) set: Set,
}

/// How a key changes a filter.
#[derive(Clone, Copy)]
pub(super) enum Set {
    /// Sets the value of the key's own rule.
    Own(fn(&mut Option<Value>, &Setting)),
    /// Is known before, and changes nothing.
    Preset,
    Seed,
    Invert,
    /// Sets exactly the rules about the played move that the value names.
    Played,
    /// Switches some of these rules, by their name.
    PlayedPart(&'static str),
}

impl Key {
    pub(super) const fn own(
        name: &'static str,
        kind: Kind,
        set: fn(&mut Option<Value>, &Setting),
    ) -> Key {
        Key::of_filter(name, kind, Set::Own(set))
    }

    pub(super) const fn of_filter(name: &'static str, kind: Kind, set: Set) -> Key {
        Key {
            name,
            help: "",
            kind,
            set,
        }
    }

    /// With a flag of this help text.
    pub(super) const fn flag(self, help: &'static str) -> Key {
        Key { help, ..self }
    }

    /// The value's placeholder in help texts.
    #[must_use]
    pub fn value_name(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "BOOL",
            Kind::Probability => "P",
            Kind::Played(_) => "RULES",
            _ => "N",
        }
    }

    /// Whether the key may be given without a value, which means `true`.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        matches!(self.kind, Kind::Bool)
    }

    /// Parses a flag's value.
    ///
    /// # Errors
    ///
    /// What was expected instead.
    pub fn parse(&self, text: &str) -> Result<Setting, String> {
        self.kind.parse(text)
    }
}

/// Keys of swaplist and of viriformat's files.
pub(super) const SHARED: [Key; 3] = [
    Key::of_filter("preset", Kind::Preset, Set::Preset),
    Key::of_filter("seed", Kind::Whole(0, i64::MAX, ""), Set::Seed)
        .flag("Seed of the random rules [default: 0]"),
    Key::of_filter("invert", Kind::Bool, Set::Invert).flag("Keep exactly what would be dropped"),
];

/// The name of a rule, or of several rules.
pub(super) type Named = (&'static str, &'static [&'static str]);

/// The kinds of values.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Bool,
    /// A whole number in a range, with its unit.
    Whole(i64, i64, &'static str),
    /// The same, or `none`.
    Limit(i64, i64, &'static str),
    /// 0 to 1.
    Probability,
    /// Any number but 0.
    Factor,
    /// This many numbers.
    Numbers(usize),
    /// This many probabilities.
    Probabilities(usize),
    /// The name of a preset.
    Preset,
    /// Names of rules about the played move.
    Played(&'static [Named]),
}

impl Kind {
    /// A number from 0 on.
    pub const fn count(of: &'static str) -> Kind {
        Kind::Whole(0, u32::MAX as i64, of)
    }

    /// The highest number allowed, or `none`.
    pub const fn most(of: &'static str) -> Kind {
        Kind::Limit(0, u32::MAX as i64, of)
    }

    /// A bound on the SEE.
    pub const fn see() -> Kind {
        Kind::Limit(
            i32::MIN as i64,
            i32::MAX as i64,
            "(of centipawns, unless the piece values have another unit)",
        )
    }

    fn parse(self, text: &str) -> Result<Setting, String> {
        let setting = match self {
            Kind::Bool => text.parse().map(Setting::Bool).ok(),
            Kind::Whole(..) | Kind::Limit(..) => text.parse().map(Setting::Int).ok(),
            Kind::Probability | Kind::Factor => text.parse().map(Setting::Float).ok(),
            _ => None,
        };
        let setting = setting.unwrap_or_else(|| Setting::Text(text.to_owned()));
        let is_numeric = matches!(
            self,
            Kind::Whole(..) | Kind::Limit(..) | Kind::Probability | Kind::Factor
        );
        match (self.check(&setting), &setting) {
            // The error names the key, for a file as for a flag.
            (_, Setting::Float(_)) | (Ok(()), _) => Ok(setting),
            (Err(_), Setting::Int(_)) => Err(format!("out of range, expected {self}")),
            (Err(_), _) if is_numeric => {
                let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
                let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                let problem = if whole { "out of range, " } else { "" };
                Err(format!("{problem}expected {self}"))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// An error if a value is not of this kind.
    pub fn check(self, setting: &Setting) -> Result<(), String> {
        let found = setting.found();
        match (self, setting) {
            (Kind::Bool, Setting::Bool(_)) => Ok(()),
            (Kind::Whole(min, max, _) | Kind::Limit(min, max, _), &Setting::Int(number)) => {
                if (min..=max).contains(&number) {
                    Ok(())
                } else {
                    Err(format!("{number} is out of range, expected {self}"))
                }
            }
            (Kind::Limit(..), Setting::Text(text)) if text == "none" => Ok(()),
            (Kind::Probability, Setting::Int(_) | Setting::Float(_)) => {
                probability(setting.number())
            }
            (Kind::Factor, Setting::Int(_) | Setting::Float(_)) => {
                let number = setting.number();
                let is_factor = number.is_finite() && number != 0.0;
                is_factor
                    .then_some(())
                    .ok_or_else(|| format!("{number}, expected {self}"))
            }
            (Kind::Numbers(count) | Kind::Probabilities(count), Setting::List(list)) => {
                if list.len() != count {
                    return Err(format!("{} numbers, expected {count}", list.len()));
                }
                list.iter().try_for_each(|setting| match (self, setting) {
                    (Kind::Probabilities(_), _) => Kind::Probability.check(setting),
                    (_, Setting::Int(_) | Setting::Float(_)) if setting.number().is_finite() => {
                        Ok(())
                    }
                    _ => Err(format!("unexpected {}, expected a number", setting.found())),
                })
            }
            (Kind::Preset, Setting::Text(name)) => {
                let preset: Result<Preset, _> = name.parse();
                preset.map(|_| ()).map_err(|error| error.to_string())
            }
            (Kind::Played(known), Setting::Text(_)) => setting
                .names()
                .try_for_each(|name| played_name(name, known)),
            (Kind::Played(known), Setting::List(list)) => {
                list.iter().try_for_each(|name| match name {
                    Setting::Text(name) => played_name(name, known),
                    other => Err(format!(
                        "unexpected {}, expected the name of a rule",
                        other.found()
                    )),
                })
            }
            _ => Err(format!("unexpected {found}, expected {self}")),
        }
    }
}

fn probability(number: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&number) {
        Ok(())
    } else {
        Err(format!("{number} is no probability, expected 0 to 1"))
    }
}

fn played_name(name: &str, known: &[Named]) -> Result<(), String> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    if names.contains(&name) {
        return Ok(());
    }
    let names = names.join(", ");
    Err(format!(
        "unknown rule '{name}' about the played move, expected some of: {names}"
    ))
}

/// Says what is expected.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |f: &mut fmt::Formatter<'_>, min: i64, max: i64, of: &str| {
            match of {
                "" => f.write_str("a whole number")?,
                of if of.starts_with('(') => write!(f, "a whole number {of}")?,
                of => write!(f, "a whole number of {of}")?,
            }
            if max < 100 {
                write!(f, ", {min} to {max}")
            } else if (0..=1).contains(&min) {
                write!(f, ", {min} or more")
            } else {
                Ok(())
            }
        };
        match *self {
            Kind::Bool => f.write_str("true or false"),
            Kind::Whole(min, max, of) => number(f, min, max, of),
            Kind::Limit(min, max, of) => {
                number(f, min, max, of)?;
                f.write_str(", or 'none' for no bound")
            }
            Kind::Probability => f.write_str("a probability, a number from 0 to 1 such as 0.25"),
            Kind::Factor => f.write_str("a number other than 0"),
            Kind::Numbers(count) => write!(f, "a list of {count} numbers"),
            Kind::Probabilities(count) => write!(f, "a list of {count} probabilities"),
            Kind::Preset => f.write_str("the name of a preset"),
            Kind::Played(_) => f.write_str("a name or a list of names"),
        }
    }
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// On or off.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any number.
    Float(f64),
    /// A name; `none` removes a bound.
    Text(String),
    /// Several values.
    List(Vec<Setting>),
}

impl Setting {
    fn found(&self) -> &'static str {
        match self {
            Setting::Bool(_) => "boolean",
            Setting::Int(_) => "integer",
            Setting::Float(_) => "float",
            Setting::Text(_) => "string",
            Setting::List(_) => "list",
        }
    }

    pub(super) fn is_true(&self) -> bool {
        *self == Setting::Bool(true)
    }

    /// The number; `None` for `none`.
    pub(super) fn int(&self) -> Option<i64> {
        match *self {
            Setting::Int(number) => Some(number),
            _ => None,
        }
    }

    /// A number that fits `u32`.
    pub(super) fn count(&self) -> u32 {
        self.int()
            .and_then(|number| number.try_into().ok())
            .unwrap_or(0)
    }

    #[allow(clippy::cast_precision_loss)] // settings are far smaller
    pub(super) fn number(&self) -> f64 {
        match *self {
            Setting::Int(number) => number as f64,
            Setting::Float(number) => number,
            _ => f64::NAN,
        }
    }

    /// Copies a list of numbers.
    pub(super) fn copy_to(&self, numbers: &mut [f64]) {
        if let Setting::List(list) = self {
            let pairs = numbers.iter_mut().zip(list);
            pairs.for_each(|(number, setting)| *number = setting.number());
        }
    }

    /// Comma-separated names, or a list of names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let list: Vec<&str> = match self {
            Setting::Text(names) => names.split(',').map(str::trim).collect(),
            Setting::List(list) => list
                .iter()
                .flat_map(|name| name.names().collect::<Vec<_>>())
                .collect(),
            _ => Vec::new(),
        };
        list.into_iter()
    }
}

impl From<bool> for Setting {
    fn from(value: bool) -> Setting {
        Setting::Bool(value)
    }
}

impl From<i64> for Setting {
    fn from(value: i64) -> Setting {
        Setting::Int(value)
    }
}

impl From<f64> for Setting {
    fn from(value: f64) -> Setting {
        Setting::Float(value)
    }
}

impl From<&str> for Setting {
    fn from(value: &str) -> Setting {
        Setting::Text(value.to_owned())
    }
}
