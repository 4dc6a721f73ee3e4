//! The Arrow `PyCapsule` interface, by which arrays and streams come from Python and go to it, and
//! the buffer protocol. All unsafe code of the wheel is here.
//!
//! What comes from Python is not trusted. Structures that somebody has consumed are refused, and so
//! are those with impossible sizes, missing callbacks or missing children: following them would end
//! the process. The GIL is released while a stream computes, as its threads may need it, and a
//! panic in a callback becomes an error of the stream. pyo3-arrow (0.20, which needs an older
//! arrow) does none of this, except that it refuses consumed streams.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, FieldRef};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
const STREAM: &CStr = c"arrow_array_stream";

/// `errno` values that the C stream interface returns.
const EIO: c_int = 5;
const EINVAL: c_int = 22;

/// No array has so many rows, buffers or children. As an unsigned number, a negative one is far
/// above it.
const MOST: usize = 1 << 48;

fn arrow(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Looks for signals, and returns the exception of one as text. Callbacks of libraries use this: if
/// a thread held the GIL when it called the library, pyo3 believes that it still does, even if the
/// library has released it since.
pub fn signal() -> Option<String> {
    // SAFETY: The interpreter is alive, as it waits for this thread.
    let state = unsafe { ffi::PyGILState_Ensure() };
    // SAFETY: The thread now holds the GIL, until it is released below.
    let py = unsafe { Python::assume_attached() };
    let error = py.check_signals().err().map(|error| error.to_string());
    // SAFETY: The state is that from above, and no object of Python is left.
    unsafe { ffi::PyGILState_Release(state) };
    error
}

/// The arrays of an object with an Arrow capsule; `None` if it has none.
pub fn arrays(object: &Bound<'_, PyAny>) -> PyResult<Option<Arrays>> {
    // A stream keeps the chunks apart, so it comes first.
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object
            .call_method0("__arrow_c_stream__")?
            .cast_into::<PyCapsule>()?;
        return Arrays::from_stream(&capsule).map(Some);
    }
    if object.hasattr("__arrow_c_array__")? {
        let pair = object
            .call_method0("__arrow_c_array__")?
            .cast_into::<PyTuple>()?;
        return array_of(&pair).map(|array| Some(Arrays::One(Some(array))));
    }
    Ok(None)
}

fn array_of(pair: &Bound<'_, PyTuple>) -> PyResult<ArrayRef> {
    let schema_capsule = pair.get_item(0)?.cast_into::<PyCapsule>()?;
    let array_capsule = pair.get_item(1)?.cast_into::<PyCapsule>()?;
    let schema = schema_capsule
        .pointer_checked(Some(SCHEMA))?
        .cast::<FFI_ArrowSchema>();
    let pointer = array_capsule
        .pointer_checked(Some(ARRAY))?
        .cast::<FFI_ArrowArray>();
    // SAFETY: The capsule's name says what it points to. It is only read while its capsule lives.
    let schema = unsafe { schema.as_ref() };
    if schema.release().is_none() {
        return Err(consumed("schema"));
    }
    // SAFETY: The capsule's name says what it points to. The array is moved out, which leaves a
    // released one.
    let array = unsafe { FFI_ArrowArray::from_raw(pointer.as_ptr()) };
    if array.is_released() {
        return Err(consumed("array"));
    }
    // SAFETY: The array has this schema, and neither is released.
    unsafe { imported(array, schema) }
}

/// Arrow marks what its consumer has released by the callback `release` alone: the other fields
/// may be as they were, and what they point to is gone.
fn consumed(what: &str) -> PyErr {
    PyValueError::new_err(format!("the Arrow {what} was consumed before"))
}

/// The array of two C structures.
///
/// # Safety
///
/// They belong together, as the interface says, and are not released.
unsafe fn imported(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> PyResult<ArrayRef> {
    // arrow panics at what is malformed, as a missing child.
    let imported = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: The caller guarantees what `from_ffi` needs.
        is_sized(&array).then(|| unsafe { from_ffi(array, schema) }.map(make_array))
    }));
    match imported {
        Ok(Some(array)) => array.map_err(arrow),
        Ok(None) | Err(_) => Err(PyValueError::new_err("the Arrow array is malformed")),
    }
}

