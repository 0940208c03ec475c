//! Implementations: what vectors are run on.
//!
//! `reference` is the interpreter of `webnn-reference`, `wgpu` the platform of `webnn-gpu` on its default adapter, and
//! `wgpu:NAME` on the first adapter whose name contains `NAME`.

use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use webnn_reference::cpu::Cpu;
use webnn_reference::ml::PlatformProvider;
use webnn_reference::steps::Reading;

use crate::execute::Executor;

/// An implementation, as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Implementation {
    /// The interpreter.
    Reference,
    /// wgpu, on the first adapter whose name contains this, or on the default one.
    Wgpu(Option<String>),
}

/// What an implementation says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Description {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// The adapter that it runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) adapter: Option<String>,
    /// Facts about the adapter that change results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) facts: Vec<String>,
}

impl fmt::Display for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference => f.write_str("reference"),
            Self::Wgpu(None) => f.write_str("wgpu"),
            Self::Wgpu(Some(adapter)) => write!(f, "wgpu:{adapter}"),
        }
    }
}

impl FromStr for Implementation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name.split_once(':') {
            None if name == "reference" => Ok(Self::Reference),
            None if name == "wgpu" => Ok(Self::Wgpu(None)),
            Some(("wgpu", adapter)) if !adapter.is_empty() => Ok(Self::Wgpu(Some(adapter.to_owned()))),
            _ => Err("an implementation is `reference`, `wgpu`, or `wgpu:NAME` for an adapter whose name contains \
                      NAME (`webnn list adapters` shows them)"
                .into()),
        }
    }
}

impl Implementation {
    /// The file of its expectations: `wgpu` for every adapter.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Wgpu(_) => "wgpu",
        }
    }

    /// How many vectors are worth being started before the first is waited for.
    pub(crate) fn batch(&self) -> usize {
        match self {
            Self::Reference => 1,
            Self::Wgpu(_) => 64,
        }
    }

    /// How many threads can run it at once.
    pub(crate) fn threads(&self, jobs: usize) -> usize {
        match self {
            Self::Reference => jobs,
            // One device per process.
            Self::Wgpu(_) => 1,
        }
    }

    /// Starts it, in the thread that is going to use it.
    ///
    /// # Errors
    /// Why it can not be started, and what to do.
    pub(crate) fn start(&self, reading: Reading) -> Result<(Executor, Description), String> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        match self {
            Self::Reference => {
                let description = Description { name: self.to_string(), version, adapter: None, facts: vec![] };
                Ok((Executor::new(Rc::new(Cpu), reading), description))
            }
            Self::Wgpu(name) => {
                let gpu = webnn_gpu::Gpu::new(name.as_deref()).map_err(|error| error.to_string())?;
                let adapter = Some(gpu.adapter_description());
                let description = Description { name: self.to_string(), version, adapter, facts: gpu.facts() };
                let provider: Rc<dyn PlatformProvider> = Rc::new(gpu);
                Ok((Executor::new(provider, reading), description))
            }
        }
    }
}
