//! A random graph as it grows.
//!
//! The draft derives no shape: each call that is proposed is rehearsed on the reference's builder, which says what it
//! gives, or refuses it.

use indexmap::IndexMap;
use webnn_reference::ops::OperatorRow;
use webnn_vectors::{
    Argument, Data, DataType, Descriptor, ExpectedOutput, Graph, Input, Names, Number, Operator, Value,
};

use super::elements::{Purpose, elements, is_float};
use super::random::Random;
use crate::execute::rehearsal::{Refusal, Rehearsal};

/// The most elements of an input in most graphs, and in the few that are larger.
const FEW_ELEMENTS: usize = 256;
const MORE_ELEMENTS: usize = 8192;
/// An operator with a larger output is left out again.
const MOST_ELEMENTS: u64 = 1 << 14;

/// An operand that operators of the draft can take.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    pub(crate) shape: Vec<u32>,
    /// What its elements were drawn for; `None` for what an operator computes.
    purpose: Option<Purpose>,
}

impl Operand {
    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Its axes, as arguments give them.
    pub(crate) fn axes(&self) -> Vec<u32> {
        (0..).take(self.rank()).collect()
    }
}

/// The arguments of a proposed call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    arguments: Vec<Argument>,
    options: IndexMap<String, Value>,
}

impl Call {
    /// A call with this operand as its first argument.
    pub(crate) fn with(name: &str, operand: &Operand) -> Self {
        Self::default().and(name, operand.name.as_str())
    }

    /// The next argument.
    pub(crate) fn and(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.push(Argument { name: name.to_owned(), value: value.into() });
        self
    }

    /// A member of the options.
    pub(crate) fn option(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.options.insert(name.to_owned(), value.into());
        self
    }

    /// A member of the options, in half of all calls.
    pub(crate) fn maybe(self, draft: &mut Draft, name: &str, value: impl Into<Value>) -> Self {
        if draft.random.coin() { self.option(name, value) } else { self }
    }

    fn into_arguments(mut self) -> Vec<Argument> {
        if !self.options.is_empty() {
            self.arguments.push(Argument { name: "options".into(), value: Value::Object(self.options) });
        }
        self.arguments
    }
}

/// An operator as statistics count it.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) operator: &'static str,
    /// Of its first operand.
    pub(crate) data_type: DataType,
    /// The members of its options, with the value where there are only a few values.
    pub(crate) options: Vec<String>,
}

impl Use {
    fn of(row: &'static OperatorRow, operator: &Operator, operands: &[Operand]) -> Option<Self> {
        let named = |value: &Value| operands.iter().find(|operand| value.as_str() == Some(operand.name.as_str()));
        let values = operator.arguments.iter().flat_map(|argument| match &argument.value {
            Value::List(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        });
        let data_type = values.filter_map(named).next()?.data_type;
        let option = |(name, value): (&String, &Value)| match value {
            Value::String(text) if named(value).is_none() => format!("{name}={text}"),
            Value::Boolean(boolean) => format!("{name}={boolean}"),
            _ => name.clone(),
        };
        let members = operator.argument("options").and_then(Value::as_object);
        let options = members.into_iter().flatten().map(option).collect();
        Some(Self { operator: row.name, data_type, options })
    }
}

/// A random graph as it grows.
pub(crate) struct Draft {
    pub(crate) random: Random,
    rehearsal: Rehearsal,
    graph: Graph,
    operands: Vec<Operand>,
    /// The data types that operands may have.
    data_types: Vec<DataType>,
    most_elements: usize,
    names: usize,
    attempted: Option<Operator>,
}

impl Draft {
    /// An empty graph, whose operands are to have these data types.
    pub(crate) fn new(mut random: Random, data_types: &[DataType]) -> Self {
        let most_elements = if random.one_in(40) { MORE_ELEMENTS } else { FEW_ELEMENTS };
        let graph = Graph { inputs: IndexMap::new(), operators: vec![], expected_outputs: IndexMap::new() };
        let (rehearsal, operands, data_types) = (Rehearsal::new(), vec![], data_types.to_vec());
        Self { random, rehearsal, graph, operands, data_types, most_elements, names: 0, attempted: None }
    }

