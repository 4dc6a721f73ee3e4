//! Reads columns that Python passes: anything with an Arrow capsule, or a sequence.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, GenericBinaryArray,
    GenericStringArray, LargeBinaryArray, ListArray, OffsetSizeTrait, StringArray,
};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use swaplist::Position;

use crate::capsule;

/// Reads the chunks of a column of positions, which are FENs or packed.
pub fn positions(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    // The package passes a NumPy array as the bytes of packed positions, one after the other.
    if let Ok(bytes) = object.cast::<PyBytes>()
        && bytes.as_bytes().len().is_multiple_of(32)
    {
        let buffer = Buffer::from(bytes.as_bytes());
        let packed = FixedSizeBinaryArray::try_new(PACKED, buffer, None)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        return Ok(vec![Arc::new(packed)]);
    }
    texts(name, object)
}

/// How many bytes a packed position has.
pub const PACKED: i32 = 32;

/// Reads the chunks of a column of text.
pub fn texts(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(chunks) = chunks(object)? {
        return Ok(chunks);
    }
    match object.extract::<Vec<Option<String>>>() {
        Ok(texts) if !is_text(object) => Ok(vec![Arc::new(StringArray::from(texts))]),
        Err(_) if has_bytes(object) => Err(PyTypeError::new_err(format!(
            "{name}: expected str, not bytes; decode() makes them str"
        ))),
        Err(error) if object.is_instance_of::<PyList>() => {
            Err(PyTypeError::new_err(format!("{name}: {error}")))
        }
        _ => Err(wrong(name, object)),
    }
}

/// Reads the chunks of a column of text, or of lists of text.
pub fn texts_or_lists(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(chunks) = chunks(object)? {
        return Ok(chunks);
    }
    if let Ok(lists) = object.extract::<Vec<Option<Vec<String>>>>()
        && !lists.is_empty()
    {
        return Ok(vec![Arc::new(list_of(&lists))]);
    }
    texts(name, object)
}

/// Makes a column of lists of text.
fn list_of(lists: &[Option<Vec<String>>]) -> ListArray {
    let items = lists.iter().flatten().flatten();
    let lengths = lists.iter().map(|list| list.as_ref().map_or(0, Vec::len));
    ListArray::new(
        Arc::new(Field::new_list_field(DataType::Utf8, true)),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(StringArray::from_iter_values(items)),
        Some(lists.iter().map(Option::is_some).collect()),
    )
}

/// Reads the chunks of an object with an Arrow capsule; `None` if it has none.
fn chunks(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let Some(mut arrays) = capsule::arrays(object)? else {
        return Ok(None);
    };
    let mut chunks = Vec::new();
    while let Some(chunk) = arrays.next(object.py())? {
        chunks.push(chunk);
    }
    Ok(Some(chunks))
}

/// Whether it is a str, which is a sequence of str too, but not a column.
fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>()
}

fn has_bytes(object: &Bound<'_, PyAny>) -> bool {
    let list = object.cast::<PyList>();
    list.is_ok_and(|list| list.iter().any(|item| item.is_instance_of::<PyBytes>()))
}

/// Says that an object is not a column of text.
fn wrong(name: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object
        .get_type()
        .name()
        .map_or_else(|_| "this".to_owned(), |name| name.to_string());
    let hint = if is_text(object) {
        "; put a single one in a list"
    } else {
        ""
    };
    PyTypeError::new_err(format!(
        "{name}: expected an Arrow column or a sequence of str, not {kind}{hint}"
    ))
}

/// A chunk of text in any layout. Its rows are bytes, as nobody has checked that they are UTF-8.
pub enum Text<'a> {
    /// With 32-bit offsets.
    Small(BinaryArray),
    /// With 64-bit offsets.
    Large(LargeBinaryArray),
    /// With views of bytes that may be anywhere.
    View(BinaryViewArray),
    /// A dictionary of one of these: each row's key, and the values.
    Dictionary(&'a dyn Array, Vec<usize>, Box<Text<'a>>),
    /// No row has text.
    Null,
}

impl<'a> Text<'a> {
    /// Looks at a chunk.
    pub fn new(name: &str, array: &'a dyn Array) -> PyResult<Text<'a>> {
        Ok(match array.data_type() {
            DataType::Utf8 => Text::Small(bytes_of(array.as_string())),
            DataType::LargeUtf8 => Text::Large(bytes_of(array.as_string())),
            DataType::Utf8View => Text::View(array.as_string_view().clone().to_binary_view()),
            DataType::Null => Text::Null,
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                let texts = Text::new(name, values)?;
                if values.is_empty() {
                    return Ok(Text::Null);
                }
                Text::Dictionary(array, dictionary.normalized_keys(), Box::new(texts))
            }
            DataType::Struct(_) => {
                return Err(PyTypeError::new_err(format!(
                    "{name}: expected a column of strings, not a table; pass one of its columns"
                )));
            }
            other => {
                return Err(PyTypeError::new_err(format!(
                    "{name}: expected a column of strings, not {other}"
                )));
            }
        })
    }

