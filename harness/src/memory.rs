//! What models cost in memory, and in the time to move them: the measurements behind the proposals for hollow constants and
//! residency.
//!
//! A [`Workload`] is a task that an application has, and its ways are how it can go about it: with the specification as it
//! is, and with what is proposed. Each way is measured in a process of its own, so that what one of them leaves behind is no
//! part of another's figures: the program starts itself (`campaign`), the child sets up a context (`session`), does the work,
//! and hands back figures, a digest of the result, and what happened in memory and when. All ways of a workload have to give
//! the same result, bit for bit.
//!
//! `model` makes the files, `process` looks at the memory of the process and at what is free, `table` and `timeline` show what came of it.

mod bus;
pub(crate) mod campaign;
mod experts;
mod load;
mod model;
mod pipeline;
mod process;
mod reuse;
mod session;
mod stream;
pub(crate) mod table;
pub(crate) mod timeline;

use std::collections::BTreeMap;
use std::error::Error;

use serde::{Deserialize, Serialize};
use webnn_reference::descriptor::MLOperandDescriptor;

use session::Session;
pub(crate) use session::computes_in_its_process;

/// What comes of a measurement, or why there is none.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// A task that an application has.
#[derive(Debug)]
pub(crate) struct Workload {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is, in a sentence.
    pub(crate) about: &'static str,
    /// How an application can go about it; the first is what the others are compared with.
    pub(crate) ways: &'static [Way],
    /// What is measured.
    pub(crate) columns: &'static [Column],
    /// The figure of which the table says how it compares with that of the first way.
    pub(crate) compared: Option<&'static str>,
    /// Whether all ways compute the same.
    pub(crate) agrees: bool,
    /// The tensors of the file that it needs, for models of so many bytes.
    tensors: fn(u64) -> Vec<(String, MLOperandDescriptor)>,
    /// Goes one way.
    measure: fn(&Session, &Way) -> Outcome<Measured>,
}

/// A way to go about a task.
#[derive(Debug)]
pub(crate) struct Way {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is, in a few words.
    pub(crate) about: &'static str,
    /// What it takes at least of the memory of the device, and of that of the host, as parts of the model.
    least: Least,
}

/// Parts of a model that are in memory at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Least {
    device: f64,
    host: f64,
}

/// A figure that is measured.
#[derive(Debug)]
pub(crate) struct Column {
    /// What it is called in results.
    pub(crate) key: &'static str,
    /// What it is called in a table.
    pub(crate) heading: &'static str,
    /// What it counts.
    pub(crate) unit: Unit,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Bytes in a second.
    Speed,
    /// How many there are, or how many times.
    Count,
    /// How many times as much.
    Factor,
}

const fn column(key: &'static str, heading: &'static str, unit: Unit) -> Column {
    Column { key, heading, unit }
}

const fn way(name: &'static str, about: &'static str) -> Way {
    Way { name, about, least: Least { device: 0.0, host: 0.0 } }
}

impl Way {
    /// The same way, which takes at least these parts of the model.
    const fn taking(self, device: f64, host: f64) -> Self {
        Self { least: Least { device, host }, ..self }
    }
}

/// All workloads.
pub(crate) static WORKLOADS: [&Workload; 7] =
    [&load::MATRICES, &load::TENSOR, &pipeline::PIPELINE, &experts::MIXTURE, &stream::STREAM, &reuse::REUSE, &bus::BUS];

/// What was measured on one way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The figures, by the keys of the workload's columns.
    pub(crate) figures: BTreeMap<String, f64>,
    /// A digest of the bits that were computed.
    pub(crate) result: Option<String>,
    /// What happened in memory: after so many nanoseconds there were so many bytes more or less of something.
    pub(crate) events: Vec<(u64, String, i64)>,
    /// What its row has to say beside its name.
    pub(crate) remark: Option<String>,
    /// The bytes that its context was allowed to have on the device.
    pub(crate) budget: Option<u64>,
}

impl Measured {
    fn of(result: &[u8]) -> Self {
        Self { result: Some(model::digest(result)), ..Self::default() }
    }

    fn with(mut self, key: &str, figure: f64) -> Self {
        self.figures.insert(key.to_owned(), figure);
        self
    }

    fn with_some(self, key: &str, figure: Option<f64>) -> Self {
        match figure {
            Some(figure) => self.with(key, figure),
            None => self,
        }
    }
}

/// The workload of this name.
pub(crate) fn workload(name: &str) -> Option<&'static Workload> {
    WORKLOADS.into_iter().find(|workload| workload.name == name)
}

fn no_tensors(_: u64) -> Vec<(String, MLOperandDescriptor)> {
    Vec::new()
}
