//! What may be wrong with another engine's SEE: faults, each with the SEE that an engine with it
//! gives, and topics for answers that no fault explains.
//!
//! A fault is an entry of [`FAULTS`]. [`Diagnosis`](super::Diagnosis) decides from all answers
//! which faults an engine may have.

use shakmaty::{Bitboard, Color, Role, Square};

use super::answers::Answer;
use super::values::see;
use swaplist::{
    BarredBy, EnPassant, FirstPromotion, PackedMove, Pins, Position, RecapturePromotion, Rules,
    Trace,
};

/// A fault that an engine's SEE may have, or a choice of another rule.
pub(super) struct Fault {
    /// The class in which it is counted.
    pub class: &'static str,
    /// What an engine with it seems to do.
    pub seems: &'static str,
    /// The SEE that an engine with it gives.
    pub see: fn(&Examined<'_>) -> i32,
}

/// All faults. Of several that explain an answer the first one is named: special ones come before
/// general ones.
pub(super) const FAULTS: &[Fault] = &[
    Fault {
        class: EN_PASSANT,
        seems: "en passant has its value",
        see: |seen| seen.with_en_passant(EnPassant::Exact),
    },
    Fault {
        class: EN_PASSANT,
        seems: "en passant counts as 0",
        see: |seen| seen.with_en_passant(EnPassant::Zero),
    },
    Fault {
        class: X_RAYS,
        seems: "pieces behind others do not recapture",
        see: |seen| seen.with_x_rays(|_| false),
    },
    Fault {
        class: X_RAYS,
        seems: "only the first piece that an exchange uncovers recaptures",
        see: |seen| seen.with_x_rays(|x_ray| x_ray.is_first),
    },
    Fault {
        class: X_RAYS,
        seems: "pieces behind the first capturer recapture, those behind others do not",
        see: |seen| seen.with_x_rays(|x_ray| x_ray.opened_by == FIRST_MOVE),
    },
    Fault {
        class: PROMOTIONS,
        seems: "the promotion has its value",
        see: |seen| seen.with_first_promotion(FirstPromotion::Full),
    },
    Fault {
        class: PROMOTIONS,
        seems: "the promoted pawn counts as a pawn",
        see: |seen| seen.with_first_promotion(FirstPromotion::Pawn),
    },
    Fault {
        class: PROMOTIONS,
        seems: "the promotion counts as 0",
        see: |seen| seen.with_first_promotion(FirstPromotion::Zero),
    },
    Fault {
        class: RECAPTURE_PROMOTIONS,
        seems: "a pawn that recaptures on the last rank stays a pawn",
        see: |seen| seen.with_recapture_promotion(RecapturePromotion::Pawn),
    },
    Fault {
        class: RECAPTURE_PROMOTIONS,
        seems: "a pawn that recaptures on the last rank becomes a queen",
        see: |seen| seen.with_recapture_promotion(RecapturePromotion::Queen),
    },
    Fault {
        class: "the king does not recapture",
        seems: "the king does not recapture",
        see: |seen| seen.without_kings(),
    },
    Fault {
        class: GUARDED,
        seems: GUARDED,
        see: |seen| seen.with_guarded_kings(),
    },
    Fault {
        class: PINS,
        seems: "pins are ignored",
        see: |seen| seen.with_pins(Pins::None),
    },
    Fault {
        class: PINS,
        seems: "pinned pieces do not recapture while all their pinners stand",
        see: |seen| seen.with_pins(Pins::Sf8),
    },
    Fault {
        class: PINS,
        seems: "pinned pieces do not recapture while any pinner stands",
        see: |seen| seen.with_pins(Pins::Sf),
    },
    Fault {
        class: PINS,
        seems: "only legal recaptures count",
        see: |seen| seen.with_pins(Pins::Legal),
    },
    Fault {
        class: "recaptures are missing",
        seems: "nothing is recaptured",
        see: |seen| seen.trace.gain,
    },
    Fault {
        class: SIGNS,
        seems: "the sign is wrong",
        see: |seen| -seen.trace.value,
    },
    Fault {
        class: SIGNS,
        seems: "the sign is wrong if White moves",
        see: |seen| seen.negated_for(Color::White),
    },
    Fault {
        class: SIGNS,
        seems: "the sign is wrong if Black moves",
        see: |seen| seen.negated_for(Color::Black),
    },
];

const EN_PASSANT: &str = "en passant";
const PROMOTIONS: &str = "promotions";
const RECAPTURE_PROMOTIONS: &str = "promotions in recaptures";
const X_RAYS: &str = "x-rays are missing";
const GUARDED: &str = "the king recaptures on a guarded square";
const PINS: &str = "pins";
const SIGNS: &str = "wrong signs";

/// The ply of the first move, which opens lines as recaptures do: recapture `i` has ply `i + 1`.
const FIRST_MOVE: usize = 0;

/// An answer with the exchange that it is about, by the rules.
pub(super) struct Examined<'a> {
    rules: &'a Rules,
    position: &'a Position,
    capture: PackedMove,
    trace: Trace,
}

