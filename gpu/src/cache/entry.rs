//! A graph as bytes, and back.
//!
//! ```text
//! "webnn-gr"  8 bytes
//! format      4 bytes, little-endian
//! digest     32 bytes: SHA-256 of all that follows
//! bytes       8 bytes, little-endian: how many the data has
//! maker       what made it, and for what
//! form        the graph, but for the data of its constants
//! data        that of its constants, one after the other
//! ```
//!
//! Maker and form are in postcard's encoding. Texts that several steps have are in it once.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::operand::OperandId;

use super::check::check;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::graph::{Blueprint, Ends};
use crate::lower::{Bounds, Economy, Program, Range, Slot, Step};
use crate::plan::{Figures, Layout, Place};
use crate::wgsl::Module;

const MAGIC: &[u8; 8] = b"webnn-gr";

/// Changes with the layout of the bytes.
const FORMAT: u32 = 1;

/// Where in an entry its format stands: a number of four bytes, little-endian.
pub const FORMAT_AT: usize = MAGIC.len();

const DIGEST_AT: usize = FORMAT_AT + 4;
const CONTENT_AT: usize = DIGEST_AT + 32;
const MAKER_AT: usize = CONTENT_AT + 8;

/// What made an entry and for what: an entry is used only where all of this is the same, since what a graph is compiled to
/// depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Maker {
    version: String,
    source: String,
    adapter: String,
    vendor: u32,
    device: u32,
    driver: String,
    driver_version: String,
    has_int64: bool,
    binding_bytes: u64,
    bindings: u64,
    buffer_bytes: u64,
    alignment: u64,
    views: bool,
    fusion: bool,
    reuse: bool,
}

impl Maker {
    /// This program, for a device.
    pub(crate) fn on(device: &Device, bounds: Bounds, economy: Economy) -> Self {
        let info = device.info();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source: env!("WEBNN_GPU_SOURCE").to_owned(),
            adapter: info.name.clone(),
            vendor: info.vendor,
            device: info.device,
            driver: info.driver.clone(),
            driver_version: info.driver_info.clone(),
            has_int64: device.has_int64(),
            binding_bytes: bounds.binding_bytes,
            bindings: bounds.bindings as u64,
            buffer_bytes: bounds.buffer_bytes,
            alignment: bounds.alignment,
            views: economy.views,
            fusion: economy.fusion,
            reuse: economy.reuse,
        }
    }

    /// What another maker is, or was made for, that this one is not.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        if (&self.version, &self.source) != (&other.version, &other.source) {
            return Some("another version of this program");
        }
        if (&self.adapter, self.vendor, self.device) != (&other.adapter, other.vendor, other.device) {
            return Some("another adapter");
        }
        if (&self.driver, &self.driver_version) != (&other.driver, &other.driver_version) {
            return Some("another driver");
        }
        (self != other).then_some("a device with other limits")
    }
}

/// A graph without the data of its constants.
#[derive(Debug, Serialize, Deserialize)]
struct Form {
    operands: Vec<Operand>,
    inputs: Vec<(String, u32)>,
    outputs: Vec<(String, u32)>,
    /// The hollow constants.
    names: Vec<(String, u32)>,
    /// The others, and the bytes of their data.
    constants: Vec<(u32, u64)>,
    kernels: Vec<Kernel>,
    steps: Vec<Dispatch>,
    tables: Vec<Vec<u32>>,
    places: Vec<(Memory, u32, u64)>,
    arenas: Vec<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Operand {
    /// The place of its type in the list of all.
    data_type: u8,
    shape: Vec<u32>,
}

#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Kernel {
    name: String,
    text: String,
    /// For each binding, whether it is read only, and the bytes of a word.
    bindings: Vec<(bool, u32)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Dispatch {
    /// The place of its kernel in the list of all.
    kernel: u32,
    params: Vec<u32>,
    grid: [u32; 2],
    bound: Vec<(Memory, u64, u64)>,
}

/// A slot.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Memory {
    Operand(u32),
    Scratch(u32),
    Table(u32),
}

/// An entry that is being written.
#[derive(Debug)]
pub(crate) struct Draft(Vec<u8>);

