//! Locks that stay usable when a thread has panicked: what they guard here is sound between any two
//! statements, and whoever panics is told of elsewhere. So nobody asks a lock whether it is poisoned.

use std::sync::{self, MutexGuard, PoisonError};

/// A mutex without poison.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where threads wait for a change of what a [`Mutex`] guards.
#[cfg(feature = "gpu")]
#[derive(Debug, Default)]
pub(crate) struct Condvar(sync::Condvar);

#[cfg(feature = "gpu")]
impl Condvar {
    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
