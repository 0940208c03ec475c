//! The data of constants in the memory of the host.
//!
//! What limits a copy to fresh memory is the system's work on each page of it, and not the bus. So the memory is asked for
//! in large pages where the system has them, and several threads take what is left of that work: each copies pieces of a
//! constant, through a staging buffer of its own, while the device fills those of the others.

use std::io;

use memmap2::MmapMut;
use webnn_reference::ledger::{Kind, Way};
use webnn_reference::platform::PlatformError;

use crate::account::{Account, Allocation, Held};
use crate::device::whole_words;
use crate::parallel::{in_parallel, threads_for};
use staging::Staging;

mod staging;

/// The bytes that a thread fetches at once, and of its staging buffer: those of a large page. With 16 threads on the host of an
/// H200, 1 GiB took 79 ms in pieces of 1 or 2 MiB, 100 ms of 4 or 8 and 140 ms of 16: fresh staging memory takes time too.
const PIECE: u64 = 2 << 20;

/// A constant's data.
#[derive(Debug)]
pub(crate) struct Offloaded {
    memory: MmapMut,
    _held: Held,
}

impl Offloaded {
    fn new(account: &Account, bytes: u64) -> Result<Self, PlatformError> {
        let memory = fresh(bytes).map_err(|error| {
            PlatformError::OutOfMemory(format!("the host has none left for a constant of {bytes} bytes ({error})"))
        })?;
        Ok(Self { memory, _held: account.hold(Kind::Offloaded, bytes) })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory
    }
}

/// Memory that the system gives page by page, as they are written to.
fn fresh(bytes: u64) -> io::Result<MmapMut> {
    let bytes = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let memory = MmapMut::map_anon(bytes)?;
    #[cfg(target_os = "linux")]
    if bytes as u64 >= PIECE {
        // A system without large pages refuses, and gives small ones.
        let _ = memory.advise(memmap2::Advice::HugePage);
    }
    Ok(memory)
}

/// A piece that is to be fetched, and where it goes.
#[derive(Debug)]
struct Fetch<'a> {
    constant: usize,
    at: u64,
    into: &'a mut [u8],
}

impl Fetch<'_> {
    /// The bytes that it takes of a staging buffer.
    fn staged(&self) -> u64 {
        whole_words(self.into.len() as u64).next_multiple_of(wgpu::MAP_ALIGNMENT)
    }
}

/// Copies the first bytes of these buffers, so many of each, to the host.
pub(crate) fn download(account: &Account, constants: &[(&Allocation, u64)]) -> Result<Vec<Offloaded>, PlatformError> {
    let fresh = constants.iter().map(|(_, bytes)| Offloaded::new(account, *bytes));
    let mut offloaded = fresh.collect::<Result<Vec<_>, _>>()?;
    let total = constants.iter().map(|(_, bytes)| bytes).sum::<u64>();
    let groups = groups(offloaded.iter_mut().map(|constant| &mut constant.memory[..]));
    let threads = threads_for(total).min(groups.len());
    let staged = groups.iter().map(|group| group.iter().map(Fetch::staged).sum()).max().unwrap_or(0);
    let _staging = account.hold(Kind::Staging, threads as u64 * staged);
    let (batch, buffers) = (account.batch(), constants.iter().map(|(memory, _)| memory.buffer()).collect::<Vec<_>>());
    in_parallel(
        groups,
        threads,
        || Staging::new(batch, staged),
        |staging, mut group| staging.fetch(&buffers, &mut group).map_err(PlatformError::from),
    )?;
    account.moved(Way::Download, total);
    Ok(offloaded)
}

/// The pieces of constants, small ones together in groups of no more bytes than a piece has.
fn groups<'a>(constants: impl Iterator<Item = &'a mut [u8]>) -> Vec<Vec<Fetch<'a>>> {
    let pieces = constants.enumerate().flat_map(|(constant, memory)| {
        let pieces = memory.chunks_mut(PIECE as usize).enumerate();
        pieces.map(move |(index, into)| Fetch { constant, at: index as u64 * PIECE, into })
    });
    let mut groups: Vec<Vec<Fetch<'a>>> = Vec::new();
    let mut room = 0;
    for piece in pieces {
        let staged = piece.staged();
        match groups.last_mut() {
            Some(group) if staged <= room => group.push(piece),
            _ => {
                groups.push(vec![piece]);
                room = PIECE;
            }
        }
        room -= staged;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pieces_go_together_and_large_constants_apart() {
        const ALL: usize = PIECE as usize;
        let mut memories = [3, ALL - 8, 0, 2 * ALL + 1, 5].map(|length| vec![0; length]);
        let groups = groups(memories.iter_mut().map(Vec::as_mut_slice));
        let seen = |fetch: &Fetch<'_>| (fetch.constant, fetch.at, fetch.into.len());
        let seen = groups.iter().map(|group| group.iter().map(seen).collect::<Vec<_>>()).collect::<Vec<_>>();
        let end = vec![(3, 2 * PIECE, 1), (4, 0, 5)];
        assert_eq!(seen, [vec![(0, 0, 3), (1, 0, ALL - 8)], vec![(3, 0, ALL)], vec![(3, PIECE, ALL)], end]);
    }
}
