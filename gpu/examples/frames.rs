//! A sequence of frames through two graphs, with kernels of the application before, between and behind them.
//!
//! For each frame the application makes a picture in WGSL, a graph finds edges in it, an operator that WebNN does not have
//! (a median filter) smooths them, in WGSL again, a second graph draws them together, and the application adds the result
//! up. This is done twice: with tensors exported to the application's device, and as it had to be done without that, with
//! every tensor read back and written at each hop. Both count what they move. All numbers are whole, so that the sums have to
//! be the same to the last bit, and the same as the interpreter's, which takes the same way on a virtual device.
//!
//!     cargo run --release -p webnn-gpu --example frames -- [FRAMES [WIDTH HEIGHT]]

#![allow(clippy::print_stdout, reason = "what it is for")]

use std::error::Error;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use webnn_gpu::interop::{self, Application};
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::cpu::Cpu;
use webnn_reference::data_type::MLOperandDataType::Float32;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::{ML, PlatformProvider};
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::ops::conv2d::MLConv2dOptions;
use webnn_reference::steps::Reading;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;
use webnn_reference::virtual_device::{VirtualBuffer, VirtualDevice};
use webnn_reference::webgpu::{GPUBuffer, GPUDevice};

type Result<T = (), E = Box<dyn Error>> = std::result::Result<T, E>;

/// The channels between the two graphs.
const CHANNELS: u32 = 4;

/// How often both ways are gone, one after the other.
const ROUNDS: usize = 3;

/// Invocations in a workgroup.
const GROUP: u32 = 64;

/// The application's kernels. `size` is width, height, the number of the frame, and the number of elements.
const WGSL: &str = "
@group(0) @binding(0) var<storage, read_write> from_: array<f32>;
@group(0) @binding(1) var<storage, read_write> to: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<i32>;
@group(0) @binding(3) var<uniform> size: vec4<u32>;

@compute @workgroup_size(64)
fn picture(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= size.w) { return; }
    let x = i % size.x;
    let y = i / size.x;
    to[i] = f32((x * 7u + y * 3u + size.z * 13u) % 17u) - 8.0;
}

@compute @workgroup_size(64)
fn median(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= size.w) { return; }
    let x = i % size.x;
    let a = from_[select(i - 1u, i, x == 0u)];
    let b = from_[i];
    let c = from_[select(i + 1u, i, x + 1u == size.x)];
    to[i] = max(min(a, b), min(max(a, b), c));
}

@compute @workgroup_size(64)
fn total(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= size.w) { return; }
    sum[i] = sum[i] * 3 + i32(from_[i]);
}
";

/// What is computed.
#[derive(Clone, Copy)]
struct Sequence {
    frames: u32,
    width: u32,
    height: u32,
}

impl Sequence {
    fn pixels(self) -> u32 {
        self.width * self.height
    }

    fn picture(self) -> MLOperandDescriptor {
        MLOperandDescriptor::create(Float32, &[1, 1, self.height, self.width])
    }

    fn edges(self) -> MLOperandDescriptor {
        MLOperandDescriptor::create(Float32, &[1, CHANNELS, self.height, self.width])
    }
}

/// The two graphs on a context, and the tensors at their ends.
struct Pipeline {
    global: Global,
    context: MLContext,
    find: MLGraph,
    draw: MLGraph,
    picture: MLTensor,
    edges: MLTensor,
    smooth: MLTensor,
    drawing: MLTensor,
}

impl Pipeline {
    fn new(provider: Rc<dyn PlatformProvider>, device: &GPUDevice, sequence: Sequence) -> Result<Self> {
        let global = Global::new(Reading::Corrected);
        let context = global.settle(&ML::new(&global, provider).create_context_for_device(device.clone()))?;
        let find = convolution(&global, &context, &sequence.picture(), CHANNELS, true)?;
        let draw = convolution(&global, &context, &sequence.edges(), 1, false)?;
        let tensor = |operand: MLOperandDescriptor| {
            let descriptor = MLTensorDescriptor { operand, readable: true, writable: true };
            global.settle(&context.create_exportable_tensor(&descriptor, device, Default::default()))
        };
        let (picture, drawing) = (tensor(sequence.picture())?, tensor(sequence.picture())?);
        let (edges, smooth) = (tensor(sequence.edges())?, tensor(sequence.edges())?);
        Ok(Self { global, context, find, draw, picture, edges, smooth, drawing })
    }

    fn find(&self) -> Result {
        Ok(self.context.dispatch(&self.find, &named("x", &self.picture), &named("y", &self.edges))?)
    }

    fn draw(&self) -> Result {
        Ok(self.context.dispatch(&self.draw, &named("x", &self.smooth), &named("y", &self.drawing))?)
    }

