//! Residency: a graph leaves the memory of the device, and returns.
//!
//! What leaves is constants and intermediate tensors; compiled kernels and their parameters stay, so that a return is a
//! matter of copying. What is recorded or running still has the buffers that it bound, so that leaving waits until the device
//! is done with them: the memory is free once `offload()` is fulfilled ([`Account`](crate::account::Account)).

use webnn_reference::platform::{PlatformError, Residence};

use crate::graph::{Bindings, Graph};
use crate::weights::Ring;

impl Graph {
    /// How many more bytes of device memory a dispatch takes.
    pub(crate) fn bytes_to_dispatch(&self) -> u64 {
        self.memory.constants.all_missing() + self.missing_intermediates()
    }

    /// How many bytes of device memory [`offload`](Self::offload) frees.
    pub(crate) fn bytes_to_offload(&self) -> u64 {
        self.memory.constants.movable() + self.intermediates()
    }

    /// Lets the graph leave the memory of the device. Where it can not, it stays as it is.
    pub(crate) fn offload(&mut self, to: Residence, ring: &mut Ring) -> Result<(), PlatformError> {
        // What was supplied may still be on its way.
        ring.submit()?;
        let account = ring.account();
        account.device().ensure_present()?;
        self.memory.constants.offload(to, self.used, account)?;
        self.release_intermediates(account);
        account.settle();
        Ok(())
    }

    /// Records the graph's dispatches; its constants are on the device.
    pub(crate) fn run(&mut self, ring: &mut Ring, bindings: &Bindings) -> Result<(), PlatformError> {
        ring.submit()?;
        self.make_intermediates(ring.account())?;
        Ok(self.record(0..self.steps.len(), ring.account().batch(), bindings)?)
    }
}