/// Whether the lengths of an array and of its parts are possible. Arrow computes with them
/// unchecked.
fn is_sized(array: &FFI_ArrowArray) -> bool {
    let numbers = [
        array.len(),
        array.offset(),
        array.num_buffers(),
        array.num_children(),
    ];
    let mut children = (0..array.num_children()).map(|child| array.child(child));
    numbers.iter().all(|&number| number < MOST)
        && children.all(is_sized)
        && array.dictionary().is_none_or(is_sized)
}

/// Arrays that Python gives, one after the other.
pub enum Arrays {
    /// A single one.
    One(Option<ArrayRef>),
    /// The arrays of a C stream, and their schema.
    Stream(Stream, FFI_ArrowSchema),
}

impl Arrays {
    fn from_stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<Arrays> {
        let pointer = capsule
            .pointer_checked(Some(STREAM))?
            .cast::<FFI_ArrowArrayStream>();
        // SAFETY: The capsule's name says what it points to. The stream is moved out, which leaves
        // a released one.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
        if stream.release().is_none() {
            return Err(consumed("stream"));
        }
        let mut stream = Stream(ManuallyDrop::new(stream));
        let get_schema = stream.0.get_schema().ok_or_else(incomplete)?;
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: The stream is not released.
        let status = unsafe { get_schema(&raw mut *stream.0, &raw mut schema) };
        if status != 0 {
            return Err(PyValueError::new_err(stream.last_error()));
        }
        if schema.release().is_none() {
            return Err(consumed("schema"));
        }
        Ok(Arrays::Stream(stream, schema))
    }

    /// The next array, computed without the GIL, which the stream's own threads may need.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<ArrayRef>> {
        let (stream, schema) = match self {
            Arrays::One(array) => return Ok(array.take()),
            Arrays::Stream(stream, schema) => (stream, schema),
        };
        let get_next = stream.0.get_next().ok_or_else(incomplete)?;
        let mut array = FFI_ArrowArray::empty();
        let from = &mut *stream.0;
        // SAFETY: The stream is not released.
        let status = py.detach(|| unsafe { get_next(from, &raw mut array) });
        if status != 0 {
            return Err(PyValueError::new_err(stream.last_error()));
        }
        if array.is_released() {
            return Ok(None);
        }
        // SAFETY: The array has the stream's schema, and neither is released.
        unsafe { imported(array, schema) }.map(Some)
    }
}

fn incomplete() -> PyErr {
    PyValueError::new_err("the Arrow stream lacks a callback")
}

/// A C stream that is released without the GIL.
#[repr(transparent)]
pub struct Stream(ManuallyDrop<FFI_ArrowArrayStream>);

impl Stream {
    fn last_error(&mut self) -> String {
        let text = self.0.get_last_error().map(|last| {
            // SAFETY: The stream is not released; the text is valid until it is used again.
            let text = unsafe { last(&raw mut *self.0) };
            // SAFETY: A text that is not null is valid, and ends with a NUL.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
        });
        text.flatten().map_or_else(
            || "the Arrow stream failed".to_owned(),
            |text| text.to_string_lossy().into_owned(),
        )
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.0.release().is_none() {
            return;
        }
        // SAFETY: It is dropped once, here, which releases it.
        let mut drop = || unsafe { ManuallyDrop::drop(&mut self.0) };
        // Without the GIL, as the stream's own threads may need it to end.
        if Python::try_attach(|py| py.detach(&mut drop)).is_none() {
            drop();
        }
    }
}

/// Wraps a schema in a capsule.
pub fn schema_capsule<'py>(py: Python<'py>, field: &FieldRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(field.as_ref()).map_err(arrow)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Wraps an array in a capsule.
pub fn array_capsule<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)
}