    fn read(&self, tensor: &MLTensor) -> Result<Vec<u8>> {
        Ok(self.global.settle(&self.context.read_tensor(tensor))?.detach())
    }

    fn write(&self, tensor: &MLTensor, bytes: Vec<u8>) -> Result {
        Ok(self.context.write_tensor(tensor, &BufferSource::typed(Float32, bytes))?)
    }
}

fn named(name: &str, tensor: &MLTensor) -> [(String, MLTensor); 1] {
    [(name.to_owned(), tensor.clone())]
}

/// A convolution with a filter of 3x3 small whole numbers, and relu behind it if that is asked for.
fn convolution(
    global: &Global,
    context: &MLContext,
    input: &MLOperandDescriptor,
    channels: u32,
    positive: bool,
) -> Result<MLGraph> {
    let builder = MLGraphBuilder::new(context)?;
    let x = builder.input("x", input)?;
    let shape = [channels, input.shape[1], 3, 3];
    let weights = (0..shape.iter().product::<u32>()).map(|n| (n * 5 % 7) as f32 - 3.0);
    let weights = BufferSource::typed(Float32, weights.flat_map(f32::to_le_bytes).collect());
    let filter = builder.constant(&MLOperandDescriptor::create(Float32, &shape), &weights)?;
    let options = MLConv2dOptions { padding: Some(vec![1, 1, 1, 1]), ..Default::default() };
    let mut y = builder.conv2d(&x, &filter, &options)?;
    if positive {
        y = builder.relu(&y, &MLOperatorOptions::default())?;
    }
    Ok(global.settle(&builder.build(&[("y".to_owned(), y)]))?)
}

/// What was moved, by WebNN and by the application.
#[derive(Clone, Copy, Default)]
struct Moved {
    read: u64,
    written: u64,
    copied: u64,
    waits: u64,
}

/// How a way through the frames went.
struct Outcome {
    sums: Vec<i32>,
    time: Duration,
    moved: Moved,
}

/// The application on wgpu: its device, its kernels and its own buffers.
struct OnGpu {
    raw: wgpu::Device,
    queue: wgpu::Queue,
    adapter: wgpu::AdapterInfo,
    device: GPUDevice,
    kernels: [wgpu::ComputePipeline; 3],
    unused: [wgpu::Buffer; 2],
    moved: std::cell::Cell<Moved>,
}

/// The kernels, by their place in [`OnGpu::kernels`].
#[derive(Clone, Copy)]
enum Kernel {
    Picture,
    Median,
    Total,
}

