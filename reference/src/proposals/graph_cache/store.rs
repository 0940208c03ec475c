//! Where graphs are kept: what a graph cache stands on.
//!
//! This crate does no input or output, so that a store is a trait. The one that is here keeps entries in memory, for as
//! long as somebody holds the store; whoever wants them to outlive the process brings another.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::buffer::Bytes;
use crate::descriptor::MLOperandDescriptor;
use crate::operand::OperandId;
use crate::platform::{GraphImplementation, PlatformError};

/// A graph cache entry, in whatever form the platform gives it. Nobody but that platform looks into it.
#[derive(Clone)]
pub enum Entry {
    /// Bytes, which every store can keep.
    Bytes(Bytes),
    /// An object of this process, which only a store in memory can keep.
    Object(Rc<dyn Any>),
    /// What a store found in place of an entry, and why it is none.
    Damaged(String),
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "an entry of {} bytes", bytes.len()),
            Self::Object(_) => f.write_str("an entry in memory"),
            Self::Damaged(why) => write!(f, "a damaged entry: {why}"),
        }
    }
}

/// Why a store did not do what it was asked for. What it keeps is as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// There is no space.
    Full(String),
    /// It can not be read, or not be written to.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(what) => write!(f, "there is no space: {what}"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}

/// The graph caches of one storage key: entries by the device that they were made for, and by key.
///
/// Others may use the same store at the same time. Whoever reads a key sees an entry that was written under it, and all of
/// it, whatever is written or deleted meanwhile.
pub trait GraphStore: fmt::Debug {
    /// The keys of a device's entries, in any order.
    ///
    /// # Errors
    /// If the store can not be read.
    fn keys(&self, device: &str) -> Result<Vec<String>, StoreError>;

    /// An entry, if there is one.
    ///
    /// # Errors
    /// If the store can not be read. Of an entry that is damaged it says so in its place.
    fn read(&self, device: &str, key: &str) -> Result<Option<Entry>, StoreError>;

    /// Puts an entry under a key, in place of the one that is there.
    ///
    /// # Errors
    /// If there is no space, or the store can not be written to. The one that was there stays.
    fn write(&self, device: &str, key: &str, entry: Entry) -> Result<(), StoreError>;

    /// Removes an entry, if there is one.
    ///
    /// # Errors
    /// If the store can not be written to.
    fn delete(&self, device: &str, key: &str) -> Result<(), StoreError>;

    /// Removes an entry that was read and is of no use, unless somebody has put another in its place meanwhile.
    ///
    /// # Errors
    /// If the store can not be written to.
    fn discard(&self, device: &str, key: &str, entry: &Entry) -> Result<(), StoreError>;
}

/// Keeps entries in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    entries: RefCell<BTreeMap<(String, String), Entry>>,
}

impl GraphStore for MemoryStore {
    fn keys(&self, device: &str) -> Result<Vec<String>, StoreError> {
        let entries = self.entries.borrow();
        Ok(entries.keys().filter(|(of, _)| of == device).map(|(_, key)| key.clone()).collect())
    }

    fn read(&self, device: &str, key: &str) -> Result<Option<Entry>, StoreError> {
        Ok(self.entries.borrow().get(&(device.to_owned(), key.to_owned())).cloned())
    }

    fn write(&self, device: &str, key: &str, entry: Entry) -> Result<(), StoreError> {
        self.entries.borrow_mut().insert((device.to_owned(), key.to_owned()), entry);
        Ok(())
    }

    fn delete(&self, device: &str, key: &str) -> Result<(), StoreError> {
        self.entries.borrow_mut().remove(&(device.to_owned(), key.to_owned()));
        Ok(())
    }

    fn discard(&self, device: &str, key: &str, _: &Entry) -> Result<(), StoreError> {
        // Between reading and this, nothing else ran.
        self.delete(device, key)
    }
}

/// The store of a global object, unless its user lets it store nothing.
#[derive(Debug)]
pub(crate) struct Storage(pub(crate) Option<Rc<dyn GraphStore>>);

impl Default for Storage {
    fn default() -> Self {
        Self(Some(Rc::new(MemoryStore::default())))
    }
}

/// What a platform made of an entry.
#[derive(Clone, Debug)]
pub struct Restored {
    /// What it can compute.
    pub implementation: GraphImplementation,
    /// The descriptors of all operands that have an id here, by [`OperandId`].
    pub operands: Vec<MLOperandDescriptor>,
    /// The inputs, by name.
    pub inputs: Vec<(String, OperandId)>,
    /// The outputs, by name.
    pub outputs: Vec<(String, OperandId)>,
    /// The hollow constants, by the names under which they were saved.
    pub constants: Vec<(String, OperandId)>,
}

/// Why a platform made nothing of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// The entry is damaged, or was made by another version, or for another device.
    Unusable(String),
    /// The entry is as it should be, and the platform failed.
    Failed(PlatformError),
}

impl From<PlatformError> for RestoreError {
    fn from(error: PlatformError) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(why) => f.write_str(why),
            Self::Failed(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RestoreError {}
