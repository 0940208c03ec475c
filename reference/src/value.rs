//! What an operand is bound to while a graph is computed: an array of elements, stored in their data type.

use ndarray::{ArrayD, ArrayViewD, Dimension, IxDyn};

use half::f16;

use crate::buffer::Bytes;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::number::{Element, Float, FloatElement, Integer, size};
use crate::platform::PlatformError;

/// The elements of a tensor, in row-major order.
///
/// A value that repeats along its leading dimensions may be kept once, with these dimensions as 1: see
/// [`Value::repeating`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// float32.
    Float32(ArrayD<f32>),
    /// float16.
    Float16(ArrayD<f16>),
    /// int32.
    Int32(ArrayD<i32>),
    /// uint32.
    Uint32(ArrayD<u32>),
    /// int64.
    Int64(ArrayD<i64>),
    /// uint64.
    Uint64(ArrayD<u64>),
    /// int8.
    Int8(ArrayD<i8>),
    /// uint8.
    Uint8(ArrayD<u8>),
}

/// The result of computing an operator: its output, or why there was no memory for it.
pub type Computed<T = Value> = Result<T, PlatformError>;

/// Evaluates an expression for the array inside a value, whatever its element type.
///
/// The expression is compiled once for each type, so it is best a call of one generic function.
#[macro_export]
macro_rules! for_each_type {
    ($value:expr, $array:ident => $body:expr) => {
        match $value {
            $crate::value::Value::Float32($array) => $body,
            $crate::value::Value::Float16($array) => $body,
            $crate::value::Value::Int32($array) => $body,
            $crate::value::Value::Uint32($array) => $body,
            $crate::value::Value::Int64($array) => $body,
            $crate::value::Value::Uint64($array) => $body,
            $crate::value::Value::Int8($array) => $body,
            $crate::value::Value::Uint8($array) => $body,
        }
    };
}

/// Evaluates an expression for the array inside a value that validation has restricted to the floating point types.
#[macro_export]
macro_rules! for_float_type {
    ($value:expr, $array:ident => $body:expr) => {
        match $value {
            $crate::value::Value::Float32($array) => $body,
            $crate::value::Value::Float16($array) => $body,
            $crate::value::Value::Int32(_)
            | $crate::value::Value::Uint32(_)
            | $crate::value::Value::Int64(_)
            | $crate::value::Value::Uint64(_)
            | $crate::value::Value::Int8(_)
            | $crate::value::Value::Uint8(_) => unreachable!("the allowed data types are float32 and float16"),
        }
    };
}

/// Evaluates an expression for an element type, given its data type.
#[macro_export]
macro_rules! for_data_type {
    ($data_type:expr, $type:ident => $body:expr) => {
        match $data_type {
            $crate::data_type::MLOperandDataType::Float32 => {
                type $type = f32;
                $body
            }
            $crate::data_type::MLOperandDataType::Float16 => {
                type $type = half::f16;
                $body
            }
            $crate::data_type::MLOperandDataType::Int32 => {
                type $type = i32;
                $body
            }
            $crate::data_type::MLOperandDataType::Uint32 => {
                type $type = u32;
                $body
            }
            $crate::data_type::MLOperandDataType::Int64 => {
                type $type = i64;
                $body
            }
            $crate::data_type::MLOperandDataType::Uint64 => {
                type $type = u64;
                $body
            }
            $crate::data_type::MLOperandDataType::Int8 => {
                type $type = i8;
                $body
            }
            $crate::data_type::MLOperandDataType::Uint8 => {
                type $type = u8;
                $body
            }
        }
    };
}

/// Element types of which a [`Value`] can be made.
pub trait Stored: Element {
    /// The value that holds `array`.
    fn value(array: ArrayD<Self>) -> Value;
    /// The array that `value` holds.
    ///
    /// # Panics
    /// If its elements are of another type, which validation excludes.
    fn array(value: &Value) -> &ArrayD<Self>;
}

