//! Fusion: chains of element-wise operators as one kernel.
//!
//! An element-wise operator is an expression of elements at the same place. Where one operator's result is another's
//! operand and nothing else's, the expression is written into the other's kernel, and the result between them never
//! reaches memory. A kernel grows until its bindings or its text would be too many, or until an operator comes that
//! needs the whole tensor. It may begin with any other operator's last kernel, so that what follows a convolution or a
//! matrix product (a bias, an activation, a sum) is computed along with it.
//!
//! A result between two operators is what it would be if it had been stored and loaded: it is encoded as its tensor's
//! lane would, and decoded again, which rounds float16 and wraps 8-bit integers. float32 passes through integer code
//! that no compiler sees through, or drivers would contract a product and a sum to one rounding.

use std::fmt::Write as _;

use crate::lower::{Bounds, Slot, Tensor};
use crate::split;
use crate::wgsl::{Input, Kernel, Lane, Params, View, renamed};

/// The most operators of a kernel. Drivers compile long texts slowly, and the gain is in the first few.
const MOST_OPERATORS: usize = 16;

/// The most tensors that a kernel reads, so that with the output and the parameters they are WebGPU's default of 8.
const MOST_LEAVES: usize = 6;

/// An element-wise operator: an expression of its operands' elements.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// What it is called.
    pub(crate) name: String,
    /// Its operands, with the names that the expression has for them.
    pub(crate) operands: Vec<(&'static str, Operand)>,
    /// What else the expression refers to.
    pub(crate) params: Params,
    /// WGSL, in the arithmetic type of the output's lane.
    pub(crate) expression: String,
    /// Where the results go.
    pub(crate) output: Tensor,
}

/// Where an operator finds its operand's elements.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// In a tensor, at the same place.
    Same(Tensor),
    /// In a tensor, where a view finds them.
    Through(Tensor, View),
    /// They are computed at the same place, and taken as elements of a lane.
    Computed(Computed, Lane),
}

/// What computes elements that wait to be taken.
#[derive(Clone, Debug)]
pub(crate) enum Computed {
    /// An element-wise operator.
    ByNode(Box<Node>),
    /// The last kernel of any other operator, and what it binds.
    ByKernel(Box<Kernel>, Vec<Tensor>),
}

impl Operand {
    /// The tensor, if it has one element for each element of the output, at the same place.
    pub(crate) fn at_same_place(&self) -> Option<&Tensor> {
        match self {
            Self::Same(tensor) => Some(tensor),
            Self::Through(tensor, view) => view.is_identity(tensor.count()).then_some(tensor),
            Self::Computed(..) => None,
        }
    }
}

impl Computed {
    /// The lane of the results.
    fn lane(&self) -> Lane {
        match self {
            Self::ByNode(node) => node.output.lane,
            Self::ByKernel(kernel, _) => kernel.output,
        }
    }

    /// The tensors that it reads.
    fn leaves(&self) -> Vec<&Tensor> {
        match self {
            Self::ByNode(node) => node.leaves(),
            Self::ByKernel(_, bound) => bound.iter().collect(),
        }
    }

    /// The number of operators.
    fn operators(&self) -> usize {
        match self {
            Self::ByNode(node) => node.operators(),
            Self::ByKernel(..) => 1,
        }
    }

    /// The kernel that it begins with, if it does.
    fn beginning(&self) -> Option<&Kernel> {
        match self {
            Self::ByNode(node) => node.beginning(),
            Self::ByKernel(kernel, _) => Some(kernel),
        }
    }
}

impl Node {
    fn computed(&self) -> impl Iterator<Item = &Computed> {
        self.operands.iter().filter_map(|(_, operand)| match operand {
            Operand::Computed(computed, _) => Some(computed),
            Operand::Same(_) | Operand::Through(..) => None,
        })
    }

    /// The tensors that it reads.
    pub(crate) fn leaves(&self) -> Vec<&Tensor> {
        let leaves = self.operands.iter().flat_map(|(_, operand)| match operand {
            Operand::Same(tensor) | Operand::Through(tensor, _) => vec![tensor],
            Operand::Computed(computed, _) => computed.leaves(),
        });
        leaves.collect()
    }

    fn operators(&self) -> usize {
        1 + self.computed().map(Computed::operators).sum::<usize>()
    }

    fn beginning(&self) -> Option<&Kernel> {
        self.computed().find_map(Computed::beginning)
    }

    /// Whether it can be computed later: nothing that it reads or writes is written twice.
    pub(crate) fn can_wait(&self) -> bool {
        let settled = |tensor: &Tensor| !matches!(tensor.slot, Slot::Scratch(_));
        settled(&self.output) && self.leaves().into_iter().all(settled)
    }

