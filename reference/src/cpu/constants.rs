//! The constants of a graph of the interpreter: their values, and where these are, as if there were a device.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{too_large, unknown};
use crate::buffer::Bytes;
use crate::descriptor::MLOperandDescriptor;
use crate::ledger::{Kind, Ledger, Way};
use crate::number::byte_count;
use crate::operand::OperandId;
use crate::platform::{PlatformError, Residence};
use crate::supply::{Part, Supply};
use crate::value::{Computed, Value, reserved};

/// So many bytes of a blob or a stream are read at once.
const CHUNK: usize = 1 << 20;

/// The constants of a graph.
#[derive(Debug, Default)]
pub(super) struct Constants(BTreeMap<OperandId, Constant>);

#[derive(Debug)]
struct Constant {
    descriptor: MLOperandDescriptor,
    data: Data,
    /// The parts that came from blobs: all of the data, or it can not be read again.
    sources: Vec<Part>,
}

#[derive(Debug)]
enum Data {
    /// The value of a tensor, whose memory is the tensor's.
    Borrowed(Rc<Value>),
    /// Not all parts are there yet; nothing is in memory as long as there are no bytes.
    Arriving { bytes: Vec<u8>, arrived: u64 },
    /// In the memory of the device.
    OnDevice(Rc<Value>),
    /// In the memory of the host.
    OnHost(Rc<Value>),
    /// Where it came from.
    AtSource,
}

impl Constants {
    /// Adds a constant that is a tensor.
    pub(super) fn borrow(&mut self, operand: OperandId, descriptor: &MLOperandDescriptor, value: Rc<Value>) {
        self.add(operand, descriptor, Data::Borrowed(value));
    }

    /// Adds a constant whose value is known.
    pub(super) fn hold(
        &mut self,
        operand: OperandId,
        descriptor: &MLOperandDescriptor,
        value: impl Into<Rc<Value>>,
        ledger: &mut Ledger,
    ) {
        ledger.allocate(Kind::Constants, descriptor.device_bytes());
        ledger.moved(Way::Upload, descriptor.byte_length());
        self.add(operand, descriptor, Data::OnDevice(value.into()));
    }

    /// Adds a constant whose data comes later.
    pub(super) fn expect(&mut self, operand: OperandId, descriptor: &MLOperandDescriptor) {
        self.add(operand, descriptor, Data::Arriving { bytes: Vec::new(), arrived: 0 });
    }

    fn add(&mut self, operand: OperandId, descriptor: &MLOperandDescriptor, data: Data) {
        self.0.insert(operand, Constant { descriptor: descriptor.clone(), data, sources: Vec::new() });
    }

    /// Takes a part of a constant's data.
    pub(super) fn supply(
        &mut self,
        operand: OperandId,
        part: Part,
        residence: Residence,
        ledger: &mut Ledger,
    ) -> Result<(), PlatformError> {
        self.0.get_mut(&operand).ok_or_else(|| unknown("constant"))?.supply(part, residence, ledger)
    }

    /// The values that are in memory, of whichever.
    pub(super) fn values(&self) -> impl Iterator<Item = (OperandId, Rc<Value>)> {
        self.0.iter().filter_map(|(operand, constant)| match &constant.data {
            Data::Borrowed(value) | Data::OnDevice(value) | Data::OnHost(value) => Some((*operand, Rc::clone(value))),
            Data::Arriving { .. } | Data::AtSource => None,
        })
    }

    /// The values that are in the memory of the device.
    pub(super) fn resident(&self) -> BTreeMap<OperandId, Rc<Value>> {
        self.0.iter().filter_map(|(operand, constant)| Some((*operand, constant.resident()?))).collect()
    }

    /// The bytes that a constant takes in the memory of the device once it is there, if it is not.
    pub(super) fn missing(&self, operand: OperandId) -> u64 {
        self.0.get(&operand).map_or(0, Constant::missing)
    }

    /// The bytes that all constants take there that are not.
    pub(super) fn all_missing(&self) -> u64 {
        self.0.values().map(Constant::missing).sum()
    }

    /// The bytes in the memory of the device that offloading frees.
    pub(super) fn movable(&self) -> u64 {
        let is_movable = |constant: &&Constant| matches!(constant.data, Data::OnDevice(_));
        self.0.values().filter(is_movable).map(|constant| constant.descriptor.device_bytes()).sum()
    }

    pub(super) fn offload(&mut self, to: Residence, ledger: &mut Ledger) {
        self.0.values_mut().for_each(|constant| constant.offload(to, ledger));
    }

    pub(super) fn reload(&mut self, ledger: &mut Ledger) -> Result<(), PlatformError> {
        self.0.values_mut().try_for_each(|constant| constant.reload(ledger))
    }

