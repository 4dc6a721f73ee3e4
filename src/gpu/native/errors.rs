//! Converts all of wgpu's kinds of errors into [`BackendError`].
//!
//! wgpu reports errors in four ways: as results; in *error scopes*, which collect the errors of
//! calls between pushing and popping ([`guarded`]); by callbacks, for a lost device and for errors
//! outside of any scope, which would panic otherwise ([`Mailbox`]); and by panics of its own, where
//! a driver fails, which are caught where they may happen.

use std::sync::Arc;

use crate::backend::BackendError;
use crate::locks::Mutex;

/// Makes calls on a device, and returns an error that they raise, or else their result.
pub(super) fn guarded<T>(
    device: &wgpu::Device,
    calls: impl FnOnce() -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    let memory_scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal_scope = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation_scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let value = calls();
    let validation = pollster::block_on(validation_scope.pop());
    let internal = pollster::block_on(internal_scope.pop());
    let memory = pollster::block_on(memory_scope.pop());
    // Of several errors, one about memory comes first: the other kinds may only follow from it.
    match memory.or(internal).or(validation) {
        Some(error) => Err(error.into()),
        None => value,
    }
}

impl From<wgpu::Error> for BackendError {
    fn from(error: wgpu::Error) -> BackendError {
        match error {
            wgpu::Error::OutOfMemory { source } => BackendError::OutOfMemory(source.to_string()),
            wgpu::Error::Validation { description, .. }
            | wgpu::Error::Internal { description, .. } => {
                BackendError::Device(description.trim_end().to_owned())
            }
        }
    }
}

impl From<wgpu::MapRangeError> for BackendError {
    fn from(error: wgpu::MapRangeError) -> BackendError {
        BackendError::Device(error.to_string())
    }
}

/// Errors that the device reports asynchronously.
#[derive(Clone, Default)]
pub(super) struct Mailbox(Arc<Mutex<Option<BackendError>>>);

impl Mailbox {
    /// Receives the loss of a device, and errors outside of any scope, which would otherwise
    /// panic.
    pub fn for_device(device: &wgpu::Device) -> Mailbox {
        let mailbox = Mailbox::default();
        let lost = mailbox.clone();
        let uncaptured = mailbox.clone();
        device.set_device_lost_callback(move |reason, message| {
            lost.put(BackendError::Lost(format!("{reason:?}: {message}")));
        });
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            uncaptured.put(error.into());
        }));
        mailbox
    }

    /// Keeps the error, if it is the first.
    fn put(&self, error: BackendError) {
        let mut slot = self.0.lock();
        slot.get_or_insert(error);
    }

    /// The first error received; it stays here.
    pub fn read(&self) -> Option<BackendError> {
        let slot = self.0.lock();
        slot.clone()
    }
}
