//! Shuffles a stream within a window, in memory that a processor's cache can follow.
//!
//! Entries wait in bags, each put into one at random. Once the window is full, the bags leave in
//! turn, shuffled: memory is written and read in order, where drawing single entries would miss the
//! cache for each. If all entries of an epoch fit, every order is equally likely.
//!
//! Which bag an entry goes to depends only on the seed and on the entry's number, and a bag holds
//! what came since it left last. So the state of a window is some numbers: to restore it, entries
//! are decoded again, which are not many more than it holds.

// The number of a bag is below their number.
#![allow(clippy::cast_possible_truncation)]

use serde::{Deserialize, Serialize};
use swaplist_files::random::mixed;

/// How many entries a bag has, roughly as many as fit in the L2 cache.
const BAG: usize = 1 << 14;
/// The fewest bags, so that what comes together leaves apart.
const FEWEST: usize = 16;

/// Entries that wait to leave in another order.
pub struct Window<T> {
    bags: Vec<Vec<T>>,
    held: usize,
    /// How many entries are held before a bag leaves.
    most: usize,
    seed: u64,
    now: WindowState,
}

/// A window at a moment, without its entries.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WindowState {
    /// How many entries had come when each bag left last.
    left: Vec<u64>,
    /// The bag that leaves next.
    next: usize,
    /// How many bags have left.
    departures: u64,
    /// How many entries have come.
    pub arrived: u64,
}

impl WindowState {
    /// The start of an epoch.
    fn start(bags: usize) -> WindowState {
        WindowState {
            left: vec![0; bags],
            next: 0,
            departures: 0,
            arrived: 0,
        }
    }

    /// The number of the first entry that the window may hold: the bag that leaves next left
    /// before all others.
    pub fn first(&self) -> u64 {
        self.left[self.next]
    }
}

impl<T: Clone> Window<T> {
    /// A window for this many entries, at the start of an epoch.
    pub fn new(size: usize, seed: u64) -> Window<T> {
        let bags = size.div_ceil(BAG).max(FEWEST);
        Window {
            bags: (0..bags).map(|_| Vec::new()).collect(),
            held: 0,
            most: size,
            seed,
            now: WindowState::start(bags),
        }
    }

    /// Begins another epoch, if it is empty.
    pub fn begin(&mut self, seed: u64) {
        self.seed = seed;
        self.now = WindowState::start(self.bags.len());
    }

    /// Whether a bag should leave before more comes in.
    pub fn is_full(&self) -> bool {
        self.held >= self.most
    }

    /// How many entries have come.
    pub fn arrived(&self) -> u64 {
        self.now.arrived
    }

    fn bag(&self, number: u64) -> usize {
        let hash = mixed(self.seed.wrapping_add(number));
        ((u128::from(hash) * self.bags.len() as u128) >> 64) as usize
    }

    /// Puts an entry in.
    #[inline]
    pub fn put(&mut self, entry: &T) {
        let bag = self.bag(self.now.arrived);
        // `push` would copy the entry twice: first out of the way of a growing bag.
        self.bags[bag].extend_from_slice(std::slice::from_ref(entry));
        self.now.arrived += 1;
        self.held += 1;
    }

    /// Puts the entry with this number in again, if the window held it at that moment.
    pub fn put_again(&mut self, number: u64, entry: &T, then: &WindowState) {
        let bag = self.bag(number);
        if number >= then.left[bag] {
            self.bags[bag].extend_from_slice(std::slice::from_ref(entry));
            self.held += 1;
        }
    }

    /// Goes on from a moment whose entries are all in again.
    pub fn go_on(&mut self, then: WindowState) {
        self.now = then;
    }

    /// Whether it is the state of a window of this size.
    pub fn suits(&self, state: &WindowState) -> bool {
        state.left.len() == self.bags.len() && state.next < self.bags.len()
    }

    /// The window before the next bag leaves.
    pub fn state(&self) -> &WindowState {
        &self.now
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Exchanges an empty vector for the next bag that is not empty; false if all are.
    pub fn leave(&mut self, into: &mut Vec<T>) -> bool {
        if self.held == 0 {
            return false;
        }
        let now = &mut self.now;
        while into.is_empty() {
            std::mem::swap(into, &mut self.bags[now.next]);
            now.left[now.next] = now.arrived;
            now.next = (now.next + 1) % self.bags.len();
        }
        self.held -= into.len();
        now.departures += 1;
        let seed = mixed(self.seed ^ mixed(now.departures));
        fastrand::Rng::with_seed(seed).shuffle(into);
        true
    }
}
