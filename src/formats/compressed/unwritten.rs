//! On wasm32 nothing is compressed.

use core::convert::Infallible;
use core::marker::PhantomData;
use std::io::{self, Write};

use super::Compression;

impl Compression {
    /// Compresses at the default level.
    ///
    /// # Errors
    ///
    /// Always on wasm32.
    pub fn compress<W: Write>(self, output: W) -> io::Result<Compressed<W>> {
        self.compress_at(self.default_level(), output)
    }

    /// Compresses at one of the [levels](Compression::levels).
    ///
    /// # Errors
    ///
    /// Always on wasm32.
    pub fn compress_at<W: Write>(self, _: u32, _: W) -> io::Result<Compressed<W>> {
        let why = format!("{self} cannot be written on wasm32");
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }
}

/// A compressing writer. There is none on wasm32.
pub struct Compressed<W>(Infallible, PhantomData<W>);

impl<W> Compressed<W> {
    /// Writes the rest.
    ///
    /// # Errors
    ///
    /// None: it cannot be called.
    pub fn end(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    /// Returns the output.
    ///
    /// # Errors
    ///
    /// None: it cannot be called.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {}
    }

    /// The output.
    pub fn get_ref(&self) -> &W {
        match self.0 {}
    }
}

impl<W> Write for Compressed<W> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}
