//! The calls on a device of the application and on a buffer that a tensor was exported as, and where devices come from.

use std::cell::RefCell;
use std::rc::Rc;

use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::ml::{ContextType, MLPowerPreference, PlatformProvider};
use webnn_reference::platform::Platform;
use webnn_reference::webgpu::{GPUBuffer, GPUDevice};
use webnn_vectors::{Number, Step, Value};

use super::arguments::Arguments;
use super::{Called, Object, done, object};
use crate::execute::{Tensor, application};

/// Provides platforms for scenarios. A context made from the stand-in for a `GPUDevice` has the platform of a context made
/// from options.
pub(in crate::execute) struct WithDevice {
    provider: Rc<dyn PlatformProvider>,
    /// A device that was requested already.
    spare: RefCell<Option<GPUDevice>>,
}

impl WithDevice {
    /// With a device, if the scenario asks for one; or why it can not be executed.
    pub(in crate::execute) fn new(provider: Rc<dyn PlatformProvider>, steps: &[Step]) -> Result<Self, String> {
        let is_needed = steps.iter().any(|step| step.call == "requestDevice");
        let spare = if is_needed { provider.request_device() } else { None };
        if is_needed && spare.is_none() {
            return Err("the implementation has no device of WebGPU".to_owned());
        }
        Ok(Self { provider, spare: RefCell::new(spare) })
    }
}

/// Stands behind a `GPUDevice` of which nothing is asked but that contexts are created from it.
pub(super) struct StandIn;

impl PlatformProvider for WithDevice {
    fn platform(
        &self,
        context_type: &ContextType,
        power_preference: MLPowerPreference,
        accelerated: bool,
    ) -> Option<Box<dyn Platform>> {
        let context_type = match context_type {
            ContextType::WebGPU(device) if device.backing().is::<StandIn>() => &ContextType::Default,
            other => other,
        };
        self.provider.platform(context_type, power_preference, accelerated)
    }

    fn request_device(&self) -> Option<GPUDevice> {
        self.spare.take().or_else(|| self.provider.request_device())
    }
}

pub(super) fn call(device: &GPUDevice, arguments: &Arguments<'_>) -> Called {
    let reported = |unusable| object([("error", Value::String(application::error(&unusable).to_owned()))]);
    match arguments.step.call.as_str() {
        "writeBuffer" => {
            let offset = arguments.value("bufferOffset").and_then(Value::as_u64).unwrap_or(0);
            let bytes = arguments.buffer("data")?.copy_of_bytes();
            let written = application::write(device, arguments.exported("buffer")?, offset, &bytes.whole());
            Ok(Object::Value(written.map_or_else(reported, |()| object([("error", Value::Null)]))))
        }
        "readBuffer" => {
            let descriptor = arguments.descriptor()?;
            let read = application::read(device, arguments.exported("buffer")?, descriptor.byte_length());
            let MLOperandDescriptor { data_type, shape } = descriptor;
            let tensor = |bytes| Object::Read(Tensor { data_type, shape, bytes });
            Ok(read.map_or_else(|unusable| Object::Value(reported(unusable)), tensor))
        }
        "lose" => {
            application::lose(device, arguments.name("message").unwrap_or("lost by the scenario"));
            done(Ok(()))
        }
        other => Err(format!("a device has no method `{other}`").into()),
    }
}

pub(super) fn call_exported(buffer: &GPUBuffer, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "destroy" => {
            buffer.destroy();
            done(Ok(()))
        }
        other => Err(format!("an exported buffer has no method `{other}`").into()),
    }
}

/// The attributes of an exported buffer.
pub(super) fn attributes(buffer: &GPUBuffer) -> Value {
    let number = |number: u64| Value::Number(Number::Integer(number.into()));
    object([("size", number(buffer.size())), ("usage", number(buffer.usage().0.into()))])
}
