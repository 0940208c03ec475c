//! From numbers to the little-endian bytes of a tensor or of a JavaScript buffer.

use half::f16;

use crate::data::Data;
use crate::descriptor::{DataType, Descriptor, MAX_BYTE_LENGTH};
use crate::number::Number;

/// Why data cannot become bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// An integer type is given a fraction, NaN or an infinity.
    #[error("element {index} is {number}, which is not an integer: {element} cannot hold it")]
    NotAnInteger {
        /// Which element.
        index: usize,
        /// What it is.
        number: Number,
        /// The type it should have.
        element: ElementType,
    },
    /// An integer type is given a number outside its range.
    #[error("element {index} is {number}, outside the range of {element} ({least} to {greatest})")]
    OutOfRange {
        /// Which element.
        index: usize,
        /// What it is.
        number: Number,
        /// The type it should have.
        element: ElementType,
        /// The least number of the type.
        least: i128,
        /// The greatest number of the type.
        greatest: i128,
    },
    /// A float type is given a finite number that it rounds to an infinity.
    #[error(
        "element {index} is {}, beyond the range of {element} (to {greatest}): it would be an infinity; if that is meant, \
         write \"Infinity\" or \"-Infinity\"",
        short(*number)
    )]
    Overflow {
        /// Which element.
        index: usize,
        /// What it is.
        number: Number,
        /// The type it should have.
        element: ElementType,
        /// The greatest number of the type.
        greatest: &'static str,
    },
    /// The number of elements is not that of the tensor.
    #[error("{actual} elements, but {holder} holds {expected}")]
    Count {
        /// How many there are.
        actual: u64,
        /// How many there should be.
        expected: u64,
        /// What they are for, such as "shape [4, 6]".
        holder: String,
    },
    /// More bytes than [`MAX_BYTE_LENGTH`].
    #[error("{elements} elements of {element} are more than {MAX_BYTE_LENGTH} bytes; nothing was allocated")]
    TooLarge {
        /// How many elements; "more than 2^64" where they cannot be counted.
        elements: String,
        /// Their type.
        element: ElementType,
    },
    /// A type that has no bytes of its own here.
    #[error("{0} is not a data type of the specification: such a tensor has no bytes")]
    NoBytes(ElementType),
}

/// A number without dozens of zeros.
fn short(number: Number) -> String {
    match number {
        Number::Float(float) if float.abs() >= 1e16 => format!("{float:e}"),
        other => other.to_string(),
    }
}

/// What one element of a buffer is: the data types of tensors, and the other types of JavaScript's
/// typed arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names say it all.
pub enum ElementType {
    Float64,
    Float32,
    Float16,
    Int64,
    Uint64,
    Int32,
    Uint32,
    Int16,
    Uint16,
    Int8,
    Uint8,
    Int4,
    Uint4,
}

impl From<DataType> for ElementType {
    fn from(data_type: DataType) -> Self {
        match data_type {
            DataType::Float32 => Self::Float32,
            DataType::Float16 => Self::Float16,
            DataType::Int32 => Self::Int32,
            DataType::Uint32 => Self::Uint32,
            DataType::Int64 => Self::Int64,
            DataType::Uint64 => Self::Uint64,
            DataType::Int8 => Self::Int8,
            DataType::Uint8 => Self::Uint8,
            DataType::Int4 => Self::Int4,
            DataType::Uint4 => Self::Uint4,
        }
    }
}

impl std::fmt::Display for ElementType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Self::Float64 => "float64",
            Self::Float32 => "float32",
            Self::Float16 => "float16",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int16 => "int16",
            Self::Uint16 => "uint16",
            Self::Int8 => "int8",
            Self::Uint8 => "uint8",
            Self::Int4 => "int4",
            Self::Uint4 => "uint4",
        };
        f.write_str(name)
    }
}

