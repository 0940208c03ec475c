//! The calls on a builder: operands, operators, `build()`.

use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops;
use webnn_vectors::Value;

use super::arguments::Arguments;
use super::{Called, Object, Pending};
use crate::execute::{cells, convert};

pub(super) fn call(builder: &MLGraphBuilder, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "input" => Ok(Object::Operand(builder.input(arguments.name("name")?, &arguments.descriptor()?)?)),
        "constant" => Ok(Object::Operand(constant(builder, arguments)?)),
        "build" => {
            let outputs = arguments.operands("outputs")?;
            Ok(Object::Promise(Pending::Graph(builder.build(&outputs))))
        }
        name => {
            let row = ops::operator(name).ok_or_else(|| format!("a builder has no method `{name}`"))?;
            let values = arguments.values(row.parameters);
            let outputs = row.call(builder, &values)?;
            cells::note(row, &values, &outputs);
            Ok(match <[MLOperand; 1]>::try_from(outputs) {
                Ok([output]) => Object::Operand(output),
                Err(outputs) => Object::Operands(outputs),
            })
        }
    }
}

/// The four forms of `constant()`, told apart by their arguments.
fn constant(builder: &MLGraphBuilder, arguments: &Arguments<'_>) -> Called<MLOperand> {
    let given = |name| arguments.value(name).is_some();
    if given("tensor") {
        Ok(builder.constant_tensor(arguments.tensor("tensor")?)?)
    } else if given("dataType") {
        let data_type = arguments.value("dataType").and_then(Value::as_str).and_then(MLOperandDataType::from_name);
        let value = arguments.value("value").and_then(convert::number);
        Ok(builder.constant_scalar(
            data_type.ok_or("`dataType` has to be one of the specification")?,
            value.ok_or("`value` has to be a number")?,
        )?)
    } else if given("buffer") {
        Ok(builder.constant(&arguments.descriptor()?, &arguments.buffer("buffer")?)?)
    } else {
        Ok(builder.hollow_constant(&arguments.descriptor()?)?)
    }
}
