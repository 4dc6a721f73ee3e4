//! Shuffles a stream within a window, in memory that a processor's cache can follow.

/// Entries of a bag, roughly as many as fit in the L2 cache.
const BAG: usize = 1 << 14;
/// The fewest bags, so that what comes together leaves apart.
const FEWEST: usize = 16;

/// Entries that wait in bags, each put into one at random. The bags leave in turn, shuffled: memory
/// is written and read in order, where drawing single entries would miss the cache for each.
pub struct Window<T> {
    bags: Vec<Vec<T>>,
    next: usize,
    held: usize,
    /// Entries held before a bag leaves.
    most: usize,
    random: fastrand::Rng,
}

impl<T> Window<T> {
    /// An entry leaves after at most about `size` others have come, half as many on average.
    pub fn new(size: usize, seed: u64) -> Window<T> {
        let bags = size.div_ceil(BAG).max(FEWEST);
        Window {
            bags: (0..bags).map(|_| Vec::new()).collect(),
            next: 0,
            held: 0,
            most: size.div_ceil(2),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Whether a bag should leave before more comes in.
    pub fn is_full(&self) -> bool {
        self.held >= self.most
    }

    /// Puts an entry in.
    #[inline]
    pub fn put(&mut self, entry: T) {
        let bag = self.random.usize(..self.bags.len());
        self.bags[bag].push(entry);
        self.held += 1;
    }

    /// Exchanges an empty vector for the next bag that is not empty; false if none is.
    pub fn leave(&mut self, into: &mut Vec<T>) -> bool {
        if self.held == 0 {
            return false;
        }
        while into.is_empty() {
            std::mem::swap(into, &mut self.bags[self.next]);
            self.next = (self.next + 1) % self.bags.len();
        }
        self.held -= into.len();
        self.random.shuffle(into);
        true
    }
}
