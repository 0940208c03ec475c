//! From the values of a vector to those of the object model.

use webnn_reference::buffer::{ArrayBuffer, ArrayBufferView, BufferSource};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::idl;
use webnn_reference::number::MLNumber;
use webnn_reference::operand::MLOperand;
use webnn_vectors::{Descriptor, Number, Value};

/// The data type, unless it is one that the specification does not have.
pub(super) fn data_type(data_type: webnn_vectors::DataType) -> Option<MLOperandDataType> {
    MLOperandDataType::from_name(data_type.name())
}

/// The descriptor, unless its data type is one that the specification does not have.
pub(super) fn descriptor(descriptor: &Descriptor) -> Option<MLOperandDescriptor> {
    Some(MLOperandDescriptor { data_type: data_type(descriptor.data_type)?, shape: descriptor.shape.clone() })
}

/// A descriptor given as an argument of a scenario's call.
pub(super) fn descriptor_argument(value: Option<&Value>) -> Result<MLOperandDescriptor, String> {
    let members = value.and_then(Value::as_object).ok_or("`descriptor` has to be an object")?;
    let data_type = members.get("dataType").and_then(Value::as_str).and_then(MLOperandDataType::from_name);
    let shape = members.get("shape").and_then(Value::as_list).ok_or("`descriptor` needs a `shape`")?;
    let shape: Option<Vec<u32>> = shape.iter().map(|dimension| u32::try_from(dimension.as_u64()?).ok()).collect();
    Ok(MLOperandDescriptor {
        data_type: data_type.ok_or("`descriptor` needs a `dataType` of the specification")?,
        shape: shape.ok_or("the dimensions of a `shape` are in the range of an unsigned long")?,
    })
}

/// A tensor's descriptor given as an argument of a scenario's call.
pub(super) fn tensor_descriptor_argument(value: Option<&Value>) -> Result<MLTensorDescriptor, String> {
    let flag = |name: &str| value.and_then(Value::as_object).and_then(|members| members.get(name)?.as_bool());
    Ok(MLTensorDescriptor {
        operand: descriptor_argument(value)?,
        readable: flag("readable").unwrap_or(false),
        writable: flag("writable").unwrap_or(false),
    })
}

/// A number as script would pass it: integers given as text are bigints, as only 64-bit types need them.
pub(super) fn number(value: &Value) -> Option<MLNumber> {
    match value {
        Value::Number(Number::Float(float)) => Some(MLNumber::Double(*float)),
        Value::Number(Number::Integer(integer)) => Some(small_integer(*integer)),
        Value::BigInt(integer) => Some(MLNumber::BigInt(*integer)),
        Value::String(text) => match Number::from_text(text)? {
            Number::Float(float) => Some(MLNumber::Double(float)),
            Number::Integer(integer) => Some(MLNumber::BigInt(integer)),
        },
        Value::Null | Value::Boolean(_) | Value::List(_) | Value::Object(_) => None,
    }
}

/// A bare integer of a file is a JavaScript number, where a double holds it.
fn small_integer(integer: i128) -> MLNumber {
    match i32::try_from(integer) {
        Ok(small) => MLNumber::Double(f64::from(small)),
        Err(_) => MLNumber::Double(Number::Integer(integer).to_f64()),
    }
}

/// An argument of an operator's method. A string that names an operand is that operand.
pub(super) fn argument(value: &Value, operand: &impl Fn(&str) -> Option<MLOperand>) -> idl::Value {
    match value {
        Value::Null => idl::Value::Undefined,
        Value::Boolean(boolean) => idl::Value::Boolean(*boolean),
        Value::List(items) => idl::Value::Sequence(items.iter().map(|item| argument(item, operand)).collect()),
        Value::Object(members) => idl::Value::Dictionary(
            members.iter().map(|(name, member)| (name.clone(), option(name, member, operand))).collect(),
        ),
        Value::String(text) => match operand(text) {
            Some(operand) => idl::Value::Operand(operand),
            None => string(text, value),
        },
        Value::Number(_) | Value::BigInt(_) => number(value).map_or(idl::Value::Undefined, idl::Value::Number),
    }
}

/// A member of the options: a label is itself, even where an operand has the same name.
fn option(name: &str, value: &Value, operand: &impl Fn(&str) -> Option<MLOperand>) -> idl::Value {
    match (name, value) {
        ("label", Value::String(label)) => idl::Value::String(label.clone()),
        _ => argument(value, operand),
    }
}

fn string(text: &str, value: &Value) -> idl::Value {
    match number(value) {
        Some(number) => idl::Value::Number(number),
        None => idl::Value::String(text.to_owned()),
    }
}

/// A buffer source as script would make it.
pub(super) fn buffer_source(source: &webnn_vectors::BufferSource) -> Result<BufferSource, String> {
    use webnn_vectors::{ElementType, View};
    let bytes = source.to_bytes().map_err(|error| error.to_string())?;
    let view = match source.view {
        View::ArrayBuffer => return Ok(BufferSource::of_buffer(ArrayBuffer::new(bytes))),
        View::SharedArrayBuffer => return Ok(BufferSource::of_buffer(ArrayBuffer::new_shared(bytes))),
        View::DataView => ArrayBufferView::DataView,
        View::Uint8ClampedArray => ArrayBufferView::Uint8ClampedArray,
        View::TypedArray(element) => match element {
            ElementType::Float64 => ArrayBufferView::Float64Array,
            ElementType::Float32 => ArrayBufferView::Float32Array,
            ElementType::Float16 => ArrayBufferView::Float16Array,
            ElementType::Int64 => ArrayBufferView::BigInt64Array,
            ElementType::Uint64 => ArrayBufferView::BigUint64Array,
            ElementType::Int32 => ArrayBufferView::Int32Array,
            ElementType::Uint32 => ArrayBufferView::Uint32Array,
            ElementType::Int16 => ArrayBufferView::Int16Array,
            ElementType::Uint16 => ArrayBufferView::Uint16Array,
            ElementType::Int8 => ArrayBufferView::Int8Array,
            ElementType::Uint8 => ArrayBufferView::Uint8Array,
            ElementType::Int4 | ElementType::Uint4 => return Err("there is no typed array of 4-bit integers".into()),
        },
    };
    Ok(BufferSource::of_view(view, ArrayBuffer::new(bytes)))
}
