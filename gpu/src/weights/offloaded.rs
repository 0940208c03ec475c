//! The data of constants in the memory of the host.
//!
//! It is kept in pieces: each is allocated and filled by one thread, so that several threads take the page faults of fresh
//! memory, which are what limits a copy to it. A piece is as large as the memory that the device copies it from.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use webnn_reference::ledger::{Kind, Way};
use webnn_reference::platform::PlatformError;

use crate::account::{Account, Allocation, Held};
use crate::batch::Batch;
use crate::device::lock;
use crate::parallel::{in_parallel, threads_for};

/// The bytes of a piece, except for the last one. The system takes memory of this size back as soon as it is freed.
const PIECE: u64 = 32 << 20;

/// So many pieces are on their way at once, each with staging memory of its size.
const MOST_ON_THEIR_WAY: usize = 8;

/// A constant's data.
#[derive(Debug)]
pub(crate) struct Offloaded {
    pieces: Vec<Vec<u8>>,
    _held: Held,
}

impl Offloaded {
    pub(crate) fn pieces(&self) -> &[Vec<u8>] {
        &self.pieces
    }

    /// Gives the memory back, by several threads: the system takes longer to take back a gigabyte of pages than the bus
    /// takes to move it.
    pub(crate) fn release(self) {
        let bytes = self.pieces.iter().map(|piece| piece.len() as u64).sum();
        let done: Result<(), ()> = in_parallel(
            self.pieces,
            threads_for(bytes),
            || (),
            |(), piece| {
                drop(piece);
                Ok(())
            },
        );
        debug_assert_eq!(done, Ok(()));
    }
}

/// The bytes of a piece, from this byte of all of them on.
pub(crate) fn run_of_pieces(pieces: &[Vec<u8>], at: u64) -> &[u8] {
    let (piece, within) = (at / PIECE, at % PIECE);
    let piece = usize::try_from(piece).ok().and_then(|piece| pieces.get(piece));
    piece.and_then(|piece| piece.get(within as usize..)).unwrap_or_default()
}

/// A piece that is to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fetch {
    constant: usize,
    bytes: Range<u64>,
}

/// Copies the first bytes of these buffers, so many of each, to the host.
pub(crate) fn download(account: &Account, constants: &[(&Allocation, u64)]) -> Result<Vec<Offloaded>, PlatformError> {
    let total = constants.iter().map(|(_, bytes)| bytes).sum::<u64>();
    let threads = threads_for(total).min(MOST_ON_THEIR_WAY);
    let lengths = constants.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>();
    let helds = lengths.iter().map(|bytes| account.hold(Kind::Offloaded, *bytes)).collect::<Vec<_>>();
    let _staging = account.hold(Kind::Staging, total.min(threads as u64 * PIECE));
    let buffers = constants.iter().map(|(allocation, _)| allocation.buffer()).collect::<Vec<_>>();
    let (turn, fetched) = (Mutex::new(()), Mutex::new(BTreeMap::new()));
    let batch = account.batch();
    in_parallel(
        groups(&lengths),
        threads,
        || (),
        |(), group: Vec<Fetch>| {
            fetch(batch, &turn, &buffers, &group, |fetch, bytes| {
                lock(&fetched).insert((fetch.constant, fetch.bytes.start), bytes);
            })
        },
    )?;
    account.moved(Way::Download, total);
    let mut pieces = vec![Vec::new(); constants.len()];
    for ((constant, _), bytes) in std::mem::take(&mut *lock(&fetched)) {
        pieces[constant].push(bytes);
    }
    Ok(pieces.into_iter().zip(helds).map(|(pieces, held)| Offloaded { pieces, _held: held }).collect())
}

/// Fetches a group of pieces with one submission.
fn fetch(
    batch: &Arc<Batch>,
    turn: &Mutex<()>,
    buffers: &[&wgpu::Buffer],
    group: &[Fetch],
    mut keep: impl FnMut(&Fetch, Vec<u8>),
) -> Result<(), PlatformError> {
    let mine = lock(turn);
    let read =
        |fetch: &Fetch| batch.read(buffers[fetch.constant], fetch.bytes.start, fetch.bytes.end - fetch.bytes.start);
    let reads = group.iter().map(read).collect::<Vec<_>>();
    batch.flush()?;
    drop(mine);
    for (fetch, read) in group.iter().zip(reads) {
        keep(fetch, read.wait_for(copied)??);
    }
    Ok(())
}

fn copied(bytes: &[u8]) -> Result<Vec<u8>, PlatformError> {
    let mut copy = Vec::new();
    let reserved = copy.try_reserve_exact(bytes.len());
    reserved.map_err(|_| PlatformError::OutOfMemory("the host has none left for a graph's constants".to_owned()))?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// The pieces of buffers of these lengths, small ones together in groups of no more bytes than a piece has.
fn groups(lengths: &[u64]) -> Vec<Vec<Fetch>> {
    let mut groups: Vec<Vec<Fetch>> = Vec::new();
    let mut room = 0;
    for (constant, length) in lengths.iter().enumerate() {
        let mut start = 0;
        while start < *length {
            let end = length.min(&(start + PIECE)).to_owned();
            let fetch = Fetch { constant, bytes: start..end };
            match groups.last_mut() {
                Some(group) if end - start <= room => group.push(fetch),
                _ => {
                    groups.push(vec![fetch]);
                    room = PIECE;
                }
            }
            room -= end - start;
            start = end;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pieces_go_together_and_large_constants_apart() {
        let groups = groups(&[3, PIECE - 3, 0, 2 * PIECE + 1, 5]);
        let sizes = |group: &Vec<Fetch>| group.iter().map(|fetch| fetch.bytes.end - fetch.bytes.start).sum::<u64>();
        assert_eq!(groups.iter().map(sizes).collect::<Vec<_>>(), [PIECE, PIECE, PIECE, 6]);
        assert_eq!(groups[1], [Fetch { constant: 3, bytes: 0..PIECE }]);
        assert_eq!(groups[3][0], Fetch { constant: 3, bytes: 2 * PIECE..2 * PIECE + 1 });
    }
}
