//! Fusion: chains of element-wise operators as one kernel.
//!
//! An element-wise operator is an expression of elements at the same place. Where one operator's result is another's
//! operand and nothing else's, the expression is written into the other's kernel, and the result between them never
//! reaches memory. A kernel grows until its bindings or its text would be too many, or until an operator comes that
//! needs the whole tensor.
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
    /// They are computed at the same place by another operator, and taken as elements of a lane.
    Computed(Box<Node>, Lane),
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

impl Node {
    /// The tensors that it reads.
    pub(crate) fn leaves(&self) -> Vec<&Tensor> {
        let leaves = self.operands.iter().flat_map(|(_, operand)| match operand {
            Operand::Same(tensor) | Operand::Through(tensor, _) => vec![tensor],
            Operand::Computed(node, _) => node.leaves(),
        });
        leaves.collect()
    }

    /// The number of operators.
    fn operators(&self) -> usize {
        let inner = self.operands.iter().map(|(_, operand)| match operand {
            Operand::Computed(node, _) => node.operators(),
            Operand::Same(_) | Operand::Through(..) => 0,
        });
        1 + inner.sum::<usize>()
    }

    /// Whether it can be computed later: nothing that it reads or writes is written twice.
    pub(crate) fn can_wait(&self) -> bool {
        let settled = |tensor: &Tensor| !matches!(tensor.slot, Slot::Scratch(_));
        settled(&self.output) && self.leaves().into_iter().all(settled)
    }

    /// Whether this node, with one operand computed by `other`, is a kernel still.
    pub(crate) fn has_room_for(&self, other: &Self, lane: Lane, bounds: Bounds) -> bool {
        let leaves = [self.leaves(), other.leaves()].concat();
        let bindings = leaves.iter().map(|leaf| split::parts(leaf, bounds)).sum::<usize>();
        let same = other.output.lane == lane || !(lane.is_wide() || other.output.lane.is_wide());
        // One of this node's leaves goes.
        same && self.operators() + other.operators() <= MOST_OPERATORS
            && leaves.len() - 1 <= MOST_LEAVES
            && bindings - 1 + 2 <= bounds.bindings
    }

    /// The kernel that computes it, and the tensors that it binds.
    pub(crate) fn kernel(&self) -> (Kernel, Vec<Tensor>) {
        let mut text = Text { is_fused: self.operators() > 1, ..Text::default() };
        if text.is_fused {
            text.params = text.params.number(UNSEEN, 0);
        }
        let value = text.expression(self);
        let result = self.output.lane.arithmetic();
        let inputs = text.bound.iter().enumerate().map(|(place, leaf)| Input::new(&leaf_name(place), leaf.lane));
        let kernel = Kernel {
            name: text.names.join(", "),
            inputs: inputs.collect(),
            output: self.output.lane,
            params: text.params,
            body: format!("fn element(i: u32) -> {result} {{\n{}    return {value};\n}}", text.lines),
        };
        (kernel, text.bound)
    }
}

/// Zero, as a parameter, which a compiler can not know.
const UNSEEN: &str = "unseen";

fn leaf_name(place: usize) -> String {
    format!("a{place}")
}

/// A kernel's text in the making.
#[derive(Debug, Default)]
struct Text {
    is_fused: bool,
    names: Vec<String>,
    bound: Vec<Tensor>,
    params: Params,
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
            Operand::Computed(node, lane) => {
                let expression = self.expression(node);
                let bits = node.output.lane.encoded(&format!("({expression})"));
                lane.decoded(&if *lane == Lane::F32 { format!("{bits} ^ {UNSEEN}()") } else { bits })
            }
        };
        let name = format!("v{}", self.values);
        self.values += 1;
        let _ = writeln!(self.lines, "    let {name} = {value};");
        name
    }

    /// Binds a tensor and returns the name of its accessor.
    fn leaf(&mut self, tensor: &Tensor) -> String {
        self.bound.push(tensor.clone());
        leaf_name(self.bound.len() - 1)
    }
}
