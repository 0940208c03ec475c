//! The planner: where in memory each intermediate tensor lies.
//!
//! A tensor is needed from the step that first writes it to the step that last reads it. Tensors whose lives do not
//! overlap may share memory, so all of them lie in a few arenas, nearly always one. The planner sees lives and sizes
//! and nothing else: it is a pure function, and the same lives always get the same places.
//!
//! It is dynamic storage allocation, which is NP-hard, and networks are an easy case of it. Blocks are placed one
//! after the other, each at the lower or the upper end of the smallest gap that it fits into. (In a chain, where each
//! block meets the next, one at the bottom and the next at the top is all it takes.) Several orders are tried, and if
//! none of them reaches the lower bound, which is the largest sum of sizes alive at once, a search with a fixed budget
//! changes the best of them bit by bit.
//!
//! One dispatch may read and write the same arena, in different places. wgpu refuses a buffer that one dispatch binds
//! both for reading and for writing, so inputs that lie in the output's arena are bound for writing too
//! ([`Module::write_to`](crate::wgsl::Module::write_to)). The alternative, arenas in which no dispatch finds both its
//! inputs and its output, needs a third arena as soon as a network has a residual connection, and the arenas' peaks do
//! not coincide.

use std::collections::BTreeMap;

use crate::lower::{Economy, Program, Slot};

/// So many comparisons of blocks the search may take: a fraction of a second.
const BUDGET: usize = 40_000_000;

/// So many changes the search may try, however few blocks there are.
const MOST_ROUNDS: usize = 1000;

/// A tensor's size and life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its size in bytes.
    pub bytes: u64,
    /// The step that writes it first.
    pub first: usize,
    /// The step that needs it last, be it by reading or by writing.
    pub last: usize,
}

/// What memory there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Blocks begin at multiples of this many bytes, and take up whole multiples.
    pub alignment: u64,
    /// The most bytes of an arena. A block that is larger gets an arena of its own all the same.
    pub capacity: u64,
}

impl Space {
    /// The capacity in whole multiples of the alignment.
    fn whole(self) -> u64 {
        self.capacity / self.alignment * self.alignment
    }
}

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In which arena.
    pub arena: usize,
    /// Where in it, in bytes.
    pub offset: u64,
}

/// Where all blocks lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The place of each block.
    pub places: Vec<Place>,
    /// The bytes of each arena.
    pub arenas: Vec<u64>,
    /// What it comes to.
    pub figures: Figures,
}

/// How many bytes intermediate tensors take, all sizes being multiples of the alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// With memory of its own for each tensor.
    pub naive: u64,
    /// By the plan: the sum of the arenas.
    pub planned: u64,
    /// The largest sum of sizes alive at once, which no plan can go below.
    pub lower_bound: u64,
}