impl ElementType {
    /// Bytes of one element; `None` for the 4-bit types.
    #[must_use]
    pub fn byte_size(self) -> Option<usize> {
        match self {
            Self::Float64 | Self::Int64 | Self::Uint64 => Some(8),
            Self::Float32 | Self::Int32 | Self::Uint32 => Some(4),
            Self::Float16 | Self::Int16 | Self::Uint16 => Some(2),
            Self::Int8 | Self::Uint8 => Some(1),
            Self::Int4 | Self::Uint4 => None,
        }
    }

    /// The range of an integer type of the specification.
    fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Float64 | Self::Float32 | Self::Float16 => None,
            // Not in the specification, and data of web-platform-tests have an int4 of 10: nothing
            // to hold them to.
            Self::Int4 | Self::Uint4 => None,
            Self::Int64 => Some((i64::MIN.into(), i64::MAX.into())),
            Self::Uint64 => Some((0, u64::MAX.into())),
            Self::Int32 => Some((i32::MIN.into(), i32::MAX.into())),
            Self::Uint32 => Some((0, u32::MAX.into())),
            Self::Int16 => Some((i16::MIN.into(), i16::MAX.into())),
            Self::Uint16 => Some((0, u16::MAX.into())),
            Self::Int8 => Some((i8::MIN.into(), i8::MAX.into())),
            Self::Uint8 => Some((0, u8::MAX.into())),
        }
    }

    /// The integer that an element of an integer type is; `index` is for the error.
    fn integer(self, number: Number, index: usize) -> Result<i128, DataError> {
        let not_an_integer = DataError::NotAnInteger { index, number, element: self };
        let integer = number.to_integer();
        match (integer, self.range()) {
            (Some(integer), Some((least, greatest))) if !(least..=greatest).contains(&integer) => {
                Err(DataError::OutOfRange { index, number, element: self, least, greatest })
            }
            (Some(integer), _) => Ok(integer),
            // A double too large for any integer is out of range rather than fractional.
            (None, Some((least, greatest))) if number.to_f64().is_finite() && number.to_f64().fract() == 0.0 => {
                Err(DataError::OutOfRange { index, number, element: self, least, greatest })
            }
            (None, _) => Err(not_an_integer),
        }
    }

    /// Whether the type can hold every number of `data`.
    ///
    /// # Errors
    ///
    /// The first number that does not fit.
    pub fn check(self, data: &Data) -> Result<(), DataError> {
        if self.range().is_none() {
            return Ok(());
        }
        data.distinct().iter().enumerate().try_for_each(|(index, number)| self.integer(*number, index).map(drop))
    }

    /// Whether no finite number of `data` becomes an infinity of the type. [`check`](Self::check) does not ask that: the
    /// arrays of script round in this way.
    ///
    /// # Errors
    ///
    /// The first number that does.
    #[allow(clippy::cast_possible_truncation)] // An overflow is what is looked for.
    pub fn ensure_no_overflow(self, data: &Data) -> Result<(), DataError> {
        let (greatest, rounded): (&str, fn(f64) -> f64) = match self {
            Self::Float32 => ("3.4028235e38", |number| (number as f32).into()),
            Self::Float16 => ("65504", |number| f16_from_f64(number).into()),
            // A double is what the file has; integers are held to their range.
            _ => return Ok(()),
        };
        let overflows = |number: &Number| number.to_f64().is_finite() && rounded(number.to_f64()).is_infinite();
        match data.distinct().iter().enumerate().find(|(_, number)| overflows(number)) {
            Some((index, &number)) => Err(DataError::Overflow { index, number, element: self, greatest }),
            None => Ok(()),
        }
    }

    /// Appends the bytes of one element.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // Each integer was checked; floats round.
    fn encode(self, number: Number, index: usize, bytes: &mut Vec<u8>) -> Result<(), DataError> {
        match self {
            Self::Float64 => bytes.extend_from_slice(&number.to_f64().to_le_bytes()),
            Self::Float32 => {
                let rounded = match number {
                    // Straight from the integer: by way of a double it would round twice.
                    Number::Integer(integer) => integer as f32,
                    Number::Float(float) => float as f32,
                };
                bytes.extend_from_slice(&rounded.to_le_bytes());
            }
            // An integer that a double cannot hold is infinite in float16 anyway.
            Self::Float16 => bytes.extend_from_slice(&f16_from_f64(number.to_f64()).to_le_bytes()),
            Self::Int4 | Self::Uint4 => return Err(DataError::NoBytes(self)),
            _ => {
                // Two's complement: the low bytes of the wide integer are those of the narrow one.
                let wide = self.integer(number, index)?.to_le_bytes();
                let size = self.byte_size().unwrap_or(0);
                bytes.extend_from_slice(&wide[..size]);
            }
        }
        Ok(())
    }
}

