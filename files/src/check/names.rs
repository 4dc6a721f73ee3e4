//! What a column of a table or a member of an object holds, by its name.

/// What an answer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Fen,
    Move,
    Value,
    Threshold,
    /// Whether the SEE is at least the threshold.
    Holds,
    /// How the SEE is compared, or in what it is.
    Relation,
}

impl Role {
    /// What a name stands for, and how surely: of several names for the same, the one with the lowest
    /// rank counts. The case does not matter, nor whether words are joined by `_` or `-`.
    pub fn from_name(name: &str) -> Option<(Role, u8)> {
        /// Longer than any name here.
        const LONGEST: usize = 16;
        let mut plain = [0; LONGEST];
        let Some(plain) = plain.get_mut(..name.len()) else {
            return Role::from_phrase(name);
        };
        for (to, from) in plain.iter_mut().zip(name.bytes()) {
            *to = if matches!(from, b'_' | b'-') {
                b' '
            } else {
                from.to_ascii_lowercase()
            };
        }
        let plain = plain.strip_suffix(b"(cp)").unwrap_or(plain);
        Some(match plain.trim_ascii_end() {
            b"fen" => (Role::Fen, 0),
            b"board" | b"epd" | b"position" => (Role::Fen, 1),
            b"capture" | b"move" | b"mv" => (Role::Move, 0),
            b"lan" | b"uci" => (Role::Move, 1),
            b"san" => (Role::Move, 2),
            b"answer" | b"expected" | b"see" | b"see value" | b"value" | b"want" => {
                (Role::Value, 0)
            }
            // It may be that of a search.
            b"score" => (Role::Value, 1),
            b"bound" | b"margin" | b"threshold" => (Role::Threshold, 0),
            b"ge" | b"holds" | b"passes" | b"reached" | b"reaches" | b"see ge" => (Role::Holds, 0),
            // It may be that of a game, which says nothing of a threshold.
            b"at least" | b"atleast" | b"ok" | b"pass" | b"passed" | b"result"
            | b"see at least" => (Role::Holds, 1),
            b"cmp" | b"comparison" | b"op" | b"operator" | b"relation" | b"unit" | b"units" => {
                (Role::Relation, 0)
            }
            _ => return Role::from_phrase(name),
        })
    }

    /// What several words stand for, of which one is a name for the claim: `expected SEE in cp`, or with
    /// another relation `minimum SEE`.
    fn from_phrase(name: &str) -> Option<(Role, u8)> {
        const VALUES: [&str; 4] = ["expected", "score", "see", "value"];
        const FILLERS: [&str; 12] = [
            "a",
            "an",
            "by",
            "centipawn",
            "centipawns",
            "correct",
            "cp",
            "exact",
            "in",
            "of",
            "static",
            "the",
        ];
        const OTHERS: [&str; 15] = [
            "above", "at", "below", "exceed", "exceeds", "greater", "least", "less", "lower",
            "max", "maximum", "min", "minimum", "most", "upper",
        ];
        /// Longer than any phrase.
        const LONGEST: usize = 60;
        if name.len() > LONGEST || !name.contains(' ') {
            return None;
        }
        let words = || {
            let all = name.split(|char: char| !char.is_alphanumeric());
            all.filter(|word| !word.is_empty())
                .map(str::to_ascii_lowercase)
        };
        let is_in = |list: &[&str], word: &String| list.contains(&word.as_str());
        if words().any(|word| matches!(word.as_str(), "bound" | "margin" | "threshold")) {
            return Some((Role::Threshold, 1));
        }
        if !words().any(|word| is_in(&VALUES, &word)) {
            return None;
        }
        if words().any(|word| is_in(&OTHERS, &word)) {
            return Some((Role::Relation, 0));
        }
        let is_plain = words().all(|word| is_in(&VALUES, &word) || is_in(&FILLERS, &word));
        is_plain.then_some((Role::Value, 1))
    }

    /// The names that are proposed where one is missing.
    pub const fn proposed(self) -> &'static str {
        match self {
            Role::Fen => "fen",
            Role::Move => "move, uci or san",
            Role::Value => "see, value or expected",
            Role::Threshold => "threshold",
            Role::Holds => "ge",
            Role::Relation => "none",
        }
    }
}

/// The names of the parts of an answer among several names: the place of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    pub fen: usize,
    pub name: usize,
    pub claim: ClaimPlaces,
}

/// Where the claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimPlaces {
    Value(usize),
    Threshold { threshold: usize, holds: usize },
}

/// Why names do not say where the parts of an answer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// None stands for this.
    Missing(Role),
    /// Two stand for this.
    Twice(Role, [usize; 2]),
    /// There is a value, and a threshold or its truth.
    Both,
    /// This says how the SEE is compared, or in what it is.
    Relation(usize),
}

impl Places {
    pub fn from_names<'a>(
        names: &(impl Iterator<Item = &'a str> + Clone),
    ) -> Result<Places, Unclear> {
        let place = |role: Role| -> Result<Option<usize>, Unclear> {
            let mut best: Option<(u8, usize)> = None;
            let mut twin = None;
            for (at, name) in names.clone().enumerate() {
                let Some((found, rank)) = Role::from_name(name) else {
                    continue;
                };
                if found != role {
                    continue;
                }
                match best {
                    Some((known, _)) if known < rank => {}
                    Some((known, first)) if known == rank => twin = Some([first, at]),
                    _ => {
                        best = Some((rank, at));
                        twin = None;
                    }
                }
            }
            match twin {
                Some(both) => Err(Unclear::Twice(role, both)),
                None => Ok(best.map(|(_, at)| at)),
            }
        };
        if let Some(relation) = place(Role::Relation)? {
            return Err(Unclear::Relation(relation));
        }
        let fen = place(Role::Fen)?.ok_or(Unclear::Missing(Role::Fen))?;
        let name = place(Role::Move)?.ok_or(Unclear::Missing(Role::Move))?;
        let threshold = place(Role::Threshold)?;
        let holds = place(Role::Holds)?;
        // What is expected of a threshold is whether it is reached.
        let is_expected = |name: &str| name.eq_ignore_ascii_case("expected");
        let expected = names.clone().position(is_expected);
        let expected = expected.filter(|_| threshold.is_some() && holds.is_none());
        let value = match expected {
            Some(_) => None,
            None => place(Role::Value)?,
        };
        // What is expected beside another value may be whether the SEE is at least that.
        if let Some(at) = value.filter(|at| names.clone().nth(*at).is_some_and(is_expected)) {
            let mut others = names.clone().enumerate().filter(|(other, _)| *other != at);
            let is_value = |name| matches!(Role::from_name(name), Some((Role::Value, _)));
            if let Some((other, _)) = others.find(|(_, name)| is_value(*name)) {
                return Err(Unclear::Twice(Role::Value, [other, at]));
            }
        }
        let claim = match (value, threshold, holds.or(expected)) {
            (Some(value), None, None) => ClaimPlaces::Value(value),
            (None, Some(threshold), Some(holds)) => ClaimPlaces::Threshold { threshold, holds },
            (None, None, None) => return Err(Unclear::Missing(Role::Value)),
            (None, Some(_), None) => return Err(Unclear::Missing(Role::Holds)),
            (None, None, Some(at)) => {
                let is_sure =
                    names.clone().nth(at).and_then(Role::from_name) == Some((Role::Holds, 0));
                let missing = if is_sure {
                    Role::Threshold
                } else {
                    Role::Value
                };
                return Err(Unclear::Missing(missing));
            }
            (Some(_), ..) => return Err(Unclear::Both),
        };
        Ok(Places { fen, name, claim })
    }
}
