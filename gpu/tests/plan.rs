//! The planner: no two tensors that are needed at the same time share memory, whatever their lives; and how close it
//! comes to the lower bound.

#![allow(clippy::print_stderr, reason = "a skipped test says why, and a plan how good it is")]

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use webnn_gpu::plan::{Block, Plan, Space, apart, plan};

/// What every plan holds.
fn check(blocks: &[Block], space: Space, plan: &Plan) {
    assert_eq!(plan.places.len(), blocks.len());
    let taken = |block: &Block| block.bytes.max(1).next_multiple_of(space.alignment);
    for (block, place) in blocks.iter().zip(&plan.places) {
        assert!(place.offset.is_multiple_of(space.alignment), "{place:?}");
        assert!(place.offset + taken(block) <= plan.arenas[place.arena], "{place:?} in {:?}", plan.arenas);
    }
    for (n, (a, at)) in blocks.iter().zip(&plan.places).enumerate() {
        for (b, bt) in blocks.iter().zip(&plan.places).skip(n + 1) {
            let together = a.first <= b.last && b.first <= a.last;
            let apart = at.offset + taken(a) <= bt.offset || bt.offset + taken(b) <= at.offset;
            assert!(!together || at.arena != bt.arena || apart, "{a:?} at {at:?} and {b:?} at {bt:?}");
        }
    }
    // What is alive at each step, by counting.
    let alive = |step: usize| {
        let alive = blocks.iter().filter(|block| block.first <= step && step <= block.last);
        alive.map(taken).sum::<u64>()
    };
    let lower_bound = blocks.iter().map(|block| alive(block.first)).max().unwrap_or(0);
    let figures = plan.figures;
    assert_eq!(figures.lower_bound, lower_bound);
    assert_eq!(figures.naive, blocks.iter().map(taken).sum::<u64>());
    assert_eq!(figures.planned, plan.arenas.iter().sum::<u64>());
    assert!(figures.lower_bound <= figures.planned && figures.planned <= figures.naive, "{figures:?}");
    // An arena is too large only if one block alone is.
    let largest = blocks.iter().map(taken).max().unwrap_or(0);
    assert!(plan.arenas.iter().all(|bytes| *bytes <= space.capacity.max(largest)), "{:?}", plan.arenas);
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = (1..5000_u64, 0..60_usize, 0..20_usize);
    let block = block.prop_map(|(bytes, first, length)| Block { bytes, first, last: first + length });
    prop::collection::vec(block, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_two_live_blocks_overlap(blocks in blocks(), alignment in 0..9_u32, capacity in 1000..200_000_u64) {
        let space = Space { alignment: 1 << alignment, capacity };
        let planned = plan(&blocks, space);
        check(&blocks, space, &planned);
        prop_assert_eq!(&planned, &plan(&blocks, space), "twice the same");
        check(&blocks, space, &apart(&blocks, space));
    }

    /// Where each tensor is needed by the next step only, or all are needed at once, the bound is reached.
    #[test]
    fn easy_lives_reach_the_lower_bound(bytes in prop::collection::vec(1..5000_u64, 0..60)) {
        let space = Space { alignment: 4, capacity: 1 << 30 };
        let chain = (0..).zip(&bytes).map(|(first, bytes)| Block { bytes: *bytes, first, last: first + 1 });
        let figures = plan(&chain.collect::<Vec<_>>(), space).figures;
        prop_assert_eq!(figures.planned, figures.lower_bound);
        let together = bytes.iter().map(|bytes| Block { bytes: *bytes, first: 0, last: 9 });
        let figures = plan(&together.collect::<Vec<_>>(), space).figures;
        prop_assert_eq!(figures.planned, figures.naive);
    }
}

#[test]
fn without_tensors_there_is_no_arena() {
    let space = Space { alignment: 256, capacity: 1 << 30 };
    assert_eq!(plan(&[], space), Plan::default());
}

/// Instances that are hard on purpose, where they are beside the repository.
fn hard_instances() -> Vec<(PathBuf, Vec<Block>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/planner");
    let Ok(files) = folder.read_dir() else {
        eprintln!("skipped: there is no {}", folder.display());
        return Vec::new();
    };
    let mut paths = files.map(|file| file.unwrap().path()).collect::<Vec<_>>();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), instance(&path))).collect()
}

/// A line for each block: its name, the first step, the step after the last, its size.
fn instance(path: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(path).unwrap();
    let block = |line: &str| {
        let fields = line.split(',').skip(1).map(|field| field.trim().parse::<usize>().unwrap()).collect::<Vec<_>>();
        Block { first: fields[0], last: fields[1] - 1, bytes: fields[2] as u64 }
    };
    text.lines().skip(1).map(block).collect()
}

#[test]
fn hard_instances_stay_close_to_the_lower_bound() {
    for (path, blocks) in hard_instances() {
        let space = Space { alignment: 1, capacity: 1 << 30 };
        let planned = plan(&blocks, space);
        check(&blocks, space, &planned);
        let ratio = planned.figures.planned as f64 / planned.figures.lower_bound as f64;
        let naive = planned.figures.naive as f64 / planned.figures.lower_bound as f64;
        let name = path.file_name().unwrap_or_default().display();
        eprintln!("{name}: {} blocks, {ratio:.3} of the lower bound, {naive:.1} without a plan", blocks.len());
        assert!(ratio < 1.35, "{name}: {ratio}");
    }
}
