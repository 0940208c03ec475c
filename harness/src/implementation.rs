//! Implementations: what vectors are run on.
//!
//! `reference` is the interpreter of `webnn-reference`, `wgpu` the platform of `webnn-gpu` on its default adapter, and
//! `wgpu:NAME` on the first adapter whose name contains `NAME`. `cmd:PROGRAM ARGUMENTS` is any program that speaks the
//! protocol of `../PROTOCOL.md`, `browser:PATH FLAGS` the WebNN of a browser, and `page:PORT` that of a browser that somebody
//! opens a page in; `NAME=cmd:...` and so on is the same under a name of one's own.

use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webnn_reference::cpu::Cpu;
use webnn_reference::derived_bound::Allowance;
use webnn_reference::ml::PlatformProvider;
use webnn_reference::steps::Reading;

use crate::execute::Executor;
use crate::nearest::nearest;
use crate::outside::board::Board;
use crate::outside::messages::Ready;
use crate::outside::page::Opened;
use crate::outside::transcript::Transcript;
use crate::outside::{Outside, Source};

/// An implementation, as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Implementation {
    /// The interpreter.
    Reference,
    /// wgpu, on the first adapter whose name contains this, or on the default one.
    Wgpu(Option<String>),
    /// A program that speaks the protocol, or a page in a browser.
    Outside {
        /// What it is called.
        name: String,
        /// Where it is found.
        source: Source,
    },
}

/// How an implementation is started.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// How the specification's text is read.
    pub(crate) reading: Reading,
    /// How long a program outside may take for an answer.
    pub(crate) timeout: Duration,
    /// Where conversations with programs outside are kept.
    pub(crate) transcript: Transcript,
    /// The vectors, by their place in the run, at which its device is given up, for tests.
    pub(crate) lose_device_at: Vec<usize>,
    /// How far its run is, for a page that shows it.
    pub(crate) board: Board,
}

impl Start {
    /// With the limit of `webnn run`.
    pub(crate) fn new(reading: Reading) -> Self {
        let (timeout, transcript) = (Duration::from_secs(60), Transcript::default());
        Self { reading, timeout, transcript, lose_device_at: Vec::new(), board: Board::default() }
    }
}

/// What an implementation says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl From<&Ready> for Description {
    fn from(ready: &Ready) -> Self {
        let Ready { name, version, adapter, .. } = ready.clone();
        Self { name, version, adapter, facts: vec![] }
    }
}

impl Description {
    /// What the derived bound has to grant to it.
    pub(crate) fn allowance(&self) -> Allowance {
        Allowance { flushes_subnormals: self.facts.iter().any(|fact| fact == webnn_gpu::FLUSHES_SUBNORMALS) }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)?;
        if let Some(adapter) = &self.adapter {
            write!(f, " on {adapter}")?;
        }
        if self.facts.is_empty() { Ok(()) } else { write!(f, " ({})", self.facts.join("; ")) }
    }
}

impl fmt::Display for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference => f.write_str("reference"),
            Self::Wgpu(None) => f.write_str("wgpu"),
            Self::Wgpu(Some(adapter)) => write!(f, "wgpu:{adapter}"),
            Self::Outside { name, .. } => f.write_str(name),
        }
    }
}

impl FromStr for Implementation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        for scheme in ["cmd", "browser", "page"] {
            let of_scheme = |text: &str| text.strip_prefix(scheme)?.strip_prefix(':').map(str::to_owned);
            if let Some(rest) = of_scheme(name) {
                return Self::outside(None, scheme, &rest);
            }
            if let Some((name, rest)) = name.split_once('=').and_then(|(name, text)| Some((name, of_scheme(text)?))) {
                return Self::outside(Some(name), scheme, &rest);
            }
        }
        match name.split_once(':') {
            None if name == "reference" => Ok(Self::Reference),
            None if name == "wgpu" => Ok(Self::Wgpu(None)),
            Some(("wgpu", adapter)) if !adapter.is_empty() => Ok(Self::Wgpu(Some(adapter.to_owned()))),
            _ => Err(format!(
                "{}an implementation is `reference`, `wgpu`, `wgpu:NAME` for an adapter whose name contains NAME \
                 (`webnn list adapters` shows them), `cmd:PROGRAM ARGUMENTS` for a program that speaks the protocol \
                 of harness/PROTOCOL.md, or `browser:PATH` for the WebNN of a browser",
                meant(name)
            )),
        }
    }
}

/// What may have been meant by a name that is none: a program, or one of our own that is misspelt.
fn meant(name: &str) -> String {
    let words = shell_words::split(name).unwrap_or_default();
    let is_program = words.len() > 1 || name.contains(['/', '\\']) || Path::new(name).is_file();
    if is_program {
        return format!("did you mean `cmd:{name}`? ");
    }
    nearest(name, &["reference", "wgpu"]).map_or(String::new(), |nearest| format!("did you mean `{nearest}`? "))
}

