//! WebGPU interoperability: a tensor that an application works on as a buffer of its own device, without a copy.
//!
//! Proposed in <https://github.com/gpuweb/gpuweb/issues/2500> and, in this shape, in
//! <https://github.com/webmachinelearning/webnn/pull/942>; its prose is `spec-diff/proposals/webgpu-interop.bs`.
//!
//! `createExportableTensor()` makes a tensor in the memory of the context's device. `exportToGPU()` gives a buffer of that
//! device with the tensor's contents, at once, and rents the tensor: until the buffer is destroyed, `dispatch()`,
//! `readTensor()` and `writeTensor()` refuse it. The state is kept on the caller's side of the timeline, and both ends of
//! a rent are steps on the timeline, whose order does the rest.

use std::cell::RefCell;
use std::rc::Rc;

use crate::context::MLContext;
use crate::descriptor::MLTensorDescriptor;
use crate::exception::Result;
use crate::platform::{Platform, PlatformError, TensorData};
use crate::promise::Promise;
use crate::tensor::MLTensor;
use crate::webgpu::{BufferSlots, Contents, GPUBuffer, GPUBufferUsage, GPUDevice};
use crate::{algorithm, exception, reject, step, throw};

/// What is wrong with a tensor that is rented.
const RENTED: &str = "the tensor is rented to its device until the exported buffer is destroyed";

/// `MLExportableTensorOptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MLExportableTensorOptions {
    /// The usages of the buffers that the tensor is exported as.
    pub usage: GPUBufferUsage,
}

impl Default for MLExportableTensorOptions {
    fn default() -> Self {
        Self { usage: GPUBufferUsage::COPY_SRC.and(GPUBufferUsage::COPY_DST).and(GPUBufferUsage::STORAGE) }
    }
}

/// The slots that the proposal gives to an `MLTensor`, where its `[[gpuDevice]]` is not null.
#[derive(Debug)]
pub struct Exportable {
    pub(crate) usage: GPUBufferUsage,
    /// The slots of `[[exportedBuffer]]`. The buffer itself has the tensor.
    exported_buffer: RefCell<Option<Rc<BufferSlots>>>,
}

/// Whether a buffer of this usage can be an exported one.
fn is_usage_of_exportable_tensors(usage: GPUBufferUsage) -> bool {
    let all = [
        GPUBufferUsage::COPY_SRC,
        GPUBufferUsage::COPY_DST,
        GPUBufferUsage::INDEX,
        GPUBufferUsage::VERTEX,
        GPUBufferUsage::UNIFORM,
        GPUBufferUsage::STORAGE,
        GPUBufferUsage::INDIRECT,
        GPUBufferUsage::QUERY_RESOLVE,
    ];
    let all = all.into_iter().fold(GPUBufferUsage(0), GPUBufferUsage::and);
    usage.0 != 0 && all.contains(usage)
}

