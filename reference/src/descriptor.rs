//! `MLOperandDescriptor` and `MLTensorDescriptor`: <https://www.w3.org/TR/webnn/#api-mloperanddescriptor>.

use std::fmt;
use std::ops::Deref;

use crate::algorithms::miscellaneous::lists_are_equal;
use crate::data_type::MLOperandDataType;
use crate::platform::PlatformLimits;
use crate::{algorithm, step};

/// The data type and shape of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MLOperandDescriptor {
    /// The type of the elements.
    pub data_type: MLOperandDataType,
    /// The dimensions; none for a scalar.
    pub shape: Vec<u32>,
}

/// <https://www.w3.org/TR/webnn/#valid-dimension>: greater than zero and in the range of a `long`.
pub fn is_valid_dimension(dimension: u64) -> bool {
    (1..=0x7fff_ffff).contains(&dimension)
}

/// A calculated number as a dimension, if it is a [valid](is_valid_dimension) one.
pub(crate) fn valid_dimension(number: i128) -> Option<u32> {
    u32::try_from(number).ok().filter(|dimension| is_valid_dimension(u64::from(*dimension)))
}

/// <https://www.w3.org/TR/webnn/#valid-tensor-count>: greater than zero and at most 8192.
pub fn is_valid_tensor_count(count: usize) -> bool {
    (1..=8192).contains(&count)
}

impl MLOperandDescriptor {
    /// <https://www.w3.org/TR/webnn/#mloperanddescriptor-equal>
    pub fn equals(&self, other: &Self) -> bool {
        algorithm!("MLOperandDescriptor/equal");
        self.data_type == other.data_type && lists_are_equal(&self.shape, &other.shape)
    }

    /// <https://www.w3.org/TR/webnn/#create-an-mloperanddescriptor>
    pub fn create(data_type: MLOperandDataType, shape: &[u32]) -> Self {
        algorithm!("create an MLOperandDescriptor");
        step!("1");
        step!("2");
        step!("3");
        let descriptor = Self { data_type, shape: shape.to_vec() };
        step!("4");
        descriptor
    }

    /// <https://www.w3.org/TR/webnn/#mloperanddescriptor-byte-length>
    ///
    /// A length beyond 64 bits is given as the largest one: no buffer has it and no implementation supports it.
    pub fn byte_length(&self) -> u64 {
        algorithm!("MLOperandDescriptor/byte length");
        step!("1");
        let mut element_length = 1u64;
        step!("2");
        for dimension in &self.shape {
            step!("2.1");
            element_length = element_length.saturating_mul(u64::from(*dimension));
        }
        step!("3");
        let element_size = self.data_type.element_size();
        step!("4");
        element_length.saturating_mul(element_size)
    }

    /// The bytes of device memory that such a tensor takes: whole words of 4 bytes, as in WebGPU's buffers.
    pub fn device_bytes(&self) -> u64 {
        self.byte_length().checked_next_multiple_of(4).unwrap_or(u64::MAX)
    }

    /// <https://www.w3.org/TR/webnn/#mloperanddescriptor-element-count>
    ///
    /// A count beyond 64 bits is given as the largest one, which is no valid dimension.
    pub fn element_count(&self) -> u64 {
        algorithm!("MLOperandDescriptor/element count");
        step!("1");
        let mut element_count = 1u64;
        step!("2");
        for dimension in &self.shape {
            step!("2.1");
            element_count = element_count.saturating_mul(u64::from(*dimension));
        }
        step!("3");
        element_count
    }

    /// <https://www.w3.org/TR/webnn/#mloperanddescriptor-check-dimensions>
    pub fn check_dimensions(&self, limits: &PlatformLimits) -> bool {
        algorithm!("MLOperandDescriptor/check dimensions");
        step!("1");
        if self.shape.iter().any(|dimension| !is_valid_dimension(u64::from(*dimension))) {
            return false;
        }
        step!("2");
        if self.shape.len() > limits.max_rank {
            return false;
        }
        step!("3");
        if !is_valid_dimension(self.element_count()) {
            return false;
        }
        step!("4");
        if self.byte_length() > limits.max_tensor_byte_length {
            return false;
        }
        step!("5");
        true
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
}

impl fmt::Display for MLOperandDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.data_type, self.shape)
    }
}

/// What an `MLTensor` is created from: an operand's descriptor and what script may do with the data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MLTensorDescriptor {
    /// The data type and shape.
    pub operand: MLOperandDescriptor,
    /// Whether `readTensor()` is allowed.
    pub readable: bool,
    /// Whether `writeTensor()` is allowed.
    pub writable: bool,
}

impl Deref for MLTensorDescriptor {
    type Target = MLOperandDescriptor;
    /// The IDL dictionary inherits from `MLOperandDescriptor`.
    fn deref(&self) -> &MLOperandDescriptor {
        &self.operand
    }
}