    /// A constant's value for an operator that is about to take it, although it is not in the memory of the device.
    pub(super) fn streamed(&self, operand: OperandId, ledger: &mut Ledger) -> Result<Option<Rc<Value>>, PlatformError> {
        let Some(constant) = self.0.get(&operand) else { return Ok(None) };
        let value = match &constant.data {
            Data::Borrowed(_) | Data::OnDevice(_) | Data::Arriving { .. } => return Ok(None),
            Data::OnHost(value) => Rc::clone(value),
            Data::AtSource => Rc::new(constant.read(ledger)?),
        };
        ledger.allocate(Kind::Constants, constant.descriptor.device_bytes());
        ledger.moved(Way::Upload, constant.descriptor.byte_length());
        Ok(Some(value))
    }

    /// Releases all that is in memory.
    pub(super) fn release(&mut self, ledger: &mut Ledger) {
        for constant in self.0.values_mut() {
            match &constant.data {
                Data::OnHost(_) => ledger.release(Kind::Offloaded, constant.descriptor.byte_length()),
                Data::OnDevice(_) => ledger.release(Kind::Constants, constant.descriptor.device_bytes()),
                Data::Arriving { bytes, .. } if !bytes.is_empty() => {
                    ledger.release(Kind::Constants, constant.descriptor.device_bytes());
                }
                Data::Arriving { .. } | Data::Borrowed(_) | Data::AtSource => {}
            }
        }
        self.0.clear();
    }
}

impl Constant {
    fn length(&self) -> u64 {
        self.descriptor.byte_length()
    }

    /// What it takes of the memory of the device.
    fn device_bytes(&self) -> u64 {
        self.descriptor.device_bytes()
    }

    fn resident(&self) -> Option<Rc<Value>> {
        match &self.data {
            Data::Borrowed(value) | Data::OnDevice(value) => Some(Rc::clone(value)),
            Data::OnHost(_) | Data::AtSource | Data::Arriving { .. } => None,
        }
    }

    fn missing(&self) -> u64 {
        match &self.data {
            Data::Borrowed(_) | Data::OnDevice(_) => 0,
            Data::Arriving { bytes, .. } if !bytes.is_empty() => 0,
            Data::Arriving { .. } | Data::OnHost(_) | Data::AtSource => self.device_bytes(),
        }
    }

    fn supply(&mut self, part: Part, residence: Residence, ledger: &mut Ledger) -> Result<(), PlatformError> {
        let Data::Arriving { mut bytes, arrived } =
            std::mem::replace(&mut self.data, Data::Arriving { bytes: Vec::new(), arrived: 0 })
        else {
            unreachable!("a constant that has its data is supplied with nothing");
        };
        let taken = self.take(&part, residence, &mut bytes, ledger);
        let arrived = arrived + if taken.is_ok() { part.length } else { 0 };
        self.data = Data::Arriving { bytes, arrived };
        taken?;
        if matches!(part.supply, Supply::Blob(_)) {
            self.sources.push(part);
        }
        if arrived == self.length() { self.complete() } else { Ok(()) }
    }

    /// Copies a part to where it belongs, if that is in the memory of the device.
    fn take(
        &self,
        part: &Part,
        residence: Residence,
        bytes: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) -> Result<(), PlatformError> {
        if residence != Residence::Device {
            return Ok(());
        }
        if bytes.is_empty() {
            // Those that were left at their source come along, or there is no memory as before.
            let mut begun = self.zeros()?;
            for earlier in &self.sources {
                copy(earlier, &mut begun, ledger)?;
            }
            ledger.allocate(Kind::Constants, self.device_bytes());
            *bytes = begun;
        }
        copy(part, bytes, ledger)
    }

    fn zeros(&self) -> Computed<Vec<u8>> {
        let length = usize::try_from(self.length()).map_err(|_| too_large(&self.descriptor))?;
        let mut bytes = reserved(length)?;
        bytes.resize(length, 0);
        Ok(bytes)
    }

    /// All parts are there: their bytes become a value, if they are in memory.
    fn complete(&mut self) -> Result<(), PlatformError> {
        if let Data::Arriving { bytes, .. } = &mut self.data {
            let bytes = std::mem::take(bytes);
            self.data = if bytes.is_empty() {
                Data::AtSource
            } else {
                Data::OnDevice(Rc::new(Value::repeating(&self.descriptor, &Bytes::new(bytes))?))
            };
        }
        Ok(())
    }

    fn can_be_read_again(&self) -> bool {
        self.sources.iter().map(|part| part.length).sum::<u64>() == self.length()
    }

