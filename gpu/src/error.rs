//! What can go wrong between this crate and a device, as one closed list.
//!
//! A driver fails in four ways that a caller treats differently: there is no device, the device has no
//! room, the device is gone, or the device refuses what we asked. The first is a reason to skip a run, the
//! second fails one call and leaves everything else usable, the third ends every context on the device, and
//! the last is a bug of ours: WebNN's validation has passed by the time this crate runs, so nothing that an
//! application can write should reach [`Error::Refused`].
//!
//! None of these is a WebNN exception. The platform layer decides which exception, if any, a caller sees.

use std::fmt;
use std::time::Duration;

/// A failure of a device, or of our use of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No adapter is present, or none that matches the name asked for.
    NoAdapter {
        /// The name that was asked for, if any.
        wanted: Option<String>,
        /// The names of the adapters that are present.
        found: Vec<String>,
    },
    /// The adapter is present but gave no device.
    NoDevice(String),
    /// One buffer is larger than the device allows at all.
    TooLarge {
        /// The size asked for, in bytes.
        bytes: u64,
        /// The largest size that the device allows.
        limit: u64,
    },
    /// The device has no room left. The call failed; the device is still usable.
    OutOfMemory(String),
    /// The device was lost, with the reason it gave.
    Lost(String),
    /// The device did not finish within the time allowed.
    TimedOut(Duration),
    /// The device refused what we asked: a bug of this crate, or of the driver.
    Refused(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter { wanted, found } => no_adapter(f, wanted.as_deref(), found),
            Self::NoDevice(why) => write!(f, "the adapter gave no device: {why}"),
            Self::TooLarge { bytes, limit } => {
                write!(f, "a buffer of {bytes} bytes is beyond the device's limit of {limit}")
            }
            Self::OutOfMemory(what) => write!(f, "the device has no memory left for {what}"),
            Self::Lost(why) => write!(f, "the device was lost: {why}"),
            Self::TimedOut(after) => write!(f, "the device did not finish within {after:?}"),
            Self::Refused(why) => write!(f, "the device refused a call: {why}"),
        }
    }
}

fn no_adapter(f: &mut fmt::Formatter<'_>, wanted: Option<&str>, found: &[String]) -> fmt::Result {
    match wanted {
        Some(name) => write!(f, "no Vulkan adapter's name contains \"{name}\"")?,
        None => f.write_str("no Vulkan adapter is present")?,
    }
    if found.is_empty() {
        f.write_str("; Debian's package mesa-vulkan-drivers provides a software adapter")
    } else {
        write!(f, "; present are: {}", found.join(", "))
    }
}

impl std::error::Error for Error {}

/// The result of anything that talks to a device.
pub type Result<T, E = Error> = std::result::Result<T, E>;