/// float16 from a double, rounded once to nearest, ties to even.
///
/// `f16::from_f64` goes through float32 where the processor has only that conversion, and looks at
/// no more than the upper half of the double where it has none: both round some doubles wrongly.
/// Rounding to odd first (an inexact float32 gets an odd last bit) keeps what the second rounding
/// needs to know.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn f16_from_f64(value: f64) -> f16 {
    let nearest = value as f32;
    let mut bits = nearest.to_bits();
    if value.is_finite() && f64::from(nearest) != value {
        if f64::from(nearest).abs() > value.abs() {
            bits -= 1;
        }
        bits |= 1;
    }
    f16::from_f32(f32::from_bits(bits))
}

/// One element, of as many bytes as the type has.
fn decode(data_type: DataType, bytes: &[u8]) -> Number {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let unused = 64 - data_type.bits();
    match data_type {
        DataType::Float32 => Number::Float(f32::from_bits(bits as u32).into()),
        DataType::Float16 => Number::Float(f16::from_bits(bits as u16).into()),
        // The sign is the highest bit of the element: up to the highest bit of the word, and back.
        DataType::Int64 | DataType::Int32 | DataType::Int8 | DataType::Int4 => {
            Number::Integer((((bits << unused) as i64) >> unused).into())
        }
        DataType::Uint64 | DataType::Uint32 | DataType::Uint8 | DataType::Uint4 => Number::Integer(bits.into()),
    }
}

/// How much of a repeated pattern is laid out before it is copied as a whole: fits the processor's
/// cache.
const BLOCK: usize = 1 << 16;

impl Data {
    /// The little-endian bytes of `count` elements.
    ///
    /// # Errors
    ///
    /// Data that the type cannot hold, that are not `count` elements, or that take more bytes than
    /// [`MAX_BYTE_LENGTH`] (checked before anything is allocated).
    pub fn to_bytes(&self, element: ElementType, count: u64) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        self.write_bytes(element, count, &mut bytes)?;
        Ok(bytes)
    }

    /// The little-endian bytes of `count` elements as a pattern, and how often it is repeated: once, where the data is a
    /// list.
    ///
    /// # Errors
    ///
    /// As [`Data::to_bytes`].
    pub fn to_pattern(&self, element: ElementType, count: u64) -> Result<(Vec<u8>, usize), DataError> {
        if let Some(actual) = self.element_count().filter(|actual| *actual != count) {
            return Err(DataError::Count { actual, expected: count, holder: "the tensor".to_owned() });
        }
        let length = byte_length(element, count)?;
        let mut pattern = Vec::new();
        if length > 0 {
            self.write_pattern(element, &mut pattern)?;
        }
        let times = length / pattern.len().max(1);
        Ok((pattern, times))
    }

    fn write_pattern(&self, element: ElementType, bytes: &mut Vec<u8>) -> Result<(), DataError> {
        for (index, number) in self.distinct().iter().enumerate() {
            element.encode(*number, index, bytes)?;
        }
        Ok(())
    }

    /// [`Data::to_bytes`], in place of what `bytes` holds: memory that was used before is several times
    /// faster to fill than memory that is new.
    ///
    /// # Errors
    ///
    /// As [`Data::to_bytes`]; `bytes` then holds nothing of use.
    pub fn write_bytes(&self, element: ElementType, count: u64, bytes: &mut Vec<u8>) -> Result<(), DataError> {
        bytes.clear();
        if let Some(actual) = self.element_count().filter(|actual| *actual != count) {
            return Err(DataError::Count { actual, expected: count, holder: "the tensor".to_owned() });
        }
        let length = byte_length(element, count)?;
        if count == 0 {
            return Ok(());
        }
        self.write_pattern(element, bytes)?;
        if bytes.len() < length {
            cycle(bytes, length);
        }
        Ok(())
    }
}

