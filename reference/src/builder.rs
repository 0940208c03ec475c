//! `MLGraphBuilder`: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder>.
//!
//! The methods that create operators stand in [`ops`](crate::ops), one file per section of the specification.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::fmt;
use std::rc::Rc;

use crate::algorithms::casting::cast;
use crate::buffer::{BufferSource, Bytes, mismatch, validate_buffer_with_descriptor};
use crate::context::MLContext;
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::graph::{GraphSlots, MLGraph};
use crate::number::{MLNumber, size};
use crate::operand::{MLOperand, OperandId, OperandSlots, OperatorId};
use crate::ops::{Operation, Operator};
use crate::platform::{Computation, PlatformError};
use crate::promise::Promise;
use crate::proposals::hollow_constants::HollowConstants;
use crate::proposals::residency::GraphMemory;
use crate::steps::Reading;
use crate::tensor::MLTensor;
use crate::{algorithm, exception, literal, reject, step, throw};

/// The value of a constant.
#[derive(Clone, Debug)]
pub enum Constant {
    /// The bytes of `constant(descriptor, buffer)`, little-endian.
    Bytes(Bytes),
    /// The number of `constant(dataType, value)`, cast to its type.
    Scalar(MLNumber),
    /// The tensor of `constant(tensor)`.
    Tensor(MLTensor),
    /// Nothing yet: `constant(descriptor)` of the
    /// [proposal](https://github.com/webmachinelearning/webnn/issues/901).
    Hollow,
}

/// A builder's [graph](https://www.w3.org/TR/webnn/#mlgraphbuilder-graph).
#[derive(Debug, Default)]
pub(crate) struct ComputationalGraph {
    pub(crate) operands: Vec<OperandSlots>,
    pub(crate) operators: Vec<Operator>,
    pub(crate) inputs: BTreeSet<OperandId>,
    pub(crate) input_names: HashSet<String>,
    pub(crate) constants: BTreeMap<OperandId, Constant>,
}

/// The internal slots of an `MLGraphBuilder`.
pub struct BuilderSlots {
    pub(crate) context: MLContext,
    has_built: Cell<bool>,
    graph: RefCell<ComputationalGraph>,
}

/// A factory of operators and of one `MLGraph`. Clones are the same builder.
#[derive(Clone)]
pub struct MLGraphBuilder(Rc<BuilderSlots>);

impl PartialEq for MLGraphBuilder {
    /// Whether both are the same builder.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for MLGraphBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MLGraphBuilder")
    }
}

