//! `MLContext`: <https://www.w3.org/TR/webnn/#api-mlcontext>.

use std::cell::{Ref, RefCell, RefMut};
use std::fmt;
use std::ops::Deref;
use std::rc::{Rc, Weak};

use crate::buffer::{ArrayBuffer, BufferSource, mismatch, validate_buffer_with_descriptor};
use crate::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use crate::exception::Result;
use crate::graph::{GraphSlots, MLGraph};
use crate::ledger::Ledger;
use crate::ml::{ContextType, MLPowerPreference};
use crate::platform::{Computation, GraphImplementation, Platform, PlatformError, PlatformLimits, TensorData};
use crate::promise::Promise;
use crate::proposals::residency::ContextMemory;
use crate::steps::Reading;
use crate::tensor::{MLTensor, PendingRead, TensorSlots};
use crate::timeline::{Global, Queue};
use crate::webgpu::GPUDevice;
use crate::{algorithm, exception, literal, reject, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlcontextlostinfo>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLContextLostInfo {
    /// Why the context was lost.
    pub message: String,
}

/// The internal slots of an `MLContext`.
pub struct ContextSlots {
    pub(crate) global: Global,
    pub(crate) context_type: ContextType,
    pub(crate) power_preference: MLPowerPreference,
    pub(crate) accelerated: bool,
    pub(crate) lost: Option<Promise<MLContextLostInfo>>,
    pub(crate) timeline: Queue,
    pub(crate) limits: PlatformLimits,
    pub(crate) memory: ContextMemory,
    platform: RefCell<Box<dyn Platform>>,
    graphs: RefCell<Vec<Weak<GraphSlots>>>,
    tensors: RefCell<Vec<Weak<TensorSlots>>>,
}

impl fmt::Debug for ContextSlots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MLContext").field("type", &self.context_type).finish_non_exhaustive()
    }
}

/// The tensors of a dispatch, by name: a `record<USVString, MLTensor>`, in which every name stands once.
pub type MLNamedTensors = [(String, MLTensor)];

/// A global state of neural network computation. Clones are the same context.
#[derive(Clone, Debug)]
pub struct MLContext(Rc<ContextSlots>);

impl Deref for MLContext {
    type Target = ContextSlots;
    fn deref(&self) -> &ContextSlots {
        &self.0
    }
}

impl PartialEq for MLContext {
    /// Whether both are the same context.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl MLContext {
    /// A context on a platform.
    pub(crate) fn new(
        global: &Global,
        context_type: ContextType,
        power_preference: MLPowerPreference,
        accelerated: bool,
        lost: Option<Promise<MLContextLostInfo>>,
        platform: Box<dyn Platform>,
    ) -> Self {
        Self(Rc::new(ContextSlots {
            global: global.clone(),
            context_type,
            power_preference,
            accelerated,
            lost,
            timeline: Queue::default(),
            limits: platform.limits(),
            memory: ContextMemory::default(),
            platform: RefCell::new(platform),
            graphs: RefCell::default(),
            tensors: RefCell::default(),
        }))
    }

    pub(crate) fn downgrade(&self) -> Weak<ContextSlots> {
        Rc::downgrade(&self.0)
    }

    pub(crate) fn upgrade(slots: &Weak<ContextSlots>) -> Option<Self> {
        slots.upgrade().map(Self)
    }

    pub(crate) fn reading(&self) -> Reading {
        self.global.reading()
    }

