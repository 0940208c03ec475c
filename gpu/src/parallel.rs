//! Jobs on several threads: copying between host memory and staging buffers, which one core does at a fraction of the
//! speed of the bus.

use std::sync::Mutex;
use std::thread;

use crate::device::lock;

/// On the host of an H200, 8 threads filled staging memory with 27 to 29 GB/s where one did with 9 to 13; what is read from a
/// file is copied twice. Beyond this many they would only take the machine from others.
const MOST_THREADS: usize = 16;

/// A thread for fewer bytes takes longer to start than to copy them.
const BYTES_PER_THREAD: u64 = 1 << 20;

/// What one thread copies before it looks for more.
const PIECE: usize = 1 << 20;

/// How many threads should copy so many bytes.
pub(crate) fn threads_for(bytes: u64) -> usize {
    if bytes < 2 * BYTES_PER_THREAD {
        return 1;
    }
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let worthwhile = usize::try_from(bytes / BYTES_PER_THREAD).unwrap_or(usize::MAX);
    worthwhile.min(cores).min(MOST_THREADS)
}

/// Does all jobs on so many threads, of which this one is one. Each thread has a state of its own. After an error no job
/// is begun any more.
pub(crate) fn in_parallel<Job: Send, State, E: Send>(
    jobs: Vec<Job>,
    threads: usize,
    state: impl Fn() -> State + Sync,
    work: impl Fn(&mut State, Job) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let jobs = Mutex::new(jobs.into_iter());
    let failure = Mutex::new(None);
    let run = || {
        let mut state = state();
        while lock(&failure).is_none() {
            let Some(job) = lock(&jobs).next() else { break };
            if let Err(error) = work(&mut state, job) {
                lock(&failure).get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no more threads, those that there are do it.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let failure = lock(&failure).take();
    failure.map_or(Ok(()), Err)
}

/// A copy in memory of its own. The system gives the pages of what is all zeros as they are written to, and each costs more
/// than its copying: so several threads write to it.
pub(crate) fn copied(bytes: &[u8]) -> Vec<u8> {
    let threads = threads_for(bytes.len() as u64);
    if threads == 1 {
        return bytes.to_vec();
    }
    let mut copy = vec![0; bytes.len()];
    let pieces = copy.chunks_mut(PIECE).zip(bytes.chunks(PIECE)).collect::<Vec<_>>();
    let done: Result<(), ()> = in_parallel(
        pieces,
        threads,
        || (),
        |(), (to, from)| {
            to.copy_from_slice(from);
            Ok(())
        },
    );
    debug_assert_eq!(done, Ok(()));
    copy
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_job_is_done_once() {
        for threads in [1, 3, 20] {
            let done = (0..10).map(|_| AtomicUsize::new(0)).collect::<Vec<_>>();
            let outcome: Result<(), ()> = in_parallel(
                (0..10).collect(),
                threads,
                || (),
                |(), job: usize| {
                    done[job].fetch_add(1, Ordering::Relaxed);
                    Ok(())
                },
            );
            assert_eq!(outcome, Ok(()));
            assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn an_error_ends_it() {
        let begun = AtomicUsize::new(0);
        let outcome = in_parallel(
            (0..1000).collect(),
            1,
            || (),
            |(), job: usize| {
                begun.fetch_add(1, Ordering::Relaxed);
                if job == 3 { Err("the fourth") } else { Ok(()) }
            },
        );
        assert_eq!(outcome, Err("the fourth"));
        assert_eq!(begun.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn copies_are_whole() {
        for length in [0, 1, PIECE + 1, 5 * PIECE - 3] {
            let bytes = (0..length).map(|n| (n * 7 % 251) as u8).collect::<Vec<_>>();
            assert!(copied(&bytes) == bytes, "{length}");
        }
    }

    #[test]
    fn little_is_copied_by_one_thread() {
        assert_eq!(threads_for(0), 1);
        assert_eq!(threads_for(BYTES_PER_THREAD), 1);
        assert!((1..=MOST_THREADS).contains(&threads_for(u64::MAX)));
    }
}