impl Block {
    fn overlaps(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Places blocks so that those alive at the same time do not overlap, in as little memory as it can.
pub fn plan(blocks: &[Block], space: Space) -> Plan {
    let blocks = aligned(blocks, space);
    let task = Task { blocks: &blocks, lower_bound: lower_bound(&blocks), capacity: space.whole() };
    let mut best: Option<(Vec<Turn>, Packing)> = None;
    for turns in orders(&blocks) {
        let packing = task.pack(&turns);
        if best.as_ref().is_none_or(|(_, best)| packing.total() < best.total()) {
            best = Some((turns, packing));
        }
        if best.as_ref().is_some_and(|(_, best)| best.total() == task.lower_bound) {
            break;
        }
    }
    let packing = best.map(|(turns, packing)| task.search(turns, packing)).unwrap_or_default();
    packing.into_plan(&blocks, task.lower_bound)
}

/// An arena for each block: what memory would be without a plan.
pub fn apart(blocks: &[Block], space: Space) -> Plan {
    let blocks = aligned(blocks, space);
    let places = (0..blocks.len()).map(|arena| Place { arena, offset: 0 }).collect();
    let packing = Packing { places, arenas: blocks.iter().map(|block| block.bytes).collect() };
    packing.into_plan(&blocks, lower_bound(&blocks))
}

/// Where a program's own tensors lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The place of each tensor.
    pub places: BTreeMap<Slot, Place>,
    /// The bytes of each arena.
    pub arenas: Vec<u64>,
    /// What it comes to.
    pub figures: Figures,
}

impl Layout {
    /// Lays a program out, and has its kernels bind for writing what they read in the arena that they write to.
    pub fn of(program: &mut Program, space: Space, economy: Economy) -> Self {
        let (slots, blocks): (Vec<_>, Vec<_>) = lives(program).into_iter().unzip();
        let planner = if economy.reuse { plan } else { apart };
        let Plan { places, arenas, figures } = planner(&blocks, space);
        let places = slots.into_iter().zip(places).collect::<BTreeMap<_, _>>();
        let arena = |slot: &Slot| places.get(slot).map(|place| place.arena);
        for step in &mut program.steps {
            let Some((output, inputs)) = step.bound.split_last() else { continue };
            let Some(written) = arena(&output.slot) else { continue };
            let shared = (0..inputs.len()).filter(|input| arena(&inputs[*input].slot) == Some(written));
            step.module.write_to(&shared.collect::<Vec<_>>());
        }
        Self { places, arenas, figures }
    }
}

/// The tensors of a program that lie in arenas, with their lives, in the order in which they are written first.
///
/// A dispatch needs all that it binds at once, so the lives of its inputs and of its output overlap.
pub fn lives(program: &Program) -> Vec<(Slot, Block)> {
    let mut found: Vec<(Slot, Block)> = Vec::new();
    let mut known = BTreeMap::new();
    for (step, range) in program.steps.iter().enumerate().flat_map(|(n, step)| step.bound.iter().map(move |r| (n, r))) {
        let Some(bytes) = program.inner.get(&range.slot) else { continue };
        let at = *known.entry(range.slot).or_insert_with(|| {
            found.push((range.slot, Block { bytes: *bytes, first: step, last: step }));
            found.len() - 1
        });
        found[at].1.last = step;
    }
    found
}

fn aligned(blocks: &[Block], space: Space) -> Vec<Block> {
    let round = |block: &Block| Block { bytes: block.bytes.max(1).next_multiple_of(space.alignment), ..*block };
    blocks.iter().map(round).collect()
}

/// The largest sum of sizes alive at once.
fn lower_bound(blocks: &[Block]) -> u64 {
    alive(blocks).into_values().max().unwrap_or(0)
}

/// The sum of the sizes that are alive, at each step at which one begins.
fn alive(blocks: &[Block]) -> BTreeMap<usize, u64> {
    let mut begins: BTreeMap<usize, u64> = BTreeMap::new();
    let mut ends: BTreeMap<usize, u64> = BTreeMap::new();
    for block in blocks {
        *begins.entry(block.first).or_default() += block.bytes;
        *ends.entry(block.last).or_default() += block.bytes;
    }
    let mut sum = 0;
    let mut ended = ends.into_iter().peekable();
    let sums = begins.into_iter().map(|(step, bytes)| {
        sum += bytes;
        while let Some((_, bytes)) = ended.next_if(|(last, _)| *last < step) {
            sum -= bytes;
        }
        (step, sum)
    });
    sums.collect()
}

/// A block's turn to be placed.
#[derive(Clone, Copy, Debug)]
struct Turn {
    block: usize,
    /// At the upper end of a gap, not at the lower.
    upper: bool,
}

/// Orders that do well on one kind of network or another.
fn orders(blocks: &[Block]) -> Vec<Vec<Turn>> {
    let length = |block: &Block| (block.last - block.first + 1) as u64;
    let by = |key: &dyn Fn(&Block) -> (u64, u64)| {
        let mut order = (0..blocks.len()).collect::<Vec<_>>();
        // Stable, so that equals stay in the order of the program.
        order.sort_by_key(|block| std::cmp::Reverse(key(&blocks[*block])));
        order
    };
    let lower = |order: Vec<usize>| order.into_iter().map(|block| Turn { block, upper: false }).collect();
    vec![
        lower(by(&|block| (block.bytes, length(block)))),
        (0..blocks.len()).map(|block| Turn { block, upper: block % 2 == 1 }).collect(),
        lower(by_breadth(blocks)),
        lower(by(&|block| (block.bytes.saturating_mul(length(block)), block.bytes))),
        lower(by(&|block| (length(block), block.bytes))),
        lower((0..blocks.len()).collect()),
    ]
}

/// The blocks of the busiest step first, the largest of them before the others.
fn by_breadth(blocks: &[Block]) -> Vec<usize> {
    let alive = alive(blocks);
    // A block belongs to the busiest of its steps.
    let breadth = |block: &Block| alive.range(block.first..=block.last).map(|(_, sum)| *sum).max();
    let mut order = (0..blocks.len()).map(|n| (breadth(&blocks[n]), blocks[n].bytes, n)).collect::<Vec<_>>();
    order.sort_by_key(|(breadth, bytes, _)| std::cmp::Reverse((*breadth, *bytes)));
    order.into_iter().map(|(_, _, n)| n).collect()
}

/// Blocks to be placed.
#[derive(Clone, Copy, Debug)]
struct Task<'a> {
    blocks: &'a [Block],
    lower_bound: u64,
    capacity: u64,
}