    pub(crate) fn platform(&self) -> RefMut<'_, Box<dyn Platform>> {
        self.platform.borrow_mut()
    }

    /// Releases what was forgotten, unless the platform is at work just then: it is released with the context.
    pub(crate) fn forget(&self, release: impl FnOnce(&mut dyn Platform)) {
        if let Ok(mut platform) = self.platform.try_borrow_mut() {
            release(platform.as_mut());
        }
    }

    /// The platform, to look at.
    pub fn underlying_platform(&self) -> Ref<'_, Box<dyn Platform>> {
        self.platform.borrow()
    }

    /// What the context holds in memory and has moved. Script does not see it.
    pub fn ledger(&self) -> Ledger {
        self.platform.borrow().ledger()
    }

    /// Has the ledger keep every change from now on, with the time of this clock in nanoseconds: what
    /// [`Ledger::events`] then has.
    pub fn record_memory(&self, clock: fn() -> u64) {
        self.platform().record_memory(clock);
    }

    /// What the platform supports.
    pub fn limits(&self) -> &PlatformLimits {
        &self.limits
    }

    /// The type of the context.
    pub fn context_type(&self) -> &ContextType {
        &self.context_type
    }

    /// Its `[[gpuDevice]]`: the device that it was created from, if it was.
    pub fn gpu_device(&self) -> Option<&GPUDevice> {
        match &self.context_type {
            ContextType::Default => None,
            ContextType::WebGPU(device) => Some(device),
        }
    }

    /// Its relevant global object.
    pub fn global(&self) -> &Global {
        &self.global
    }

    /// Runs at most `steps` of what is queued on the timeline, and says how many there were.
    pub fn pump(&self, steps: usize) -> usize {
        (0..steps).take_while(|_| self.timeline.pump()).count()
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-accelerated>
    pub fn accelerated(&self) -> bool {
        algorithm!("MLContext.accelerated");
        self.accelerated
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-lost>
    ///
    /// `None` is what script would see of a slot that was never set: `undefined`.
    pub fn lost(&self) -> Option<Promise<MLContextLostInfo>> {
        algorithm!("MLContext.lost");
        self.lost.clone()
    }

    /// <https://www.w3.org/TR/webnn/#mlcontext-is-lost>
    pub fn is_lost(&self) -> bool {
        self.lost.as_ref().is_some_and(Promise::is_settled)
    }

    pub(crate) fn add_graph(&self, graph: &MLGraph) {
        let mut graphs = self.graphs.borrow_mut();
        graphs.retain(|graph| graph.strong_count() > 0);
        graphs.push(graph.downgrade());
    }

    /// Its graphs, as far as script has not forgotten them.
    pub(crate) fn all_graphs(&self) -> Vec<MLGraph> {
        self.graphs.borrow().iter().filter_map(Weak::upgrade).map(MLGraph).collect()
    }

    pub(crate) fn add_tensor(&self, tensor: &MLTensor) {
        let mut tensors = self.tensors.borrow_mut();
        tensors.retain(|tensor| tensor.strong_count() > 0);
        tensors.push(tensor.downgrade());
    }

    /// Loses the context if that is what the platform's failure means.
    pub(crate) fn notice(&self, error: &PlatformError) {
        if let PlatformError::Lost(reason) = error {
            self.context_lost(reason.clone());
        }
    }

    /// <https://www.w3.org/TR/webnn/#validate-tensors-with-descriptors>, and what is wrong where it returns false.
    fn validate_tensors_with_descriptors<'a>(
        named_tensors: &MLNamedTensors,
        named_descriptors: &'a std::collections::BTreeMap<String, MLOperandDescriptor>,
    ) -> std::result::Result<(), String> {
        algorithm!("validate tensors with descriptors");
        step!("1");
        if named_tensors.len() != named_descriptors.len() {
            let names: Vec<&'a String> = named_descriptors.keys().collect();
            return Err(format!("{} tensors were given, but the graph has {names:?}", named_tensors.len()));
        }
        step!("2");
        for (name, tensor) in named_tensors {
            step!("2.1");
            if tensor.constant() {
                return Err(format!("the tensor {name:?} is constant"));
            }
            step!("2.2");
            let Some(descriptor) = named_descriptors.get(name) else {
                return Err(format!("the graph has none that is named {name:?}"));
            };
            step!("2.3");
            if !tensor.descriptor().equals(descriptor) {
                return Err(format!("the tensor {name:?} is {}, not {descriptor}", tensor.descriptor().operand));
            }
        }
        step!("3");
        Ok(())
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-dispatch>
    ///
    /// # Errors
    /// TypeError for tensors that do not fit the graph or the context, InvalidStateError for a graph that was destroyed
    /// or that has hollow constants without data, and for tensors that are rented.
    pub fn dispatch(&self, graph: &MLGraph, inputs: &MLNamedTensors, outputs: &MLNamedTensors) -> Result<()> {
        algorithm!("MLContext.dispatch(graph, inputs, outputs)", self);
        step!("1");
        if graph.0.context != *self {
            throw!(TypeError, "the graph belongs to another context");
        }
        step!("2");
        if graph.is_destroyed() {
            throw!(InvalidStateError, "the graph was destroyed");
        }
        graph.ensure_constants_are_set()?;
        step!("3");
        let all_tensors: Vec<&MLTensor> = inputs.iter().chain(outputs).map(|(_, tensor)| tensor).collect();
        step!("4");
        if has_duplicates(&all_tensors) {
            throw!(TypeError, "a tensor is given more than once");
        }
        step!("5");
        for tensor in &all_tensors {
            step!("5.1");
            if tensor.0.context != *self {
                throw!(TypeError, "a tensor belongs to another context");
            }
            step!("5.2");
            if tensor.is_destroyed() {
                throw!(TypeError, "a tensor was destroyed");
            }
        }
        step!("6");
        if let Err(reason) = Self::validate_tensors_with_descriptors(inputs, graph.input_descriptors()) {
            throw!(TypeError, "inputs: {reason}");
        }
        step!("7");
        if let Err(reason) = Self::validate_tensors_with_descriptors(outputs, graph.output_descriptors()) {
            throw!(TypeError, "outputs: {reason}");
        }
        for tensor in all_tensors {
            tensor.ensure_not_rented()?;
        }
        step!("8");
        let (context, graph) = (self.clone(), graph.clone());
        let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.dispatch(graph, inputs, outputs)", context);
            step!("8.1");
            if context.is_lost() {
                return;
            }
            step!("8.1.1");
            context.issue_a_dispatch(&graph, &inputs, &outputs);
        });
        Ok(())
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-createtensor>
    pub fn create_tensor(&self, descriptor: &MLTensorDescriptor) -> Promise<MLTensor> {
        algorithm!("MLContext.createTensor(descriptor)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        if !literal!("create-tensor-unchecked-dimensions") && !descriptor.check_dimensions(&self.limits) {
            reject!(TypeError, "{} has dimensions that are not supported", descriptor.operand);
        }
        step!("4");
        let tensor = MLTensor::create(self, descriptor);
        step!("5");
        let promise = Promise::new();
        step!("6");
        let (context, settled) = (self.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.createTensor(descriptor)", context);
            step!("6.1");
            if !context.is_lost() {
                step!("6.1.1");
                let data = context.allocate(&tensor);
                match data {
                    Err(error) => {
                        step!("6.1.2");
                        context.notice(&error);
                        let failure = exception!(UnknownError, "{error}");
                        context.global.queue_an_ml_task(move || settled.reject(failure));
                    }
                    Ok(data) => {
                        step!("6.1.3");
                        tensor.0.data.set(Some(data));
                        context.add_tensor(&tensor);
                        let task_global = context.global.clone();
                        task_global.queue_an_ml_task(move || settled.resolve(tensor));
                    }
                }
                return;
            }
            step!("6.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("7");
        promise
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-createconstanttensor>
    pub fn create_constant_tensor(
        &self,
        descriptor: &MLOperandDescriptor,
        input_data: &BufferSource,
    ) -> Promise<MLTensor> {
        algorithm!("MLContext.createConstantTensor(descriptor, inputData)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if self.is_lost() {
            reject!(InvalidStateError, "the context is lost");
        }
        step!("4");
        if !descriptor.check_dimensions(&self.limits) {
            reject!(TypeError, "{descriptor} has dimensions that are not supported");
        }
        step!("5");
        if !validate_buffer_with_descriptor(input_data, descriptor) {
            reject!(TypeError, "{}", mismatch(input_data, descriptor));
        }
        step!("6");
        let bytes = input_data.copy_of_bytes();
        step!("7"); // BY TYPE: step 5 compared the lengths.
        step!("8");
        let tensor = MLTensor::create_constant(self, descriptor);
        step!("9");
        let promise = Promise::new();
        step!("10");
        let (context, settled) = (self.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.createConstantTensor(descriptor, inputData)", context);
            step!("10.1");
            if !context.is_lost() {
                step!("10.1.1");
                let data = context.allocate(&tensor);
                let data = match data {
                    Ok(data) => data,
                    Err(error) => {
                        step!("10.1.2");
                        context.notice(&error);
                        let failure = exception!(UnknownError, "{error}");
                        return context.global.queue_an_ml_task(move || settled.reject(failure));
                    }
                };
                tensor.0.data.set(Some(data));
                step!("10.1.3");
                let copied = context.platform().write_tensor(data, bytes);
                if let Err(error) = copied {
                    step!("10.1.4");
                    context.notice(&error);
                    let failure = exception!(UnknownError, "{error}");
                    return context.global.queue_an_ml_task(move || settled.reject(failure));
                }
                step!("10.1.5");
                context.add_tensor(&tensor);
                let task_global = context.global.clone();
                task_global.queue_an_ml_task(move || settled.resolve(tensor));
                return;
            }
            step!("10.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("11");
        promise
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-readtensor>
    pub fn read_tensor(&self, tensor: &MLTensor) -> Promise<ArrayBuffer> {
        algorithm!("MLContext.readTensor(tensor)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if tensor.0.context != *self {
            reject!(TypeError, "the tensor belongs to another context");
        }
        step!("4");
        if tensor.is_destroyed() {
            reject!(TypeError, "the tensor was destroyed");
        }
        step!("5");
        if !tensor.readable() {
            reject!(TypeError, "the tensor is not readable");
        }
        if let Err(rented) = tensor.ensure_not_rented() {
            return Promise::rejected(rented);
        }
        step!("6");
        let promise = Promise::new();
        step!("7");
        tensor.0.pending_promises.borrow_mut().push(PendingRead::Buffer(promise.clone()));
        step!("8");
        let (context, tensor, settled) = (self.clone(), tensor.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.readTensor(tensor)", context);
            step!("8.1");
            if !context.is_lost() {
                step!("8.1.1");
                // The copy may still be under way when the task runs; the task waits for it.
                let bytes = context.begin_read(&tensor);
                let task_global = context.global.clone();
                task_global.queue_an_ml_task(move || {
                    algorithm!("MLContext.readTensor(tensor)", context);
                    match bytes.and_then(crate::platform::PendingBytes::wait) {
                        Err(error) => {
                            step!("8.1.2");
                            step!("8.1.2.1");
                            tensor.remove_pending(&PendingRead::Buffer(settled.clone()));
                            step!("8.1.2.2");
                            settled.reject(exception!(UnknownError, "{error}"));
                            context.notice(&error);
                        }
                        Ok(bytes) => {
                            step!("8.1.3");
                            step!("8.1.3.1");
                            tensor.remove_pending(&PendingRead::Buffer(settled.clone()));
                            step!("8.1.3.2");
                            let buffer = ArrayBuffer::new(bytes);
                            step!("8.1.3.3");
                            settled.resolve(buffer);
                        }
                    }
                });
                return;
            }
            step!("8.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("9");
        promise
    }

    /// Creates a tensor's data, if there is room for it.
    pub(crate) fn allocate(&self, tensor: &MLTensor) -> std::result::Result<TensorData, PlatformError> {
        self.make_room(tensor.descriptor().device_bytes(), None)?;
        self.platform().create_tensor(tensor.descriptor())
    }

    /// Converts a graph, if there is room for the constants that have their data.
    pub(crate) fn convert(&self, computation: Computation) -> std::result::Result<GraphImplementation, PlatformError> {
        self.make_room(computation.constant_bytes(), None)?;
        self.platform().convert(computation)
    }

    fn begin_read(
        &self,
        tensor: &MLTensor,
    ) -> std::result::Result<Box<dyn crate::platform::PendingBytes>, PlatformError> {
        if let Some(failure) = tensor.failure() {
            return Err(PlatformError::Unreadable(failure));
        }
        match tensor.data() {
            Some(data) => self.platform().read_tensor(data),
            None => Err(PlatformError::Unsupported("the tensor has no data".into())),
        }
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-readtensor-tensor-outputdata>
    pub fn read_tensor_into(&self, tensor: &MLTensor, output_data: &BufferSource) -> Promise<()> {
        algorithm!("MLContext.readTensor(tensor, outputData)", self);
        step!("1");
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if tensor.0.context != *self {
            reject!(TypeError, "the tensor belongs to another context");
        }
        step!("4");
        if tensor.is_destroyed() {
            reject!(TypeError, "the tensor was destroyed");
        }
        step!("5");
        if !tensor.readable() {
            reject!(TypeError, "the tensor is not readable");
        }
        step!("6");
        if !validate_buffer_with_descriptor(output_data, tensor.descriptor()) {
            reject!(TypeError, "{}", mismatch(output_data, tensor.descriptor()));
        }
        if let Err(rented) = tensor.ensure_not_rented() {
            return Promise::rejected(rented);
        }
        step!("7");
        let promise = Promise::new();
        step!("8");
        tensor.0.pending_promises.borrow_mut().push(PendingRead::Undefined(promise.clone()));
        step!("9");
        let (context, tensor, output_data, settled) =
            (self.clone(), tensor.clone(), output_data.clone(), promise.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.readTensor(tensor, outputData)", context);
            step!("9.1");
            if !context.is_lost() {
                step!("9.1.1");
                let bytes = context.begin_read(&tensor);
                let task_global = context.global.clone();
                task_global.queue_an_ml_task(move || {
                    algorithm!("MLContext.readTensor(tensor, outputData)", context);
                    match bytes.and_then(crate::platform::PendingBytes::wait) {
                        Err(error) => {
                            step!("9.1.2");
                            step!("9.1.2.1");
                            tensor.remove_pending(&PendingRead::Undefined(settled.clone()));
                            step!("9.1.2.2");
                            settled.reject(exception!(UnknownError, "{error}"));
                            context.notice(&error);
                        }
                        Ok(bytes) => {
                            step!("9.1.3");
                            step!("9.1.3.1");
                            tensor.remove_pending(&PendingRead::Undefined(settled.clone()));
                            step!("9.1.3.2");
                            if output_data.buffer().is_detached() {
                                return settled.reject(exception!(TypeError, "outputData was detached meanwhile"));
                            }
                            step!("9.1.3.3");
                            output_data.write(&bytes);
                            step!("9.1.3.4");
                            settled.resolve(());
                        }
                    }
                });
                return;
            }
            step!("9.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("10");
        promise
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-writetensor>
    ///
    /// # Errors
    /// TypeError for a tensor of another context, one that was destroyed or is not writable, and for data that does not
    /// match its descriptor; InvalidStateError for a tensor that is rented.
    pub fn write_tensor(&self, tensor: &MLTensor, input_data: &BufferSource) -> Result<()> {
        algorithm!("MLContext.writeTensor(tensor, inputData)", self);
        step!("1");
        if tensor.0.context != *self {
            throw!(TypeError, "the tensor belongs to another context");
        }
        step!("2");
        if tensor.is_destroyed() {
            throw!(TypeError, "the tensor was destroyed");
        }
        step!("3");
        if !tensor.writable() {
            throw!(TypeError, "the tensor is not writable");
        }
        step!("4");
        if !validate_buffer_with_descriptor(input_data, tensor.descriptor()) {
            throw!(TypeError, "{}", mismatch(input_data, tensor.descriptor()));
        }
        tensor.ensure_not_rented()?;
        step!("5");
        let bytes = input_data.copy_of_bytes();
        step!("6"); // BY TYPE: step 4 compared the lengths.
        step!("7");
        let (context, tensor) = (self.clone(), tensor.clone());
        self.timeline.enqueue(move || {
            algorithm!("MLContext.writeTensor(tensor, inputData)", context);
            step!("7.1");
            if context.is_lost() {
                return;
            }
            step!("7.1.1");
            let Some(data) = tensor.data() else {
                return;
            };
            let copied = context.platform().write_tensor(data, bytes);
            tensor.set_failure(None);
            if let Err(error) = copied {
                context.context_lost(format!("writing a tensor failed: {error}"));
            }
        });
        Ok(())
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlcontext-destroy>
    pub fn destroy(&self) {
        algorithm!("MLContext.destroy()", self);
        step!("1");
        if self.is_lost() {
            return;
        }
        step!("2");
        self.lose("destroy() was called");
    }

    /// <https://www.w3.org/TR/webnn/#context-lost>
    pub fn context_lost(&self, message: String) {
        algorithm!("context lost", self);
        step!("1");
        let global = &self.global;
        step!("2");
        let context = self.clone();
        global.queue_an_ml_task(move || {
            algorithm!("context lost", context);
            step!("2.1");
            context.lose(&message);
        });
    }

    /// <https://www.w3.org/TR/webnn/#mlcontext-lose>
    pub fn lose(&self, message: &str) {
        algorithm!("MLContext/lose", self);
        step!("1");
        let mut info = MLContextLostInfo::default();
        step!("2");
        message.clone_into(&mut info.message);
        step!("3");
        if let Some(lost) = &self.lost {
            lost.resolve(info);
        }
        step!("4");
        for graph in self.all_graphs() {
            step!("4.1");
            graph.destroy();
        }
        step!("5");
        let tensors: Vec<_> = self.tensors.borrow().iter().filter_map(Weak::upgrade).collect();
        for tensor in tensors {
            step!("5.1");
            MLTensor(tensor).destroy();
        }
    }
}

fn has_duplicates(tensors: &[&MLTensor]) -> bool {
    let mut addresses: Vec<_> = tensors.iter().map(|tensor| Rc::as_ptr(&tensor.0)).collect();
    addresses.sort_unstable();
    addresses.windows(2).any(|pair| pair[0] == pair[1])
}

pub(crate) fn data_of(tensors: &MLNamedTensors) -> Option<Vec<(String, TensorData)>> {
    tensors.iter().map(|(name, tensor)| Some((name.clone(), tensor.data()?))).collect()
}
