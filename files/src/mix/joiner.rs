//! Joins games over the ends of blocks, where outputs are split by game.

use super::games;
use super::items::{Layout, UNDECIDED};
use super::task::Mixed;
use crate::formats::Record;

/// Joins games over the ends of blocks, which arrive in order.
#[derive(Default)]
pub struct Joiner {
    last: Option<(Record, u8)>,
    /// The output of the game with which the current block begins.
    head: u8,
    goes_on: bool,
}

impl Joiner {
    /// Decides on the games at the ends of a block, or of a part of it that comes early.
    pub fn join(&mut self, layout: Layout, mixed: &mut Mixed, is_part: bool) {
        if let Some(edges) = &mut mixed.edges {
            if !self.goes_on
                && let Some((record, part)) = edges.first
            {
                self.head = match &self.last {
                    Some((last, of_last)) if games::may_go_on(last, &record) => *of_last,
                    _ => part,
                };
            }
            let (record, last_part) = edges.last;
            let part = if last_part == UNDECIDED {
                self.head
            } else {
                last_part
            };
            if !is_part {
                self.last = Some((record, part));
            }
        }
        self.goes_on = is_part;
        for items in &mut mixed.items {
            items.decide(layout, self.head);
        }
        // Without edges, nothing is split by game.
        if mixed.edges.is_some() {
            for encoded in &mut mixed.encoded {
                encoded.decide(self.head);
            }
        }
    }
}
