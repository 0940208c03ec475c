//! Entries that are not what was kept: cut off, with bits turned, of another maker, or made up by somebody who knows how.
//!
//! Whatever is done to an entry, loading it says so; and what it does not refuse can be dispatched.

use std::cell::Cell;
use std::rc::Rc;

use proptest::prelude::*;
use webnn_reference::buffer::{BufferSource, Bytes};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::data_type::MLOperandDataType::{Float32, Int8};
use webnn_reference::descriptor::MLTensorDescriptor;
use webnn_reference::exception::{Exception, ExceptionName};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::ops::resample2d::MLResample2dOptions;
use webnn_reference::proposals::graph_cache::{Entry, GraphStore, MemoryStore};
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;

use super::*;
use crate::Gpu;

/// A graph that was saved, and all that it takes to load something else in its place.
struct Scene {
    global: Global,
    context: MLContext,
    store: Rc<MemoryStore>,
    device: String,
    maker: Maker,
    bounds: Bounds,
    entry: Vec<u8>,
    built: Vec<Vec<u8>>,
}

fn float32(shape: &[u32]) -> MLOperandDescriptor {
    MLOperandDescriptor::create(Float32, shape)
}

/// Small numbers.
fn numbers(descriptor: &MLOperandDescriptor) -> BufferSource {
    let bytes = (0..descriptor.byte_length() / 4).flat_map(|n| ((n % 7) as f32 - 3.0).to_le_bytes()).collect();
    BufferSource::typed(Float32, bytes)
}

impl Scene {
    /// A graph with a table, tensors that share memory, a hollow constant, constants with data, and two outputs. `None`
    /// where there is no adapter.
    fn new() -> Option<Self> {
        let gpu = match Gpu::new(None) {
            Err(Error::NoAdapter { .. }) => return None,
            gpu => gpu.unwrap(),
        };
        let bounds = crate::context::bounds(gpu.device());
        let maker = Maker::on(gpu.device(), bounds, Economy::ALL);
        let global = Global::new(Reading::Corrected);
        let store = Rc::new(MemoryStore::default());
        global.keep_graphs_in(Some(store.clone()));
        let ml = ML::new(&global, Rc::new(gpu));
        let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
        let device = context.underlying_platform().device_name();
        let mut scene = Self { global, context, store, device, maker, bounds, entry: vec![], built: vec![] };
        let (graph, weights) = scene.graph();
        let named = [("weights".to_owned(), weights.clone())];
        scene.global.settle(&scene.context.save_graph("k", &graph, &named)).unwrap();
        let Some(Entry::Bytes(bytes)) = scene.store.read(&scene.device, "k").unwrap() else {
            panic!("nothing was kept")
        };
        scene.entry = bytes.into_vec();
        let data = numbers(&weights.descriptor());
        scene.set(&graph, &weights, data);
        scene.built = scene.dispatched(&graph).expect("small tensors");
        Some(scene)
    }

    fn graph(&self) -> (MLGraph, MLOperand) {
        let none = MLOperatorOptions::default();
        let b = MLGraphBuilder::new(&self.context).unwrap();
        let x = b.input("x", &float32(&[1, 1, 4, 4])).unwrap();
        let options = MLResample2dOptions { sizes: Some(vec![8, 8]), ..MLResample2dOptions::default() };
        let wide = b.reshape(&b.resample2d(&x, &options).unwrap(), &[8, 8], &none).unwrap();
        let weights = b.hollow_constant(&float32(&[8, 8])).unwrap();
        let bias = b.constant(&float32(&[8]), &numbers(&float32(&[8]))).unwrap();
        let product = b.add(&b.matmul(&wide, &weights, &none).unwrap(), &bias, &none).unwrap();
        let y = b.softmax(&b.matmul(&product, &product, &none).unwrap(), 1, &none).unwrap();
        let few = MLOperandDescriptor::create(Int8, &[3]);
        let few = b.constant(&few, &BufferSource::typed(Int8, vec![1, 2, 3])).unwrap();
        let z = b.neg(&few, &none).unwrap();
        (self.global.settle(&b.build(&[("y".into(), y), ("z".into(), z)])).unwrap(), weights)
    }

