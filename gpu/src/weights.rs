//! The constants of a graph: where their data is, and how it gets there.
//!
//! Data that is supplied after the graph was built goes through a [`Ring`] of staging buffers straight to its place on the
//! device, whatever it comes from; so a model of any size is loaded in a bounded amount of host memory. Only words of which
//! a part has some bytes are put together on the host.

mod offloaded;
mod ring;
mod source;

use std::collections::BTreeMap;
use std::ops::Range;

use webnn_reference::ledger::{Kind, Way};
use webnn_reference::operand::OperandId;
use webnn_reference::platform::{PlatformError, Residence};
use webnn_reference::supply::{Part, Supply};

use crate::account::{Account, Allocation};
use crate::device::whole_words;
use offloaded::Offloaded;
pub(crate) use ring::{LARGEST, Ring};
use source::{Source, Supplier};

/// The constants of a graph.
#[derive(Debug, Default)]
pub(crate) struct Constants(BTreeMap<OperandId, Constant>);

#[derive(Debug)]
struct Constant {
    /// Its byte length.
    bytes: u64,
    data: Data,
    /// The parts that came from blobs: all of the data, or it can not be read again.
    sources: Vec<Part>,
}

#[derive(Debug)]
enum Data {
    /// A tensor's, whose memory is the tensor's.
    Borrowed(wgpu::Buffer),
    /// Not all parts are there yet.
    Arriving(Arriving),
    /// In the memory of the device.
    OnDevice(Allocation),
    /// In the memory of the host.
    OnHost(Offloaded),
    /// Where it came from.
    AtSource,
}

/// Data that arrives in parts.
#[derive(Debug, Default)]
struct Arriving {
    /// Where it goes; none as long as all of it was left at its source.
    memory: Option<Allocation>,
    arrived: u64,
    edges: Edges,
}

/// The words of which not all bytes arrived together, by their offsets.
type Edges = BTreeMap<u64, [u8; 4]>;

impl Constants {
    /// Adds a constant that is a tensor.
    pub(crate) fn borrow(&mut self, operand: OperandId, bytes: u64, buffer: wgpu::Buffer) {
        self.add(operand, bytes, Data::Borrowed(buffer));
    }

    /// Adds a constant that has its data.
    pub(crate) fn hold(&mut self, operand: OperandId, bytes: u64, memory: Allocation) {
        self.add(operand, bytes, Data::OnDevice(memory));
    }

    /// Adds a constant whose data comes later.
    pub(crate) fn expect(&mut self, operand: OperandId, bytes: u64) {
        self.add(operand, bytes, Data::Arriving(Arriving::default()));
    }

    fn add(&mut self, operand: OperandId, bytes: u64, data: Data) {
        self.0.insert(operand, Constant { bytes, data, sources: Vec::new() });
    }

    /// Where a constant's data is on the device, if all of it is there.
    pub(crate) fn resident(&self, operand: OperandId) -> Option<&wgpu::Buffer> {
        match &self.0.get(&operand)?.data {
            Data::Borrowed(buffer) => Some(buffer),
            Data::OnDevice(memory) => Some(memory.buffer()),
            Data::Arriving(_) | Data::OnHost(_) | Data::AtSource => None,
        }
    }