macro_rules! stored {
    ($type:ty, $variant:ident) => {
        impl Stored for $type {
            fn value(array: ArrayD<Self>) -> Value {
                Value::$variant(array)
            }
            fn array(value: &Value) -> &ArrayD<Self> {
                match value {
                    Value::$variant(array) => array,
                    other => unreachable!("validated as {}, not {}", Self::DATA_TYPE, other.data_type()),
                }
            }
        }
    };
}

stored!(f32, Float32);
stored!(f16, Float16);
stored!(i32, Int32);
stored!(u32, Uint32);
stored!(i64, Int64);
stored!(u64, Uint64);
stored!(i8, Int8);
stored!(u8, Uint8);

impl<T: Stored> From<ArrayD<T>> for Value {
    fn from(array: ArrayD<T>) -> Self {
        T::value(array)
    }
}

impl Value {
    /// Zeros.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn zeros(descriptor: &MLOperandDescriptor) -> Computed {
        for_data_type!(descriptor.data_type, T => Ok(filled(&descriptor.shape, T::default())?.into()))
    }

    /// The tensor whose little-endian bytes these are.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn from_bytes(descriptor: &MLOperandDescriptor, bytes: &[u8]) -> Computed {
        for_data_type!(descriptor.data_type, T => Ok(array(&descriptor.shape, T::read(bytes))?.into()))
    }

    /// The tensor whose little-endian bytes these are. Leading dimensions along which it is known to repeat are kept as 1.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn repeating(descriptor: &MLOperandDescriptor, bytes: &Bytes) -> Computed {
        let length = u64::try_from(bytes.pattern().len()).ok();
        let pattern = length.map(|length| length / descriptor.data_type.element_size());
        match pattern.and_then(|pattern| repeating_shape(&descriptor.shape, pattern)) {
            Some(shape) => {
                let stored = MLOperandDescriptor { shape, data_type: descriptor.data_type };
                Self::from_bytes(&stored, bytes.pattern())
            }
            None => Self::from_bytes(descriptor, &bytes.whole()),
        }
    }

    /// Whether it is kept with all its elements.
    pub fn is_whole(&self, descriptor: &MLOperandDescriptor) -> bool {
        self.shape() == dimensions(&descriptor.shape).slice()
    }

    /// The same value with all its elements.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn whole(&self, descriptor: &MLOperandDescriptor) -> Computed {
        for_each_type!(self, array => whole(array, &descriptor.shape))
    }

    /// The little-endian bytes of the elements.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn to_bytes(&self) -> Computed<Vec<u8>> {
        for_each_type!(self, array => bytes(array))
    }

    /// The type of the elements.
    pub fn data_type(&self) -> MLOperandDataType {
        for_each_type!(self, array => data_type(array))
    }

    /// The dimensions.
    pub fn shape(&self) -> &[usize] {
        for_each_type!(self, array => array.shape())
    }

    /// Applies a function to each element: one for the floating point types, one for the integer types.
    ///
    /// # Errors
    /// If there is no memory for the result.
    pub fn map(&self, float: impl Fn(Float) -> Float, integer: impl Fn(Integer) -> Integer) -> Computed {
        match self {
            Self::Float32(x) => map(x, float),
            Self::Float16(x) => map(x, float),
            Self::Int32(x) => map(x, integer),
            Self::Uint32(x) => map(x, integer),
            Self::Int64(x) => map(x, integer),
            Self::Uint64(x) => map(x, integer),
            Self::Int8(x) => map(x, integer),
            Self::Uint8(x) => map(x, integer),
        }
    }

    /// Applies a function to each element of a tensor of a floating point type.
    ///
    /// # Errors
    /// If there is no memory for the result.
    pub fn map_float(&self, float: impl Fn(Float) -> Float) -> Computed {
        for_float_type!(self, array => map(array, float))
    }
}

/// The shape in which a tensor that is a pattern of so many elements over and over is kept: its leading dimensions as 1.
/// `None` if the pattern does not end where one of its dimensions does.
fn repeating_shape(shape: &[u32], pattern: u64) -> Option<Vec<u32>> {
    let is_pattern = |trailing: &[u32]| trailing.iter().map(|size| u64::from(*size)).product::<u64>() == pattern;
    let leading = (0..=shape.len()).find(|leading| is_pattern(&shape[*leading..]))?;
    let mut stored = vec![1; leading];
    stored.extend(&shape[leading..]);
    Some(stored)
}

