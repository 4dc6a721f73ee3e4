//! A filter in words.

use core::fmt;

use super::{Filter, PlayedRules, Reason};

impl Filter {
    /// Each rule that is on: its reason, and when it drops a record.
    #[must_use]
    pub fn clauses(&self) -> Vec<(Reason, String)> {
        let mut clauses = Clauses(Vec::new());
        self.say_numbers(&mut clauses);
        clauses.when(!self.keep_checks, Reason::InCheck, || {
            "the side to move is in check".to_owned()
        });
        self.say_played(&mut clauses);
        self.say_draws(&mut clauses);
        clauses.some(self.max_see, Reason::See, |max| {
            format!("a noisy move (capture, en passant, promotion) has a SEE above {max}")
        });
        clauses.some(self.max_threat, Reason::Threat, |max| {
            format!("the opponent, were it to move, had a noisy move with a SEE above {max}")
        });
        clauses.0
    }

    fn say_numbers(&self, clauses: &mut Clauses) {
        clauses.when(self.min_ply > 0, Reason::Ply, || {
            format!(
                "fewer than {} half-moves were made since the start of the game",
                self.min_ply
            )
        });
        clauses.when(self.min_pieces > 0, Reason::Pieces, || {
            format!("there are fewer than {} men on the board", self.min_pieces)
        });
        clauses.some(self.max_pieces, Reason::Pieces, |max| {
            format!("there are more than {max} men on the board")
        });
        clauses.when(self.drop_unscored, Reason::Unscored, || {
            "there is no score, or 32002, which stands for none".to_owned()
        });
        clauses.some(self.max_score, Reason::Score, |max| {
            format!("the score is more than {max} centipawns from 0, for either side")
        });
    }

    fn say_played(&self, clauses: &mut Clauses) {
        let asked = |rules| self.played.has(rules);
        if asked(PlayedRules::NO_CAPTURES) {
            clauses.say(
                Reason::PlayedCapture,
                "the played move captures, en passant too",
            );
        } else if asked(PlayedRules::EMPTY_TARGET) {
            clauses.say(
                Reason::PlayedCapture,
                "the played move captures a man on its target square (en passant passes)",
            );
        }
        for (rule, reason, words) in [
            (
                PlayedRules::NO_PROMOTIONS,
                Reason::PlayedPromotion,
                "the played move promotes",
            ),
            (
                PlayedRules::NO_CASTLING,
                Reason::PlayedCastling,
                "the played move castles",
            ),
            (
                PlayedRules::SEE_GE0,
                Reason::PlayedSeeGe0,
                "the played move captures a man on its target square, and the score is 0 or \
                 its SEE at least 0",
            ),
        ] {
            clauses.when(asked(rule), reason, || words.to_owned());
        }
        clauses.some(self.min_played_see, Reason::PlayedSee, |min| {
            format!("the SEE of the played move is below {min}")
        });
        clauses.some(self.max_played_see, Reason::PlayedSee, |max| {
            format!("the SEE of the played move is above {max}")
        });
        clauses.some(
            self.max_eval_incorrectness,
            Reason::EvalIncorrectness,
            |max| {
                format!(
                    "the game was drawn and the score is more than {max} from 0, or it was won \
                 and the winner's score is below -{max}"
                )
            },
        );
    }

    fn say_draws(&self, clauses: &mut Clauses) {
        let seed = self.seed;
        clauses.some(self.wdl_model, Reason::Wdl, |_| {
            format!(
                "a draw (seed {seed}) says so: kept with the probability that the game's \
                 result has with this score, by viriformat's WDL model"
            )
        });
        clauses.some(self.material_count, Reason::MaterialCount, |_| {
            format!("a draw (seed {seed}) says so, by the number of men on the board")
        });
        clauses.some(self.random_skip, Reason::RandomSkip, |skip| {
            format!("a draw (seed {seed}) says so, with probability {skip}")
        });
        clauses.some(self.keep_fraction, Reason::Thinned, |keep| {
            format!("a draw (seed {seed}) says so: kept with probability {keep}")
        });
    }
}

struct Clauses(Vec<(Reason, String)>);

impl Clauses {
    fn say(&mut self, reason: Reason, words: &str) {
        self.0.push((reason, words.to_owned()));
    }

    fn when(&mut self, on: bool, reason: Reason, words: impl FnOnce() -> String) {
        if on {
            self.0.push((reason, words()));
        }
    }

    fn some<T>(&mut self, rule: Option<T>, reason: Reason, words: impl FnOnce(T) -> String) {
        if let Some(rule) = rule {
            self.0.push((reason, words(rule)));
        }
    }
}

/// For people: the rules in one line.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses: Vec<String> = self.clauses().into_iter().map(|(_, words)| words).collect();
        match (clauses.as_slice(), self.invert) {
            ([], false) => f.write_str("drops nothing"),
            ([], true) => f.write_str("drops everything"),
            (clauses, invert) => {
                f.write_str(if invert {
                    "keeps where "
                } else {
                    "drops where "
                })?;
                f.write_str(&clauses.join("; or "))
            }
        }
    }
}
