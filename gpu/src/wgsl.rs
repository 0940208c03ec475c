//! The generator: from a kernel's description to a module's text.
//!
//! A [`Kernel`] says what goes in, what comes out and how one element is computed:
//!
//! ```wgsl
//! fn element(i: u32) -> f32 { return f32_div(a(a_at(i)), b(b_at(i))); }
//! ```
//!
//! The generator supplies everything that such a line leans on and nothing else:
//!
//! * **Accessors.** Every tensor is a buffer of words; `a(i)` loads element `i` of the input named `a` in its
//!   arithmetic type, whatever its storage ([`Lane`]). The kernel's text never sees packing.
//! * **Writers own words.** One invocation computes all elements of one output word and stores it whole, so that
//!   packed types need no atomics. The last word may be partial; its unused lanes are zero.
//! * **Parameters.** Shapes, strides and operator attributes come through [`Params`], in one of two forms with
//!   the same spelling in the kernel: *dynamic*, read from a buffer so that one pipeline serves every shape
//!   (conformance runs on a software adapter, where compiling is the cost), or *baked* as constants.
//! * **The library.** Functions such as `f32_div` live in `wgsl/*.wgsl`; a small linker takes what the kernel
//!   calls, and what that calls. A module holds no function that it does not use, because compile time grows
//!   with the text.
//!
//! The grid is two-dimensional from the start: a dimension ends at 65535 groups, which is 4 million words.

mod lane;
mod library;
mod params;
mod view;

use std::collections::BTreeSet;
use std::fmt::Write as _;

pub use lane::Lane;
pub use library::functions;
pub(crate) use library::renamed;
pub use params::{Form, Params, Scalar};
pub use view::{MAX_RANK, View, row_major};

/// Invocations in a workgroup. 64 is one or two hardware waves everywhere, and a multiple of every SIMD width.
pub const WORKGROUP: u32 = 64;

/// The most loop iterations of one invocation, all its loops taken together.
///
/// lavapipe ends a shader's loops, silently and wherever they are, after 65535 iterations in all (measured on
/// Mesa 22.3.6: two loops of 40000 make 65534). What needs more splits its work over several dispatches, or writes
/// several terms into one iteration. The entry point's loop over packed lanes and a dynamic view's loop over
/// dimensions count too, so this leaves some room.
pub const MAX_ITERATIONS: u32 = 60_000;

/// The most groups along one dimension of a grid.
pub(crate) const MAX_GROUPS: u32 = 65535;

/// A tensor that a kernel reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name of the accessor: `name(i)`.
    pub name: String,
    /// How its elements are stored.
    pub lane: Lane,
}

impl Input {
    /// An input named `name` whose elements are stored as `lane`.
    pub fn new(name: &str, lane: Lane) -> Self {
        Self { name: name.to_owned(), lane }
    }
}

/// How a kernel's buffers are bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Inputs are bound for reading. wgpu then refuses an input and an output in one buffer, even in ranges that
    /// do not touch.
    #[default]
    Separate,
    /// Everything is bound for reading and writing, which lets inputs and output share one arena.
    Arena,
}

/// A computation, one output element at a time.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What it is called in labels and in errors.
    pub name: String,
    /// What it reads, in binding order.
    pub inputs: Vec<Input>,
    /// How its output's elements are stored.
    pub output: Lane,
    /// The integers and scalars that its text refers to.
    pub params: Params,
    /// WGSL that defines `fn element(i: u32) -> T`, `T` being the arithmetic type of the output's lane.
    pub body: String,
}

/// A module's text and what must be bound to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The kernel's name.
    pub name: String,
    /// The whole WGSL text. Equal texts mean equal pipelines.
    pub text: String,
    /// For each binding of group 0, whether it is read only. Inputs first, then the output, then parameters.
    pub read_only: Vec<bool>,
    /// For each binding, the bytes of a word, which is the least that can be bound.
    pub word_bytes: Vec<u32>,
    /// What the parameter buffer must hold; empty when the module binds none.
    pub params: Vec<u32>,
    /// The grid to dispatch.
    pub grid: [u32; 2],
}

impl Kernel {
    /// Writes the module that computes `count` elements.
    pub fn module(&self, count: u32, form: Form, binding: Binding) -> Module {
        let params = self.params.clone().with_count(count, self.output.per_word());
        let words = params.words(form);
        let mut text = format!("// {}\n", self.name);
        let (mut read_only, mut word_bytes) = (Vec::new(), Vec::new());
        let mut bind = |text: &mut String, name: &str, lane: Lane, writes: bool| {
            let element = lane.word_type();
            let declared = declaration(read_only.len(), writes);
            let _ = writeln!(text, "{declared} {name}_words: array<{element}>;");
            read_only.push(!writes);
            word_bytes.push(lane.word_bytes());
        };
        for input in &self.inputs {
            bind(&mut text, &input.name, input.lane, binding == Binding::Arena);
        }
        bind(&mut text, "output", self.output, true);
        if !words.is_empty() {
            bind(&mut text, "params", Lane::U32, false);
        }
        text.push_str(&self.functions(&params, form));
        Module {
            name: self.name.clone(),
            text,
            read_only,
            word_bytes,
            params: words,
            grid: grid(count.div_ceil(self.output.per_word())),
        }
    }

    /// The kernel's own functions, then those that it reaches.
    fn functions(&self, params: &Params, form: Form) -> String {
        let own = format!("{}\n{}", self.body.trim(), lane::entry_point(self.output, WORKGROUP));
        let mut offered = library::items(&params.declarations(form));
        for input in &self.inputs {
            offered.extend(library::items(&input.lane.accessor(&input.name)));
        }
        library::link(&own, &offered)
    }
}

impl Module {
    /// Binds these inputs for writing too, although nothing is written to them, so that they may lie in the output's
    /// arena: [`Binding::Arena`] for some of the inputs only.
    pub fn write_to(&mut self, inputs: &[usize]) {
        for input in inputs {
            self.text = self.text.replacen(&declaration(*input, false), &declaration(*input, true), 1);
            self.read_only[*input] = false;
        }
    }

    /// The library functions and accessors that the text defines: for tests and for people.
    pub fn defines(&self) -> BTreeSet<String> {
        library::items(&self.text).into_iter().map(|item| item.name).collect()
    }
}

/// The beginning of a buffer's declaration.
fn declaration(binding: usize, writes: bool) -> String {
    let mode = if writes { "read_write" } else { "read" };
    format!("@group(0) @binding({binding}) var<storage, {mode}>")
}

/// The grid that covers `words` invocations' worth of words, as square as it has to be and no more.
pub fn grid(words: u32) -> [u32; 2] {
    let groups = words.div_ceil(WORKGROUP).max(1);
    let rows = groups.div_ceil(MAX_GROUPS);
    [groups.div_ceil(rows), rows]
}
