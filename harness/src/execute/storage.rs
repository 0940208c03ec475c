//! The store of a scenario's graphs: in memory, and out of order whenever the scenario wants it to be.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use webnn_gpu::cache::FORMAT_AT;
use webnn_reference::buffer::Bytes;
use webnn_reference::proposals::graph_cache::{Entry, GraphStore, MemoryStore, StoreError};

/// What the store does when it is asked for something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// What it should.
    #[default]
    Working,
    /// It has no space for another entry.
    Full,
    /// It can neither be read nor be written to.
    Failing,
    /// Nobody is let near it.
    Denied,
}

impl State {
    pub(super) fn from_name(name: &str) -> Result<Self, String> {
        match name {
            "working" => Ok(Self::Working),
            "full" => Ok(Self::Full),
            "failing" => Ok(Self::Failing),
            "denied" => Ok(Self::Denied),
            _ => Err(format!("{name:?} is no state of a store: working, full, failing, denied")),
        }
    }
}

/// What has become of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoilt {
    /// A bit of it is another one.
    Damaged,
    /// It is one that an older version left.
    Older,
}

impl Spoilt {
    pub(super) fn from_name(name: &str) -> Result<Self, String> {
        match name {
            "damaged" => Ok(Self::Damaged),
            "older" => Ok(Self::Older),
            _ => Err(format!("an entry is not spoilt by being {name:?}: damaged, older")),
        }
    }

    fn spoil(self, entry: &Entry) -> Entry {
        match (self, entry) {
            (Self::Damaged, Entry::Bytes(bytes)) => {
                let mut bytes = bytes.whole().into_owned();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                Entry::Bytes(Bytes::new(bytes))
            }
            (Self::Older, Entry::Bytes(bytes)) => {
                let mut bytes = bytes.whole().into_owned();
                bytes[FORMAT_AT] -= 1;
                Entry::Bytes(Bytes::new(bytes))
            }
            (Self::Damaged, Entry::Object(_) | Entry::Damaged(_)) => Entry::Damaged("a bit is another one".to_owned()),
            // What an object was that is none of this version's.
            (Self::Older, Entry::Object(_) | Entry::Damaged(_)) => Entry::Object(Rc::new("an older version's")),
        }
    }
}

/// A store in memory with faults on demand.
#[derive(Debug, Default)]
pub(super) struct FaultyStore {
    entries: MemoryStore,
    state: Cell<State>,
    /// The devices for which something was written.
    devices: RefCell<BTreeSet<String>>,
}

impl FaultyStore {
    pub(super) fn set(&self, state: State) {
        self.state.set(state);
    }

    /// Spoils the entries under a key, of which there has to be one.
    pub(super) fn spoil(&self, key: &str, how: Spoilt) -> Result<(), String> {
        let mut is_any = false;
        for device in self.devices.borrow().iter() {
            let Some(entry) = self.entries.read(device, key).map_err(|error| error.to_string())? else { continue };
            self.entries.write(device, key, how.spoil(&entry)).map_err(|error| error.to_string())?;
            is_any = true;
        }
        if is_any { Ok(()) } else { Err(format!("no graph is kept under {key:?}, so that none can be spoilt")) }
    }

    fn check(&self) -> Result<(), StoreError> {
        match self.state.get() {
            State::Failing => Err(StoreError::Failed("the scenario lets the store fail".to_owned())),
            State::Working | State::Full | State::Denied => Ok(()),
        }
    }
}

impl GraphStore for FaultyStore {
    fn keys(&self, device: &str) -> Result<Vec<String>, StoreError> {
        self.check()?;
        self.entries.keys(device)
    }

    fn read(&self, device: &str, key: &str) -> Result<Option<Entry>, StoreError> {
        self.check()?;
        self.entries.read(device, key)
    }

    fn write(&self, device: &str, key: &str, entry: Entry) -> Result<(), StoreError> {
        self.check()?;
        if self.state.get() == State::Full {
            return Err(StoreError::Full("the scenario lets the store be full".to_owned()));
        }
        self.devices.borrow_mut().insert(device.to_owned());
        self.entries.write(device, key, entry)
    }

    fn delete(&self, device: &str, key: &str) -> Result<(), StoreError> {
        self.check()?;
        self.entries.delete(device, key)
    }

    fn discard(&self, device: &str, key: &str, entry: &Entry) -> Result<(), StoreError> {
        self.check()?;
        self.entries.discard(device, key, entry)
    }
}