    /// All of them, with their byte lengths.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (OperandId, u64)> {
        self.0.iter().map(|(operand, constant)| (*operand, constant.bytes))
    }

    /// Reads the data of a constant that was given when the graph was built: from the memory of the device, or that of the
    /// host.
    pub(crate) fn read(
        &self,
        operand: OperandId,
        account: &Account,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), PlatformError> {
        let constant = self.0.get(&operand).ok_or_else(|| unsupported("the graph has no such constant"))?;
        if let Data::OnHost(offloaded) = &constant.data {
            take(offloaded.bytes());
            return Ok(());
        }
        let buffer = self.resident(operand).ok_or_else(|| unsupported("a constant has no data that could be read"))?;
        let _staging = account.hold(Kind::Staging, whole_words(constant.bytes));
        take(&account.batch().read(buffer, 0, constant.bytes).wait()?);
        account.moved(Way::Download, constant.bytes);
        Ok(())
    }

    /// Takes a part of a constant's data.
    pub(crate) fn supply(
        &mut self,
        operand: OperandId,
        part: Part,
        residence: Residence,
        ring: &mut Ring,
    ) -> Result<(), PlatformError> {
        let constant = self.0.get_mut(&operand);
        constant.ok_or_else(|| unsupported("the graph has no such constant"))?.supply(part, residence, ring)
    }

    /// The bytes of device memory that a constant takes once it has some, if it has none.
    pub(crate) fn missing(&self, operand: OperandId) -> u64 {
        self.0.get(&operand).map_or(0, Constant::missing)
    }

    /// The bytes of device memory that all of them take that have none.
    pub(crate) fn all_missing(&self) -> u64 {
        self.0.values().map(Constant::missing).sum()
    }

    /// The bytes of device memory that offloading frees.
    pub(crate) fn movable(&self) -> u64 {
        self.on_device().map(|(_, memory, _)| memory.bytes()).sum()
    }

    fn on_device(&self) -> impl Iterator<Item = (OperandId, &Allocation, &Constant)> {
        self.0.iter().filter_map(|(operand, constant)| match &constant.data {
            Data::OnDevice(memory) => Some((*operand, memory, constant)),
            _ => None,
        })
    }

    /// Moves the data out of the memory of the device. What is recorded, last at `used`, still has it.
    pub(crate) fn offload(&mut self, to: Residence, used: Option<u64>, account: &Account) -> Result<(), PlatformError> {
        let drops = |constant: &Constant| to == Residence::Source && constant.can_be_read_again();
        let kept = self.on_device().filter(|(_, _, constant)| !drops(constant));
        let kept = kept.map(|(operand, memory, constant)| (operand, (memory, constant.bytes)));
        let (operands, memories): (Vec<_>, Vec<_>) = kept.unzip();
        let offloaded = offloaded::download(account, &memories)?;
        for (operand, offloaded) in operands.into_iter().zip(offloaded) {
            if let Some(constant) = self.0.get_mut(&operand) {
                constant.leave(Data::OnHost(offloaded), used, account);
            }
        }
        let moved = |constant: &&mut Constant| matches!(constant.data, Data::OnDevice(_) | Data::OnHost(_));
        for constant in self.0.values_mut().filter(moved).filter(|constant| drops(constant)) {
            constant.leave(Data::AtSource, used, account);
        }
        Ok(())
    }

    /// Moves the data into the memory of the device, from wherever it is.
    pub(crate) fn reload(&mut self, ring: &mut Ring) -> Result<(), PlatformError> {
        self.0.values_mut().try_for_each(|constant| constant.reload(ring))
    }

    /// Copies the data of a constant that is not on the device to a place there that it has for a while.
    pub(crate) fn stream(
        &self,
        operand: OperandId,
        to: &wgpu::Buffer,
        at: u64,
        ring: &mut Ring,
    ) -> Result<(), PlatformError> {
        let constant = self.0.get(&operand).ok_or_else(|| unsupported("the graph has no such constant"))?;
        let supplier =
            constant.supplier().ok_or_else(|| unsupported("a constant has no data that could be streamed"))?;
        write_all(ring, to, at, constant.bytes, &supplier)
    }

    /// Lets go of everything. What is recorded, last at `used`, still has it.
    pub(crate) fn release(self, used: Option<u64>, account: &Account) {
        for constant in self.0.into_values() {
            match constant.data {
                Data::OnDevice(memory) | Data::Arriving(Arriving { memory: Some(memory), .. }) => {
                    account.part_with(memory, used);
                }
                Data::Borrowed(_) | Data::Arriving(_) | Data::OnHost(_) | Data::AtSource => {}
            }
        }
    }
}

