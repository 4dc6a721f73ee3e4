//! A column of answers, which any Arrow library can take.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, UInt8Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::capsule;

/// A column of answers: an Arrow array for whoever reads the Arrow `PyCapsule` interface.
#[pyclass(module = "swaplist", frozen)]
pub struct Column {
    field: FieldRef,
    array: ArrayRef,
}

impl Column {
    /// Makes a column of a name and an array.
    pub fn new(name: &str, array: ArrayRef) -> Column {
        Column {
            field: Arc::new(Field::new(name, array.data_type().clone(), true)),
            array,
        }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        let rows = self.array.len();
        let kind = self.field.data_type();
        format!(
            "<swaplist.Column {} of {rows} rows, {kind}>",
            self.field.name()
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema_capsule(py, &self.field)
    }

    /// Exports the array. A requested schema is not followed, which the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let schema = capsule::schema_capsule(py, &self.field)?;
        Ok((schema, capsule::array_capsule(py, &self.array)?))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let array = std::iter::once(Ok(self.array.clone()));
        capsule::stream_capsule(py, self.field.clone(), array)
    }

    /// Makes a list of Python values, with `None` for null.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = 0..self.array.len();
        let values: PyResult<Vec<_>> = rows.map(|row| value(py, &self.array, row)).collect();
        PyList::new(py, values?)
    }
}

/// Converts a row to a Python value.
fn value<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Boolean => {
            let value = array.as_boolean().value(row);
            value.into_pyobject(py)?.to_owned().into_any()
        }
        DataType::Int32 => {
            let value = array.as_primitive::<Int32Type>().value(row);
            value.into_pyobject(py)?.into_any()
        }
        DataType::UInt8 => {
            let value = array.as_primitive::<UInt8Type>().value(row);
            value.into_pyobject(py)?.into_any()
        }
        DataType::Utf8 => {
            let value = array.as_string::<i32>().value(row);
            value.into_pyobject(py)?.into_any()
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(row);
            let items: PyResult<Vec<_>> = (0..list.len()).map(|i| value(py, &list, i)).collect();
            PyList::new(py, items?)?.into_any()
        }
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), value(py, column, row)?)?;
            }
            dict.into_any()
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "no Python values for {other}"
            )));
        }
    })
}
