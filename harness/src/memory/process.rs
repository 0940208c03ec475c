//! The memory of this process, as Linux tells it, the pages that the kernel keeps of a file, and what is free.

use std::fs;
use std::path::Path;

/// How much memory the process had when the work began, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base(u64);

impl Base {
    /// Takes what there is now as the base, and forgets the peak before. `None` where the system does not tell.
    pub(crate) fn take() -> Option<Self> {
        // This sets the peak to what there is now.
        fs::write("/proc/self/clear_refs", "5").ok()?;
        status("VmRSS:").map(Self)
    }

    /// How much more there was at most since.
    pub(crate) fn peak(self) -> Option<u64> {
        status("VmHWM:").map(|peak| peak.saturating_sub(self.0))
    }
}

/// A line of the process's status.
fn status(name: &str) -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, name)
}

/// The bytes that a line of this name says, in KiB.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Has the kernel forget the pages that it keeps of a file, so that reading it reads the disk.
///
/// # Errors
/// If the system has no such call, or refuses it.
#[cfg(target_os = "linux")]
pub(crate) fn forget_pages(path: &Path) -> std::io::Result<()> {
    let file = fs::File::open(path)?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

/// Has the kernel forget the pages that it keeps of a file, so that reading it reads the disk.
///
/// # Errors
/// Always: it is done on Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn forget_pages(_: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The bytes that this user can still write to the disk of a folder; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn free_on_the_disk_of(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// The bytes that this user can still write to the disk of a folder; `None` where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn free_on_the_disk_of(_: &Path) -> Option<u64> {
    None
}

/// The bytes of memory that programs can still have, swapping included; `None` where the system does not tell.
pub(crate) fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some(kibibytes(&text, "MemAvailable:")? + kibibytes(&text, "SwapFree:").unwrap_or(0))
}
