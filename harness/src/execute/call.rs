//! Executes one call of an operator on tensors, without a vector.

use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::idl::Value;
use webnn_reference::ops;
use webnn_reference::tensor::MLTensor;

use super::{Observation, Stopped, Tensor, ensure_supported, settled};

/// What the output is called.
const OUTPUT: &str = "output";

/// A call of an operator with one output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// The operator.
    pub(crate) operator: &'a str,
    /// Its operands, by the names of the parameters.
    pub(crate) operands: &'a [(&'a str, Tensor)],
    /// Its other arguments, by the names of the parameters.
    pub(crate) arguments: &'a [(&'a str, Value)],
}

impl Call<'_> {
    pub(super) fn execute(&self, context: &MLContext) -> Result<Observation, Stopped> {
        let row = ops::operator(self.operator)
            .ok_or_else(|| Stopped::Invalid(format!("there is no operator `{}`", self.operator)))?;
        let builder = MLGraphBuilder::new(context)?;
        let mut values: Vec<(&str, Value)> = self.arguments.to_vec();
        for (name, tensor) in self.operands {
            ensure_supported(context, tensor.data_type)?;
            let descriptor = MLOperandDescriptor::create(tensor.data_type, &tensor.shape);
            values.push((name, Value::Operand(builder.input(name, &descriptor)?)));
        }
        let value = |parameter: &&str| {
            let given = values.iter().find(|(name, _)| name == parameter);
            given.map_or(Value::Undefined, |(_, value)| value.clone())
        };
        let outputs = row.call(&builder, &row.parameters.iter().map(value).collect::<Vec<_>>())?;
        let output = outputs.first().ok_or_else(|| Stopped::Invalid("it has no output".into()))?;
        ensure_supported(context, output.data_type())?;
        let graph = settled(context.global(), &builder.build(&[(OUTPUT.to_owned(), output.clone())]))?;

        let mut inputs = Vec::new();
        for (name, tensor) in self.operands {
            let input = create_tensor(context, &MLOperandDescriptor::create(tensor.data_type, &tensor.shape))?;
            context.write_tensor(&input, &BufferSource::typed(tensor.data_type, tensor.bytes.clone()))?;
            inputs.push(((*name).to_owned(), input));
        }
        let MLOperandDescriptor { data_type, shape } = output.descriptor();
        let result = create_tensor(context, &output.descriptor())?;
        context.dispatch(&graph, &inputs, &[(OUTPUT.to_owned(), result.clone())])?;
        let bytes = settled(context.global(), &context.read_tensor(&result))?.detach();
        Ok(Observation::Outputs(vec![(OUTPUT.to_owned(), Tensor { data_type, shape, bytes })]))
    }
}

fn create_tensor(context: &MLContext, descriptor: &MLOperandDescriptor) -> Result<MLTensor, Stopped> {
    let descriptor = MLTensorDescriptor { operand: descriptor.clone(), readable: true, writable: true };
    Ok(settled(context.global(), &context.create_tensor(&descriptor))?)
}