impl Draft {
    /// An entry of a graph, with these names for its hollow constants, to which the data of these constants, so many bytes
    /// each, are to be added.
    pub(crate) fn new(
        maker: &Maker,
        blueprint: &Blueprint,
        names: &[(String, OperandId)],
        constants: &[(OperandId, u64)],
    ) -> Result<Self> {
        let mut entry = MAGIC.to_vec();
        entry.extend(FORMAT.to_le_bytes());
        entry.resize(CONTENT_AT, 0);
        let bytes = constants.iter().map(|(_, bytes)| *bytes).sum::<u64>();
        entry.extend(bytes.to_le_bytes());
        let form = Form::of(blueprint, names, constants);
        let written = postcard::to_extend(maker, entry).and_then(|entry| postcard::to_extend(&form, entry));
        let mut entry = written.map_err(|error| Error::OutOfMemory(format!("a graph that is kept: {error}")))?;
        let room = usize::try_from(bytes).ok().and_then(|bytes| entry.try_reserve_exact(bytes).ok());
        room.ok_or_else(|| Error::OutOfMemory(format!("{bytes} bytes of constants that are kept")))?;
        Ok(Self(entry))
    }

    /// Adds the data of the next constant.
    pub(crate) fn add(&mut self, data: &[u8]) {
        self.0.extend_from_slice(data);
    }

    /// The entry.
    pub(crate) fn sealed(mut self) -> Vec<u8> {
        let digest = Sha256::digest(&self.0[CONTENT_AT..]);
        self.0[DIGEST_AT..CONTENT_AT].copy_from_slice(&digest);
        self.0
    }
}

/// How many bytes the data of an entry's constants has; of an entry that is damaged, any number up to its own length.
pub(crate) fn data_bytes(entry: &[u8]) -> u64 {
    let bytes = entry.get(CONTENT_AT..MAKER_AT).unwrap_or_default();
    let bytes = bytes.iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte));
    bytes.min(entry.len() as u64)
}

/// What is in an entry.
#[derive(Debug)]
pub(crate) struct Opened<'a> {
    pub(crate) blueprint: Blueprint,
    /// The hollow constants.
    pub(crate) names: Vec<(String, OperandId)>,
    /// The others, with their data.
    pub(crate) constants: Vec<(OperandId, &'a [u8])>,
}

/// Opens an entry that this maker made.
///
/// # Errors
/// Why it can not be used, as a sentence without its end: it is damaged, another made it, or it does not add up.
pub(crate) fn open<'a>(entry: &'a [u8], maker: &Maker, bounds: Bounds) -> Result<Opened<'a>, String> {
    let opened = read(entry, maker)?;
    check(&opened, bounds).map_err(|what| format!("it does not add up: {what}"))?;
    Ok(opened)
}

fn read<'a>(entry: &'a [u8], maker: &Maker) -> Result<Opened<'a>, String> {
    let (head, content) = entry.split_at_checked(CONTENT_AT).ok_or("it is too short")?;
    if !head.starts_with(MAGIC) {
        return Err("it is no graph".to_owned());
    }
    let format = &head[FORMAT_AT..DIGEST_AT];
    if *format != FORMAT.to_le_bytes() {
        return Err("it has the format of another version".to_owned());
    }
    if head[DIGEST_AT..] != *Sha256::digest(content) {
        return Err("it is damaged: its checksum is another".to_owned());
    }
    let garbled = |error: postcard::Error| format!("it can not be read: {error}");
    let content = content.get(MAKER_AT - CONTENT_AT..).unwrap_or_default();
    let (made_by, rest) = postcard::take_from_bytes::<Maker>(content).map_err(garbled)?;
    if let Some(what) = maker.difference(&made_by) {
        return Err(format!("it was made by, or for, {what}"));
    }
    let (form, data) = postcard::take_from_bytes::<Form>(rest).map_err(garbled)?;
    let has_so_much = data.len() as u64 == data_bytes(entry);
    form.open(data)
        .filter(|_| has_so_much)
        .ok_or_else(|| "it can not be read: it refers to what is not in it".to_owned())
}

impl Form {
    fn of(blueprint: &Blueprint, names: &[(String, OperandId)], constants: &[(OperandId, u64)]) -> Self {
        let Blueprint { program, layout, ends } = blueprint;
        let mut kernels = Kernels::default();
        let steps = program.steps.iter().map(|step| Dispatch {
            kernel: kernels.place(&step.module),
            params: step.module.params.clone(),
            grid: step.module.grid,
            bound: step.bound.iter().map(|range| (range.slot.into(), range.offset, range.bytes)).collect(),
        });
        let steps = steps.collect();
        let places = layout.places.iter().map(|(slot, place)| ((*slot).into(), number(place.arena), place.offset));
        Self {
            operands: ends.operands.iter().map(Operand::from).collect(),
            inputs: numbered(&ends.inputs),
            outputs: numbered(&ends.outputs),
            names: numbered(names),
            constants: constants.iter().map(|(operand, bytes)| (number(operand.0), *bytes)).collect(),
            kernels: kernels.all,
            steps,
            tables: program.tables.clone(),
            places: places.collect(),
            arenas: layout.arenas.clone(),
        }
    }