    fn new_name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// A shape of this rank, of not too many elements.
    pub(crate) fn shape(&mut self, rank: usize) -> Vec<u32> {
        let mut left = self.most_elements;
        let dimensions: &[u32] = if left > FEW_ELEMENTS {
            &[1, 2, 3, 5, 8, 16, 33, 64, 65, 257, 1024, 4099]
        } else {
            &[1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 16, 17]
        };
        let mut shape = Vec::new();
        for _ in 0..rank {
            let dimension = self.random.choose(dimensions);
            let dimension = if dimension as usize > left { 1 } else { dimension };
            left /= dimension as usize;
            shape.push(dimension);
        }
        self.random.shuffled(&shape)
    }

    /// A new input or constant.
    pub(crate) fn new_operand(&mut self, data_type: DataType, shape: &[u32], purpose: Purpose) -> Operand {
        let constant = self.random.one_in(3);
        let name = self.new_name(if constant { 'c' } else { 'x' });
        let count = shape.iter().map(|dimension| *dimension as usize).product();
        let data = Data::List(elements(&mut self.random, data_type, purpose, count));
        let descriptor = Descriptor { data_type, shape: shape.to_vec() };
        self.graph.inputs.insert(name.clone(), Input { descriptor, constant, data });
        let operand = Operand { name, data_type, shape: shape.to_vec(), purpose: Some(purpose) };
        self.operands.push(operand.clone());
        operand
    }

    /// An operand of this type and shape: mostly one that there is already, where its elements do.
    pub(crate) fn operand(&mut self, data_type: DataType, shape: &[u32], purpose: Purpose) -> Operand {
        let any_elements_do = purpose == Purpose::Any || self.random.one_in(6);
        let does = |operand: &&Operand| {
            let elements_do = any_elements_do || operand.purpose == Some(purpose);
            operand.data_type == data_type && operand.shape == shape && elements_do
        };
        let found: Vec<Operand> = self.operands.iter().filter(does).cloned().collect();
        if found.is_empty() || self.random.one_in(4) {
            return self.new_operand(data_type, shape, purpose);
        }
        self.random.choose(&found)
    }

    /// An operand for a parameter of an operator, whose table says which types and ranks it may have: mostly one that
    /// there is already, and more often a late one, so that operators follow each other.
    pub(crate) fn first(&mut self, row: &'static OperatorRow, name: &str) -> Operand {
        let (least, most) = row.limits.rank_range(name, 6);
        self.of_types(&data_types(row, name), least, most.min(6))
    }

    /// An operand of one of these types, with a rank from `least` to `most`.
    pub(crate) fn of_types(&mut self, data_types: &[DataType], least: usize, most: usize) -> Operand {
        let data_types = self.allowed(data_types);
        let does =
            |operand: &&Operand| data_types.contains(&operand.data_type) && (least..=most).contains(&operand.rank());
        let found: Vec<Operand> = self.operands.iter().filter(does).cloned().collect();
        if found.is_empty() || self.random.one_in(4) {
            let data_type = self.data_type(&data_types);
            let rank = self.rank(least, most);
            let shape = self.shape(rank);
            return self.new_operand(data_type, &shape, Purpose::Any);
        }
        let late = found.len().saturating_sub(4);
        if self.random.coin() { self.random.choose(&found[late..]) } else { self.random.choose(&found) }
    }

    fn rank(&mut self, least: usize, most: usize) -> usize {
        let usual = most.min(least.max(4));
        let most = if self.random.one_in(6) { most } else { usual };
        least + self.random.below(most - least + 1)
    }

    /// Those of these types that operands may have. Where there is none, the call is refused with any.
    fn allowed(&self, data_types: &[DataType]) -> Vec<DataType> {
        let allowed: Vec<DataType> =
            data_types.iter().copied().filter(|data_type| self.data_types.contains(data_type)).collect();
        if allowed.is_empty() { data_types.to_vec() } else { allowed }
    }