/// A slider that joins the exchange when another piece leaves its square.
struct XRay {
    square: Square,
    /// The ply of the capture that opened the line.
    opened_by: usize,
    /// Whether no other piece joined before it.
    is_first: bool,
}

impl<'a> Examined<'a> {
    pub fn new(answer: &'a Answer, rules: &'a Rules) -> Examined<'a> {
        Examined {
            rules,
            position: &answer.position,
            capture: answer.capture,
            trace: rules.trace(&answer.position, answer.capture),
        }
    }

    /// The SEE by the rules.
    pub const fn value(&self) -> i32 {
        self.trace.value
    }

    /// What the answer is about, if no fault explains it.
    pub fn topic(&self) -> &'static str {
        let target = self.capture.to();
        let is_pawn = self.position.pawns() >> (self.capture.from() as u32) & 1 != 0;
        let is_straight = self.capture.from().file() == target.file();
        let takes_nothing = self.position.code_at(target as u32) == 0;
        let mut recapturers = self.trace.recaptures.iter().map(|by| by.piece.role);
        if is_pawn && takes_nothing && !is_straight {
            EN_PASSANT
        } else if self.capture.promotion().is_some() {
            PROMOTIONS
        } else if Bitboard::BACKRANKS.contains(target) && recapturers.any(|role| role == Role::Pawn)
        {
            RECAPTURE_PROMOTIONS
        } else if takes_nothing {
            "moves without a capture"
        } else {
            "other captures"
        }
    }

    fn under(&self, rules: &Rules) -> i32 {
        rules.see(self.position, self.capture)
    }

    fn with_pins(&self, pins: Pins) -> i32 {
        self.under(&Rules {
            pins,
            ..*self.rules
        })
    }

    fn with_en_passant(&self, en_passant: EnPassant) -> i32 {
        self.under(&Rules {
            en_passant,
            ..*self.rules
        })
    }

    fn with_first_promotion(&self, first_promotion: FirstPromotion) -> i32 {
        self.under(&Rules {
            first_promotion,
            ..*self.rules
        })
    }

    fn with_recapture_promotion(&self, recapture_promotion: RecapturePromotion) -> i32 {
        self.under(&Rules {
            recapture_promotion,
            ..*self.rules
        })
    }

    fn negated_for(&self, side: Color) -> i32 {
        if self.position.turn() == side {
            -self.trace.value
        } else {
            self.trace.value
        }
    }

    /// The SEE if kings do not recapture: the exchange ends before one does.
    fn without_kings(&self) -> i32 {
        let mut recaptures = self.trace.recaptures.iter();
        match recaptures.position(|by| by.piece.role == Role::King) {
            Some(king) => {
                let gains: Vec<i32> = self.trace.gains().take(king + 1).collect();
                see(gains.into_iter())
            }
            None => self.trace.value,
        }
    }

    /// The SEE if a king captures where it may not, at the end of the exchange. Nothing is won by
    /// taking it.
    fn with_guarded_kings(&self) -> i32 {
        let mut at_the_end = self.trace.passed_over(self.trace.recaptures.len());
        if at_the_end.any(|barred| barred.reason == BarredBy::Guarded) {
            see(self.trace.swap_list().into_iter())
        } else {
            self.trace.value
        }
    }

    /// The SEE if of the pieces that an exchange uncovers only some join. The others are taken from
    /// the board. The exchange is then another one, in which further pieces may appear behind
    /// others, so this is repeated until all of them are seen.
    fn with_x_rays(&self, is_seen: fn(&XRay) -> bool) -> i32 {
        // Even where nothing recaptures: a king that may not, as a piece behind the capturer guards
        // the square, does so in an engine that does not see that piece.
        let mut position = *self.position;
        let mut trace = self.trace.clone();
        loop {
            let unseen: Bitboard = x_rays(&position, self.capture, &trace)
                .into_iter()
                .filter(|x_ray| !is_seen(x_ray))
                .map(|x_ray| x_ray.square)
                .collect();
            if unseen.is_empty() {
                return trace.value;
            }
            position = without(&position, unseen);
            trace = self.rules.trace(&position, self.capture);
        }
    }
}

/// The sliders that an exchange uncovers, whether or not they recapture, in the order in which they
/// join.
fn x_rays(position: &Position, played: PackedMove, trace: &Trace) -> Vec<XRay> {
    let target = played.to() as u32;
    let mut occupied = position.occupied_bits();
    let mut known = position.attackers(target, occupied);
    let recapturers = trace.recaptures.iter().map(|by| by.piece.square);
    let mut found = Vec::new();
    for (opened_by, left) in core::iter::once(played.from())
        .chain(recapturers)
        .enumerate()
    {
        occupied &= !(1 << left as u32);
        let attackers = position.attackers(target, occupied) & occupied;
        for square in Bitboard(attackers & !known) {
            found.push(XRay {
                square,
                opened_by,
                is_first: found.is_empty(),
            });
        }
        known |= attackers;
    }
    found
}

/// The position without the pieces on these squares. A side may be left in check by that, which
/// does not matter to an exchange.
fn without(position: &Position, squares: Bitboard) -> Position {
    bytemuck::cast(position.planes().map(|plane| plane & !squares.0))
}
