//! The arguments of a function of the package.
//!
//! They are listed once, where a user sees them: by the `def` in the package, with their types,
//! defaults and documentation. The package passes all of them on as one dict, and the compiled
//! function takes each by its name, where it is needed. An argument that is taken but not passed
//! fails each call, and so does one that is passed but not taken, so the two cannot differ.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString};

/// The arguments of a call that are not taken yet.
pub struct Arguments<'py> {
    left: Bound<'py, PyDict>,
}

impl<'py> FromPyObject<'_, 'py> for Arguments<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Arguments<'py>> {
        let left = given.cast::<PyDict>()?.copy()?;
        Ok(Arguments { left })
    }
}

impl<'py> Arguments<'py> {
    /// Takes an argument. An error says its name and what it should be.
    pub fn take<T: Argument<'py>>(&self, name: &str) -> PyResult<T> {
        T::from_python(name, &self.value(name)?)
    }

    /// Takes a number that must be in a range.
    pub fn number<T: TryFrom<u64>>(&self, name: &str, range: RangeInclusive<u64>) -> PyResult<T> {
        number(name, &self.value(name)?, range)
    }

    /// Takes a number that must be in a range, or None.
    pub fn optional_number<T: TryFrom<u64>>(
        &self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> PyResult<Option<T>> {
        let value = self.value(name)?;
        if value.is_none() {
            return Ok(None);
        }
        number(name, &value, range).map(Some)
    }

    fn value(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.left.get_item(name)?;
        let value = value.ok_or_else(|| PyTypeError::new_err(format!("'{name}' is not passed")))?;
        self.left.del_item(name)?;
        Ok(value)
    }

    /// Fails if an argument is left.
    pub fn end(self) -> PyResult<()> {
        if self.left.is_empty() {
            return Ok(());
        }
        let names = self.left.keys();
        Err(PyTypeError::new_err(format!("{names} are not taken")))
    }
}

/// What an argument can be.
pub trait Argument<'py>: Sized {
    /// Converts the argument of this name.
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self>;
}

macro_rules! extracted {
    ($($kind:ty, $expected:literal;)+) => {$(
        impl<'py> Argument<'py> for $kind {
            fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<$kind> {
                value.extract().map_err(|_| wrong_type(name, $expected, value))
            }
        }
    )+};
}

extracted! {
    bool, "a bool";
    f64, "a number";
    String, "a str";
    PathBuf, "a path";
    (u64, u64), "a pair of whole numbers";
    Bound<'py, PyDict>, "a dict";
    Bound<'py, PyAny>, "an object";
}

macro_rules! whole_numbers {
    ($($kind:ty)+) => {$(
        impl<'py> Argument<'py> for $kind {
            fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<$kind> {
                number(name, value, 0..=<$kind>::MAX.into())
            }
        }
    )+};
}

whole_numbers! { u8 u32 u64 }

impl<'py, T: Argument<'py>> Argument<'py> for Option<T> {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Option<T>> {
        if value.is_none() {
            return Ok(None);
        }
        T::from_python(name, value).map(Some)
    }
}

/// Anything that can be iterated, but for text.
impl<'py, T: Argument<'py>> Argument<'py> for Vec<T> {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
        let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
        let Some(items) = value.try_iter().ok().filter(|_| !is_text) else {
            return Err(wrong_type(name, "a list", value));
        };
        items.map(|item| T::from_python(name, &item?)).collect()
    }
}

/// A path, or several.
pub struct Paths {
    /// One or several.
    pub paths: Vec<PathBuf>,
    /// Whether it is a list, even if of one.
    pub is_list: bool,
}

impl<'py> Argument<'py> for Paths {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Paths> {
        if let Ok(path) = value.extract() {
            return Ok(Paths {
                paths: vec![path],
                is_list: false,
            });
        }
        match Vec::from_python(name, value) {
            Ok(paths) => Ok(Paths {
                paths,
                is_list: true,
            }),
            Err(_) => Err(wrong_type(name, "a path or a list of paths", value)),
        }
    }
}

fn number<T: TryFrom<u64>>(
    name: &str,
    value: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<T> {
    if value.is_instance_of::<PyBool>() || !value.hasattr("__index__")? {
        return Err(wrong_type(name, "a whole number", value));
    }
    let number = value.extract().ok().filter(|number| range.contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| {
            PyValueError::new_err(format!(
                "{name}: expected a whole number from {} to {}, not {value}",
                range.start(),
                range.end()
            ))
        })
}

/// The error of an argument of another type than is expected.
pub fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.repr() {
        Ok(shown) => PyTypeError::new_err(format!("{name}: expected {expected}, not {shown}")),
        Err(error) => error,
    }
}

/// The error of an argument with a wrong value.
pub fn expected(name: &str, expected: &str, given: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: expected {expected}, not {given:?}"))
}

/// Makes types with a few names arguments, and says what is expected.
macro_rules! named_arguments {
    ($($kind:ty, $expected:literal;)+) => {$(
        impl<'py> $crate::arguments::Argument<'py> for $kind {
            fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<$kind> {
                let text = String::from_python(name, value)?;
                text.parse().map_err(|_| $crate::arguments::expected(name, $expected, &text))
            }
        }
    )+};
}
pub(crate) use named_arguments;
