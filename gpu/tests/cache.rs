//! A folder of graphs that are kept: what it does with keys, with others who write to it at the same time, with processes
//! that are killed while they do, and with a disk that is full.

#![allow(clippy::print_stderr, clippy::print_stdout, reason = "a skipped test says why; a child tells its parent")]

mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;

use session::{Float32, Session, f32s, gpu, none};
use webnn_gpu::Gpu;
use webnn_gpu::cache::Folder;
use webnn_gpu::error::Error;
use webnn_gpu::lower::Economy;
use webnn_gpu::sketch::{DEFAULTS, Sketch};
use webnn_reference::buffer::{BufferSource, Bytes};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::ExceptionName;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::proposals::graph_cache::{Entry, GraphStore, StoreError};
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;

const DEVICE: &str = "a device";

/// What there is room for, in most tests.
const QUOTA: u64 = 1 << 30;

/// A folder of a test's own, which is removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{}-{name}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn folder(&self) -> Folder {
        Folder::new(&self.0, QUOTA).unwrap()
    }

    /// Its files with this extension.
    fn files(&self, extension: &str) -> Vec<PathBuf> {
        let folders = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// An entry that says of itself whether it is whole: its length, and then one byte over and over.
fn entry(byte: u8, bytes: usize) -> Entry {
    let mut all = (bytes as u64).to_le_bytes().to_vec();
    all.resize(bytes.max(8), byte);
    Entry::Bytes(Bytes::new(all))
}

/// The byte of an entry, which has to be whole.
fn byte_of(entry: Option<Entry>) -> Option<u8> {
    let bytes = match entry? {
        Entry::Bytes(bytes) => bytes.into_vec(),
        other => panic!("{other:?}"),
    };
    assert_eq!(u64::from_le_bytes(bytes[..8].try_into().unwrap()), bytes.len() as u64, "not all of it is there");
    let byte = bytes[8];
    assert!(bytes[8..].iter().all(|other| *other == byte), "parts of two entries");
    Some(byte)
}

fn read(folder: &Folder, key: &str) -> Option<u8> {
    byte_of(folder.read(DEVICE, key).unwrap())
}

#[test]
fn graphs_outlive_the_contexts_that_saved_them() {
    let Some(gpu) = gpu() else { return };
    let scratch = Scratch::new("outlive");
    let descriptor = MLOperandDescriptor::create(Float32, &[3]);
    {
        let session = Session::on(gpu.clone());
        session.global.keep_graphs_in(Some(Rc::new(scratch.folder())));
        let builder = session.builder();
        let x = builder.input("x0", &descriptor).unwrap();
        let w = builder.hollow_constant(&descriptor).unwrap();
        let bias = f32s(&[3], &[0.5, 0.25, 0.125]);
        let bias = builder.constant(&descriptor, &BufferSource::typed(Float32, bias.bytes)).unwrap();
        let y = builder.add(&builder.mul(&x, &w, &none()).unwrap(), &bias, &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        session.global.settle(&session.context.save_graph("../k", &graph, &[("w".to_owned(), w)])).unwrap();
    }
    let session = Session::on(gpu);
    session.global.keep_graphs_in(Some(Rc::new(scratch.folder())));
    assert_eq!(session.global.settle(&session.context.list_graphs()).unwrap(), ["../k"]);
    let graph = session.global.settle(&session.context.load_graph("../k")).unwrap();
    let (_, w) = graph.constants().remove(0);
    let data = f32s(&[3], &[2.0, 3.0, 4.0]).bytes;
    let data = BufferSource::typed(Float32, data);
    let set = graph.set_constant_data(&w, &data.into(), MLConstantDataOptions::default());
    session.global.settle(&set).unwrap();
    let output = session.empty(Float32, &[3]);
    session.dispatch(&graph, &[session.tensor(&f32s(&[3], &[1.0, 10.0, 100.0]))], &output);
    assert_eq!(session.read(&output), f32s(&[3], &[2.5, 30.25, 400.125]).bytes);

    // A file that is cut off, as by a disk that lost its end.
    let file = scratch.files("graph").remove(0);
    let whole = fs::read(&file).unwrap();
    for length in [0, 5, 12, 14, 40, whole.len() - 1] {
        fs::write(&file, &whole[..length]).unwrap();
        let refused = session.global.settle(&session.context.load_graph("../k")).map(drop).unwrap_err();
        assert_eq!((refused.name, refused.step), (ExceptionName::NotFoundError, "8.1.6.2"), "{length}: {refused}");
        assert!(scratch.files("graph").is_empty(), "{length}: it is removed");
    }
}

#[test]
fn a_device_that_is_lost_takes_nothing_that_is_kept_with_it() {
    let gpu = match Gpu::new(None) {
        Err(Error::NoAdapter { .. }) => return,
        gpu => gpu.unwrap(),
    };
    let scratch = Scratch::new("lost");
    for is_saving in [true, false] {
        let gpu = Gpu::new(None).unwrap();
        let device = Arc::clone(gpu.device());
        let session = Session::on(gpu);
        session.global.keep_graphs_in(Some(Rc::new(scratch.folder())));
        let descriptor = MLOperandDescriptor::create(Float32, &[3]);
        let builder = session.builder();
        let data = BufferSource::typed(Float32, vec![0; 12]);
        let constant = builder.constant(&descriptor, &data).unwrap();
        let y = builder.neg(&constant, &none()).unwrap();
        let graph = session.build(&builder, &[("y", &y)]);
        session.global.settle(&session.context.save_graph("k", &graph, &[])).unwrap();
        device.destroy();
        let failure = if is_saving {
            session.global.settle(&session.context.save_graph("k", &graph, &[])).unwrap_err()
        } else {
            session.global.settle(&session.context.load_graph("k")).map(drop).unwrap_err()
        };
        let expected =
            if is_saving { (ExceptionName::UnknownError, "13.1.3") } else { (ExceptionName::OperationError, "8.1.5") };
        assert_eq!((failure.name, failure.step), expected, "{failure}");
        session.global.run_until_idle();
        assert!(session.context.is_lost());
    }
    let session = Session::on(gpu);
    session.global.keep_graphs_in(Some(Rc::new(scratch.folder())));
    session.global.settle(&session.context.load_graph("k")).unwrap();
}

#[test]
fn a_platform_that_can_not_keep_graphs_says_so() {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(Sketch::new(DEFAULTS, Economy::ALL)));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    let builder = MLGraphBuilder::new(&context).unwrap();
    let x = builder.input("x", &MLOperandDescriptor::create(Float32, &[3])).unwrap();
    let y = builder.neg(&x, &none()).unwrap();
    let graph = global.settle(&builder.build(&[("y".to_owned(), y)])).unwrap();
    let refused = global.settle(&context.save_graph("k", &graph, &[])).unwrap_err();
    assert_eq!((refused.name, refused.step), (ExceptionName::NotSupportedError, "13.1.1"));
    let device = context.underlying_platform().device_name();
    global.graph_store().unwrap().write(&device, "k", entry(1, 100)).unwrap();
    let refused = global.settle(&context.load_graph("k")).map(drop).unwrap_err();
    assert_eq!((refused.name, refused.step), (ExceptionName::NotFoundError, "8.1.6.2"));
}

#[test]
fn any_text_is_a_key_and_no_key_leaves_the_folder() {
    let scratch = Scratch::new("keys");
    let folder = scratch.folder();
    let long = "k".repeat(100_000);
    let keys =
        ["../../k", "/", ".", "a\u{0}b", "CON", "k", "K", "\u{e9}", "e\u{301}", "\u{1f600}", &long, "lock", "k.graph"];
    for (byte, key) in (0..).zip(keys) {
        folder.write(DEVICE, key, entry(byte, 50)).unwrap();
        folder.write("another", key, entry(100 + byte, 50)).unwrap();
    }
    let mut listed = folder.keys(DEVICE).unwrap();
    listed.sort();
    let mut expected = keys.map(str::to_owned);
    expected.sort();
    assert_eq!(listed, expected);
    for (byte, key) in (0..).zip(keys) {
        assert_eq!(read(&folder, key), Some(byte), "{key:?}");
    }
    assert_eq!(scratch.files("graph").len(), 2 * keys.len());
    for key in keys {
        folder.delete(DEVICE, key).unwrap();
        folder.delete(DEVICE, key).unwrap();
        assert_eq!(read(&folder, key), None);
    }
    assert!(folder.keys(DEVICE).unwrap().is_empty());
    assert_eq!(folder.keys("another").unwrap().len(), keys.len(), "what is kept for another device stays");
    assert!(folder.keys("nothing").unwrap().is_empty());
}

#[test]
fn what_is_no_entry_is_neither_listed_nor_read_as_one() {
    let scratch = Scratch::new("foreign");
    let folder = scratch.folder();
    folder.write(DEVICE, "k", entry(1, 50)).unwrap();
    folder.write(DEVICE, "l", entry(2, 50)).unwrap();
    let files = scratch.files("graph");
    let (k, l) = (fs::read(&files[0]).unwrap(), fs::read(&files[1]).unwrap());
    // Each in the other's place: an entry of another key.
    fs::write(&files[0], &l).unwrap();
    fs::write(&files[1], &k).unwrap();
    for key in ["k", "l"] {
        assert!(matches!(folder.read(DEVICE, key), Ok(Some(Entry::Damaged(_)))), "{key}");
    }
    // A key that is said to be longer than the file.
    let mut longer = k.clone();
    longer[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&files[0], &longer).unwrap();
    // A file that is said to hold more than may be kept: it has no blocks on the disk.
    fs::write(&files[1], &l).unwrap();
    fs::File::options().write(true).open(&files[1]).unwrap().set_len(1 << 40).unwrap();
    for key in ["k", "l"] {
        assert!(matches!(folder.read(DEVICE, key), Ok(Some(Entry::Damaged(_)))), "{key}");
    }
    let listed = folder.keys(DEVICE).unwrap();
    assert!(listed.len() <= 1, "{listed:?}");
}

#[test]
fn what_was_of_no_use_is_thrown_away_unless_another_has_taken_its_place() {
    let scratch = Scratch::new("discard");
    let folder = scratch.folder();
    folder.write(DEVICE, "k", entry(1, 50)).unwrap();
    let old = folder.read(DEVICE, "k").unwrap().unwrap();
    folder.write(DEVICE, "k", entry(2, 50)).unwrap();
    folder.discard(DEVICE, "k", &old).unwrap();
    assert_eq!(read(&folder, "k"), Some(2));
    folder.discard(DEVICE, "k", &Entry::Damaged(String::new())).unwrap();
    assert_eq!(read(&folder, "k"), Some(2));
    folder.discard(DEVICE, "k", &entry(2, 50)).unwrap();
    assert_eq!(read(&folder, "k"), None);
    folder.discard(DEVICE, "k", &entry(2, 50)).unwrap();
    folder.write(DEVICE, "k", entry(3, 50)).unwrap();
    fs::write(scratch.files("graph").remove(0), "nothing").unwrap();
    let damaged = folder.read(DEVICE, "k").unwrap().unwrap();
    folder.discard(DEVICE, "k", &damaged).unwrap();
    assert!(scratch.files("graph").is_empty());
}

#[test]
fn a_quota_is_kept_to_the_byte() {
    let scratch = Scratch::new("quota");
    let bytes = |key: &str, entry: u64| 12 + key.len() as u64 + entry;
    let quota = bytes("a", 500) + bytes("b", 400);
    let folder = Folder::new(&scratch.0, quota).unwrap();
    folder.write(DEVICE, "a", entry(1, 500)).unwrap();
    let full = folder.write("another", "b", entry(2, 401)).unwrap_err();
    assert!(matches!(full, StoreError::Full(_)), "{full}");
    folder.write("another", "b", entry(2, 400)).unwrap();
    assert!(matches!(folder.write(DEVICE, "c", entry(3, 8)), Err(StoreError::Full(_))));
    // One that takes another's place needs no space beside it.
    folder.write(DEVICE, "a", entry(4, 500)).unwrap();
    assert!(matches!(folder.write(DEVICE, "a", entry(5, 501)), Err(StoreError::Full(_))));
    assert_eq!(read(&folder, "a"), Some(4), "what can not be replaced stays");
    folder.delete(DEVICE, "a").unwrap();
    folder.write(DEVICE, "c", entry(3, 500)).unwrap();
    assert!(scratch.files("part").is_empty());
    let other = Entry::Object(Rc::new(1));
    assert!(matches!(folder.write(DEVICE, "c", other), Err(StoreError::Failed(_))), "only bytes outlive a process");
}

/// What a child does, which is this program once more: told by its environment.
const TASK: &str = "WEBNN_TEST_OF_A_CHILD";

/// A child of this program, in a shell that prepares it.
fn child(task: &str, prepared: &str) -> Command {
    let mut command = Command::new("sh");
    let program = std::env::current_exe().unwrap();
    command.args(["-c", &format!("{prepared}exec \"$0\" \"$@\"")]).arg(program);
    command.args(["--exact", "a_child", "--nocapture"]).env(TASK, task).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Not a test by itself: what the children of the tests below do.
#[test]
fn a_child() {
    let Ok(task) = std::env::var(TASK) else { return };
    let parts = task.split('|').collect::<Vec<_>>();
    let folder = Folder::new(parts[1], QUOTA).unwrap();
    match parts[0] {
        // Writes for ever, until it is killed.
        "writes" => {
            for number in 0_usize.. {
                let byte = (number % 251) as u8;
                folder.write(DEVICE, &format!("k{}", number % 3), entry(byte, 20_000 + number % 50_000)).unwrap();
            }
        }
        // Writes once, and ends with what came of it.
        "writes-once" => {
            let code = match folder.write(DEVICE, "k", entry(2, 1 << 20)) {
                Ok(()) => 10,
                Err(StoreError::Full(_)) => 11,
                Err(StoreError::Failed(_)) => 12,
            };
            std::process::exit(code);
        }
        other => panic!("{other}"),
    }
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn threads_and_processes_write_at_once_and_whoever_reads_finds_whole_entries() {
    let scratch = Scratch::new("crowd");
    let task = format!("writes|{}", scratch.0.display());
    let spawn = || Killed(child(&task, "").spawn().unwrap());
    let mut children = [spawn(), spawn()];
    let writers = (0..2_u8).map(|thread| {
        let folder = scratch.folder();
        std::thread::spawn(move || {
            for number in 0..60_usize {
                let byte = 100 * thread + number as u8;
                folder.write(DEVICE, &format!("k{}", number % 3), entry(byte, 10_000 * (1 + number % 7))).unwrap();
            }
        })
    });
    let writers = writers.collect::<Vec<_>>();
    let folder = scratch.folder();
    let mut found = 0;
    for round in 0.. {
        for key in ["k0", "k1", "k2"] {
            found += usize::from(read(&folder, key).is_some());
        }
        for key in folder.keys(DEVICE).unwrap() {
            assert!(["k0", "k1", "k2"].contains(&key.as_str()), "{key}");
        }
        // Kills one in the middle of whatever it is at, and starts another.
        if round % 5 == 0 {
            children[round / 5 % 2] = spawn();
        }
        if round > 40 && writers.iter().all(std::thread::JoinHandle::is_finished) {
            break;
        }
    }
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    drop(children);
    assert!(found > 50, "{found}: there was something to read");
    folder.write(DEVICE, "last", entry(7, 100)).unwrap();
    assert!(scratch.files("part").is_empty(), "what those who were killed left is removed");
    for key in ["k0", "k1", "k2", "last"] {
        assert!(read(&folder, key).is_some(), "{key}");
    }
    let names = fs::read_dir(&scratch.0).unwrap().count();
    assert_eq!(names, 2, "the lock and one device");
}

#[cfg(unix)]
mod limits {
    use super::*;

    /// Files of this process and its children end after so many blocks of 512 bytes: whoever writes more is killed.
    const SHORT_FILES: &str = "ulimit -f 200; ";

    #[test]
    fn a_process_that_is_killed_in_the_middle_of_a_save_leaves_what_was_kept() {
        let scratch = Scratch::new("killed");
        let folder = scratch.folder();
        folder.write(DEVICE, "k", entry(1, 5000)).unwrap();
        let status = child(&format!("writes-once|{}", scratch.0.display()), SHORT_FILES).status().unwrap();
        assert_eq!(status.code(), None, "killed by a signal");
        let left = scratch.files("part");
        assert_eq!(left.len(), 1, "a part of the entry is on the disk");
        assert_eq!(fs::metadata(&left[0]).unwrap().len(), 200 * 512);
        assert_eq!(read(&folder, "k"), Some(1), "and not in anybody's way");
        assert_eq!(folder.keys(DEVICE).unwrap(), ["k"]);
        folder.write(DEVICE, "k", entry(3, 5000)).unwrap();
        assert!(scratch.files("part").is_empty(), "the next to write removes it");
        assert_eq!(read(&folder, "k"), Some(3));
    }

    #[test]
    fn a_file_that_ends_too_early_is_a_store_without_space() {
        let scratch = Scratch::new("short");
        let folder = scratch.folder();
        folder.write(DEVICE, "k", entry(1, 5000)).unwrap();
        // Not killed: the write fails.
        let prepared = format!("trap '' XFSZ; {SHORT_FILES}");
        let status = child(&format!("writes-once|{}", scratch.0.display()), &prepared).status().unwrap();
        assert_eq!(status.code(), Some(11), "no space");
        assert!(scratch.files("part").is_empty(), "nothing half-written stays");
        assert_eq!(read(&folder, "k"), Some(1));
    }

    #[test]
    fn a_disk_that_is_full_takes_nothing_away() {
        let scratch = Scratch::new("disk");
        let disk = scratch.0.join("disk");
        fs::create_dir(&disk).unwrap();
        let task = format!("writes-once|{}", disk.display());
        // A file system of 512 KiB, in a namespace of its own; what was kept is looked at from inside.
        let script = format!(
            "mount -t tmpfs -o size=512k tmpfs '{0}' || exit 99; TASK='{task}'; {TASK}=\"$TASK\" \"$0\" --exact a_child; \
             code=$?; find '{0}' -name '*.part' | grep -q . && exit 98; exit $code",
            disk.display()
        );
        let program = std::env::current_exe().unwrap();
        let mut unshared = Command::new("unshare");
        unshared.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).arg(program);
        match unshared.stdout(Stdio::null()).stderr(Stdio::null()).status().map(|status| status.code()) {
            Ok(Some(11)) => {}
            Ok(Some(99 | 1)) | Err(_) => eprintln!("skipped: no file system can be mounted here"),
            other => panic!("{other:?}"),
        }
    }
}