    /// One of these types, each as often.
    pub(crate) fn any_type(&mut self, data_types: &[DataType]) -> DataType {
        let allowed = self.allowed(data_types);
        self.random.choose(&allowed)
    }

    /// One of these types; a float somewhat more often, where there is one among them.
    pub(crate) fn data_type(&mut self, data_types: &[DataType]) -> DataType {
        let data_types = self.allowed(data_types);
        let floats: Vec<DataType> = data_types.iter().copied().filter(|data_type| is_float(*data_type)).collect();
        if !floats.is_empty() && self.random.one_in(3) {
            return self.random.choose(&floats);
        }
        self.random.choose(&data_types)
    }

    /// A number for an option such as alpha.
    pub(crate) fn scalar(&mut self) -> f64 {
        match self.random.below(24) {
            0 => self.random.choose(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e30, 1e-30]),
            1..8 => self.random.choose(&[0.0, 0.5, 1.0, 2.0, -1.0]),
            _ => self.random.real(-2.0, 2.0),
        }
    }

    /// A shape that can be broadcast with this one, in one direction or in both.
    pub(crate) fn partner(&mut self, shape: &[u32]) -> Vec<u32> {
        if self.random.coin() {
            return shape.to_vec();
        }
        let mut partner = shape.to_vec();
        for dimension in &mut partner {
            match *dimension {
                1 if self.random.one_in(3) => *dimension = self.random.between(1, 4),
                _ if self.random.one_in(3) => *dimension = 1,
                _ => {}
            }
        }
        if self.random.one_in(3) {
            partner.drain(..self.random.below(partner.len() + 1));
        } else if partner.len() < 6 && self.random.one_in(6) {
            partner.insert(0, self.random.between(1, 3));
        }
        partner
    }

    /// A shape that can be broadcast to this one.
    pub(crate) fn narrower(&mut self, shape: &[u32]) -> Vec<u32> {
        let mut narrower = shape.to_vec();
        for dimension in &mut narrower {
            if self.random.one_in(3) {
                *dimension = 1;
            }
        }
        if self.random.one_in(3) {
            narrower.drain(..self.random.below(narrower.len() + 1));
        }
        narrower
    }

    /// An axis of the operand, which is no scalar.
    pub(crate) fn axis(&mut self, operand: &Operand) -> u32 {
        self.random.below(operand.rank().max(1)) as u32
    }

    /// Proposes a call of an operator's method: it becomes a part of the graph, unless it is refused.
    ///
    /// # Errors
    /// Why it was refused.
    pub(crate) fn propose(
        &mut self,
        row: &'static OperatorRow,
        propose: fn(&mut Self, &'static OperatorRow) -> Call,
    ) -> Result<Use, Refusal> {
        let (inputs, operands) = (self.graph.inputs.len(), self.operands.len());
        let call = propose(self, row);
        let mut arguments = call.into_arguments();
        if self.random.one_in(60) {
            self.spoil(&mut arguments);
        }
        let result = self.call(row, arguments, inputs);
        if matches!(result, Err(Refusal::Threw(_))) {
            self.graph.inputs.truncate(inputs);
            self.operands.truncate(operands);
        }
        result
    }

    fn call(&mut self, row: &'static OperatorRow, arguments: Vec<Argument>, inputs: usize) -> Result<Use, Refusal> {
        for (name, input) in &self.graph.inputs[inputs..] {
            self.ensure_allowed(input.descriptor.data_type)?;
            self.rehearsal.input(name, input)?;
        }
        let mut operator = Operator { name: row.name.into(), arguments, outputs: Names::Several(vec![]) };
        self.attempted = Some(operator.clone());
        let outputs = self.rehearsal.operator(&operator)?;
        outputs.iter().try_for_each(|output| self.ensure_allowed(output.data_type))?;
        if let Some(large) = outputs.iter().find(|output| output.element_count().is_none_or(|n| n > MOST_ELEMENTS)) {
            return Err(Refusal::Threw(format!("left out here: {large} is too large")));
        }
        let names: Vec<String> = outputs.iter().map(|_| self.new_name('y')).collect();
        self.rehearsal.name_outputs(&names);
        let used = Use::of(row, &operator, &self.operands);
        let used = used.ok_or_else(|| Refusal::Failed("a call without an operand went well".into()))?;
        operator.outputs = match names.as_slice() {
            [one] => Names::One(one.clone()),
            _ => Names::Several(names.clone()),
        };
        self.graph.operators.push(operator);
        self.operands.extend(names.into_iter().zip(outputs).map(|(name, output)| Operand {
            name,
            data_type: output.data_type,
            shape: output.shape,
            purpose: None,
        }));
        Ok(used)
    }
}

impl Draft {
    fn ensure_allowed(&self, data_type: DataType) -> Result<(), Refusal> {
        if self.data_types.contains(&data_type) {
            return Ok(());
        }
        Err(Refusal::Threw(format!("left out here: {} is not supported", data_type.name())))
    }

