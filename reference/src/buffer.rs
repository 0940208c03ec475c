//! Buffer sources: the memory that script hands over and reads back into.
//!
//! <https://webidl.spec.whatwg.org/#AllowSharedBufferSource>

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::{algorithm, step};

/// A copy of the bytes of a buffer source. It is made in fact when the buffer is written to while the copy exists: until
/// then the two share their memory, which matters for weights of gigabytes.
///
/// Bytes that are a pattern over and over, as those of a tensor filled with one number, are kept as the pattern.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    pattern: Rc<Vec<u8>>,
    times: usize,
}

impl Bytes {
    /// These bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { pattern: Rc::new(bytes), times: 1 }
    }

    /// These bytes, so many times over. `None` if that is more than an address can count.
    pub fn repeated(pattern: Vec<u8>, times: usize) -> Option<Self> {
        let length = pattern.len().checked_mul(times)?;
        isize::try_from(length).ok()?;
        if length == 0 {
            return Some(Self::default());
        }
        Some(Self { pattern: Rc::new(pattern), times })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pattern.len() * self.times
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they are, over and over: all of them, where nothing repeats.
    pub fn pattern(&self) -> &[u8] {
        &self.pattern
    }

    /// All of them, laid out.
    pub fn whole(&self) -> Cow<'_, [u8]> {
        match self.times {
            1 => Cow::Borrowed(&self.pattern),
            times => Cow::Owned(self.pattern.repeat(times)),
        }
    }

    /// The same; without a copy where nobody else holds them.
    pub fn into_vec(self) -> Vec<u8> {
        match self.times {
            1 => Rc::unwrap_or_clone(self.pattern),
            times => self.pattern.repeat(times),
        }
    }

    fn to_mut(&mut self) -> &mut [u8] {
        if self.times != 1 {
            *self = Self::new(self.pattern.repeat(self.times));
        }
        Rc::<Vec<u8>>::make_mut(&mut self.pattern).as_mut_slice()
    }
}

/// Memory shared with script: an `ArrayBuffer` or a `SharedArrayBuffer`. Clones are the same memory.
#[derive(Clone, Debug)]
pub struct ArrayBuffer {
    bytes: Rc<RefCell<Option<Bytes>>>,
    shared: bool,
}

impl ArrayBuffer {
    /// An `ArrayBuffer` that holds `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self::holding(Bytes::new(bytes))
    }

    /// An `ArrayBuffer` that holds `bytes`.
    pub fn holding(bytes: Bytes) -> Self {
        Self { bytes: Rc::new(RefCell::new(Some(bytes))), shared: false }
    }

    /// A `SharedArrayBuffer` that holds `bytes`.
    pub fn new_shared(bytes: Vec<u8>) -> Self {
        Self { shared: true, ..Self::new(bytes) }
    }

    /// Detaches the buffer, as a transfer does, and returns what it held.
    pub fn detach(&self) -> Vec<u8> {
        self.bytes.take().unwrap_or_default().into_vec()
    }

    /// Whether it was detached.
    pub fn is_detached(&self) -> bool {
        self.bytes.borrow().is_none()
    }

    /// A copy of its bytes; none if it is detached.
    pub fn to_vec(&self) -> Vec<u8> {
        self.copy().into_vec()
    }

    fn copy(&self) -> Bytes {
        self.bytes.borrow().clone().unwrap_or_default()
    }

    fn byte_length(&self) -> usize {
        self.bytes.borrow().as_ref().map_or(0, Bytes::len)
    }
}

/// What kind of `ArrayBufferView` looks at a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayBufferView {
    /// 8-bit signed.
    Int8Array,
    /// 8-bit unsigned.
    Uint8Array,
    /// 8-bit unsigned, clamping.
    Uint8ClampedArray,
    /// 16-bit signed.
    Int16Array,
    /// 16-bit unsigned.
    Uint16Array,
    /// 32-bit signed.
    Int32Array,
    /// 32-bit unsigned.
    Uint32Array,
    /// 64-bit signed.
    BigInt64Array,
    /// 64-bit unsigned.
    BigUint64Array,
    /// binary16.
    Float16Array,
    /// binary32.
    Float32Array,
    /// binary64.
    Float64Array,
    /// No element type.
    DataView,
}

impl ArrayBufferView {
    /// All views.
    pub const ALL: [Self; 13] = [
        Self::Int8Array,
        Self::Uint8Array,
        Self::Uint8ClampedArray,
        Self::Int16Array,
        Self::Uint16Array,
        Self::Int32Array,
        Self::Uint32Array,
        Self::BigInt64Array,
        Self::BigUint64Array,
        Self::Float16Array,
        Self::Float32Array,
        Self::Float64Array,
        Self::DataView,
    ];