    fn tensors(&self, of: &BTreeMap<String, MLOperandDescriptor>) -> Option<Vec<(String, MLTensor)>> {
        let tensor = |operand: &MLOperandDescriptor| {
            let descriptor = MLTensorDescriptor { operand: operand.clone(), readable: true, writable: true };
            let is_small = operand.byte_length() < 1 << 20;
            is_small.then(|| self.global.settle(&self.context.create_tensor(&descriptor)).unwrap())
        };
        of.iter().map(|(name, descriptor)| Some((name.clone(), tensor(descriptor)?))).collect()
    }

    fn set(&self, graph: &MLGraph, constant: &MLOperand, data: BufferSource) {
        let set = graph.set_constant_data(constant, &data.into(), MLConstantDataOptions::default());
        self.global.settle(&set).unwrap();
    }

    /// The outputs of a graph, if its tensors are not too large for a test.
    fn dispatched(&self, graph: &MLGraph) -> Option<Vec<Vec<u8>>> {
        let (inputs, outputs) = (self.tensors(graph.inputs())?, self.tensors(graph.outputs())?);
        for (_, tensor) in inputs.iter().filter(|(_, tensor)| tensor.data_type() == Float32) {
            self.context.write_tensor(tensor, &numbers(tensor.descriptor())).unwrap();
        }
        self.context.dispatch(graph, &inputs, &outputs).unwrap();
        let read =
            |(_, tensor): &(String, MLTensor)| self.global.settle(&self.context.read_tensor(tensor)).unwrap().to_vec();
        Some(outputs.iter().map(read).collect())
    }

    fn load(&self, entry: Vec<u8>) -> std::result::Result<MLGraph, Exception> {
        self.store.write(&self.device, "k", Entry::Bytes(Bytes::new(entry))).unwrap();
        self.global.settle(&self.context.load_graph("k"))
    }

    fn opens(&self, entry: &[u8]) -> std::result::Result<(), String> {
        open(entry, &self.maker, self.bounds).map(drop)
    }

    /// What is in the entry, to be changed, and the data of its constants.
    fn parts(&self) -> (Form, Vec<u8>) {
        let (_, rest) = postcard::take_from_bytes::<Maker>(&self.entry[MAKER_AT..]).unwrap();
        let (form, data) = postcard::take_from_bytes::<Form>(rest).unwrap();
        (form, data.to_vec())
    }

    fn made_up(&self, form: &Form, data: &[u8]) -> Vec<u8> {
        let mut content = (data.len() as u64).to_le_bytes().to_vec();
        content.extend(postcard::to_stdvec(&self.maker).unwrap());
        content.extend(postcard::to_stdvec(form).unwrap());
        content.extend(data);
        sealed(&content)
    }

    /// Loads an entry, and dispatches what comes of it. Returns whether anything did.
    fn is_handled(&self, entry: Vec<u8>) -> bool {
        let work = |step: &Step| u64::from(step.module.grid[0]) * u64::from(step.module.grid[1]);
        let is_quick = |opened: &Opened<'_>| opened.blueprint.program.steps.iter().map(work).sum::<u64>() < 1000;
        // Some grids are as good as endless, and no mistake.
        if open(&entry, &self.maker, self.bounds).is_ok_and(|opened| !is_quick(&opened)) {
            return false;
        }
        let loaded = self.load(entry);
        let is_loaded = loaded.is_ok();
        match loaded {
            Err(exception) => {
                let named = matches!(exception.name, ExceptionName::NotFoundError | ExceptionName::OperationError);
                assert!(named, "{exception}");
            }
            Ok(graph) => {
                for (_, constant) in graph.constants() {
                    let descriptor = constant.descriptor();
                    if descriptor.byte_length() < 1 << 20 {
                        let zeros = vec![0; usize::try_from(descriptor.byte_length()).unwrap()];
                        let data = BufferSource::typed(descriptor.data_type, zeros);
                        self.set(&graph, &constant, data);
                    }
                }
                if graph.unset_constants().is_empty() {
                    self.dispatched(&graph);
                }
            }
        }
        assert!(!self.context.is_lost());
        is_loaded
    }
}

/// An entry of which only the content is known.
fn sealed(content: &[u8]) -> Vec<u8> {
    let mut entry = [&MAGIC[..], &FORMAT.to_le_bytes(), &[0; 32]].concat();
    entry.extend(content);
    Draft(entry).sealed()
}