/// The bytes of `count` elements, where they are few enough to be laid out.
pub(crate) fn byte_length(element: ElementType, count: u64) -> Result<usize, DataError> {
    let size = element.byte_size().ok_or(DataError::NoBytes(element))? as u64;
    let length = count.checked_mul(size).filter(|length| *length <= MAX_BYTE_LENGTH);
    length
        .and_then(|length| usize::try_from(length).ok())
        .ok_or_else(|| DataError::TooLarge { elements: count.to_string(), element })
}

/// Repeats what `bytes` holds until it is `length` bytes.
fn cycle(bytes: &mut Vec<u8>, length: usize) {
    if bytes.capacity() < length && bytes.iter().all(|byte| *byte == 0) {
        // Zero pages come from the system without being written.
        *bytes = vec![0; length];
        return;
    }
    let block = bytes.repeat((BLOCK.min(length) / bytes.len()).max(1));
    bytes.clear();
    bytes.reserve_exact(length);
    while bytes.len() < length {
        let rest = block.len().min(length - bytes.len());
        bytes.extend_from_slice(&block[..rest]);
    }
}

impl Descriptor {
    /// The little-endian bytes of a tensor of this descriptor.
    ///
    /// # Errors
    ///
    /// Data that do not belong to the descriptor, or more bytes than [`MAX_BYTE_LENGTH`].
    pub fn bytes_of(&self, data: &Data) -> Result<Vec<u8>, DataError> {
        data.to_bytes(self.data_type.into(), self.check(data)?)
    }

    /// The same as a pattern, and how often it is repeated.
    ///
    /// # Errors
    ///
    /// As [`Descriptor::bytes_of`].
    pub fn pattern_of(&self, data: &Data) -> Result<(Vec<u8>, usize), DataError> {
        data.to_pattern(self.data_type.into(), self.check(data)?)
    }

    /// The data whose bytes these are: the opposite of [`Descriptor::bytes_of`], but for the bits of NaN.
    ///
    /// # Errors
    ///
    /// Bytes that are not as many as those of the shape, or a type that has none.
    pub fn data_of(&self, bytes: &[u8]) -> Result<Data, DataError> {
        let element = ElementType::from(self.data_type);
        let size = element.byte_size().ok_or(DataError::NoBytes(element))?;
        let (actual, expected) = ((bytes.len() / size) as u64, self.element_count().unwrap_or(u64::MAX));
        if actual != expected || !bytes.len().is_multiple_of(size) {
            return Err(DataError::Count { actual, expected, holder: format!("shape {:?}", self.shape) });
        }
        Ok(Data::List(bytes.chunks_exact(size).map(|bytes| decode(self.data_type, bytes)).collect()))
    }

    /// Checks that `data` are as many as the shape holds, and that the data type holds each;
    /// returns how many.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self, data: &Data) -> Result<u64, DataError> {
        let element = self.data_type.into();
        let too_large = || DataError::TooLarge { elements: "more than 2^64".to_owned(), element };
        let expected = self.element_count().ok_or_else(too_large)?;
        let actual = data.element_count().unwrap_or(expected);
        if actual != expected {
            return Err(DataError::Count { actual, expected, holder: format!("shape {:?}", self.shape) });
        }
        element.check(data)?;
        Ok(expected)
    }
}