    /// The name of the interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Int8Array => "Int8Array",
            Self::Uint8Array => "Uint8Array",
            Self::Uint8ClampedArray => "Uint8ClampedArray",
            Self::Int16Array => "Int16Array",
            Self::Uint16Array => "Uint16Array",
            Self::Int32Array => "Int32Array",
            Self::Uint32Array => "Uint32Array",
            Self::BigInt64Array => "BigInt64Array",
            Self::BigUint64Array => "BigUint64Array",
            Self::Float16Array => "Float16Array",
            Self::Float32Array => "Float32Array",
            Self::Float64Array => "Float64Array",
            Self::DataView => "DataView",
        }
    }

    /// The view whose interface has this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.as_str() == name)
    }

    /// The view that matches `data_type` according to
    /// <https://www.w3.org/TR/webnn/#appendices-mloperanddatatype-arraybufferview-compatibility>.
    pub fn matching(data_type: MLOperandDataType) -> Self {
        match data_type {
            MLOperandDataType::Float32 => Self::Float32Array,
            MLOperandDataType::Float16 => Self::Float16Array,
            MLOperandDataType::Int32 => Self::Int32Array,
            MLOperandDataType::Uint32 => Self::Uint32Array,
            MLOperandDataType::Int64 => Self::BigInt64Array,
            MLOperandDataType::Uint64 => Self::BigUint64Array,
            MLOperandDataType::Int8 => Self::Int8Array,
            MLOperandDataType::Uint8 => Self::Uint8Array,
        }
    }
}

/// An `AllowSharedBufferSource`: a buffer, or a view of all of one.
#[derive(Clone, Debug)]
pub struct BufferSource {
    buffer: ArrayBuffer,
    view: Option<ArrayBufferView>,
}

impl BufferSource {
    /// The whole of `buffer`, without a view.
    pub fn of_buffer(buffer: ArrayBuffer) -> Self {
        Self { buffer, view: None }
    }

    /// A view of the whole of `buffer`.
    pub fn of_view(view: ArrayBufferView, buffer: ArrayBuffer) -> Self {
        Self { buffer, view: Some(view) }
    }

    /// A typed array of this data type that holds `bytes`.
    pub fn typed(data_type: MLOperandDataType, bytes: Vec<u8>) -> Self {
        Self::of_view(ArrayBufferView::matching(data_type), ArrayBuffer::new(bytes))
    }

    /// A typed array of this data type that holds these bytes, which may be a repeated pattern.
    pub fn typed_holding(data_type: MLOperandDataType, bytes: Bytes) -> Self {
        Self::of_view(ArrayBufferView::matching(data_type), ArrayBuffer::holding(bytes))
    }

    /// The buffer behind it.
    pub fn buffer(&self) -> &ArrayBuffer {
        &self.buffer
    }

    /// <https://webidl.spec.whatwg.org/#buffersource-byte-length>; 0 once it is detached.
    pub fn byte_length(&self) -> u64 {
        self.buffer.byte_length().try_into().unwrap_or(u64::MAX)
    }

    /// <https://webidl.spec.whatwg.org/#dfn-get-buffer-source-copy>
    pub fn copy_of_bytes(&self) -> Bytes {
        self.buffer.copy()
    }

    /// Writes `bytes` to its beginning: <https://webidl.spec.whatwg.org/#arraybuffer-write>.
    pub fn write(&self, bytes: &[u8]) {
        if let Some(memory) = self.buffer.bytes.borrow_mut().as_mut().map(Bytes::to_mut) {
            let length = bytes.len().min(memory.len());
            memory[..length].copy_from_slice(&bytes[..length]);
        }
    }

    fn kind(&self) -> &'static str {
        match (self.view, self.buffer.shared) {
            (Some(view), _) => view.as_str(),
            (None, false) => "ArrayBuffer",
            (None, true) => "SharedArrayBuffer",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#validate-buffer-with-descriptor>
pub fn validate_buffer_with_descriptor(source: &BufferSource, descriptor: &MLOperandDescriptor) -> bool {
    algorithm!("validate buffer with descriptor");
    step!("1");
    if source.byte_length() != descriptor.byte_length() {
        return false;
    }
    step!("2");
    let Some(view) = source.view else {
        return true;
    };
    step!("2.1");
    if view == ArrayBufferView::Uint8Array {
        return true;
    }
    step!("2.2");
    if view == ArrayBufferView::matching(descriptor.data_type) {
        return true;
    }
    step!("2.3");
    false
}

/// Whether a buffer of any length has the type that goes with a descriptor: step 2 of "validate buffer with descriptor".
pub(crate) fn validate_buffer_type(source: &BufferSource, descriptor: &MLOperandDescriptor) -> bool {
    let matching = [ArrayBufferView::Uint8Array, ArrayBufferView::matching(descriptor.data_type)];
    source.view.is_none_or(|view| matching.contains(&view))
}

/// Why [`validate_buffer_with_descriptor`] returned false, for the message of an exception.
pub(crate) fn mismatch(source: &BufferSource, descriptor: &MLOperandDescriptor) -> String {
    if source.buffer.is_detached() {
        "the buffer is detached".into()
    } else {
        format!(
            "{} of {} bytes does not match {descriptor}, which takes {} bytes",
            source.kind(),
            source.byte_length(),
            descriptor.byte_length()
        )
    }
}
