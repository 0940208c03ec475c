//! The device of a `GPUDevice` that is no device: its buffers are bytes in memory.
//!
//! With it the interpreter runs whatever an application does between WebNN and WebGPU, on any machine. The application's
//! own kernels are functions on the bytes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::webgpu::{GPUBuffer, GPUDevice, Unusable};

/// A device without any hardware. Clones are the same device.
#[derive(Clone, Debug, Default)]
pub struct VirtualDevice {
    lost: Rc<Cell<bool>>,
}

impl VirtualDevice {
    /// The `GPUDevice` that it stands behind.
    pub fn gpu_device() -> GPUDevice {
        GPUDevice::new(Rc::new(Self::default()))
    }

    /// The virtual device behind a `GPUDevice`, if it is one.
    pub fn behind(device: &GPUDevice) -> Option<Self> {
        device.backing().downcast_ref::<Self>().cloned()
    }

    /// Loses it: whatever WebNN asks of it fails from now on.
    pub fn lose(&self) {
        self.lost.set(true);
    }

    /// Whether it is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.get()
    }
}

/// A buffer of a virtual device. Clones are the same memory.
#[derive(Clone, Debug, Default)]
pub struct VirtualBuffer(Rc<RefCell<Vec<u8>>>);

impl VirtualBuffer {
    pub(crate) fn holding(bytes: Vec<u8>) -> Self {
        Self(Rc::new(RefCell::new(bytes)))
    }

    /// The virtual buffer behind a `GPUBuffer`.
    ///
    /// # Errors
    /// If it can not be used, for whatever WebGPU would refuse it, or because its device is no virtual one.
    pub fn behind(buffer: &GPUBuffer) -> Result<Self, Unusable> {
        let contents = buffer.contents()?;
        let virtual_buffer = contents.downcast_ref::<Self>().cloned();
        virtual_buffer.ok_or_else(|| Unusable::Invalid("it is not of a virtual device".to_owned()))
    }

    /// Lets a kernel of the application work on the bytes.
    pub fn with<T>(&self, kernel: impl FnOnce(&mut [u8]) -> T) -> T {
        kernel(&mut self.0.borrow_mut())
    }

    /// A copy of the bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.borrow().clone()
    }
}