    fn offload(&mut self, to: Residence, ledger: &mut Ledger) {
        let drops = to == Residence::Source && self.can_be_read_again();
        match &self.data {
            Data::OnDevice(_) if drops => {
                ledger.release(Kind::Constants, self.device_bytes());
                self.data = Data::AtSource;
            }
            Data::OnDevice(value) => {
                ledger.allocate(Kind::Offloaded, self.length());
                ledger.moved(Way::Download, self.length());
                ledger.release(Kind::Constants, self.device_bytes());
                self.data = Data::OnHost(Rc::clone(value));
            }
            Data::OnHost(_) if drops => {
                ledger.release(Kind::Offloaded, self.length());
                self.data = Data::AtSource;
            }
            Data::Borrowed(_) | Data::Arriving { .. } | Data::OnHost(_) | Data::AtSource => {}
        }
    }

    fn reload(&mut self, ledger: &mut Ledger) -> Result<(), PlatformError> {
        let value = match &self.data {
            Data::Borrowed(_) | Data::Arriving { .. } | Data::OnDevice(_) => return Ok(()),
            Data::OnHost(value) => {
                ledger.release(Kind::Offloaded, self.length());
                Rc::clone(value)
            }
            Data::AtSource => Rc::new(self.read(ledger)?),
        };
        ledger.allocate(Kind::Constants, self.device_bytes());
        ledger.moved(Way::Upload, self.length());
        self.data = Data::OnDevice(value);
        Ok(())
    }

    /// The value, from its blobs.
    fn read(&self, ledger: &mut Ledger) -> Result<Value, PlatformError> {
        let mut bytes = self.zeros()?;
        for part in &self.sources {
            fill(part, &mut bytes, ledger)?;
        }
        Value::repeating(&self.descriptor, &Bytes::new(bytes))
    }
}

/// Copies a part to its place, by way of the host.
fn copy(part: &Part, bytes: &mut [u8], ledger: &mut Ledger) -> Result<(), PlatformError> {
    fill(part, bytes, ledger)?;
    ledger.moved(Way::Upload, part.length);
    Ok(())
}

fn fill(part: &Part, bytes: &mut [u8], ledger: &mut Ledger) -> Result<(), PlatformError> {
    let place = usize::try_from(part.offset).and_then(|start| Ok(start..start + usize::try_from(part.length)?));
    let place = place.map_err(|_| PlatformError::OutOfMemory("more bytes than an address can count".to_owned()))?;
    let place = bytes.get_mut(place).ok_or_else(|| unknown("part"))?;
    match &part.supply {
        Supply::Bytes(source) => {
            place.copy_from_slice(&source.whole());
            return Ok(());
        }
        Supply::Blob(blob) => {
            let mut at = 0;
            for chunk in place.chunks_mut(CHUNK) {
                blob.read(at, chunk).map_err(PlatformError::Unreadable)?;
                at += byte_count(chunk);
            }
        }
        Supply::Stream(stream) => {
            stream.fill(place).and_then(|()| stream.ensure_end()).map_err(PlatformError::Unreadable)?;
        }
    }
    ledger.moved(Way::Read, part.length);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::data_type::MLOperandDataType::Uint8;
    use crate::supply::{Blob, Unreadable};

    /// Four bytes, which can be read or not.
    #[derive(Debug, Default)]
    struct Sevens(AtomicBool);

    impl Blob for Sevens {
        fn size(&self) -> u64 {
            4
        }

        fn read(&self, _: u64, into: &mut [u8]) -> Result<(), Unreadable> {
            into.fill(7);
            if self.0.load(Ordering::Relaxed) { Ok(()) } else { Err("gone".to_owned()) }
        }
    }

    /// What was left at its source and can not be read when the rest comes is not taken for zeros later.
    #[test]
    fn a_part_at_its_source_comes_along_or_nothing_does() {
        let (mut constants, mut ledger) = (Constants::default(), Ledger::default());
        let descriptor = MLOperandDescriptor::create(Uint8, &[8]);
        let operand = OperandId(0);
        constants.expect(operand, &descriptor);
        let blob = Rc::new(Sevens::default());
        let left = Part { offset: 0, length: 4, supply: Supply::Blob(blob.clone()) };
        constants.supply(operand, left, Residence::Source, &mut ledger).unwrap();
        let rest = || Part { offset: 4, length: 4, supply: Supply::Bytes(Bytes::new(vec![1, 2, 3, 4])) };
        assert!(constants.supply(operand, rest(), Residence::Device, &mut ledger).is_err());
        assert_eq!(constants.missing(operand), 8);
        blob.0.store(true, Ordering::Relaxed);
        constants.supply(operand, rest(), Residence::Device, &mut ledger).unwrap();
        let bytes = constants.resident()[&operand].to_bytes().unwrap();
        assert_eq!(bytes, [7, 7, 7, 7, 1, 2, 3, 4]);
    }
}