impl OnGpu {
    fn open() -> Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (raw, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let adapter = adapter.get_info();
        let device = interop::gpu_device(raw.clone(), queue.clone(), adapter.clone());
        let module = raw.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(WGSL.into()),
        });
        let layout = layout(&raw);
        let kernels = ["picture", "median", "total"].map(|entry_point| {
            raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                cache: None,
            })
        });
        let unused = [buffer(&raw, 4), buffer(&raw, 4)];
        Ok(Self { raw, queue, adapter, device, kernels, unused, moved: Default::default() })
    }

    /// Submits a kernel of the application: a pass, and no wait.
    fn run(&self, kernel: Kernel, from: Option<&wgpu::Buffer>, to: &wgpu::Buffer, size: [u32; 4]) {
        let uniform = self.raw.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        if let Ok(mut view) = uniform.get_mapped_range_mut(..) {
            view.copy_from_slice(&size.map(u32::to_le_bytes).concat());
        }
        uniform.unmap();
        // Each kernel uses some of the three; the others have to be there.
        let [first, second] = &self.unused;
        let (to, sum) = if matches!(kernel, Kernel::Total) { (second, to) } else { (to, second) };
        let pipeline = &self.kernels[kernel as usize];
        let bound = [from.unwrap_or(first), to, sum, &uniform].map(wgpu::Buffer::as_entire_binding);
        let entries = (0..).zip(bound).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
        let group = self.raw.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        let mut encoder = self.raw.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(size[3].div_ceil(GROUP), 1, 1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    /// Reads a buffer of the application back.
    fn read(&self, source: &wgpu::Buffer) -> Result<Vec<u8>> {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let descriptor = wgpu::BufferDescriptor { label: None, size: source.size(), usage, mapped_at_creation: false };
        let staging = self.raw.create_buffer(&descriptor);
        let mut encoder = self.raw.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(source, 0, &staging, 0, source.size());
        let index = self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| {});
        self.raw.poll(wgpu::PollType::Wait { submission_index: Some(index), timeout: None })?;
        let moved = self.moved.get();
        self.moved.set(Moved { read: moved.read + source.size(), waits: moved.waits + 1, ..moved });
        let bytes = staging.get_mapped_range(..)?.to_vec();
        Ok(bytes)
    }

    /// Writes a buffer of the application.
    fn write(&self, to: &wgpu::Buffer, bytes: &[u8]) {
        self.queue.write_buffer(to, 0, bytes);
        let moved = self.moved.get();
        self.moved.set(Moved { written: moved.written + bytes.len() as u64, ..moved });
    }

    /// All that was moved so far.
    fn moved(&self) -> Moved {
        let (own, traffic) = (self.moved.get(), interop::traffic(&self.device).expect("a device of wgpu"));
        Moved {
            read: own.read + traffic.read(),
            written: own.written + traffic.uploaded(),
            copied: own.copied + traffic.copied(),
            waits: own.waits + traffic.waits(),
        }
    }

    /// Goes through all frames, and looks at the sums in the end, which is not counted.
    fn frames(&self, sequence: Sequence, frame: impl Fn(&Pipeline, &wgpu::Buffer, u32) -> Result) -> Result<Outcome> {
        let pipeline = Pipeline::new(Rc::new(Application), &self.device, sequence)?;
        // One frame to warm up: kernels are compiled at their first use.
        frame(&pipeline, &buffer(&self.raw, 4 * u64::from(sequence.pixels())), 0)?;
        let sum = buffer(&self.raw, 4 * u64::from(sequence.pixels()));
        self.read(&sum)?;
        let before = self.moved();
        let begun = Instant::now();
        for number in 0..sequence.frames {
            frame(&pipeline, &sum, number)?;
        }
        let after = self.moved();
        let sums = self.read(&sum)?;
        let time = begun.elapsed();
        let sums = sums.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        let moved = Moved {
            read: after.read - before.read,
            written: after.written - before.written,
            copied: after.copied - before.copied,
            waits: after.waits - before.waits,
        };
        Ok(Outcome { sums, time, moved })
    }

    /// With tensors that are exported where the application works on them.
    fn with_interop(&self, sequence: Sequence) -> Result<Outcome> {
        let Sequence { width, height, .. } = sequence;
        let one = |number| [width, height, number, width * height];
        let all = |number| [width, height, number, CHANNELS * width * height];
        self.frames(sequence, |pipeline, sum, number| {
            let Pipeline { context, picture, edges, smooth, drawing, .. } = pipeline;
            let exported = context.export_to_gpu(picture)?;
            self.run(Kernel::Picture, None, &interop::buffer(&exported)?, one(number));
            exported.destroy();
            pipeline.find()?;
            let (from, to) = (context.export_to_gpu(edges)?, context.export_to_gpu(smooth)?);
            self.run(Kernel::Median, Some(&interop::buffer(&from)?), &interop::buffer(&to)?, all(number));
            from.destroy();
            to.destroy();
            pipeline.draw()?;
            let exported = context.export_to_gpu(drawing)?;
            self.run(Kernel::Total, Some(&interop::buffer(&exported)?), sum, one(number));
            exported.destroy();
            Ok(())
        })
    }

    /// With a copy to the host and back at each hop.
    fn without_interop(&self, sequence: Sequence) -> Result<Outcome> {
        let Sequence { width, height, .. } = sequence;
        let one = |number| [width, height, number, width * height];
        let all = |number| [width, height, number, CHANNELS * width * height];
        let [picture, drawing] = [(); 2].map(|()| buffer(&self.raw, 4 * u64::from(sequence.pixels())));
        let [edges, smooth] =
            [(); 2].map(|()| buffer(&self.raw, 4 * u64::from(CHANNELS) * u64::from(sequence.pixels())));
        self.frames(sequence, |pipeline, sum, number| {
            self.run(Kernel::Picture, None, &picture, one(number));
            pipeline.write(&pipeline.picture, self.read(&picture)?)?;
            pipeline.find()?;
            self.write(&edges, &pipeline.read(&pipeline.edges)?);
            self.run(Kernel::Median, Some(&edges), &smooth, all(number));
            pipeline.write(&pipeline.smooth, self.read(&smooth)?)?;
            pipeline.draw()?;
            self.write(&drawing, &pipeline.read(&pipeline.drawing)?);
            self.run(Kernel::Total, Some(&drawing), sum, one(number));
            Ok(())
        })
    }
}

fn buffer(raw: &wgpu::Device, size: u64) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    raw.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// Three buffers that are written, and the size.
fn layout(raw: &wgpu::Device) -> wgpu::PipelineLayout {
    let entries = [0, 1, 2, 3].map(|binding| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding {
                3 => wgpu::BufferBindingType::Uniform,
                _ => wgpu::BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    });
    let group = raw.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    raw.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    })
}