/// The outputs of `build()`, by name: a `record<USVString, MLOperand>`, in which every name stands once.
pub type MLNamedOperands = [(String, MLOperand)];

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-mlgraphbuilder>
    ///
    /// # Errors
    /// SecurityError if WebNN is not allowed, InvalidStateError if the context is lost.
    pub fn new(context: &MLContext) -> Result<Self> {
        algorithm!("MLGraphBuilder.MLGraphBuilder(context)", context);
        step!("1");
        if !context.global().is_allowed_to_use_webnn() {
            throw!(SecurityError, "the document is not allowed to use the webnn feature");
        }
        step!("2");
        if context.is_lost() {
            throw!(InvalidStateError, "the context is lost");
        }
        step!("3");
        step!("4");
        Ok(Self(Rc::new(BuilderSlots {
            context: context.clone(),
            has_built: Cell::new(false),
            graph: RefCell::default(),
        })))
    }

    /// A builder that has built its graph, for the operands of a graph that was not built here.
    pub(crate) fn that_has_built(context: &MLContext, operands: Vec<MLOperandDescriptor>) -> Self {
        let operands = operands.into_iter().map(OperandSlots::new).collect();
        Self(Rc::new(BuilderSlots {
            context: context.clone(),
            has_built: Cell::new(true),
            graph: RefCell::new(ComputationalGraph { operands, ..ComputationalGraph::default() }),
        }))
    }

    /// Its `[[context]]`.
    pub fn context(&self) -> &MLContext {
        &self.0.context
    }

    pub(crate) fn reading(&self) -> Reading {
        self.0.context.reading()
    }

    pub(crate) fn graph(&self) -> Ref<'_, ComputationalGraph> {
        self.0.graph.borrow()
    }

    pub(crate) fn graph_mut(&self) -> RefMut<'_, ComputationalGraph> {
        self.0.graph.borrow_mut()
    }

    /// <https://www.w3.org/TR/webnn/#mlgraphbuilder-can-build>
    pub fn can_build(&self) -> bool {
        !self.0.has_built.get() && !self.0.context.is_lost()
    }

    fn why_it_can_not_build(&self) -> &'static str {
        if self.0.has_built.get() { "the builder has built its graph already" } else { "the context is lost" }
    }

    /// Throws at the current step if the builder can not build.
    ///
    /// # Errors
    /// InvalidStateError.
    pub(crate) fn ensure_can_build(&self) -> Result<()> {
        if self.can_build() {
            return Ok(());
        }
        throw!(InvalidStateError, "{}", self.why_it_can_not_build());
    }

    /// Throws at the current step if the builder has built its graph, even if the context is lost.
    ///
    /// # Errors
    /// InvalidStateError.
    pub(crate) fn ensure_has_not_built(&self) -> Result<()> {
        if self.0.has_built.get() {
            throw!(InvalidStateError, "{}", self.why_it_can_not_build());
        }
        Ok(())
    }

    /// Throws at the current step unless all of `operands` belong to this builder.
    ///
    /// # Errors
    /// TypeError.
    pub(crate) fn ensure_operands<'a>(&self, operands: impl IntoIterator<Item = &'a MLOperand>) -> Result<()> {
        for operand in operands {
            if !self.validate_operand(operand) {
                throw!(TypeError, "an operand belongs to another builder");
            }
        }
        Ok(())
    }

    /// Throws at the current step unless `axis` is one of the operand's.
    ///
    /// # Errors
    /// TypeError.
    pub(crate) fn ensure_axis(&self, axis: u32, operand: &MLOperand) -> Result<()> {
        if size(axis) < operand.rank() {
            return Ok(());
        }
        throw!(TypeError, "axis {axis} is not below the rank {} of the operand", operand.rank());
    }

    /// Creates an [operator](https://www.w3.org/TR/webnn/#operators), not yet connected.
    pub(crate) fn create_operator(&self, operation: Operation, label: &str) -> OperatorId {
        let mut graph = self.graph_mut();
        graph.operators.push(Operator { operation, label: label.to_owned(), inputs: vec![], outputs: vec![] });
        OperatorId(graph.operators.len() - 1)
    }

    /// Sets an operator's [inputs](https://www.w3.org/TR/webnn/#operator-input).
    pub(crate) fn set_inputs<'a>(&self, operator: OperatorId, inputs: impl IntoIterator<Item = &'a MLOperand>) {
        let inputs = inputs.into_iter().map(MLOperand::id).collect();
        self.graph_mut().operators[operator.0].inputs = inputs;
    }

    /// Adds to an operator's inputs.
    pub(crate) fn add_input(&self, operator: OperatorId, input: &MLOperand) {
        self.graph_mut().operators[operator.0].inputs.push(input.id());
    }

    /// Sets an operator's [outputs](https://www.w3.org/TR/webnn/#operator-output).
    pub(crate) fn set_outputs<'a>(&self, operator: OperatorId, outputs: impl IntoIterator<Item = &'a MLOperand>) {
        let outputs = outputs.into_iter().map(MLOperand::id).collect();
        self.graph_mut().operators[operator.0].outputs = outputs;
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-input>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError for a name that is empty or taken and for dimensions
    /// that are not supported.
    pub fn input(&self, name: &str, descriptor: &MLOperandDescriptor) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.input(name, descriptor)", self);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        if name.is_empty() {
            throw!(TypeError, "the name of an input is empty");
        }
        step!("3");
        if self.graph().input_names.contains(name) {
            throw!(TypeError, "there is an input {name:?} already");
        }
        step!("4");
        self.ensure_dimensions(descriptor)?;
        step!("5");
        step!("5.1");
        let operand = self.create_operand(descriptor.clone());
        step!("5.2");
        operand.set_name(name);
        step!("5.3");
        self.graph_mut().inputs.insert(operand.id());
        self.graph_mut().input_names.insert(name.to_owned());
        step!("6");
        Ok(operand)
    }

    /// Throws at the current step unless checking dimensions given `descriptor` returns true.
    pub(crate) fn ensure_dimensions(&self, descriptor: &MLOperandDescriptor) -> Result<()> {
        if descriptor.check_dimensions(self.context().limits()) {
            return Ok(());
        }
        throw!(TypeError, "{descriptor} has dimensions that are not supported");
    }

    /// Throws at the current step if an operator's output would be larger than any tensor may be.
    ///
    /// The specification checks the dimensions of inputs and constants only, so that an output can have more elements,
    /// or a larger dimension, than any input could: see `output-size-unchecked` in SPEC_ISSUES.md.
    pub(crate) fn ensure_output(&self, descriptor: &MLOperandDescriptor) -> Result<()> {
        if literal!("output-size-unchecked") {
            return Ok(());
        }
        self.ensure_dimensions(descriptor)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-constant-descriptor-buffer>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError for dimensions that are not supported and for a
    /// buffer that does not match.
    pub fn constant(&self, descriptor: &MLOperandDescriptor, buffer: &BufferSource) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.constant(descriptor, buffer)", self);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        self.ensure_dimensions(descriptor)?;
        step!("3");
        if !validate_buffer_with_descriptor(buffer, descriptor) {
            throw!(TypeError, "{}", mismatch(buffer, descriptor));
        }
        step!("4");
        step!("4.1");
        let operand = self.create_operand(descriptor.clone());
        step!("4.2");
        let bytes = buffer.copy_of_bytes();
        step!("4.3");
        self.graph_mut().constants.insert(operand.id(), Constant::Bytes(bytes));
        step!("5");
        Ok(operand)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-constant-tensor>
    ///
    /// # Errors
    /// TypeError for a tensor that belongs to another context, was destroyed or is not constant, InvalidStateError if
    /// the builder can not build.
    pub fn constant_tensor(&self, tensor: &MLTensor) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.constant(tensor)", self);
        step!("1");
        if tensor.0.context != *self.context() {
            throw!(TypeError, "the tensor belongs to another context");
        }
        step!("2");
        if tensor.is_destroyed() {
            throw!(TypeError, "the tensor was destroyed");
        }
        step!("3");
        if !tensor.constant() {
            throw!(TypeError, "the tensor is not constant");
        }
        step!("4");
        self.ensure_can_build()?;
        step!("5");
        step!("5.1");
        let operand = self.create_operand(tensor.descriptor().operand.clone());
        step!("5.2");
        operand.set_constant_tensor(tensor);
        step!("5.3");
        self.graph_mut().constants.insert(operand.id(), Constant::Tensor(tensor.clone()));
        step!("6");
        Ok(operand)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-constant-datatype-value>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build.
    pub fn constant_scalar(&self, data_type: MLOperandDataType, value: MLNumber) -> Result<MLOperand> {
        algorithm!("MLGraphBuilder.constant(dataType, value)", self);
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        let value = cast(value, data_type);
        step!("3");
        let descriptor = MLOperandDescriptor::create(data_type, &[]);
        step!("4");
        step!("4.1");
        let operand = self.create_operand(descriptor);
        step!("4.2");
        self.graph_mut().constants.insert(operand.id(), Constant::Scalar(value));
        step!("5");
        Ok(operand)
    }

    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-build>
    pub fn build(&self, outputs: &MLNamedOperands) -> Promise<MLGraph> {
        algorithm!("MLGraphBuilder.build(outputs)", self);
        step!("1"); // BY TYPE: there is one realm, that of the builder.
        step!("2");
        if !self.can_build() {
            reject!(InvalidStateError, "{}", self.why_it_can_not_build());
        }
        step!("3");
        if outputs.is_empty() {
            reject!(TypeError, "there are no outputs");
        }
        step!("4");
        for (name, operand) in outputs {
            step!("4.1");
            if name.is_empty() {
                reject!(TypeError, "the name of an output is empty");
            }
            step!("4.2");
            if !self.validate_operand(operand) {
                reject!(TypeError, "the output {name:?} belongs to another builder");
            }
            step!("4.3");
            if self.is_input_or_constant(operand) {
                reject!(TypeError, "the output {name:?} is an input or a constant; identity() makes it an output");
            }
            step!("4.4");
            if operand.constant_tensor().is_some_and(|tensor| tensor.is_destroyed()) {
                reject!(TypeError, "the tensor of the output {name:?} was destroyed");
            }
        }
        step!("5");
        let mut operands = BTreeSet::new();
        step!("6");
        let mut operators = BTreeSet::new();
        step!("7");
        let mut inputs = Vec::new();
        step!("8");
        let mut queue: VecDeque<OperandId> = outputs.iter().map(|(_, operand)| operand.id()).collect();
        step!("9");
        let graph = self.graph();
        while !queue.is_empty() {
            step!("9.1");
            let Some(operand) = queue.pop_front() else { break };
            step!("9.2");
            // Following an operand a second time adds nothing to any of the sets, and in a chain of diamonds takes time
            // exponential in its length.
            if !operands.insert(operand) {
                continue;
            }
            step!("9.3");
            let operator = graph.operands[operand.0].operator;
            operators.extend(operator);
            step!("9.4");
            if graph.inputs.contains(&operand) {
                inputs.push(operand);
            }
            step!("9.5");
            let operator_inputs = operator.map(|operator| graph.operators[operator.0].inputs.as_slice());
            for input in operator_inputs.unwrap_or_default() {
                step!("9.5.1");
                queue.push_back(*input);
            }
        }
        step!("10");
        step!("11");
        step!("12");
        let context = self.context().clone();
        step!("13");
        step!("14");
        let mut input_descriptors = BTreeMap::new();
        for operand in &inputs {
            step!("14.1");
            let slots = &graph.operands[operand.0];
            input_descriptors.insert(slots.name.clone().unwrap_or_default(), slots.descriptor.clone());
        }
        step!("15");
        let mut output_descriptors = BTreeMap::new();
        for (name, operand) in outputs {
            step!("15.1");
            output_descriptors.insert(name.clone(), operand.descriptor());
        }
        let changed = operands.iter().find(|operand| graph.operands[operand.0].is_changed);
        let changed = changed.map(|operand| graph.operands[operand.0].descriptor.clone());
        drop(graph);
        step!("16");
        self.0.has_built.set(true);
        let computation = self.computation(&operands, &operators, &inputs, outputs);
        let graph = MLGraph(Rc::new(GraphSlots {
            context: context.clone(),
            builder: self.clone(),
            input_descriptors,
            output_descriptors,
            implementation: Cell::new(None),
            is_destroyed: Cell::new(false),
            hollow_constants: RefCell::new(HollowConstants::of(&computation)),
            memory: GraphMemory::default(),
            constants: vec![],
        }));
        step!("17");
        let promise = Promise::new();
        step!("18");
        let settled = promise.clone();
        context.clone().timeline.enqueue(move || {
            algorithm!("MLGraphBuilder.build(outputs)", context);
            step!("18.1");
            if !context.is_lost() {
                step!("18.1.1");
                // Held until the platform is no longer at work, in case nobody else holds them: see
                // `MLContext::forget`.
                let _constant_tensors = computation.constant_tensors();
                let graph_impl = match (computation.unbound(), changed) {
                    (None, None) => context.convert(computation),
                    (Some(operand), _) => Err(PlatformError::Unsupported(format!("nothing is bound to {operand}"))),
                    (None, Some(operand)) => {
                        Err(PlatformError::Unsupported(format!("the shape of {operand} was another one before")))
                    }
                };
                match graph_impl {
                    Err(error) => {
                        step!("18.1.2");
                        context.notice(&error);
                        let failure = exception!(OperationError, "{error}");
                        context.global.queue_an_ml_task(move || settled.reject(failure));
                    }
                    Ok(graph_impl) => {
                        step!("18.1.3");
                        graph.0.implementation.set(Some(graph_impl));
                        context.add_graph(&graph);
                        step!("18.1.4");
                        context.global.queue_an_ml_task(move || settled.resolve(graph));
                    }
                }
                return;
            }
            step!("18.2");
            let lost = exception!(InvalidStateError, "the context is lost");
            context.global.queue_an_ml_task(move || settled.reject(lost));
        });
        step!("19");
        promise
    }

    fn is_input_or_constant(&self, operand: &MLOperand) -> bool {
        let graph = self.graph();
        graph.inputs.contains(&operand.id()) || graph.constants.contains_key(&operand.id())
    }

    /// What the platform is given: the part of the graph that was reached. The builder keeps the descriptors only,
    /// since its operands outlive it, and gives the operators and the constants away.
    fn computation(
        &self,
        operands: &BTreeSet<OperandId>,
        operators: &BTreeSet<OperatorId>,
        inputs: &[OperandId],
        outputs: &MLNamedOperands,
    ) -> Computation {
        let mut graph = self.graph_mut();
        let all_operators = std::mem::take(&mut graph.operators);
        let all_constants = std::mem::take(&mut graph.constants);
        let name = |operand: &OperandId| graph.operands[operand.0].name.clone().unwrap_or_default();
        Computation {
            operands: graph.operands.iter().map(|slots| slots.descriptor.clone()).collect(),
            // An operator is created after the operands that it takes, so the order of creation is one to compute in.
            operators: all_operators
                .into_iter()
                .enumerate()
                .filter(|(index, _)| operators.contains(&OperatorId(*index)))
                .map(|(_, operator)| operator.with_all_inputs())
                .collect(),
            inputs: inputs.iter().map(|operand| (name(operand), *operand)).collect(),
            outputs: outputs.iter().map(|(name, operand)| (name.clone(), operand.id())).collect(),
            constants: all_constants.into_iter().filter(|(operand, _)| operands.contains(operand)).collect(),
            power_preference: self.context().power_preference,
            accelerated: self.context().accelerated,
        }
    }
}