    /// Changes one argument, or a part of it: mostly the call is refused then.
    fn spoil(&mut self, arguments: &mut [Argument]) {
        let place = self.random.below(arguments.len());
        self.spoil_value(&mut arguments[place].value);
    }

    fn spoil_value(&mut self, value: &mut Value) {
        match value {
            Value::Null => {}
            Value::Boolean(boolean) => *boolean = !*boolean,
            Value::Number(_) | Value::BigInt(_) => {
                let odd = [0.0, -1.0, 1.0, 3.0, 7.0, 0.5, 65536.0, 2_147_483_647.0, 4_294_967_295.0, 1e300, f64::NAN];
                *value = self.random.choose(&odd).into();
            }
            Value::String(text) if self.operands.iter().any(|operand| operand.name == *text) => {
                *text = self.random.choose(&self.operands).name;
            }
            Value::String(_) => *value = self.random.choose(&["nhwc", "float32", "int4", ""]).into(),
            Value::List(items) if items.is_empty() || self.random.one_in(3) => items.push(1u32.into()),
            Value::List(items) if self.random.one_in(3) => drop(items.pop()),
            Value::List(items) => {
                let place = self.random.below(items.len());
                self.spoil_value(&mut items[place]);
            }
            Value::Object(members) if members.is_empty() => {}
            Value::Object(members) => {
                let place = self.random.below(members.len());
                self.spoil_value(&mut members[place]);
            }
        }
    }

    /// How many operators the graph has.
    pub(crate) fn operator_count(&self) -> usize {
        self.graph.operators.len()
    }

    /// The graph with the call that was proposed last, whatever came of it.
    pub(crate) fn attempted(mut self) -> Graph {
        if let Some(operator) = self.attempted.take() {
            self.graph.operators.push(Operator { outputs: Names::One("y".into()), ..operator });
        }
        let descriptor = Descriptor { data_type: DataType::Float32, shape: vec![] };
        let output = ExpectedOutput { descriptor, tolerance: None, data: Data::Fill(Number::Integer(0)) };
        self.graph.expected_outputs.insert("y".into(), output);
        self.graph
    }

    /// The graph, with what no operator takes as its outputs, and some of the other operands.
    pub(crate) fn finish(mut self) -> Graph {
        let taken = self.graph.taken();
        // In a third of the graphs all of them, so that each operator can be judged by itself.
        let one_in = self.random.choose(&[1, 3, usize::MAX]);
        for operand in self.operands.iter().filter(|operand| operand.purpose.is_none()) {
            if !taken.contains(operand.name.as_str()) || self.random.one_in(one_in) {
                let descriptor = Descriptor { data_type: operand.data_type, shape: operand.shape.clone() };
                let output = ExpectedOutput { descriptor, tolerance: None, data: Data::Fill(Number::Integer(0)) };
                self.graph.expected_outputs.insert(operand.name.clone(), output);
            }
        }
        self.graph.inputs.retain(|name, _| taken.contains(name.as_str()));
        self.graph
    }
}

/// The data types that the table of an operator allows for an operand.
pub(crate) fn data_types(row: &OperatorRow, name: &str) -> Vec<DataType> {
    row.limits.data_types(name).iter().filter_map(|data_type| DataType::from_name(data_type.as_str())).collect()
}