/// The same way on the interpreter, with the application's kernels as functions on numbers.
fn interpreted(sequence: Sequence) -> Result<Vec<i32>> {
    let device = VirtualDevice::gpu_device();
    let pipeline = Pipeline::new(Rc::new(Cpu), &device, sequence)?;
    let Pipeline { context, picture, edges, smooth, drawing, .. } = &pipeline;
    let width = sequence.width as usize;
    let mut sums = vec![0i32; sequence.pixels() as usize];
    for number in 0..sequence.frames {
        let exported = context.export_to_gpu(picture)?;
        let pixel = |i: u32| {
            let (x, y) = (i % sequence.width, i / sequence.width);
            ((x * 7 + y * 3 + number * 13) % 17) as f32 - 8.0
        };
        fill(&exported, &(0..sequence.pixels()).map(pixel).collect::<Vec<_>>())?;
        exported.destroy();
        pipeline.find()?;
        let (from, to) = (context.export_to_gpu(edges)?, context.export_to_gpu(smooth)?);
        let found = numbers(&from)?;
        let median = |i: usize| {
            let left = if i.is_multiple_of(width) { i } else { i - 1 };
            let right = if i % width == width - 1 { i } else { i + 1 };
            let mut three = [found[left], found[i], found[right]];
            three.sort_by(f32::total_cmp);
            three[1]
        };
        fill(&to, &(0..found.len()).map(median).collect::<Vec<_>>())?;
        from.destroy();
        to.destroy();
        pipeline.draw()?;
        let exported = context.export_to_gpu(drawing)?;
        for (sum, drawn) in sums.iter_mut().zip(numbers(&exported)?) {
            *sum = sum.wrapping_mul(3).wrapping_add(drawn as i32);
        }
        exported.destroy();
    }
    Ok(sums)
}

fn numbers(buffer: &GPUBuffer) -> Result<Vec<f32>> {
    let bytes = VirtualBuffer::behind(buffer)?.to_vec();
    Ok(bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
}

fn fill(buffer: &GPUBuffer, numbers: &[f32]) -> Result {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    VirtualBuffer::behind(buffer)?.with(|memory| memory.copy_from_slice(&bytes));
    Ok(())
}

/// One number for all sums.
fn checksum(sums: &[i32]) -> u64 {
    sums.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, sum| (hash ^ u64::from(sum.cast_unsigned())).wrapping_mul(0x0100_0000_01b3))
}

/// What the command line asks for.
fn asked() -> Result<Sequence> {
    let usage = "the arguments are whole numbers above 0: FRAMES, or FRAMES WIDTH HEIGHT";
    let numbers = std::env::args().skip(1).map(|argument| argument.parse().ok().filter(|number| *number > 0));
    let numbers: Vec<u32> = numbers.collect::<Option<_>>().ok_or(usage)?;
    match numbers[..] {
        [] => Ok(Sequence { frames: 24, width: 160, height: 90 }),
        [frames] => Ok(Sequence { frames, width: 160, height: 90 }),
        [frames, width, height] => Ok(Sequence { frames, width, height }),
        _ => Err(usage.into()),
    }
}

/// The shortest time of several: what disturbs a run makes it longer.
fn best(outcomes: &[Outcome]) -> Duration {
    outcomes.iter().map(|outcome| outcome.time).min().unwrap_or_default()
}

fn compare() -> Result {
    let sequence = asked()?;
    let application = OnGpu::open()?;
    let Sequence { frames, width, height } = sequence;
    println!("{frames} frames of {width}x{height} on {}, the best of {ROUNDS} rounds", application.adapter.name);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        with.push(application.with_interop(sequence)?);
        without.push(application.without_interop(sequence)?);
    }
    let (first, second) = (&with[0], &without[0]);
    let per_frame = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(frames);
    println!("{:24}{:>18}{:>18}", "", "exported", "read and written");
    println!("{:24}{:>18.3}{:>18.3}", "ms for each frame", per_frame(best(&with)), per_frame(best(&without)));
    let row = |name: &str, of: fn(&Moved) -> u64| {
        println!("{name:24}{:>18}{:>18}", of(&first.moved), of(&second.moved));
    };
    row("bytes read back", |moved| moved.read);
    row("bytes written", |moved| moved.written);
    row("bytes copied on device", |moved| moved.copied);
    row("waits for the device", |moved| moved.waits);
    println!("{:24}{:>18x}{:>18x}", "checksum", checksum(&first.sums), checksum(&second.sums));
    let expected = interpreted(sequence)?;
    println!("{:24}{:>18x}", "the interpreter's", checksum(&expected));
    if with.iter().chain(&without).any(|outcome| outcome.sums != expected) {
        return Err("the sums are not the interpreter's".into());
    }
    Ok(())
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