fn whole<T: Stored>(array: &ArrayD<T>, shape: &[u32]) -> Computed {
    let mut whole = filled(shape, T::default())?;
    whole.assign(&broadcast(array, shape)?);
    Ok(whole.into())
}

/// The elements of an array, in row-major order.
pub fn elements<T>(array: &ArrayD<T>) -> &[T] {
    array.as_slice().expect("the arrays of values are all in row-major order")
}

/// The numbers that the elements of an array stand for, in row-major order.
///
/// # Errors
/// If there is no memory for them.
pub fn numbers<T: Element>(array: &ArrayViewD<'_, T>) -> Computed<Vec<T::Number>> {
    let mut numbers = reserved(array.len())?;
    numbers.extend(array.iter().map(|element| element.number()));
    Ok(numbers)
}

/// The elements of a tensor of an integer type, as numbers.
///
/// # Errors
/// If there is no memory for them.
///
/// # Panics
/// If they are floats, which validation excludes.
pub fn integers(value: &Value) -> Computed<ArrayD<Integer>> {
    let numbers = match value {
        Value::Int32(array) => numbers(&array.view()),
        Value::Uint32(array) => numbers(&array.view()),
        Value::Int64(array) => numbers(&array.view()),
        Value::Uint64(array) => numbers(&array.view()),
        Value::Int8(array) => numbers(&array.view()),
        Value::Uint8(array) => numbers(&array.view()),
        Value::Float32(_) | Value::Float16(_) => unreachable!("validated as integers"),
    };
    Ok(ArrayD::from_shape_vec(IxDyn(value.shape()), numbers?).expect("as many elements as the shape has"))
}

fn data_type<T: Element>(_: &ArrayD<T>) -> MLOperandDataType {
    T::DATA_TYPE
}

fn bytes<T: Element>(array: &ArrayD<T>) -> Computed<Vec<u8>> {
    let mut bytes = reserved(array.len().saturating_mul(std::mem::size_of::<T>()))?;
    T::write(elements(array), &mut bytes);
    Ok(bytes)
}

fn map<T: Stored>(x: &ArrayD<T>, function: impl Fn(T::Number) -> T::Number) -> Computed {
    let elements = elements(x).iter().map(|element| T::rounded(function(element.number())));
    Ok(collected(x.shape(), elements)?.into())
}

/// Applies a function to each pair of elements, after both tensors were broadcast to `shape`; once for a leading dimension
/// along which both repeat.
///
/// # Errors
/// If there is no memory for the result.
pub fn zip<A: Element, B: Element, T: Element>(
    a: &ArrayD<A>,
    b: &ArrayD<B>,
    shape: &[u32],
    function: impl Fn(A, B) -> T,
) -> Computed<ArrayD<T>> {
    let shape = common_shape(a.shape(), b.shape(), shape);
    let mut output = filled(&shape, T::default())?;
    ndarray::Zip::from(&mut output)
        .and(broadcast(a, &shape)?)
        .and(broadcast(b, &shape)?)
        .for_each(|output, a, b| *output = function(*a, *b));
    Ok(output)
}

/// `shape`, in which the leading dimensions that neither of the two arrays has, or has as more than 1, are 1.
fn common_shape(a: &[usize], b: &[usize], shape: &[u32]) -> Vec<u32> {
    let rank = shape.len();
    let is_one = |x: &[usize], dimension: usize| dimension + x.len() < rank || x[dimension + x.len() - rank] == 1;
    let repeats = (0..rank).take_while(|dimension| is_one(a, *dimension) && is_one(b, *dimension)).count();
    let mut common = shape.to_vec();
    common[..repeats].fill(1);
    common
}

