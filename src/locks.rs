//! Locks that stay usable when a thread has panicked.
//!
//! What they guard here is sound between any two statements, and a panic is reported elsewhere. So
//! nobody asks a lock whether it is poisoned.

use std::sync::{self, MutexGuard, PoisonError};

/// A mutex without poison.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// A mutex that guards a value.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits until no other thread has the value.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, which no other thread can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where threads wait for a change of what a [`Mutex`] guards.
#[cfg(feature = "gpu")]
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

#[cfg(feature = "gpu")]
impl Condvar {
    /// Waits for a signal, and lets others have the value meanwhile. It may return without one.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