impl Task<'_> {
    /// Places the blocks in this order.
    fn pack(self, turns: &[Turn]) -> Packing {
        let mut places = vec![Place { arena: 0, offset: 0 }; self.blocks.len()];
        let mut arenas: Vec<Arena> = Vec::new();
        for turn in turns {
            let found = (0..).zip(&arenas).find_map(|(arena, placed)| {
                let offset = placed.gap(self, &places, *turn)?;
                Some(Place { arena, offset })
            });
            let place = found.unwrap_or(Place { arena: arenas.len(), offset: 0 });
            if place.arena == arenas.len() {
                arenas.push(Arena::default());
            }
            places[turn.block] = place;
            arenas[place.arena].add(self.blocks, &places, turn.block);
        }
        Packing { places, arenas: arenas.into_iter().map(|arena| arena.bytes).collect() }
    }

    /// Gives a block that reaches the top an earlier turn, or any block the other end, and keeps what is not worse.
    fn search(self, mut turns: Vec<Turn>, mut best: Packing) -> Packing {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let rounds = BUDGET / (self.blocks.len() * self.blocks.len()).max(1);
        for _ in 0..rounds.min(MOST_ROUNDS) {
            if best.total() == self.lower_bound {
                break;
            }
            let mut tried = turns.clone();
            if dice.below(3) == 0 {
                let turn = dice.below(tried.len());
                tried[turn].upper ^= true;
            } else {
                let peaks = best.peaks(self.blocks);
                let peak = peaks[dice.below(peaks.len())];
                let from = tried.iter().position(|turn| turn.block == peak).unwrap_or(0);
                let turn = tried.remove(from);
                tried.insert(dice.below(from + 1), turn);
            }
            let packing = self.pack(&tried);
            if packing.total() <= best.total() {
                (turns, best) = (tried, packing);
            }
        }
        best
    }
}

/// Numbers that look random and are always the same (Marsaglia's xorshift, 2003).
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Blocks in arenas.
#[derive(Clone, Debug, Default)]
struct Packing {
    places: Vec<Place>,
    arenas: Vec<u64>,
}

impl Packing {
    fn total(&self) -> u64 {
        self.arenas.iter().sum()
    }

    /// The blocks that end where their arena ends.
    fn peaks(&self, blocks: &[Block]) -> Vec<usize> {
        let ends = |n: &usize| self.places[*n].offset + blocks[*n].bytes == self.arenas[self.places[*n].arena];
        (0..blocks.len()).filter(ends).collect()
    }

    fn into_plan(self, blocks: &[Block], lower_bound: u64) -> Plan {
        let naive = blocks.iter().map(|block| block.bytes).sum();
        let figures = Figures { naive, planned: self.total(), lower_bound };
        Plan { places: self.places, arenas: self.arenas, figures }
    }
}

/// The blocks that lie in one arena, by their offsets.
#[derive(Debug, Default)]
struct Arena {
    placed: Vec<usize>,
    bytes: u64,
}

impl Arena {
    /// Where a block fits between those that are alive with it, or above them.
    fn gap(&self, task: Task<'_>, places: &[Place], turn: Turn) -> Option<u64> {
        let (blocks, bytes) = (task.blocks, task.blocks[turn.block].bytes);
        let mut best: Option<(u64, u64)> = None;
        let mut end = 0;
        let mut look = |from: u64, to: u64| {
            let gap = to.saturating_sub(from);
            if gap >= bytes && best.is_none_or(|(smallest, _)| gap < smallest) {
                best = Some((gap, if turn.upper { to - bytes } else { from }));
            }
        };
        for other in self.placed.iter().filter(|other| blocks[**other].overlaps(&blocks[turn.block])) {
            let offset = places[*other].offset;
            look(end, offset);
            end = end.max(offset + blocks[*other].bytes);
        }
        // What a plan needs at least, it may use.
        look(end, task.lower_bound.min(task.capacity));
        let above = (end + bytes <= task.capacity).then_some(end);
        best.map(|(_, offset)| offset).or(above)
    }

    fn add(&mut self, blocks: &[Block], places: &[Place], block: usize) {
        let offset = places[block].offset;
        let at = self.placed.partition_point(|other| places[*other].offset <= offset);
        self.placed.insert(at, block);
        self.bytes = self.bytes.max(offset + blocks[block].bytes);
    }
}