#[test]
fn what_was_kept_is_loaded_and_computes_the_same_bits() {
    let Some(scene) = Scene::new() else { return };
    let graph = scene.load(scene.entry.clone()).unwrap();
    let (_, weights) = graph.constants().remove(0);
    scene.set(&graph, &weights, numbers(&weights.descriptor()));
    assert_eq!(scene.dispatched(&graph).unwrap(), scene.built);
    let (form, data) = scene.parts();
    assert_eq!(scene.made_up(&form, &data), scene.entry);
}

#[test]
fn an_entry_of_any_other_length_is_refused() {
    let Some(scene) = Scene::new() else { return };
    for length in 0..scene.entry.len() {
        let why = scene.opens(&scene.entry[..length]).expect_err("too short");
        let expected = if length < CONTENT_AT { "it is too short" } else { "it is damaged: its checksum is another" };
        assert_eq!(why, expected, "{length} bytes");
        // And by somebody who can compute a checksum.
        if length >= CONTENT_AT {
            let why = scene.opens(&sealed(&scene.entry[CONTENT_AT..length])).expect_err("too short");
            assert!(why.starts_with("it can not be read") || why.starts_with("it does not add up"), "{length}: {why}");
        }
    }
    let longer = [scene.entry.as_slice(), &[0]].concat();
    assert_eq!(scene.opens(&longer), Err("it is damaged: its checksum is another".to_owned()));
    assert!(scene.opens(&sealed(&longer[CONTENT_AT..])).is_err());
}

/// What is done to an entry to make another of it.
type Change<T> = fn(&mut T);

#[test]
fn another_maker_is_named() {
    let Some(scene) = Scene::new() else { return };
    let changes: [(Change<Maker>, &str); 6] = [
        (|maker| maker.version.push('1'), "another version of this program"),
        (|maker| maker.source.clear(), "another version of this program"),
        (|maker| maker.device += 1, "another adapter"),
        (|maker| maker.driver_version.push('1'), "another driver"),
        (|maker| maker.alignment *= 2, "a device with other limits"),
        (|maker| maker.fusion = false, "a device with other limits"),
    ];
    for (change, what) in changes {
        let mut maker = scene.maker.clone();
        change(&mut maker);
        let why = open(&scene.entry, &maker, scene.bounds).expect_err("another maker");
        assert_eq!(why, format!("it was made by, or for, {what}"));
    }
    let mut other_format = scene.entry.clone();
    other_format[FORMAT_AT] += 1;
    assert_eq!(scene.opens(&other_format), Err("it has the format of another version".to_owned()));
    assert_eq!(scene.opens(&vec![b'x'; 1000]), Err("it is no graph".to_owned()));
    let refused = scene.load(other_format).unwrap_err();
    assert_eq!((refused.name, refused.step), (ExceptionName::NotFoundError, "8.1.6.2"));
    assert_eq!(scene.store.read(&scene.device, "k").unwrap().map(|_| ()), None, "it is removed");
}

/// Text that does not compile, and text that binds otherwise than the entry says.
#[test]
fn a_text_that_wgpu_refuses_makes_the_entry_unusable() {
    let Some(scene) = Scene::new() else { return };
    let texts: [(Change<Kernel>, &str); 5] = [
        (|kernel| kernel.text.clear(), "no entry point"),
        (|kernel| kernel.text.push_str("nonsense"), "no WGSL"),
        (
            |kernel| kernel.text = kernel.text.replace("_words: array<u32>", "_words: array<u32, 900000>"),
            "a large array",
        ),
        (|kernel| kernel.bindings[0].0 ^= true, "another use of a binding"),
        (|kernel| kernel.text = kernel.text.replace("@compute", "@vertex"), "another stage"),
    ];
    for (change, what) in texts {
        let (mut form, data) = scene.parts();
        form.kernels.iter_mut().for_each(change);
        let refused = scene.load(scene.made_up(&form, &data)).map(drop).expect_err(what);
        assert_eq!((refused.name, refused.step), (ExceptionName::NotFoundError, "8.1.6.2"), "{what}: {refused}");
    }
}