impl Constant {
    fn missing(&self) -> u64 {
        match &self.data {
            Data::Borrowed(_) | Data::OnDevice(_) | Data::Arriving(Arriving { memory: Some(_), .. }) => 0,
            Data::Arriving(_) | Data::OnHost(_) | Data::AtSource => whole_words(self.bytes),
        }
    }

    fn supply(&mut self, part: Part, residence: Residence, ring: &mut Ring) -> Result<(), PlatformError> {
        let Data::Arriving(arriving) = &mut self.data else {
            return Err(unsupported("the constant has its data already"));
        };
        let is_blob = matches!(part.supply, Supply::Blob(_));
        if residence == Residence::Device || arriving.memory.is_some() || !is_blob {
            if arriving.memory.is_none() {
                // What was left at its source comes along, or there is no memory as before.
                let memory = ring.account().allocate("a constant", Kind::Constants, self.bytes)?;
                let mut begun = Arriving { memory: Some(memory), arrived: arriving.arrived, edges: Edges::new() };
                for earlier in &self.sources {
                    begun.copy(earlier, self.bytes, ring)?;
                }
                *arriving = begun;
            }
            arriving.copy(&part, self.bytes, ring)?;
        }
        arriving.arrived += part.length;
        if is_blob {
            self.sources.push(part);
        }
        if arriving.arrived == self.bytes {
            self.data = arriving.memory.take().map_or(Data::AtSource, Data::OnDevice);
            self.sources.sort_by_key(|part| part.offset);
        }
        Ok(())
    }

    fn can_be_read_again(&self) -> bool {
        self.sources.iter().map(|part| part.length).sum::<u64>() == self.bytes
    }

    /// What its data is taken from if it is not on the device.
    fn supplier(&self) -> Option<Supplier<'_>> {
        match &self.data {
            Data::OnHost(offloaded) => Some(Supplier::Shared(Source::All(offloaded.bytes()))),
            Data::AtSource => Some(Supplier::Shared(Source::Blobs(self.sources.iter().filter_map(placed).collect()))),
            Data::Borrowed(_) | Data::Arriving(_) | Data::OnDevice(_) => None,
        }
    }

    fn leave(&mut self, to: Data, used: Option<u64>, account: &Account) {
        if let Data::OnDevice(memory) = std::mem::replace(&mut self.data, to) {
            account.part_with(memory, used);
        }
    }

    fn reload(&mut self, ring: &mut Ring) -> Result<(), PlatformError> {
        let Some(supplier) = self.supplier() else { return Ok(()) };
        let memory = ring.account().allocate("a constant", Kind::Constants, self.bytes)?;
        write_all(ring, memory.buffer(), 0, self.bytes, &supplier)?;
        self.data = Data::OnDevice(memory);
        Ok(())
    }
}

/// A part's blob and its place in the constant.
fn placed(part: &Part) -> Option<(Range<u64>, &dyn webnn_reference::supply::Blob)> {
    match &part.supply {
        Supply::Blob(blob) => Some((part.offset..part.offset + part.length, blob.as_ref())),
        Supply::Bytes(_) | Supply::Stream(_) => None,
    }
}

/// Copies all of a constant's data, and notes that.
fn write_all(
    ring: &mut Ring,
    to: &wgpu::Buffer,
    at: u64,
    bytes: u64,
    supplier: &Supplier<'_>,
) -> Result<(), PlatformError> {
    ring.write(to, at, bytes, supplier, 0)?;
    note(ring.account(), supplier, bytes);
    Ok(())
}

fn note(account: &Account, supplier: &Supplier<'_>, bytes: u64) {
    if supplier.reads() {
        account.moved(Way::Read, bytes);
    }
    account.moved(Way::Upload, bytes);
}