/// A view of `array` in which dimensions of size 1 are repeated, and new ones added at the front, to make up `shape`.
///
/// # Errors
/// If the shape is too large for any memory; or if the array is empty and the shape is not, of which the literal text
/// makes a graph where it broadcasts a dimension of 0 and one of 1 to the greater.
///
/// # Panics
/// If the array is not unidirectionally broadcastable to `shape`, which validation excludes.
pub fn broadcast<'a, T>(array: &'a ArrayD<T>, shape: &[u32]) -> Computed<ArrayViewD<'a, T>> {
    addressable(shape, std::mem::size_of::<T>())?;
    ensure_elements(array, shape)?;
    Ok(array.broadcast(dimensions(shape)).expect("validated as broadcastable"))
}

/// Refuses to take the elements of an output of this shape from an array that has none.
///
/// # Errors
/// If the array is empty and the shape is not, of which only the literal text makes a graph.
pub fn ensure_elements<T>(array: &ArrayD<T>, shape: &[u32]) -> Computed<()> {
    if array.is_empty() && !shape.contains(&0) {
        return Err(PlatformError::Unsupported(format!("there are no elements to make up {shape:?}")));
    }
    Ok(())
}

/// An array of `shape` in which every element is `element`.
///
/// # Errors
/// If there is no memory for it.
pub fn filled<T: Element>(shape: &[u32], element: T) -> Computed<ArrayD<T>> {
    let dimensions = dimensions(shape);
    check(shape, std::mem::size_of::<T>())?;
    Ok(ArrayD::from_elem(dimensions, element))
}

/// An array of `shape` whose elements are given in row-major order.
///
/// # Errors
/// If there is no memory for it.
pub fn array<T: Element>(shape: &[u32], elements: impl Iterator<Item = T>) -> Computed<ArrayD<T>> {
    check(shape, std::mem::size_of::<T>())?;
    let shape: Vec<usize> = shape.iter().copied().map(size).collect();
    collected(&shape, elements)
}

/// An array of `shape` in which each element is given by its index.
///
/// # Errors
/// If there is no memory for it.
pub fn array_by_index<T: Element>(shape: &[u32], element: impl Fn(&[usize]) -> T) -> Computed<ArrayD<T>> {
    let mut output = filled(shape, T::default())?;
    for (index, place) in output.indexed_iter_mut() {
        *place = element(index.slice());
    }
    Ok(output)
}

/// An array of `shape` whose elements are given in row-major order.
///
/// # Errors
/// If there is no memory for it.
pub fn collected<T: Element>(shape: &[usize], elements: impl Iterator<Item = T>) -> Computed<ArrayD<T>> {
    let mut all = reserved(shape.iter().product())?;
    all.extend(elements);
    Ok(ArrayD::from_shape_vec(IxDyn(shape), all).expect("as many elements as the shape has"))
}

/// The shape as `ndarray` takes it.
pub fn dimensions(shape: &[u32]) -> IxDyn {
    IxDyn(&shape.iter().copied().map(size).collect::<Vec<_>>())
}

/// An empty vector with room for `count` elements.
///
/// # Errors
/// If there is no memory for them.
pub fn reserved<T>(count: usize) -> Computed<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|error| PlatformError::OutOfMemory(error.to_string()))?;
    Ok(vector)
}

/// Refuses a shape whose elements can not be had: tried out before `ndarray` allocates, which would abort.
fn check(shape: &[u32], element_size: usize) -> Computed<()> {
    addressable(shape, element_size)?;
    let bytes = shape.iter().fold(element_size, |bytes, dimension| bytes * size(*dimension));
    reserved::<u8>(bytes).map(drop)
}

/// Refuses a shape whose strides, those beside a dimension of 0 included, are not all in the range of an address.
fn addressable(shape: &[u32], element_size: usize) -> Computed<()> {
    let bytes = shape.iter().try_fold(element_size, |bytes, dimension| bytes.checked_mul(size(*dimension).max(1)));
    match bytes.map(isize::try_from) {
        Some(Ok(_)) => Ok(()),
        Some(Err(_)) | None => Err(PlatformError::OutOfMemory(format!("shape {shape:?} does not fit in memory"))),
    }
}

/// Floating point arrays, by their element type.
pub trait FloatStored: Stored + FloatElement {}
impl<T: Stored + FloatElement> FloatStored for T {}
