//! A tensor that is exported, in every state: all sequences of up to six calls, on a virtual device.

mod renting;

use std::rc::Rc;
use std::thread;

use renting::{Application, CALLS, Pace, every_sequence};
use webnn_reference::cpu::Cpu;
use webnn_reference::ml::PlatformProvider;
use webnn_reference::virtual_device::{VirtualBuffer, VirtualDevice};
use webnn_reference::webgpu::{GPUBuffer, GPUDevice, Unusable};

/// An application on a virtual device.
struct Virtual;

impl Application for Virtual {
    fn provider(&self) -> Rc<dyn PlatformProvider> {
        Rc::new(Cpu)
    }

    fn open(&self) -> GPUDevice {
        VirtualDevice::gpu_device()
    }

    fn lose(&self, device: &GPUDevice) {
        VirtualDevice::behind(device).expect("a virtual device").lose();
        device.lose("lost on purpose");
    }

    fn read(&self, buffer: &GPUBuffer) -> Result<f32, Unusable> {
        Ok(VirtualBuffer::behind(buffer)?.with(|bytes| f32::from_le_bytes((&*bytes).try_into().expect("one number"))))
    }

    fn write(&self, buffer: &GPUBuffer, number: f32) -> Result<(), Unusable> {
        VirtualBuffer::behind(buffer)?.with(|bytes| bytes.copy_from_slice(&number.to_le_bytes()));
        Ok(())
    }
}

/// All sequences of so many calls, in two threads.
fn all(length: usize, pace: Pace) -> usize {
    let (early, late) = CALLS.split_at(CALLS.len() / 2);
    thread::scope(|scope| {
        let early = scope.spawn(move || every_sequence(&Virtual, early, length, pace));
        let late = scope.spawn(move || every_sequence(&Virtual, late, length, pace));
        early.join().expect("as the model") + late.join().expect("as the model")
    })
}

#[test]
fn six_calls_give_what_the_prose_says() {
    assert_eq!(all(6, Pace::EachCall), 531_441);
}

#[test]
fn calls_give_the_same_before_anything_is_executed() {
    assert_eq!(all(5, Pace::InTheEnd), 59_049);
}