    /// The graph, if it refers to nothing that is not in it.
    fn open(self, mut data: &[u8]) -> Option<Opened<'_>> {
        let operands = self.operands.into_iter().map(Operand::descriptor).collect::<Option<Vec<_>>>()?;
        let steps = self.steps.into_iter().map(|step| step.open(&self.kernels)).collect::<Option<Vec<_>>>()?;
        let mut constants = Vec::new();
        for (operand, bytes) in self.constants {
            let (of_constant, rest) = data.split_at_checked(usize::try_from(bytes).ok()?)?;
            constants.push((OperandId(operand as usize), of_constant));
            data = rest;
        }
        let place =
            |(memory, arena, offset): (Memory, u32, u64)| (Slot::from(memory), Place { arena: arena as usize, offset });
        let count = self.places.len();
        let places = self.places.into_iter().map(place).collect::<BTreeMap<_, _>>();
        if !data.is_empty() || places.len() != count {
            return None;
        }
        let program = Program { steps, inner: BTreeMap::new(), tables: self.tables };
        let layout = Layout { places, arenas: self.arenas, figures: Figures::default() };
        let ends = Ends { inputs: named(self.inputs), outputs: named(self.outputs), operands };
        Some(Opened { blueprint: Blueprint { program, layout, ends }, names: named(self.names), constants })
    }
}

/// Kernels, each once.
#[derive(Default)]
struct Kernels<'a> {
    all: Vec<Kernel>,
    places: HashMap<(&'a str, &'a [bool]), u32>,
}

impl<'a> Kernels<'a> {
    fn place(&mut self, module: &'a Module) -> u32 {
        let Module { name, text, read_only, word_bytes, .. } = module;
        *self.places.entry((text, read_only)).or_insert_with(|| {
            let bindings = read_only.iter().copied().zip(word_bytes.iter().copied()).collect();
            self.all.push(Kernel { name: name.clone(), text: text.clone(), bindings });
            number(self.all.len() - 1)
        })
    }
}

impl Dispatch {
    fn open(self, kernels: &[Kernel]) -> Option<Step> {
        let kernel = kernels.get(self.kernel as usize)?;
        let (read_only, word_bytes) = kernel.bindings.iter().copied().unzip();
        let module = Module {
            name: kernel.name.clone(),
            text: kernel.text.clone(),
            read_only,
            word_bytes,
            params: self.params,
            grid: self.grid,
        };
        let range = |(memory, offset, bytes)| Range { slot: Slot::from(memory), offset, bytes };
        Some(Step { module, bound: self.bound.into_iter().map(range).collect() })
    }
}

impl From<&MLOperandDescriptor> for Operand {
    fn from(descriptor: &MLOperandDescriptor) -> Self {
        let data_type = MLOperandDataType::ALL.iter().position(|known| *known == descriptor.data_type);
        Self { data_type: data_type.unwrap_or_default() as u8, shape: descriptor.shape.clone() }
    }
}

impl Operand {
    fn descriptor(self) -> Option<MLOperandDescriptor> {
        let data_type = *MLOperandDataType::ALL.get(usize::from(self.data_type))?;
        Some(MLOperandDescriptor { data_type, shape: self.shape })
    }
}

impl From<Slot> for Memory {
    fn from(slot: Slot) -> Self {
        match slot {
            Slot::Operand(operand) => Self::Operand(number(operand.0)),
            Slot::Scratch(scratch) => Self::Scratch(number(scratch)),
            Slot::Table(table) => Self::Table(number(table)),
        }
    }
}

impl From<Memory> for Slot {
    fn from(memory: Memory) -> Self {
        match memory {
            Memory::Operand(operand) => Self::Operand(OperandId(operand as usize)),
            Memory::Scratch(scratch) => Self::Scratch(scratch as usize),
            Memory::Table(table) => Self::Table(table as usize),
        }
    }
}

/// An index. A graph whose operands 32 bits could not count would not fit in memory.
fn number(index: usize) -> u32 {
    index as u32
}

fn numbered(of: &[(String, OperandId)]) -> Vec<(String, u32)> {
    of.iter().map(|(name, operand)| (name.clone(), number(operand.0))).collect()
}

fn named(of: Vec<(String, u32)>) -> Vec<(String, OperandId)> {
    of.into_iter().map(|(name, operand)| (name, OperandId(operand as usize))).collect()
}

#[cfg(test)]
mod tests;
