//! Files as an application meets them: ranges, many readers at once, and what happens to files while they are open.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use webnn_reference::supply::Blob;
use webnn_weights::File;

/// A file that is removed when the test is over.
struct Temporary(PathBuf);

impl Temporary {
    fn holding(bytes: &[u8]) -> Self {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{}-{number}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        // So that a change within this tick of the clock is seen.
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        Self(path)
    }

    fn open(&self) -> File {
        File::open(&self.0).unwrap()
    }

    fn beside(&self) -> PathBuf {
        self.0.with_extension("other")
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
        drop(fs::remove_file(self.beside()));
    }
}

fn read(blob: &File, offset: u64, length: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; length];
    blob.read(offset, &mut bytes).map(|()| bytes)
}

/// The failure of reading the first byte, which has to name the file.
fn failure(file: &Temporary, blob: &File) -> String {
    let failure = read(blob, 0, 1).unwrap_err();
    assert!(failure.contains(&file.0.display().to_string()), "{failure}");
    failure
}

#[test]
fn slices_have_their_bytes_and_no_others() {
    let file = Temporary::holding(b"0123456789");
    let blob = file.open();
    assert_eq!(blob.size(), 10);
    assert_eq!(read(&blob, 0, 10).unwrap(), b"0123456789");
    let slice = blob.slice(2, 6).unwrap().slice(1, 3).unwrap();
    assert_eq!(slice.size(), 3);
    assert_eq!(read(&slice, 0, 3).unwrap(), b"345");
    assert_eq!(read(&slice, 3, 0).unwrap(), b"");
    for (offset, length) in [(0, 4), (3, 1), (4, 0), (u64::MAX, 1)] {
        let refused = read(&slice, offset, length).unwrap_err();
        assert!(refused.contains("there are 3"), "{refused}");
    }
    assert!(slice.slice(1, u64::MAX).is_err());
}

#[test]
fn threads_read_at_the_same_time() {
    let bytes: Vec<u8> = (0..1u32 << 18).flat_map(u32::to_le_bytes).collect();
    let file = Temporary::holding(&bytes);
    let blob = file.open();
    let mut copy = vec![0; bytes.len()];
    std::thread::scope(|scope| {
        for (index, part) in copy.chunks_mut(70_001).enumerate() {
            let blob = &blob;
            scope.spawn(move || blob.read(index as u64 * 70_001, part).unwrap());
        }
    });
    assert!(copy == bytes);
}

#[test]
fn a_file_that_is_cut_short_says_so() {
    let file = Temporary::holding(&[1; 100]);
    let blob = file.open();
    fs::OpenOptions::new().write(true).open(&file.0).unwrap().set_len(40).unwrap();
    assert!(failure(&file, &blob).ends_with("was cut to 40 bytes; it had 100 when it was opened"));
}

#[test]
fn a_file_that_is_replaced_says_so() {
    let file = Temporary::holding(&[1; 100]);
    let blob = file.open();
    fs::write(file.beside(), [2; 100]).unwrap();
    fs::rename(file.beside(), &file.0).unwrap();
    assert!(failure(&file, &blob).contains("was replaced by another file"));
    assert_eq!(read(&file.open(), 0, 1).unwrap(), [2]);
}

#[test]
fn a_file_that_is_written_to_says_so() {
    let file = Temporary::holding(&[1; 100]);
    let blob = file.open();
    assert_eq!(read(&blob, 0, 1).unwrap(), [1]);
    fs::OpenOptions::new().write(true).open(&file.0).unwrap().write_all(&[2]).unwrap();
    assert!(failure(&file, &blob).contains("was written to"));
    fs::OpenOptions::new().append(true).open(&file.0).unwrap().write_all(&[2]).unwrap();
    assert!(failure(&file, &blob).contains("was written to"));
}

#[test]
fn a_file_that_is_deleted_says_so() {
    let file = Temporary::holding(&[1; 100]);
    let blob = file.open();
    fs::remove_file(&file.0).unwrap();
    assert!(failure(&file, &blob).contains("is gone since it was opened"));
}

#[test]
fn what_is_no_file_is_not_opened() {
    let folder = File::open(env!("CARGO_TARGET_TMPDIR")).unwrap_err();
    assert_eq!(folder.reason, "is no file");
    let nothing = File::open("no/such/file").unwrap_err();
    assert!(nothing.to_string().starts_with("no/such/file: "), "{nothing}");
}

#[test]
fn a_file_that_can_be_changed_is_not_mapped() {
    let file = Temporary::holding(&[1; 100]);
    let refused = file.open().mapped().unwrap_err();
    assert_eq!(refused.path, file.0);
    assert!(refused.reason.starts_with("is not mapped: "), "{refused}");
}

/// What another process may hand over: a file of memory, which it can not change any more once it is sealed.
#[cfg(target_os = "linux")]
mod sealed {
    use std::os::fd::AsRawFd;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    use super::*;

    fn memory_file(bytes: &[u8], seals: SealFlags) -> (fs::File, File) {
        let memory = fs::File::from(memfd_create("model", MemfdFlags::ALLOW_SEALING).unwrap());
        (&memory).write_all(bytes).unwrap();
        fcntl_add_seals(&memory, seals).unwrap();
        let opened = File::open(format!("/proc/self/fd/{}", memory.as_raw_fd())).unwrap();
        (memory, opened)
    }

    #[test]
    fn a_file_that_nobody_can_change_is_mapped() {
        let bytes = (0..100_000u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>();
        let (_memory, file) = memory_file(&bytes, SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE);
        assert!(file.in_memory().is_none());
        let slice = file.slice(10, 100).unwrap();
        let mapped = slice.mapped().unwrap();
        assert_eq!(mapped.range(), slice.range());
        assert_eq!(mapped.in_memory(), Some(&bytes[10..110]));
        assert_eq!(mapped.slice(50, 20).unwrap().in_memory(), Some(&bytes[60..80]));
        assert_eq!(read(&mapped, 90, 10).unwrap(), bytes[100..110]);
        assert!(read(&mapped, 91, 10).unwrap_err().contains("there are 100"));
        assert!(file.mapped().unwrap().in_memory() == Some(&bytes[..]));
    }

    #[test]
    fn what_can_still_be_cut_short_is_not_mapped() {
        for seals in [SealFlags::GROW, SealFlags::WRITE] {
            let (_memory, file) = memory_file(&[1; 100], seals);
            assert!(file.mapped().unwrap_err().reason.starts_with("is not mapped: "));
        }
    }
}