    /// Whether this node, with one operand computed by `other`, is a kernel still.
    pub(crate) fn has_room_for(&self, other: &Computed, lane: Lane, bounds: Bounds) -> bool {
        let leaves = [self.leaves(), other.leaves()].concat();
        let bindings = leaves.iter().map(|leaf| split::parts(leaf, bounds)).sum::<usize>();
        // One of this node's leaves goes; the output and the parameters come.
        let is_small = self.operators() + other.operators() <= MOST_OPERATORS
            && leaves.len() - 1 <= MOST_LEAVES
            && bindings - 1 + 2 <= bounds.bindings;
        let is_same = other.lane() == lane || (other.lane().bytes() == lane.bytes() && !lane.is_wide());
        is_small && is_same && self.can_begin_with(other.beginning())
    }

    /// Kernels of two beginnings would have two functions of one name. And how long a kernel may loop was calculated for
    /// the elements of its own output's words ([`MAX_ITERATIONS`](crate::wgsl::MAX_ITERATIONS)).
    fn can_begin_with(&self, kernel: Option<&Kernel>) -> bool {
        let fits = |kernel: &Kernel| self.output.lane.per_word() <= kernel.output.per_word();
        kernel.is_none_or(|kernel| self.beginning().is_none() && fits(kernel))
    }

    /// The kernel that computes it, and the tensors that it binds.
    pub(crate) fn kernel(&self) -> (Kernel, Vec<Tensor>) {
        let mut text = Text { is_fused: self.operators() > 1, ..Text::default() };
        if text.is_fused {
            text.params = text.params.number(UNSEEN, 0);
        }
        let value = text.expression(self);
        let result = self.output.lane.arithmetic();
        let kernel = Kernel {
            name: text.names.join(", "),
            inputs: text.inputs,
            output: self.output.lane,
            params: text.params,
            body: format!("{}fn element(i: u32) -> {result} {{\n{}    return {value};\n}}", text.functions, text.lines),
        };
        (kernel, text.bound)
    }
}

/// Zero, as a parameter, which a compiler can not know.
const UNSEEN: &str = "unseen";

/// A kernel's text in the making.
#[derive(Debug, Default)]
struct Text {
    is_fused: bool,
    names: Vec<String>,
    inputs: Vec<Input>,
    bound: Vec<Tensor>,
    params: Params,
    functions: String,
    lines: String,
    values: usize,
}

impl Text {
    /// Adds what a node needs and returns its expression.
    fn expression(&mut self, node: &Node) -> String {
        let operands = node.operands.iter().map(|(name, operand)| (*name, self.value(operand))).collect::<Vec<_>>();
        let number = self.names.len();
        self.names.push(node.name.clone());
        // Operators may have parameters of the same name.
        let suffixed = |name: &str| format!("{name}_{number}");
        let own = node.params.names().into_iter().map(|name| (name, suffixed(name)));
        let names = operands.into_iter().chain(own).collect::<Vec<_>>();
        self.params = std::mem::take(&mut self.params).and(&node.params.clone().renamed(suffixed));
        renamed(&node.expression, |word| names.iter().find(|(name, _)| *name == word).map(|(_, new)| new.clone()))
    }

    /// Adds an operand's element and returns its name.
    fn value(&mut self, operand: &Operand) -> String {
        let value = match operand {
            Operand::Same(tensor) => format!("{}(i)", self.leaf(tensor)),
            // What is fused is not shared with other graphs anyway, so it may know that it needs no walk.
            Operand::Through(tensor, view) if self.is_fused && view.is_identity(tensor.count()) => {
                format!("{}(i)", self.leaf(tensor))
            }
            Operand::Through(tensor, view) => {
                let leaf = self.leaf(tensor);
                let at = format!("{leaf}_at");
                self.params = std::mem::take(&mut self.params).view(&at, view.clone());
                format!("{leaf}({at}(i))")
            }
            Operand::Computed(computed, lane) => {
                let expression = match computed {
                    Computed::ByNode(node) => self.expression(node),
                    Computed::ByKernel(kernel, bound) => self.beginning(kernel, bound),
                };
                let bits = computed.lane().encoded(&format!("({expression})"));
                lane.decoded(&if *lane == Lane::F32 { format!("{bits} ^ {UNSEEN}()") } else { bits })
            }
        };
        let name = format!("v{}", self.values);
        self.values += 1;
        let _ = writeln!(self.lines, "    let {name} = {value};");
        name
    }

    /// Adds another kernel and returns the expression of its element.
    fn beginning(&mut self, kernel: &Kernel, bound: &[Tensor]) -> String {
        self.names.push(kernel.name.clone());
        self.inputs.extend_from_slice(&kernel.inputs);
        self.bound.extend_from_slice(bound);
        self.params = std::mem::take(&mut self.params).and(&kernel.params);
        self.functions = kernel.body.replace("fn element(", "fn beginning(") + "\n";
        "beginning(i)".to_owned()
    }

    /// Binds a tensor and returns the name of its accessor.
    fn leaf(&mut self, tensor: &Tensor) -> String {
        let name = format!("leaf{}", self.bound.len());
        self.inputs.push(Input::new(&name, tensor.lane));
        self.bound.push(tensor.clone());
        name
    }
}
