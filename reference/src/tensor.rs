//! `MLTensor`: <https://www.w3.org/TR/webnn/#api-mltensor>.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::buffer::ArrayBuffer;
use crate::context::MLContext;
use crate::data_type::MLOperandDataType;
use crate::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use crate::exception::Exception;
use crate::platform::TensorData;
use crate::promise::Promise;
use crate::proposals::interop::Exportable;
use crate::steps::Reading;
use crate::{algorithm, exception, step};

/// A promise of either form of `readTensor()`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PendingRead {
    /// Of `readTensor(tensor)`.
    Buffer(Promise<ArrayBuffer>),
    /// Of `readTensor(tensor, outputData)`.
    Undefined(Promise<()>),
}

impl PendingRead {
    fn reject(&self, exception: Exception) {
        match self {
            Self::Buffer(promise) => promise.reject(exception),
            Self::Undefined(promise) => promise.reject(exception),
        }
    }
}

/// The internal slots of an `MLTensor`.
#[derive(Debug)]
pub struct TensorSlots {
    pub(crate) context: MLContext,
    pub(crate) descriptor: MLTensorDescriptor,
    pub(crate) pending_promises: RefCell<Vec<PendingRead>>,
    pub(crate) is_destroyed: Cell<bool>,
    pub(crate) data: Cell<Option<TensorData>>,
    pub(crate) is_constant: bool,
    pub(crate) failure: RefCell<Option<String>>,
    pub(crate) exportable: Option<Exportable>,
}

impl Drop for TensorSlots {
    /// A tensor that script has forgotten is of no use to anybody: nothing on the timeline holds it either.
    fn drop(&mut self) {
        if let Some(data) = self.data.take() {
            let is_rented = self.exportable.as_ref().is_some_and(Exportable::is_rented);
            self.context.forget(|platform| {
                // Script has forgotten the buffer as well, but not what it put it in, such as a bind group.
                if is_rented {
                    drop(platform.return_tensor(data));
                }
                platform.release_tensor(data);
            });
        }
    }
}

/// A tensor that may be used as an input or output of an `MLGraph`. Clones are the same tensor.
#[derive(Clone, Debug)]
pub struct MLTensor(pub(crate) Rc<TensorSlots>);

impl PartialEq for MLTensor {
    /// Whether both are the same tensor.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl MLTensor {
    fn new(
        context: &MLContext,
        descriptor: MLTensorDescriptor,
        is_constant: bool,
        exportable: Option<Exportable>,
    ) -> Self {
        Self(Rc::new(TensorSlots {
            context: context.clone(),
            descriptor,
            pending_promises: RefCell::default(),
            is_destroyed: Cell::new(false),
            data: Cell::new(None),
            is_constant,
            failure: RefCell::default(),
            exportable,
        }))
    }

    /// <https://www.w3.org/TR/webnn/#create-an-mltensor>
    pub(crate) fn create(context: &MLContext, descriptor: &MLTensorDescriptor) -> Self {
        Self::create_with(context, descriptor, None)
    }

    /// The same, of an exportable tensor.
    pub(crate) fn create_exportable(
        context: &MLContext,
        descriptor: &MLTensorDescriptor,
        exportable: Exportable,
    ) -> Self {
        Self::create_with(context, descriptor, Some(exportable))
    }

    fn create_with(context: &MLContext, descriptor: &MLTensorDescriptor, exportable: Option<Exportable>) -> Self {
        algorithm!("create an MLTensor", context);
        step!("1"); // BY TYPE: there is one realm, that of the context.
        step!("2");
        step!("3");
        step!("4");
        step!("5");
        step!("6");
        let tensor = Self::new(context, descriptor.clone(), false, exportable);
        step!("7");
        tensor
    }

    /// <https://www.w3.org/TR/webnn/#create-a-constant-mltensor>
    pub(crate) fn create_constant(context: &MLContext, input_descriptor: &MLOperandDescriptor) -> Self {
        algorithm!("create a constant MLTensor", context);
        step!("1"); // BY TYPE: there is one realm, that of the context.
        step!("2");
        step!("3");
        step!("4");
        step!("5");
        step!("6");
        step!("7");
        step!("8");
        let tensor_descriptor =
            MLTensorDescriptor { operand: input_descriptor.clone(), readable: false, writable: false };
        step!("9");
        step!("10");
        step!("11");
        let tensor = Self::new(context, tensor_descriptor, true, None);
        step!("12");
        tensor
    }

    /// <https://www.w3.org/TR/webnn/#dom-mltensor-datatype>
    pub fn data_type(&self) -> MLOperandDataType {
        self.0.descriptor.data_type
    }

    /// <https://www.w3.org/TR/webnn/#dom-mltensor-shape>
    pub fn shape(&self) -> &[u32] {
        &self.0.descriptor.shape
    }

    /// <https://www.w3.org/TR/webnn/#dom-mltensor-readable>
    pub fn readable(&self) -> bool {
        self.0.descriptor.readable
    }

    /// <https://www.w3.org/TR/webnn/#dom-mltensor-writable>
    pub fn writable(&self) -> bool {
        self.0.descriptor.writable
    }

    /// <https://www.w3.org/TR/webnn/#dom-mltensor-constant>
    pub fn constant(&self) -> bool {
        self.0.is_constant
    }

    /// Its `[[descriptor]]`.
    pub fn descriptor(&self) -> &MLTensorDescriptor {
        &self.0.descriptor
    }

    /// The platform's side of it, once its creation has come up on the timeline and until it is released.
    pub fn data(&self) -> Option<TensorData> {
        self.0.data.get()
    }

    pub(crate) fn reading(&self) -> Reading {
        self.0.context.reading()
    }

    pub(crate) fn is_destroyed(&self) -> bool {
        self.0.is_destroyed.get()
    }

    pub(crate) fn remove_pending(&self, promise: &PendingRead) {
        self.0.pending_promises.borrow_mut().retain(|pending| pending != promise);
    }

    pub(crate) fn downgrade(&self) -> Weak<TensorSlots> {
        Rc::downgrade(&self.0)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mltensor-destroy>
    pub fn destroy(&self) {
        algorithm!("MLTensor.destroy()", self);
        step!("1");
        self.0.is_destroyed.set(true);
        step!("2");
        let pending_promises = self.0.pending_promises.take();
        for promise in pending_promises {
            step!("2.1");
            step!("2.2");
            promise.reject(exception!(InvalidStateError, "the tensor was destroyed before it was read"));
        }
        self.destroy_the_exported_buffer();
        step!("3");
        let tensor = self.clone();
        self.0.context.timeline.enqueue(move || {
            algorithm!("MLTensor.destroy()", tensor);
            step!("3.1");
            if let Some(data) = tensor.0.data.take() {
                tensor.0.context.platform().release_tensor(data);
            }
        });
    }
}
