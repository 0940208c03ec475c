//! What WebNN takes of WebGPU: a device, which can be lost, and a buffer on it: <https://www.w3.org/TR/webgpu/>.
//!
//! Both are handles with which script deals; a platform stands behind them. Whoever makes a [`GPUDevice`] says what it is
//! in truth, and the platform of a context that is created from it takes it for that: the interpreter knows a
//! [`VirtualDevice`](crate::virtual_device::VirtualDevice), another platform a device of its own. It also says what a
//! [`GPUBuffer`] is in truth, once the tensor that it was exported from is handed over.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

use crate::context::{ContextSlots, MLContext};
use crate::proposals::interop;
use crate::tensor::MLTensor;

/// A `GPUDevice`. Clones are the same device.
#[derive(Clone)]
pub struct GPUDevice(Rc<DeviceSlots>);

struct DeviceSlots {
    backing: Rc<dyn Any>,
    lost: RefCell<Option<String>>,
    contexts: RefCell<Vec<Weak<ContextSlots>>>,
}

impl fmt::Debug for GPUDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GPUDevice")
    }
}

impl PartialEq for GPUDevice {
    /// Whether both are the same device.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl GPUDevice {
    /// A device that is `backing` in truth.
    pub fn new(backing: Rc<dyn Any>) -> Self {
        Self(Rc::new(DeviceSlots { backing, lost: RefCell::default(), contexts: RefCell::default() }))
    }

    /// What it is in truth.
    pub fn backing(&self) -> &Rc<dyn Any> {
        &self.0.backing
    }

    /// Why it was lost, if it was.
    pub fn lost(&self) -> Option<String> {
        self.0.lost.borrow().clone()
    }

    /// Resolves its promise `lost`: the contexts that were created from it are lost. Without effect the second time.
    ///
    /// What it is in truth has to have been lost by then.
    pub fn lose(&self, message: &str) {
        if self.lost().is_none() {
            *self.0.lost.borrow_mut() = Some(message.to_owned());
            interop::lose_contexts(self, message);
        }
    }

    pub(crate) fn add_context(&self, context: &MLContext) {
        let mut contexts = self.0.contexts.borrow_mut();
        contexts.retain(|context| context.strong_count() > 0);
        contexts.push(context.downgrade());
    }

    pub(crate) fn contexts(&self) -> Vec<MLContext> {
        self.0.contexts.borrow().iter().filter_map(MLContext::upgrade).collect()
    }
}

/// `GPUBufferUsageFlags`: <https://www.w3.org/TR/webgpu/#typedefdef-gpubufferusageflags>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GPUBufferUsage(pub u32);

impl GPUBufferUsage {
    /// `MAP_READ`.
    pub const MAP_READ: Self = Self(0x0001);
    /// `MAP_WRITE`.
    pub const MAP_WRITE: Self = Self(0x0002);
    /// `COPY_SRC`.
    pub const COPY_SRC: Self = Self(0x0004);
    /// `COPY_DST`.
    pub const COPY_DST: Self = Self(0x0008);
    /// `INDEX`.
    pub const INDEX: Self = Self(0x0010);
    /// `VERTEX`.
    pub const VERTEX: Self = Self(0x0020);
    /// `UNIFORM`.
    pub const UNIFORM: Self = Self(0x0040);
    /// `STORAGE`.
    pub const STORAGE: Self = Self(0x0080);
    /// `INDIRECT`.
    pub const INDIRECT: Self = Self(0x0100);
    /// `QUERY_RESOLVE`.
    pub const QUERY_RESOLVE: Self = Self(0x0200);

    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all usages of `other` are among these.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A `GPUBuffer` that was exported from a tensor. Clones are the same buffer.
#[derive(Clone, Debug)]
pub struct GPUBuffer {
    pub(crate) tensor: MLTensor,
    pub(crate) slots: Rc<BufferSlots>,
}

/// The internal slots of a `GPUBuffer`.
#[derive(Debug)]
pub struct BufferSlots {
    pub(crate) size: u64,
    pub(crate) usage: GPUBufferUsage,
    pub(crate) is_destroyed: Cell<bool>,
    pub(crate) contents: RefCell<Contents>,
}

/// What is in a buffer.
#[derive(Clone)]
pub(crate) enum Contents {
    /// The export is still on the timeline.
    ToCome,
    /// What the buffer is in truth, with the contents of the tensor.
    Exported(Rc<dyn Any>),
    /// Nothing: the buffer is invalid, for this reason.
    Invalid(String),
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToCome => f.write_str("ToCome"),
            Self::Exported(_) => f.write_str("Exported"),
            Self::Invalid(why) => write!(f, "Invalid({why:?})"),
        }
    }
}

/// Why an application can not use a buffer: what WebGPU makes of its commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The buffer was destroyed: a validation error.
    Destroyed,
    /// The export failed: a validation error too.
    Invalid(String),
    /// The device is lost: nothing happens.
    Lost,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Destroyed => f.write_str("the buffer was destroyed"),
            Self::Invalid(why) => write!(f, "the buffer is invalid: {why}"),
            Self::Lost => f.write_str("the device of the buffer is lost"),
        }
    }
}

impl std::error::Error for Unusable {}

impl GPUBuffer {
    pub(crate) fn new(tensor: &MLTensor, size: u64, usage: GPUBufferUsage) -> Self {
        let contents = RefCell::new(Contents::ToCome);
        let slots = BufferSlots { size, usage, is_destroyed: Cell::new(false), contents };
        Self { tensor: tensor.clone(), slots: Rc::new(slots) }
    }

    /// The device that it is a buffer of.
    pub fn device(&self) -> Option<&GPUDevice> {
        self.tensor.0.context.gpu_device()
    }

    /// Its `size`.
    pub fn size(&self) -> u64 {
        self.slots.size
    }

    /// Its `usage`.
    pub fn usage(&self) -> GPUBufferUsage {
        self.slots.usage
    }

    /// Whether it was destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.slots.is_destroyed.get()
    }

    /// What it is in truth, to be used in what is submitted to the device's queue next.
    ///
    /// Such a submission comes behind the export. So the timeline of the tensor's context is run up to there, if it has
    /// not come so far; nothing is waited for.
    ///
    /// # Errors
    /// If it was destroyed, if the export failed, or if the device is lost.
    pub fn contents(&self) -> Result<Rc<dyn Any>, Unusable> {
        let context = &self.tensor.0.context;
        if self.device().is_some_and(|device| device.lost().is_some()) {
            return Err(Unusable::Lost);
        }
        if self.is_destroyed() {
            return Err(Unusable::Destroyed);
        }
        while matches!(*self.slots.contents.borrow(), Contents::ToCome) {
            if context.pump(1) == 0 {
                break;
            }
        }
        match &*self.slots.contents.borrow() {
            Contents::Exported(memory) => Ok(Rc::clone(memory)),
            Contents::Invalid(why) => Err(Unusable::Invalid(why.clone())),
            Contents::ToCome => Err(Unusable::Invalid("its tensor was never exported".to_owned())),
        }
    }

    /// `destroy()`: ends the rent of its tensor. Without effect the second time.
    pub fn destroy(&self) {
        if !self.slots.is_destroyed.replace(true) {
            self.return_the_tensor();
        }
    }
}