impl MLContext {
    /// `createExportableTensor(descriptor, gpuDevice, options)`: a tensor that can be exported.
    ///
    /// Rejects with InvalidStateError if the context is lost, with NotSupportedError if the device is not the one that the
    /// context was created from, with TypeError for dimensions or a usage that are not supported, and with UnknownError if
    /// the device has no memory for it.
    pub fn create_exportable_tensor(
        &self,
        descriptor: &MLTensorDescriptor,
        gpu_device: &GPUDevice,
        options: MLExportableTensorOptions,
    ) -> Promise<MLTensor> {
        algorithm!("MLContext.createExportableTensor(descriptor, gpuDevice, options)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        if self.gpu_device() != Some(gpu_device) {
            reject!(NotSupportedError, "the context was not created from this device");
        }
        step!("5");
        if !descriptor.check_dimensions(&self.limits) {
            reject!(TypeError, "{} has dimensions that are not supported", descriptor.operand);
        }
        step!("6");
        if !is_usage_of_exportable_tensors(options.usage) {
            reject!(TypeError, "a buffer of usage {:#x} can not be a tensor's memory", options.usage.0);
        }
        step!("7");
        step!("8");
        step!("9");
        let tensor = MLTensor::create_exportable(self, descriptor, Exportable::new(options.usage));
        step!("10");
        let promise = Promise::new();
        step!("11");
        let (context, settled) = (self.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.createExportableTensor(descriptor, gpuDevice, options)", context);
            step!("11.1");
            if !context.is_lost() {
                step!("11.1.1");
                let room = context.make_room(tensor.descriptor().device_bytes(), None);
                let create = |()| context.platform().create_exportable_tensor(tensor.descriptor(), options.usage);
                let data = room.and_then(create);
                match data {
                    Err(error) => {
                        step!("11.1.2");
                        context.notice(&error);
                        let failure = exception!(UnknownError, "{error}");
                        context.global.queue_an_ml_task(move || settled.reject(failure));
                    }
                    Ok(data) => {
                        step!("11.1.3");
                        tensor.0.data.set(Some(data));
                        context.add_tensor(&tensor);
                        let task_global = context.global.clone();
                        task_global.queue_an_ml_task(move || settled.resolve(tensor));
                    }
                }
                return;
            }
            step!("11.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("12");
        promise
    }

    /// `exportToGPU(tensor)`: a buffer with the tensor's contents; the tensor is rented until it is destroyed.
    ///
    /// # Errors
    /// TypeError for a tensor of another context, one that was destroyed or is not exportable; InvalidStateError if the
    /// context is lost or the tensor is rented.
    pub fn export_to_gpu(&self, tensor: &MLTensor) -> Result<GPUBuffer> {
        algorithm!("MLContext.exportToGPU(tensor)", self);
        step!("1");
        if tensor.0.context != *self {
            throw!(TypeError, "the tensor belongs to another context");
        }
        step!("2");
        if self.is_lost() {
            throw!(InvalidStateError, "the context is lost");
        }
        step!("3");
        if tensor.is_destroyed() {
            throw!(TypeError, "the tensor was destroyed");
        }
        step!("4");
        let Some(exportable) = &tensor.0.exportable else {
            throw!(TypeError, "the tensor is not exportable: create it with createExportableTensor()");
        };
        step!("5");
        tensor.ensure_not_rented()?;
        step!("6");
        let buffer = tensor.create_an_exported_buffer(exportable.usage);
        step!("7");
        *exportable.exported_buffer.borrow_mut() = Some(Rc::clone(&buffer.slots));
        step!("8");
        let (context, exported) = (self.clone(), buffer.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.exportToGPU(tensor)", context);
            step!("8.1");
            if !context.is_lost() {
                step!("8.1.1");
                let contents = context.with_contents(&exported.tensor, |platform, data| platform.export_tensor(data));
                let contents = contents.map_or_else(
                    |error| {
                        step!("8.1.2");
                        context.notice(&error);
                        Contents::Invalid(error.to_string())
                    },
                    Contents::Exported,
                );
                *exported.slots.contents.borrow_mut() = contents;
                return;
            }
            step!("8.2");
            *exported.slots.contents.borrow_mut() = Contents::Invalid("the context is lost".to_owned());
        });
        step!("9");
        Ok(buffer)
    }

    /// `createConstantTensor(tensor)`: a constant tensor with what the tensor holds at this point of the timeline.
    ///
    /// Rejects with TypeError for a tensor of another context or one that was destroyed, with InvalidStateError if the
    /// context is lost or the tensor is rented, and with UnknownError if there is no memory for it.
    pub fn create_constant_tensor_from(&self, tensor: &MLTensor) -> Promise<MLTensor> {
        algorithm!("MLContext.createConstantTensor(tensor)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if tensor.0.context != *self {
            reject!(TypeError, "the tensor belongs to another context");
        }
        step!("4");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("5");
        if tensor.is_destroyed() {
            reject!(TypeError, "the tensor was destroyed");
        }
        step!("6");
        if tensor.is_rented() {
            reject!(InvalidStateError, "{RENTED}");
        }
        step!("7");
        let constant = MLTensor::create_constant(self, tensor.descriptor());
        step!("8");
        let promise = Promise::new();
        step!("9");
        let (context, tensor, settled) = (self.clone(), tensor.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.createConstantTensor(tensor)", context);
            step!("9.1");
            if !context.is_lost() {
                step!("9.1.1");
                let data = context.allocate(&constant);
                let data = match data {
                    Ok(data) => data,
                    Err(error) => {
                        step!("9.1.2");
                        context.notice(&error);
                        let failure = exception!(UnknownError, "{error}");
                        return context.global.queue_an_ml_task(move || settled.reject(failure));
                    }
                };
                constant.0.data.set(Some(data));
                step!("9.1.3");
                let copied = context.with_contents(&tensor, |platform, from| platform.copy_tensor(from, data));
                if let Err(error) = copied {
                    step!("9.1.4");
                    context.notice(&error);
                    let failure = exception!(UnknownError, "{error}");
                    return context.global.queue_an_ml_task(move || settled.reject(failure));
                }
                step!("9.1.5");
                context.add_tensor(&constant);
                let task_global = context.global.clone();
                task_global.queue_an_ml_task(move || settled.resolve(constant));
                return;
            }
            step!("9.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("10");
        promise
    }

    /// Lets the platform work on a tensor's data, unless the dispatch that had to write it failed.
    fn with_contents<T>(
        &self,
        tensor: &MLTensor,
        work: impl FnOnce(&mut dyn Platform, TensorData) -> std::result::Result<T, PlatformError>,
    ) -> std::result::Result<T, PlatformError> {
        match tensor.failure() {
            Some(failure) => Err(PlatformError::Unreadable(failure)),
            None => self.with_data(tensor, work),
        }
    }

    /// Lets the platform work on a tensor's data, if it still has any.
    fn with_data<T>(
        &self,
        tensor: &MLTensor,
        work: impl FnOnce(&mut dyn Platform, TensorData) -> std::result::Result<T, PlatformError>,
    ) -> std::result::Result<T, PlatformError> {
        match tensor.data() {
            Some(data) => work(self.platform().as_mut(), data),
            None => Err(PlatformError::Unsupported("the tensor has no data".into())),
        }
    }
}

impl Exportable {
    fn new(usage: GPUBufferUsage) -> Self {
        Self { usage, exported_buffer: RefCell::new(None) }
    }

    pub(crate) fn is_rented(&self) -> bool {
        self.exported_buffer.borrow().is_some()
    }
}

impl MLTensor {
    /// Whether it is rented: exported as a buffer that was not destroyed.
    pub fn is_rented(&self) -> bool {
        self.0.exportable.as_ref().is_some_and(Exportable::is_rented)
    }

    fn create_an_exported_buffer(&self, usage: GPUBufferUsage) -> GPUBuffer {
        algorithm!("MLTensor/create an exported buffer");
        step!("1");
        let size = self.descriptor().byte_length().next_multiple_of(4);
        step!("2");
        let buffer = GPUBuffer::new(self, size, usage);
        step!("3");
        buffer
    }

    /// Ensures that it is not rented: what `dispatch()`, `readTensor()` and `writeTensor()` run last.
    ///
    /// # Errors
    /// InvalidStateError if it is.
    pub(crate) fn ensure_not_rented(&self) -> Result<()> {
        algorithm!("MLTensor/ensure it is not rented");
        step!("1");
        if self.is_rented() {
            throw!(InvalidStateError, "{RENTED}");
        }
        Ok(())
    }

    /// Destroys the exported buffer: what `MLTensor.destroy()` runs after its step 2.
    pub(crate) fn destroy_the_exported_buffer(&self) {
        algorithm!("MLTensor/destroy the exported buffer");
        step!("1");
        let Some(exportable) = &self.0.exportable else {
            return;
        };
        step!("2");
        let Some(slots) = exportable.exported_buffer.take() else {
            return;
        };
        step!("3");
        GPUBuffer { tensor: self.clone(), slots }.destroy();
    }
}

impl GPUBuffer {
    /// Returns the tensor: what `GPUBuffer.destroy()` runs behind its own steps.
    pub(crate) fn return_the_tensor(&self) {
        algorithm!("GPUBuffer/return the tensor", self.tensor);
        step!("1");
        let Some(exportable) = &self.tensor.0.exportable else {
            return;
        };
        let is_rented_as_this = |slots: &mut Rc<BufferSlots>| Rc::ptr_eq(slots, &self.slots);
        step!("2");
        if exportable.exported_buffer.borrow_mut().take_if(is_rented_as_this).is_none() {
            return;
        }
        step!("3");
        let (context, buffer) = (self.tensor.0.context.clone(), self.clone());
        context.clone().timeline.enqueue(move || {
            algorithm!("GPUBuffer/return the tensor", context);
            step!("3.1");
            if context.is_lost() {
                return;
            }
            step!("3.1.1");
            if !matches!(*buffer.slots.contents.borrow(), Contents::Exported(_)) {
                return;
            }
            let returned = context.with_data(&buffer.tensor, |platform, data| platform.return_tensor(data));
            if let Err(error) = returned {
                step!("3.1.2");
                context.context_lost(format!("a tensor could not be returned: {error}"));
            }
        });
    }
}

/// Loses the contexts of a device: what becomes of WebNN when the device is lost.
pub(crate) fn lose_contexts(device: &GPUDevice, message: &str) {
    algorithm!("GPUDevice/lose the contexts");
    step!("1");
    for context in device.contexts() {
        step!("1.1");
        context.context_lost(format!("its device was lost: {message}"));
    }
}
