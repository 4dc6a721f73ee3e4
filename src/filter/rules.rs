//! The rules that a filter can have, one entry each.
//!
//! Everything that the rest of the project says of a rule follows from its entry:
//! flags and their help, TOML keys, `--explain`, the reasons in summaries, and the
//! fields that records must have. A new rule is one more entry in [`ALL`].

use core::fmt;
use core::num::NonZeroU8;

use super::keys::Key;
use super::{Field, WdlModel};
use crate::formats::Record;
use crate::{Position, Rules};

mod board;
mod game;
pub(super) mod played;

/// One rule: its name, its words, and its test.
pub(super) struct Rule {
    /// In JSON and in `--explain`.
    pub name: &'static str,
    /// What a summary says of the records that it dropped.
    pub label: &'static str,
    /// What a record must hold.
    pub needs: &'static [Field],
    /// The flags and TOML keys that set it.
    pub keys: &'static [Key],
    /// When it drops a record; the number is the seed.
    pub words: fn(&Value, u64) -> String,
    /// Drops records; none where the verdict on the position tells.
    pub screen: Option<fn(&Value, &mut Screening<'_>)>,
}

/// All rules, in the order in which a filter asks them: what costs little comes first.
const ALL: [Rule; 17] = [
    board::PLY,
    board::PIECES,
    board::UNSCORED,
    board::SCORE,
    board::IN_CHECK,
    played::CAPTURE,
    played::PROMOTION,
    played::CASTLING,
    played::SEE_GE0,
    played::SEE,
    game::EVAL_INCORRECTNESS,
    game::WDL,
    game::MATERIAL_COUNT,
    game::RANDOM_SKIP,
    game::THINNED,
    board::SEE,
    board::THREAT,
];

/// The same in memory.
pub(super) static RULES: [Rule; ALL.len()] = ALL;

/// What a rule is set to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// It has nothing to set.
    On,
    /// The lowest and the highest number that pass.
    Range(i64, i64),
    /// A probability.
    Probability(f64),
    /// A probability for each number of pieces.
    Table(Box<[f64; 33]>),
    /// viriformat's model.
    Model(WdlModel),
}

impl Value {
    /// No bounds.
    pub const OPEN: (i64, i64) = (i64::MIN, i64::MAX);

    /// The bounds of a range.
    pub fn range(&self) -> (i64, i64) {
        match *self {
            Value::Range(min, max) => (min, max),
            _ => Value::OPEN,
        }
    }

    /// Sets one bound or both of a range; without bounds there is no rule.
    pub fn bound(value: &mut Option<Value>, change: impl FnOnce(&mut (i64, i64))) {
        let mut range = value.as_ref().map_or(Value::OPEN, Value::range);
        change(&mut range);
        *value = (range != Value::OPEN).then_some(Value::Range(range.0, range.1));
    }
}

/// Records on their way through the rules.
pub(super) struct Screening<'a> {
    pub see_rules: &'a Rules,
    pub seed: u64,
    pub positions: &'a [Position],
    pub records: &'a [Record],
    /// Why each is dropped so far; as many as records.
    pub reasons: &'a mut [Option<Reason>],
    /// The rule that is asked.
    pub reason: Reason,
}

impl Screening<'_> {
    /// Drops those for which the test holds, of the records that are left.
    #[inline]
    pub fn drop_where(&mut self, test: impl Fn(&Position, &Record) -> bool) {
        let records = self.positions.iter().zip(self.records);
        for (reason, (position, record)) in self.reasons.iter_mut().zip(records) {
            if reason.is_none() && test(position, record) {
                *reason = Some(self.reason);
            }
        }
    }
}

/// Why a record is not kept: the rule that dropped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(NonZeroU8);

impl Reason {
    /// How many reasons there are.
    pub const COUNT: usize = ALL.len() + 1;

    /// The filter is inverted, and without that the record would be kept.
    pub const QUIET: Reason = Reason::at(ALL.len());

    pub(super) const IN_CHECK: Reason = Reason::of(&board::IN_CHECK);
    pub(super) const SCORE: Reason = Reason::of(&board::SCORE);
    pub(super) const UNSCORED: Reason = Reason::of(&board::UNSCORED);
    pub(super) const SEE: Reason = Reason::of(&board::SEE);
    pub(super) const THREAT: Reason = Reason::of(&board::THREAT);

    /// All reasons, in the order in which a filter looks for them.
    pub fn all() -> impl Iterator<Item = Reason> {
        (0..Reason::COUNT).map(Reason::at)
    }

    /// The reason of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Reason> {
        Reason::all().find(|reason| reason.name() == name)
    }

    /// The place in [`Reason::all`], the first being 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    pub(super) const fn at(index: usize) -> Reason {
        match NonZeroU8::new(index as u8 + 1) {
            Some(number) => Reason(number),
            None => panic!("more than 255 rules"),
        }
    }

    const fn of(rule: &Rule) -> Reason {
        let mut i = 0;
        while !is_same(ALL[i].name, rule.name) {
            i += 1;
        }
        Reason::at(i)
    }

    /// Whether its rule asks for a SEE.
    pub(super) fn is_about_see(self) -> bool {
        let rules = [&board::SEE, &board::THREAT, &played::SEE_GE0, &played::SEE];
        rules.iter().any(|rule| rule.name == self.name())
    }

    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        RULES.get(self.index()).map_or("quiet", |rule| rule.name)
    }
}

/// `==` that can be used in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut i = 0;
    while i < one.len() && i < other.len() && one[i] == other[i] {
        i += 1;
    }
    i == one.len() && i == other.len()
}

/// For people.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = RULES.get(self.index());
        f.write_str(
            rule.map_or("no rule drops it (the filter is inverted)", |rule| {
                rule.label
            }),
        )
    }
}
