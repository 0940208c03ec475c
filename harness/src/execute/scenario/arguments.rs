//! The arguments of a call, as the object model takes them.

use std::rc::Rc;

use webnn_reference::buffer::BufferSource;
use webnn_reference::context::MLContext;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::graph::MLGraph;
use webnn_reference::idl;
use webnn_reference::ml::{MLContextOptions, MLPowerPreference};
use webnn_reference::operand::MLOperand;
use webnn_reference::supply::ConstantData;
use webnn_reference::tensor::MLTensor;
use webnn_reference::webgpu::{GPUBuffer, GPUDevice};
use webnn_vectors::{ElementType, Step, Value};

use super::{Called, Object, Scenario};
use crate::execute::convert;
use crate::execute::memory::ScenarioBlob;

/// The arguments of one call.
pub(super) struct Arguments<'a> {
    pub(super) scenario: &'a Scenario<'a>,
    pub(super) step: &'a Step,
}

impl<'a> Arguments<'a> {
    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.step.arguments.get(name)
    }

    pub(super) fn name(&self, parameter: &str) -> Called<&'a str> {
        let value = self.value(parameter).and_then(Value::as_str);
        value.ok_or_else(|| format!("`{parameter}` has to be a string").into())
    }

    pub(super) fn object(&self, parameter: &str) -> Called<&'a Object> {
        self.scenario.object(self.name(parameter)?)
    }

    pub(super) fn context(&self, parameter: &str) -> Called<&'a MLContext> {
        match self.object(parameter)? {
            Object::Context(context) => Ok(context),
            _ => Err(format!("`{parameter}` has to name a context").into()),
        }
    }

    pub(super) fn device(&self) -> Called<&'a GPUDevice> {
        match self.object("gpuDevice")? {
            Object::Device(device) => Ok(device),
            _ => Err("`gpuDevice` has to name a device".into()),
        }
    }

    pub(super) fn exported(&self, parameter: &str) -> Called<&'a GPUBuffer> {
        match self.object(parameter)? {
            Object::Exported(buffer) => Ok(buffer),
            _ => Err(format!("`{parameter}` has to name an exported buffer").into()),
        }
    }

    pub(super) fn tensor(&self, parameter: &str) -> Called<&'a MLTensor> {
        match self.object(parameter)? {
            Object::Tensor(tensor) => Ok(tensor),
            _ => Err(format!("`{parameter}` has to name a tensor").into()),
        }
    }

    pub(super) fn graph(&self, parameter: &str) -> Called<&'a MLGraph> {
        match self.object(parameter)? {
            Object::Graph(graph) => Ok(graph),
            _ => Err(format!("`{parameter}` has to name a graph").into()),
        }
    }

    pub(super) fn operand(&self, parameter: &str) -> Called<&'a MLOperand> {
        match self.object(parameter)? {
            Object::Operand(operand) => Ok(operand),
            _ => Err(format!("`{parameter}` has to name an operand").into()),
        }
    }

    pub(super) fn descriptor(&self) -> Called<MLOperandDescriptor> {
        Ok(convert::descriptor_argument(self.value("descriptor"))?)
    }

    pub(super) fn buffer(&self, parameter: &str) -> Called<BufferSource> {
        match self.value(parameter) {
            Some(Value::Object(members)) => {
                Ok(convert::buffer_source(&webnn_vectors::BufferSource::from_members(members)?)?)
            }
            _ => match self.object(parameter)? {
                Object::Buffer(buffer, _) => Ok(buffer.clone()),
                _ => Err(format!("`{parameter}` has to be a buffer source").into()),
            },
        }
    }

    /// A whole number of bytes, if it is given: `[EnforceRange]` refuses others.
    pub(super) fn bytes_number(&self, parameter: &str) -> Called<Option<u64>> {
        let number =
            |value: &Value| value.as_u64().ok_or_else(|| format!("`{parameter}` has to be a number of bytes").into());
        self.value(parameter).map(number).transpose()
    }

    /// The bytes of a blob or a stream, which are given as a buffer.
    pub(super) fn bytes(&self) -> Called<Vec<u8>> {
        Ok(self.buffer("bytes")?.buffer().to_vec())
    }

    /// The argument `data` of `setConstantData()`.
    pub(super) fn constant_data(&self) -> Called<ConstantData> {
        if let Some(Value::String(name)) = self.value("data") {
            match self.scenario.object(name)? {
                Object::Blob(blob) => return Ok(ConstantData::Blob(Rc::<ScenarioBlob>::clone(blob))),
                Object::Stream(stream) => return Ok(ConstantData::Stream(stream.clone())),
                _ => {}
            }
        }
        Ok(self.buffer("data")?.into())
    }

    /// The bytes of the argument `data`, which is data of the buffer's own type.
    pub(super) fn data_for(&self, buffer: &BufferSource, element: ElementType) -> Called<Vec<u8>> {
        let data = webnn_vectors::Data::from_value(self.value("data").unwrap_or(&Value::Null))?;
        let size = u64::try_from(element.byte_size().unwrap_or(1)).unwrap_or(1);
        Ok(data.to_bytes(element, buffer.byte_length() / size).map_err(|error| error.to_string())?)
    }

    fn named<T>(&self, parameter: &str, find: impl Fn(&'a Object) -> Option<T>) -> Called<Vec<(String, T)>> {
        let record = self.value(parameter).and_then(Value::as_object);
        let record = record.ok_or_else(|| format!("`{parameter}` has to be an object"))?;
        record
            .iter()
            .map(|(name, value)| {
                let object = value.as_str().map(|object| self.scenario.object(object)).transpose()?;
                let found = object.and_then(&find);
                Ok((name.clone(), found.ok_or_else(|| format!("`{parameter}` has the wrong kind of object"))?))
            })
            .collect()
    }

    pub(super) fn tensors(&self, parameter: &str) -> Called<Vec<(String, MLTensor)>> {
        self.named(parameter, |object| match object {
            Object::Tensor(tensor) => Some(tensor.clone()),
            _ => None,
        })
    }

    pub(super) fn operands(&self, parameter: &str) -> Called<Vec<(String, MLOperand)>> {
        self.named(parameter, |object| match object {
            Object::Operand(operand) => Some(operand.clone()),
            _ => None,
        })
    }

    /// The arguments of an operator's method.
    pub(super) fn values(&self, parameters: &[&str]) -> Vec<idl::Value> {
        let operand = |name: &str| match self.scenario.objects.get(name) {
            Some(Object::Operand(operand)) => Some(operand.clone()),
            _ => None,
        };
        parameters
            .iter()
            .map(|parameter| {
                self.value(parameter).map_or(idl::Value::Undefined, |value| convert::argument(value, &operand))
            })
            .collect()
    }

    pub(super) fn context_options(&self) -> Called<MLContextOptions> {
        let mut options = MLContextOptions::default();
        if let Some(value) = self.value("powerPreference") {
            let preference = value.as_str().unwrap_or_default();
            let found = MLPowerPreference::ALL.into_iter().find(|known| known.as_str() == preference);
            options.power_preference = found.ok_or("`powerPreference` has to be one of the specification")?;
        }
        if let Some(accelerated) = self.value("accelerated").and_then(Value::as_bool) {
            options.accelerated = accelerated;
        }
        Ok(options)
    }
}
