//! The ledger: what a context holds in memory, of which kind, and what was moved to and from it.
//!
//! It is not part of the specification, and script does not see it. With it the effect of a proposal can be asserted on a
//! machine without a GPU: the interpreter counts as if it were a device, tensor by tensor, each at the size of its
//! descriptor in whole words; a platform with a device counts what it allocates.

use std::collections::BTreeMap;

/// What memory is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Device memory: the data of graphs' constants.
    Constants,
    /// Device memory: what a graph computes on the way to its outputs.
    Intermediates,
    /// Device memory: the data of `MLTensor`s.
    Tensors,
    /// Device memory: parameters and tables of kernels. No budget counts it: it is small, and differs by platform.
    Parameters,
    /// Host memory through which data goes to the device or comes from it.
    Staging,
    /// Host memory: the data of constants that were offloaded.
    Offloaded,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Constants, Self::Intermediates, Self::Tensors, Self::Parameters, Self::Staging, Self::Offloaded];

    /// What it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Constants => "constants",
            Self::Intermediates => "intermediates",
            Self::Tensors => "tensors",
            Self::Parameters => "parameters",
            Self::Staging => "staging",
            Self::Offloaded => "offloaded",
        }
    }

    /// The kind that is called so.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether a memory budget counts it.
    pub fn is_budgeted(self) -> bool {
        matches!(self, Self::Constants | Self::Intermediates | Self::Tensors)
    }

    /// Whether it is memory of the host.
    pub fn is_on_the_host(self) -> bool {
        matches!(self, Self::Staging | Self::Offloaded)
    }
}

/// The ways of data that is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// From the host to the device.
    Upload,
    /// From the device to the host.
    Download,
    /// From a source of constants (a blob, a stream) to the host.
    Read,
}

impl Way {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Upload, Self::Download, Self::Read];

    /// What it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Upload => "uploaded",
            Self::Download => "downloaded",
            Self::Read => "read",
        }
    }

    /// The way that is called so.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.as_str() == name)
    }
}

/// A change of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Memory was allocated.
    Allocated(Kind, u64),
    /// Memory was released.
    Released(Kind, u64),
    /// Data was moved.
    Moved(Way, u64),
}

/// A change, and when it was noted, in nanoseconds of the recorder's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: u64,
    /// What.
    pub change: Change,
}

/// How much there is, how much there was at most, and what was moved; all in bytes.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    now: BTreeMap<Kind, u64>,
    peaks: BTreeMap<Kind, u64>,
    budgeted_peak: u64,
    host_peak: u64,
    moved: BTreeMap<Way, u64>,
    recorder: Option<Recorder>,
}

/// Keeps every change.
#[derive(Clone, Debug)]
struct Recorder {
    clock: fn() -> u64,
    events: Vec<Event>,
}

impl Ledger {
    /// Keeps every change from now on, with the time of this clock in nanoseconds.
    pub fn record(&mut self, clock: fn() -> u64) {
        self.recorder = Some(Recorder { clock, events: Vec::new() });
    }

    /// What was recorded.
    pub fn events(&self) -> &[Event] {
        self.recorder.as_ref().map_or(&[], |recorder| &recorder.events)
    }

    /// Notes an allocation.
    pub fn allocate(&mut self, kind: Kind, bytes: u64) {
        let now = self.now(kind).saturating_add(bytes);
        self.now.insert(kind, now);
        self.peaks.insert(kind, self.peak(kind).max(now));
        self.budgeted_peak = self.budgeted_peak.max(self.budgeted());
        self.host_peak = self.host_peak.max(self.on_the_host());
        self.note(Change::Allocated(kind, bytes));
    }

    /// Notes that memory was released.
    pub fn release(&mut self, kind: Kind, bytes: u64) {
        self.now.insert(kind, self.now(kind).saturating_sub(bytes));
        self.note(Change::Released(kind, bytes));
    }

    /// Notes that data was moved.
    pub fn moved(&mut self, way: Way, bytes: u64) {
        self.moved.insert(way, self.moved_on(way).saturating_add(bytes));
        self.note(Change::Moved(way, bytes));
    }

    fn note(&mut self, change: Change) {
        if let Some(Recorder { clock, events }) = &mut self.recorder {
            events.push(Event { at: clock(), change });
        }
    }

    /// How much memory of a kind there is.
    pub fn now(&self, kind: Kind) -> u64 {
        self.now.get(&kind).copied().unwrap_or(0)
    }

    /// How much memory of a kind there was at most.
    pub fn peak(&self, kind: Kind) -> u64 {
        self.peaks.get(&kind).copied().unwrap_or(0)
    }

    /// How much of what a budget counts there is.
    pub fn budgeted(&self) -> u64 {
        Kind::ALL.into_iter().filter(|kind| kind.is_budgeted()).map(|kind| self.now(kind)).sum()
    }

    /// How much of what a budget counts there was at once.
    pub fn budgeted_peak(&self) -> u64 {
        self.budgeted_peak
    }

    /// How much memory of the host there is.
    pub fn on_the_host(&self) -> u64 {
        Kind::ALL.into_iter().filter(|kind| kind.is_on_the_host()).map(|kind| self.now(kind)).sum()
    }

    /// How much memory of the host there was at once.
    pub fn host_peak(&self) -> u64 {
        self.host_peak
    }

    /// How much data was moved on a way.
    pub fn moved_on(&self, way: Way) -> u64 {
        self.moved.get(&way).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_of_what_was_there_at_once() {
        let mut ledger = Ledger::default();
        ledger.allocate(Kind::Constants, 8);
        ledger.release(Kind::Constants, 8);
        ledger.allocate(Kind::Tensors, 4);
        ledger.allocate(Kind::Staging, 100);
        assert_eq!(ledger.budgeted(), 4);
        assert_eq!(ledger.budgeted_peak(), 8);
        assert_eq!(ledger.host_peak(), 100);
        assert_eq!([ledger.now(Kind::Constants), ledger.peak(Kind::Constants)], [0, 8]);
    }

    #[test]
    fn changes_are_kept_where_somebody_asked_for_them() {
        let mut ledger = Ledger::default();
        ledger.moved(Way::Upload, 1);
        assert_eq!(ledger.events(), []);
        ledger.record(|| 7);
        ledger.moved(Way::Upload, 2);
        assert_eq!(ledger.events(), [Event { at: 7, change: Change::Moved(Way::Upload, 2) }]);
        assert_eq!(ledger.moved_on(Way::Upload), 3);
    }
}