    /// A row's text; `None` if it is null.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Text::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Text::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Text::View(array) => array.is_valid(row).then(|| array.value(row)),
            Text::Dictionary(array, keys, values) => {
                array.is_valid(row).then(|| values.get(keys[row]))?
            }
            Text::Null => None,
        }
    }
}

fn bytes_of<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> GenericBinaryArray<O> {
    let offsets = texts.offsets().clone();
    let values = texts.values().clone();
    GenericBinaryArray::new(offsets, values, texts.nulls().cloned())
}

/// A chunk of positions.
pub enum Positions<'a> {
    /// FENs of four to six fields.
    Fens(Text<'a>),
    /// Packed positions of 32 bytes each, and the function that finds a row's bytes.
    Packed(&'a dyn Array, fn(&dyn Array, usize) -> &[u8]),
}

impl<'a> Positions<'a> {
    /// Looks at a chunk.
    pub fn new(name: &str, array: &'a dyn Array) -> PyResult<Positions<'a>> {
        let bytes: fn(&dyn Array, usize) -> &[u8] = match array.data_type() {
            DataType::FixedSizeBinary(_) => |array, row| array.as_fixed_size_binary().value(row),
            DataType::Binary => |array, row| array.as_binary::<i32>().value(row),
            DataType::LargeBinary => |array, row| array.as_binary::<i64>().value(row),
            DataType::BinaryView => |array, row| array.as_binary_view().value(row),
            _ => return Text::new(name, array).map(Positions::Fens),
        };
        Ok(Positions::Packed(array, bytes))
    }

    /// A row's position or why it is none; `None` if it is null.
    #[inline]
    pub fn get(&self, row: usize) -> Option<Result<Position, String>> {
        let position = match self {
            Positions::Fens(texts) => return texts.get(row).map(position_of),
            Positions::Packed(array, bytes) => {
                let bytes = array.is_valid(row).then(|| bytes(*array, row))?;
                let (planes, rest) = bytes.as_chunks();
                match planes {
                    &[a, b, c, d] if rest.is_empty() => {
                        Position::from_planes([a, b, c, d].map(u64::from_le_bytes))
                    }
                    _ => {
                        let length = bytes.len();
                        return Some(Err(format!(
                            "a packed position has {PACKED} bytes, not {length}; cast a column \
                             of FENs to strings"
                        )));
                    }
                }
            }
        };
        Some(position.map_err(|error| error.to_string()))
    }
}

/// Reads a FEN.
#[inline]
pub fn position_of(fen: &[u8]) -> Result<Position, String> {
    Position::from_ascii(fen).map_err(|error| match text_of(fen) {
        Ok(fen) => format!("{error}: '{}'", fen.chars().take(100).collect::<String>()),
        Err(reason) => reason,
    })
}

/// Checks that bytes are text.
pub fn text_of(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))
}

/// Cuts the chunks of two columns so that their rows match.
pub fn aligned(
    one: &[ArrayRef],
    other: &[ArrayRef],
    names: [&str; 2],
) -> PyResult<Vec<[ArrayRef; 2]>> {
    let lengths = [one, other].map(|chunks| chunks.iter().map(Array::len).sum::<usize>());
    if lengths[0] != lengths[1] {
        let [name, other_name] = names;
        return Err(PyValueError::new_err(format!(
            "{name} and {other_name} differ in length: {} and {} rows",
            lengths[0], lengths[1]
        )));
    }
    let ends = |chunks: &[ArrayRef]| {
        let end = |end: &mut usize, chunk: &ArrayRef| {
            *end += chunk.len();
            Some(*end)
        };
        chunks.iter().scan(0, end).collect::<Vec<_>>()
    };
    let mut cuts = [ends(one), ends(other)].concat();
    cuts.sort_unstable();
    cuts.dedup();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ranges = starts.zip(&cuts).filter(|(start, end)| start < *end);
    Ok(ranges
        .map(|(start, &end)| [slice(one, start..end), slice(other, start..end)])
        .collect())
}

/// Cuts out the rows of a range, which lies in one chunk.
fn slice(chunks: &[ArrayRef], rows: Range<usize>) -> ArrayRef {
    let mut start = rows.start;
    let chunk = chunks.iter().find(|chunk| {
        let is_here = start < chunk.len();
        if !is_here {
            start -= chunk.len();
        }
        is_here
    });
    chunk.map_or_else(
        || arrow_array::new_empty_array(&DataType::Null),
        |chunk| chunk.slice(start, rows.len()),
    )
}
