//! Which data types the operands of operators had: the cells of the specification's tables of tensor limits.
//!
//! Only `webnn coverage` asks, so that nothing is recorded unless somebody collects.

use std::cell::RefCell;
use std::collections::BTreeSet;

use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::idl::Value;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::OperatorRow;

/// An operator, an operand of it, and the operand's data type.
pub(crate) type Cell = (&'static str, &'static str, MLOperandDataType);

thread_local! {
    static CELLS: RefCell<Option<BTreeSet<Cell>>> = const { RefCell::new(None) };
}

/// Runs `execution`, and returns, beside its result, the cells of the operators that it created.
pub(crate) fn collect<T>(execution: impl FnOnce() -> T) -> (T, BTreeSet<Cell>) {
    let outer = CELLS.replace(Some(BTreeSet::new()));
    let result = execution();
    (result, CELLS.replace(outer).unwrap_or_default())
}

/// Notes a call that gave `outputs`.
pub(super) fn note(row: &'static OperatorRow, values: &[Value], outputs: &[MLOperand]) {
    CELLS.with_borrow_mut(|cells| {
        let Some(cells) = cells else {
            return;
        };
        for operand in row.limits.rows {
            let given = given_as(row, values, operand.operand);
            // What no argument is called is an output.
            let data_types = given.unwrap_or_else(|| outputs.iter().map(MLOperand::data_type).collect());
            cells.extend(data_types.into_iter().map(|data_type| (row.name, operand.operand, data_type)));
        }
    });
}

/// The data types of the operands given for a parameter, or for a member of the options; `None` if neither has this name.
fn given_as(row: &OperatorRow, values: &[Value], name: &str) -> Option<Vec<MLOperandDataType>> {
    if let Some(position) = row.parameters.iter().position(|parameter| *parameter == name) {
        return Some(values.get(position).map(data_types).unwrap_or_default());
    }
    if name.starts_with("output") {
        return None;
    }
    let member = |value: &Value| match value {
        Value::Dictionary(members) => {
            members.iter().find(|(member, _)| member == name).map(|(_, value)| data_types(value))
        }
        _ => None,
    };
    Some(values.iter().find_map(member).unwrap_or_default())
}

fn data_types(value: &Value) -> Vec<MLOperandDataType> {
    match value {
        Value::Operand(operand) => vec![operand.data_type()],
        Value::Sequence(items) => items.iter().flat_map(data_types).collect(),
        Value::Undefined | Value::Number(_) | Value::Boolean(_) | Value::String(_) | Value::Dictionary(_) => vec![],
    }
}
