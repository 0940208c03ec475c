//! Compiled kernels, each compiled once.
//!
//! The key is the module's whole text: two operators whose kernels read the same are one pipeline. In the
//! dynamic form that makes a pipeline per operator and data type, whatever the shapes; a test run then compiles
//! a few hundred, where a shape-specific one would compile thousands at about 30 ms each on a software adapter.
//!
//! Creation runs inside a guard, so that a text that does not compile is an [`Error`] with naga's message and
//! the kernel's name. A failure is not remembered: it is a bug, and nobody retries a bug in a loop.
//!
//! [`Error`]: crate::error::Error

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::device::{Device, lock};
use crate::error::Result;
use crate::wgsl::Module;

/// A compiled kernel and the layout of what it binds.
#[derive(Debug)]
pub struct Pipeline {
    name: String,
    raw: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    entries: Entries,
}

/// What a pipeline binds: for each binding whether it is read only, and the least bytes.
type Entries = Vec<(bool, u32)>;

/// A device's compiled kernels and their layouts.
#[derive(Debug, Default)]
pub struct Pipelines {
    compiled: Mutex<HashMap<String, Arc<Pipeline>>>,
    layouts: Mutex<HashMap<Entries, wgpu::BindGroupLayout>>,
}

/// A range of a buffer, to be bound.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The buffer.
    pub buffer: &'a wgpu::Buffer,
    /// Where the range starts: a multiple of the device's `min_storage_buffer_offset_alignment`.
    pub offset: u64,
    /// Its length in bytes; to the buffer's end if absent.
    pub bytes: Option<u64>,
}

impl<'a> From<&'a wgpu::Buffer> for Bound<'a> {
    fn from(buffer: &'a wgpu::Buffer) -> Self {
        Self { buffer, offset: 0, bytes: None }
    }
}

impl Pipeline {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// wgpu's pipeline.
    pub fn raw(&self) -> &wgpu::ComputePipeline {
        &self.raw
    }

    /// Binds buffers, in the order of [`Module::read_only`].
    pub fn bind(&self, device: &Device, buffers: &[Bound<'_>]) -> Result<wgpu::BindGroup> {
        let entries = (0..).zip(buffers).map(|(binding, bound)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: bound.buffer,
                offset: bound.offset,
                size: bound.bytes.and_then(std::num::NonZeroU64::new),
            }),
        });
        let entries = entries.collect::<Vec<_>>();
        device.guard(&self.name, |raw| {
            raw.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&self.name),
                layout: &self.layout,
                entries: &entries,
            })
        })
    }
}

impl Device {
    /// The pipeline of a module, compiled at the first call with this text.
    pub fn pipeline(&self, module: &Module) -> Result<Arc<Pipeline>> {
        let pipelines = self.pipelines();
        let entries = entries(module);
        // The text says what it binds. A module that was stored, and claims otherwise, is not to get another's pipeline.
        let suits = |known: &&Arc<Pipeline>| known.entries == entries;
        if let Some(known) = lock(&pipelines.compiled).get(&module.text).filter(suits) {
            return Ok(Arc::clone(known));
        }
        // Compiled outside the lock, so that threads compile side by side; the first to finish is kept.
        let compiled = Arc::new(self.compile(module, entries.clone())?);
        let mut kept = lock(&pipelines.compiled);
        let known = kept.entry(module.text.clone()).or_insert_with(|| Arc::clone(&compiled));
        Ok(if suits(&&*known) { Arc::clone(known) } else { compiled })
    }

    fn compile(&self, module: &Module, entries: Entries) -> Result<Pipeline> {
        let layout = self.layout(&entries)?;
        let name = module.name.as_str();
        let raw = self.guard(name, |raw| {
            let shader = shader_module(raw, module);
            let whole = raw.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(name),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            raw.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: Some(&whole),
                module: &shader,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        })?;
        Ok(Pipeline { name: name.to_owned(), raw, layout, entries })
    }

    fn layout(&self, entries: &Entries) -> Result<wgpu::BindGroupLayout> {
        let mut layouts = lock(&self.pipelines().layouts);
        if let Some(known) = layouts.get(entries) {
            return Ok(known.clone());
        }
        let key = entries.clone();
        let entries = (0..).zip(entries).map(|(binding, (read_only, bytes))| entry(binding, *read_only, *bytes));
        let entries = entries.collect::<Vec<_>>();
        let created = self.guard("a bind group layout", |raw| {
            raw.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
        })?;
        layouts.insert(key, created.clone());
        Ok(created)
    }
}

impl Pipelines {
    /// How many kernels have been compiled.
    pub fn len(&self) -> usize {
        lock(&self.compiled).len()
    }

    /// Whether none has been.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The one place where shader modules are made.
///
/// wgpu adds run-time checks to every module: clamped indices, bounded loops, guarded integer division. Our
/// kernels need only the last, since the graph is validated and the generator writes the loops, and the others
/// cost up to eleven times the speed of a tiled matrix product on an H200. The call without them,
/// `create_shader_module_trusted`, is `unsafe`, which this workspace forbids. Whoever relaxes that changes
/// this function, to the trusted call with `bounds_checks` and `force_loop_bounding` off and `int_div_checks`
/// on, and nothing else.
fn shader_module(raw: &wgpu::Device, module: &Module) -> wgpu::ShaderModule {
    raw.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(&module.name),
        source: wgpu::ShaderSource::Wgsl(module.text.as_str().into()),
    })
}

fn entries(module: &Module) -> Entries {
    module.read_only.iter().copied().zip(module.word_bytes.iter().copied()).collect()
}

fn entry(binding: u32, read_only: bool, least_bytes: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            // Checked against the text once, when it is compiled, instead of at each dispatch.
            min_binding_size: std::num::NonZeroU64::new(least_bytes.into()),
        },
        count: None,
    }
}