#[test]
fn what_does_not_add_up_is_named() {
    let Some(scene) = Scene::new() else { return };
    let changes: [(Change<Form>, &str); 26] = [
        (|form| form.arenas[0] = 1 << 60, "an arena is larger than a buffer"),
        (|form| form.arenas[0] += 4096, "an arena is not used to its end"),
        (|form| form.arenas.push(4096), "an arena is not used to its end"),
        (|form| form.arenas[0] = 4, "a place is beyond its arena"),
        (|form| form.places[0].1 = 7, "there is no such arena"),
        (|form| form.places[0].2 += 4, "a place is not aligned"),
        (|form| form.steps[0].bound[0].1 = u64::MAX - 3, "a range is beyond its tensor"),
        (|form| form.steps[0].bound[0].2 = 0, "a range is not of whole words"),
        (|form| form.steps[0].bound[0].0 = Memory::Operand(9999), "nothing is bound to an operand"),
        (|form| form.steps[0].bound[0].0 = Memory::Scratch(9999), "a scratch tensor lies nowhere"),
        (|form| form.steps[0].bound[0].0 = Memory::Table(9999), "there is no such table"),
        (|form| form.steps[0].grid = [1, 65536], "a grid is empty or too large"),
        (|form| form.steps[0].grid = [0, 1], "a grid is empty or too large"),
        (|form| form.steps[0].bound.truncate(0), "other bindings than its text has"),
        (|form| form.kernels[0].bindings[0].1 = 64, "words of no size that there is"),
        (|form| form.outputs.clear(), "there are no outputs"),
        (|form| form.inputs[0].0.clear(), "a name is empty or stands twice"),
        (|form| form.inputs[0].1 = form.names[0].1, "an operand is two things"),
        (|form| form.inputs[0].1 = 9999, "there is no such operand"),
        (|form| form.operands[form.inputs[0].1 as usize].shape[0] = u32::MAX, "is no tensor of the device"),
        (
            |form| form.operands[form.constants[0].0 as usize].shape[0] += 1,
            "a constant has more or less data than its descriptor says",
        ),
        (|form| form.places[0].0 = Memory::Operand(form.inputs[0].1), "what lies in an arena has memory already"),
        (|form| form.steps[0].bound[0] = (form.steps[0].bound[0].0, 4, 4), "a binding is not aligned"),
        (|form| form.kernels[0].bindings[0].0 = false, "what can not be written to is bound for writing"),
        (|form| form.kernels[0].bindings.iter_mut().last().unwrap().0 = false, "parameters are bound for writing"),
        (read_an_arena_that_is_written, "a buffer is bound both for reading and for writing"),
    ];
    for (change, what) in changes {
        let (mut form, data) = scene.parts();
        change(&mut form);
        let why = scene.opens(&scene.made_up(&form, &data)).expect_err(what);
        assert!(why.starts_with("it does not add up: ") && why.ends_with(what), "{why} instead of {what}");
    }
    let references: [fn(&mut Form); 4] = [
        |form| form.steps[0].kernel = 9999,
        |form| form.operands[0].data_type = 99,
        |form| form.constants[0].1 += 1,
        |form| form.places.push(form.places[0]),
    ];
    for change in references {
        let (mut form, data) = scene.parts();
        change(&mut form);
        let why = scene.opens(&scene.made_up(&form, &data)).expect_err("refers to nothing");
        assert_eq!(why, "it can not be read: it refers to what is not in it");
    }
}

/// Has a kernel bind for reading what it has in the arena of its output.
fn read_an_arena_that_is_written(form: &mut Form) {
    let arena = |memory: Memory| {
        form.places.iter().find(|(place, ..)| Slot::from(*place) == memory.into()).map(|(_, arena, _)| *arena)
    };
    let (kernel, binding) = form
        .steps
        .iter()
        .find_map(|step| {
            let (output, inputs) = step.bound.split_last()?;
            let written = arena(output.0)?;
            let binding = inputs.iter().position(|input| arena(input.0) == Some(written))?;
            Some((step.kernel as usize, binding))
        })
        .expect("tensors that share an arena");
    form.kernels[kernel].bindings[binding].0 = true;
}

/// A number that is more likely than others to be wrong.
fn odd_number() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(2),
        Just(4),
        Just(8),
        Just(12),
        Just(252),
        Just(256),
        Just(512),
        Just(u64::MAX),
        0..2000_u64,
        any::<u64>()
    ]
}

