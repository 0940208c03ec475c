//! From tensors that were read back to the parts of graphs that have their values.

use webnn_vectors::{Data, DataType, Descriptor, ExpectedOutput, Graph, Input};

use crate::execute::Tensor;

fn descriptor_and_data(tensor: &Tensor) -> Option<(Descriptor, Data)> {
    let data_type = DataType::from_name(tensor.data_type.as_str())?;
    let descriptor = Descriptor { data_type, shape: tensor.shape.clone() };
    let data = descriptor.data_of(&tensor.bytes).ok()?;
    Some((descriptor, data))
}

/// An input of this value.
pub(crate) fn input(tensor: &Tensor) -> Option<Input> {
    let (descriptor, data) = descriptor_and_data(tensor)?;
    Some(Input { descriptor, constant: false, data })
}

/// An output that has to have this value.
pub(crate) fn expected_output(tensor: &Tensor) -> Option<ExpectedOutput> {
    let (descriptor, data) = descriptor_and_data(tensor)?;
    Some(ExpectedOutput { descriptor, tolerance: None, data })
}

/// Each operator of a graph as a graph of its own, whose inputs have the values that were observed of the operands;
/// `None` where not all were.
pub(crate) fn pieces(graph: &Graph, observed: &[(String, Tensor)]) -> Option<Vec<Graph>> {
    let value = |name: &String| {
        let given = graph.inputs.get(name).cloned();
        given.or_else(|| input(&observed.iter().find(|(output, _)| output == name)?.1))
    };
    let is_operand = |name: &String| graph.inputs.contains_key(name) || graph.outputs().any(|output| output == name);
    let piece = |operator: &webnn_vectors::Operator| {
        let operands = operator.strings().into_iter().filter(is_operand);
        let inputs = operands.map(|name| Some((name.clone(), value(&name)?))).collect::<Option<_>>()?;
        let outputs = operator.outputs.as_slice().iter();
        let expected_outputs = outputs
            .map(|name| Some((name.clone(), graph.expected_outputs.get(name)?.clone())))
            .collect::<Option<_>>()?;
        Some(Graph { inputs, operators: vec![operator.clone()], expected_outputs })
    };
    graph.operators.iter().map(piece).collect()
}