/// Wraps a stream of arrays in a capsule.
pub fn stream_capsule(
    py: Python<'_>,
    field: FieldRef,
    arrays: impl Iterator<Item = Result<ArrayRef, String>> + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    let source = Source {
        field,
        arrays: Box::new(arrays),
        error: None,
    };
    // SAFETY: The callbacks are those of streams with a `Source`, which `release` frees.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            Box::into_raw(Box::new(source)).cast(),
        )
    };
    PyCapsule::new_with_value(py, Stream(ManuallyDrop::new(stream)), STREAM)
}

/// What the callbacks of a stream share.
struct Source {
    field: FieldRef,
    arrays: Box<dyn Iterator<Item = Result<ArrayRef, String>> + Send>,
    error: Option<CString>,
}

/// Runs a callback; errors and panics are kept as text.
///
/// # Safety
///
/// `stream` is one of [`stream_capsule`], not released.
unsafe fn call<T>(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut T,
    work: impl FnOnce(&mut Source) -> Result<T, String>,
) -> c_int {
    // SAFETY: The caller guarantees that the stream is one with a `Source`.
    let source = unsafe { &mut *(*stream).private_data().cast::<Source>() };
    let done = catch_unwind(AssertUnwindSafe(|| work(source)));
    let (status, message) = match done {
        Ok(Ok(value)) => {
            // SAFETY: The interface says that `out` points to a place for the value.
            unsafe { out.write(value) };
            return 0;
        }
        Ok(Err(message)) => (EINVAL, message),
        Err(_) => (EIO, "internal error in swaplist".to_owned()),
    };
    source.error = CString::new(message.replace('\0', " ")).ok();
    // A stream ends after its first error.
    source.arrays = Box::new(std::iter::empty());
    status
}

unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: This callback belongs to streams with a `Source`.
    unsafe {
        call(stream, out, |source| {
            FFI_ArrowSchema::try_from(source.field.as_ref()).map_err(|error| error.to_string())
        })
    }
}

unsafe extern "C" fn get_next(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: This callback belongs to streams with a `Source`.
    unsafe {
        call(stream, out, |source| match source.arrays.next() {
            None => Ok(FFI_ArrowArray::empty()),
            Some(array) => Ok(FFI_ArrowArray::new(&array?.to_data())),
        })
    }
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: This callback belongs to streams with a `Source`.
    let source = unsafe { &*(*stream).private_data().cast::<Source>() };
    source
        .error
        .as_ref()
        .map_or(std::ptr::null(), |text| text.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: This callback belongs to streams with a `Source`, and is called once.
    unsafe {
        drop(Box::from_raw((*stream).private_data().cast::<Source>()));
        // Some consumers look at other fields than `release`.
        stream.write(FFI_ArrowArrayStream::empty());
    }
}

/// Numbers that `NumPy` and torch use where they are, as bytes, by the buffer protocol.
#[pyclass(module = "swaplist", frozen)]
pub struct Buffer {
    start: *mut c_void,
    bytes: usize,
    /// Owns the numbers. Rust does not look at them any more.
    _numbers: Box<dyn Send + Sync>,
}

// SAFETY: Only Python uses the memory, which no thread moves or frees before the buffer is.
unsafe impl Send for Buffer {}
// SAFETY: As above; Rust itself neither reads nor writes it.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Hands numbers over to Python.
    pub fn new<T: ArrowNativeType>(mut numbers: Vec<T>) -> Buffer {
        Buffer {
            start: numbers.as_mut_ptr().cast(),
            bytes: size_of_val(&numbers[..]),
            _numbers: Box::new(numbers),
        }
    }
}

#[pymethods]
impl Buffer {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let buffer = slf.get();
        let bytes = isize::try_from(buffer.bytes)?;
        // SAFETY: The interface gives a view to fill in, which keeps this object alive; the memory
        // has so many bytes, initialised, and may be written.
        let status =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), buffer.start, bytes, 0, flags) };
        if status == 0 {
            Ok(())
        } else {
            Err(PyErr::fetch(slf.py()))
        }
    }
}