impl Implementation {
    /// What is outside, and what it is called: a program by default as the file that it runs, without its extension.
    fn outside(name: Option<&str>, scheme: &str, rest: &str) -> Result<Self, String> {
        let words = shell_words::split(rest).map_err(|error| format!("{rest:?}: {error}"))?;
        let (source, default) = match scheme {
            "page" => {
                let port = rest.parse().map_err(|_| "`page:` needs a port, as in `page:8080`")?;
                (Source::Page(Opened::BySomebody(port)), "page".to_owned())
            }
            "browser" => (Source::Page(Opened::By(words)), "browser".to_owned()),
            _ => {
                let file = words.iter().skip(1).find(|word| Path::new(word).is_file()).or(words.first());
                let file = file.ok_or("`cmd:` needs a program, as in `cmd:python adapter.py`")?;
                let stem = Path::new(file).file_stem().map_or(file.clone(), |stem| stem.to_string_lossy().into_owned());
                (Source::Program(words), stem)
            }
        };
        let name = name.map_or(default, str::to_owned);
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) || ["reference", "wgpu"].contains(&name.as_str()) {
            return Err(format!(
                "{name:?} can not name an implementation: give it a name of letters, digits, `-`, `_` and `.`, as in \
                 `mine={scheme}:{rest}`"
            ));
        }
        Ok(Self::Outside { name, source })
    }

    /// As the command line takes it.
    pub(crate) fn as_argument(&self) -> String {
        match self {
            Self::Reference | Self::Wgpu(_) => self.to_string(),
            Self::Outside { name, source: Source::Program(words) } => {
                format!("{name}=cmd:{}", shell_words::join(words))
            }
            Self::Outside { name, source: Source::Page(Opened::By(words)) } => {
                format!("{name}=browser:{}", shell_words::join(words))
            }
            Self::Outside { name, source: Source::Page(Opened::BySomebody(port)) } => format!("{name}=page:{port}"),
        }
    }

    /// The file of its expectations: `wgpu` for every adapter.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::Reference => "reference",
            Self::Wgpu(_) => "wgpu",
            Self::Outside { name, .. } => name,
        }
    }

    /// Whether its exceptions say at which step of the specification they were thrown, and it makes the choices that the
    /// specification leaves open as the reference does.
    pub(crate) fn is_ours(&self) -> bool {
        match self {
            Self::Reference | Self::Wgpu(_) => true,
            Self::Outside { .. } => false,
        }
    }

    /// How long one of its workers may say nothing. What runs outside is timed by the worker itself: it may have to start
    /// its program again, and waits for each as long as for a vector.
    pub(crate) fn patience(&self, timeout: Duration) -> Duration {
        match self {
            Self::Reference | Self::Wgpu(_) => timeout,
            Self::Outside { source: Source::Page(Opened::BySomebody(_)), .. } => timeout + Duration::from_secs(3700),
            Self::Outside { .. } => 2 * timeout + Duration::from_secs(60),
        }
    }

    /// How many vectors are worth being started before the first is waited for.
    pub(crate) fn batch(&self) -> usize {
        match self {
            Self::Reference | Self::Outside { .. } => 1,
            Self::Wgpu(_) => 64,
        }
    }

    /// How many threads can run it at once.
    pub(crate) fn threads(&self, jobs: usize) -> usize {
        match self {
            Self::Reference | Self::Outside { source: Source::Program(_), .. } => jobs,
            // One browser: its processes have the processors for themselves.
            Self::Outside { source: Source::Page(_), .. } => 1,
            // One device per process.
            Self::Wgpu(_) => 1,
        }
    }

    /// Starts it, in the thread that is going to use it.
    ///
    /// # Errors
    /// Why it can not be started, and what to do.
    pub(crate) fn start(&self, start: &Start) -> Result<(Executor, Description), String> {
        let reading = start.reading;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        match self {
            Self::Reference => {
                let description = Description { name: self.to_string(), version, adapter: None, facts: vec![] };
                Ok((Executor::model(Rc::new(Cpu), reading), description))
            }
            Self::Wgpu(name) => {
                let gpu = webnn_gpu::Gpu::new(name.as_deref()).map_err(|error| error.to_string())?;
                let adapter = Some(gpu.adapter_description());
                let description = Description { name: self.to_string(), version, adapter, facts: gpu.facts() };
                Ok((Executor::on(gpu, reading), description))
            }
            Self::Outside { source, .. } => {
                let outside = Outside::start(source, start)?;
                let description = Description::from(outside.ready());
                Ok((Executor::Outside(Box::new(RefCell::new(outside))), description))
            }
        }
    }

    /// Starts it, in the thread that is going to use it, and returns what gives contexts their platforms.
    ///
    /// # Errors
    /// Why it can not be started, and what to do.
    pub(crate) fn provider(&self) -> Result<(Rc<dyn PlatformProvider>, Description), String> {
        let has_none = "what runs outside of this program has an object model of its own; name `reference` or `wgpu`";
        if matches!(self, Self::Outside { .. }) {
            return Err(has_none.into());
        }
        // The reading is that of the global object; the executor is not used.
        let (executor, description) = self.start(&Start::new(Reading::Corrected))?;
        Ok((executor.provider().ok_or(has_none)?, description))
    }
}