impl Arriving {
    /// Copies a part of a constant, which has so many bytes, to its place.
    fn copy(&mut self, part: &Part, all: u64, ring: &mut Ring) -> Result<(), PlatformError> {
        let Some(memory) = &self.memory else { return Err(unsupported("the constant has no memory")) };
        let Cut { head, body, tail } = Cut::of(part.offset..part.offset + part.length, all);
        let supplier = Supplier::of(part);
        let within = |at: u64| at - part.offset;
        // They count once all of the part is there. A stream gives its bytes in this order.
        let head = self.complete(&head, &supplier, part.offset)?;
        ring.write(memory.buffer(), body.start, body.end - body.start, &supplier, within(body.start))?;
        let tail = self.complete(&tail, &supplier, part.offset)?;
        supplier.ensure_end().map_err(PlatformError::Unreadable)?;
        for (at, word) in head.into_iter().chain(tail) {
            ring.write(memory.buffer(), at, 4, &Supplier::Shared(Source::Repeated(&word)), 0)?;
            self.edges.insert(at, word);
        }
        note(ring.account(), &supplier, part.length);
        Ok(())
    }

    /// The word that these few bytes of a part are in, with what is there of it already; none if there are no bytes.
    fn complete(
        &self,
        bytes: &Range<u64>,
        supplier: &Supplier<'_>,
        offset: u64,
    ) -> Result<Option<(u64, [u8; 4])>, PlatformError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let at = bytes.start / 4 * 4;
        let mut word = self.edges.get(&at).copied().unwrap_or_default();
        let place = (bytes.start - at) as usize..(bytes.end - at) as usize;
        supplier.read(bytes.start - offset, &mut word[place]).map_err(PlatformError::Unreadable)?;
        Ok(Some((at, word)))
    }
}

/// The bytes of a part, cut where whole words begin and end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    /// Those of a word that begins before the part.
    head: Range<u64>,
    /// Those of words that are the part's alone.
    body: Range<u64>,
    /// Those of a word that ends after the part.
    tail: Range<u64>,
}

impl Cut {
    /// Of a part of a constant of `all` bytes. Its last word ends with it, and is whole in that sense.
    fn of(part: Range<u64>, all: u64) -> Self {
        let start = part.start.next_multiple_of(4).min(part.end);
        let end = if part.end == all { all } else { (part.end / 4 * 4).max(start) };
        Self { head: part.start..start, body: start..end, tail: end..part.end }
    }
}

fn unsupported(why: &str) -> PlatformError {
    PlatformError::Unsupported(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_at_words() {
        let cut = |part: Range<u64>| {
            let Cut { head, body, tail } = Cut::of(part, 10);
            [head, body, tail]
        };
        assert_eq!(cut(0..10), [0..0, 0..10, 10..10]);
        assert_eq!(cut(0..8), [0..0, 0..8, 8..8]);
        assert_eq!(cut(0..3), [0..0, 0..0, 0..3]);
        assert_eq!(cut(1..3), [1..3, 3..3, 3..3]);
        assert_eq!(cut(3..9), [3..4, 4..8, 8..9]);
        assert_eq!(cut(5..10), [5..8, 8..10, 10..10]);
        assert_eq!(cut(9..10), [9..10, 10..10, 10..10]);
    }

    /// Whatever the parts, every byte is in one of the three, and no word is both somebody's own and another's.
    #[test]
    fn no_two_parts_write_the_same_word_by_themselves() {
        for (first, second) in (1..12).flat_map(|first| (first + 1..13).map(move |second| (first, second))) {
            let mut owners = [0; 4];
            for part in [0..first, first..second, second..13] {
                let Cut { head, body, tail } = Cut::of(part.clone(), 13);
                assert_eq!((head.start, head.end, body.end, tail.end), (part.start, body.start, tail.start, part.end));
                for edge in [head, tail].into_iter().filter(|edge| !edge.is_empty()) {
                    assert_eq!(edge.start / 4, (edge.end - 1) / 4);
                    owners[(edge.start / 4) as usize] |= 1;
                }
                for word in (body.start / 4..body.end.div_ceil(4)).filter(|_| !body.is_empty()) {
                    assert_eq!(owners[word as usize] & 2, 0);
                    owners[word as usize] |= 2;
                }
            }
            assert!(owners.iter().all(|owner| *owner == 1 || *owner == 2), "{first} {second} {owners:?}");
        }
    }
}