fn memory() -> impl Strategy<Value = Memory> {
    (0..3, 0..20_u32).prop_map(|(kind, number)| match kind {
        0 => Memory::Operand(number),
        1 => Memory::Scratch(number % 3),
        _ => Memory::Table(number % 3),
    })
}

/// One change of a form, in a place that the first number chooses.
fn change() -> impl Strategy<Value = (u8, usize, u64, Memory)> {
    (0..18_u8, 0..1000_usize, odd_number(), memory())
}

/// Any of a list.
fn any_of<T>(list: &mut [T], place: usize) -> Option<&mut T> {
    let length = list.len();
    if length == 0 { None } else { list.get_mut(place % length) }
}

/// Makes one change.
fn made(form: &mut Form, (what, place, number, memory): (u8, usize, u64, Memory)) -> Option<()> {
    let small = number as u32;
    let step = any_of(&mut form.steps, place);
    match what {
        0 => any_of(&mut step?.bound, place / 7)?.0 = memory,
        1 => any_of(&mut step?.bound, place / 7)?.1 = number,
        2 => any_of(&mut step?.bound, place / 7)?.2 = number,
        3 => step?.bound.truncate(place / 7 % 3),
        4 => step?.grid = [small % 70, (small / 70) % 3],
        5 => step?.params.truncate(place / 7 % 9),
        6 => *any_of(&mut step?.params, place / 7)? = small,
        7 => step?.kernel = small % 8,
        8 => any_of(&mut form.places, place)?.0 = memory,
        9 => any_of(&mut form.places, place)?.2 = number / 256 * 256,
        10 => any_of(&mut form.places, place)?.1 = small % 3,
        11 => *any_of(&mut form.arenas, place)? = number,
        12 => any_of(&mut any_of(&mut form.kernels, place)?.bindings, place / 7)?.0 ^= true,
        13 => any_of(&mut any_of(&mut form.kernels, place)?.bindings, place / 7)?.1 = [4, 8, 16, small][place % 4],
        14 => *any_of(&mut any_of(&mut form.operands, place)?.shape, place / 7)? = small,
        15 => any_of(&mut form.operands, place)?.data_type = (small % 9) as u8,
        16 => any_of(&mut form.tables, place)?.truncate(place % 5),
        _ => any_of([&mut form.inputs, &mut form.outputs, &mut form.names][place % 3], place)?.1 = small % 20,
    }
    Some(())
}

#[test]
fn what_is_made_up_is_refused_or_can_be_dispatched() {
    let Some(scene) = Scene::new() else { return };
    let config = ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() };
    let (loaded, refused) = (Cell::new(0), Cell::new(0));
    proptest!(config, |(changes in prop::collection::vec(change(), 1..4))| {
        let (mut form, data) = scene.parts();
        for change in changes {
            made(&mut form, change);
        }
        let counter = if scene.is_handled(scene.made_up(&form, &data)) { &loaded } else { &refused };
        counter.set(counter.get() + 1);
    });
    // Or this says nothing of one or the other.
    assert!(loaded.get() > 100 && refused.get() > 100, "{} loaded, {} refused", loaded.get(), refused.get());
}

#[test]
fn bits_that_are_turned_are_found_and_so_are_bytes_that_never_were_an_entry() {
    let Some(scene) = Scene::new() else { return };
    let bits = scene.entry.len() * 8;
    let config = ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(
        turned in prop::collection::btree_set(0..bits, 1..4),
        any in prop::collection::vec(any::<u8>(), 0..300),
    )| {
        let mut entry = scene.entry.clone();
        turned.iter().for_each(|bit| entry[bit / 8] ^= 1 << (bit % 8));
        prop_assert!(scene.opens(&entry).is_err());
        // With a checksum that is right for them.
        scene.is_handled(sealed(&entry[CONTENT_AT..]));
        prop_assert!(scene.opens(&any).is_err());
        prop_assert!(scene.opens(&sealed(&any)).is_err());
        let maker = postcard::to_stdvec(&scene.maker).unwrap();
        scene.is_handled(sealed(&[vec![0; 8], maker, any].concat()));
    });
}
