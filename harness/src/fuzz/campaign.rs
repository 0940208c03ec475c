//! A campaign: graphs are drawn in batches, the interpreter and the implementations run them at the same time, and where
//! one differs the graph is shrunk.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use webnn_reference::derived_bound::{Allowance, Ranges};
use webnn_reference::steps::Reading;
use webnn_vectors::{Graph, Vector};

use super::generator::{Defect, Generator};
use super::shrink::{Trial, shrink};
use super::statistics::Statistics;
use super::subject::{Start, Subject, Told, Traits};
use super::values;
use crate::execute::bounds::{self, BoundedTensor};
use crate::execute::{Executor, Observation, Tensor};
use crate::failure::Failure;
use crate::judge::difference::{Comparison, Difference, compare, tolerance};

/// What is said to differ where a call of the builder fails.
pub(crate) const BUILDER: &str = "the builder";

/// How many graphs are drawn before they are run.
const BATCH: u64 = 64;

/// A graph on which an implementation differs.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The number of the graph.
    pub(crate) number: u64,
    /// Which implementation.
    pub(crate) implementation: String,
    /// How many operators the graph had.
    pub(crate) operators: usize,
    /// The graph as small as it became.
    pub(crate) vector: Vector,
    /// The difference on that.
    pub(crate) difference: Difference,
    /// How many graphs were tried on the way.
    pub(crate) tried: usize,
}

/// An implementation that is to be compared with the interpreter.
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) start: Start<Observation>,
    /// How long it may say nothing.
    pub(crate) patience: Duration,
}

/// What a campaign tells while it goes on.
#[derive(Debug)]
pub(crate) enum Progress {
    /// So many graphs are done.
    Done(u64),
    /// A difference was found, and its graph shrunk.
    Found(Box<Finding>),
}

/// What answers vectors with what was observed.
type Observing = Subject<Observation>;
/// What answers vectors with what the interpreter gives.
type Expecting = Subject<Interpreted>;
/// What the interpreter gives, or what it did instead.
type Interpreted = Result<Vec<Bounded>, Instead>;

/// An output of the interpreter with its bound, as it is sent from its thread to another.
#[derive(Clone, Debug)]
struct Bounded {
    name: String,
    tensor: Tensor,
    ranges: Ranges,
}

/// What the interpreter did instead of computing.
#[derive(Clone, Debug)]
enum Instead {
    /// A call threw: the graph is not valid.
    Threw(String),
    /// It panicked.
    Failed(String),
}

/// A graph, and what an implementation made of it.
struct Observed<'a> {
    number: u64,
    graph: &'a Graph,
    answer: Result<Observation, String>,
}

/// A campaign that is under way.
pub(crate) struct Campaign {
    pub(crate) generator: Generator,
    interpreter: Expecting,
    implementations: Vec<(String, Observing)>,
    pub(crate) statistics: Statistics,
    /// How many graphs, and operators by themselves, were compared.
    pub(crate) compared: usize,
    /// How many graphs an implementation did not run, by its name and the reason.
    pub(crate) skipped: BTreeMap<(String, String), usize>,
    /// How many of these comparisons were inside the bounds only because these span a jump.
    pub(crate) undecided: usize,
}

impl Campaign {
    /// Starts the interpreter and the implementations. Drawn is only what all of these support.
    ///
    /// # Errors
    /// The first that can not be started, and why; or that there is nothing to draw.
    pub(crate) fn start(
        generator: Generator,
        implementations: Vec<Candidate>,
        timeout: Duration,
    ) -> Result<Self, Failure> {
        let started = implementations.into_iter().map(|Candidate { name, start, patience }| {
            match Subject::start(start, patience) {
                Ok(subject) => Ok((name, subject)),
                Err(reason) => Err(Failure::NotStarted(format!("{name} did not start: {reason}"))),
            }
        });
        let implementations = started.collect::<Result<Vec<(String, Observing)>, Failure>>()?;
        let supports = implementations.iter().map(|(_, subject)| subject.support());
        let generator = supports.fold(generator, Generator::within);
        if generator.operators().is_some_and(|operators| operators.is_empty()) {
            let why = "there is no graph to draw: no operator is left of those that are asked for and supported, with \
                       these data types";
            return Err(Failure::NothingToRun(why.into()));
        }
        let flushes_subnormals =
            implementations.iter().any(|(_, subject)| subject.has_fact("flushes float32 subnormals"));
        let interpreter = Subject::start(interpreting(Allowance { flushes_subnormals }), timeout);
        let interpreter = interpreter.map_err(Failure::NotStarted)?;
        Ok(Self {
            generator,
            interpreter,
            implementations,
            statistics: Statistics::default(),
            compared: 0,
            skipped: BTreeMap::new(),
            undecided: 0,
        })
    }

    /// Draws and runs the graphs from this number on, as many as there are of a batch before `end`; returns the number
    /// of the next.
    pub(crate) fn batch(&mut self, first: u64, end: u64, tell: &mut dyn FnMut(Progress)) -> u64 {
        let last = end.min(first.saturating_add(BATCH));
        let mut vectors = Vec::new();
        for number in first..last {
            match self.generator.draw(number) {
                Ok(drawn) => {
                    self.statistics.count(&drawn);
                    vectors.push((number, self.generator.vector(number, drawn.graph)));
                }
                Err(defect) => tell(Progress::Found(Box::new(self.of_builder(number, *defect)))),
            }
        }
        let (numbers, vectors): (Vec<u64>, Vec<Vector>) = vectors.into_iter().unzip();
        self.interpreter.ask(&vectors);
        self.implementations.iter().for_each(|(_, subject)| subject.ask(&vectors));
        let expected = self.interpreter.answers(&vectors);
        for at in 0..self.implementations.len() {
            let observed = self.implementations[at].1.answers(&vectors);
            let graphs: Vec<Observed<'_>> = numbers
                .iter()
                .zip(&vectors)
                .zip(observed)
                .filter_map(|((number, vector), answer)| {
                    Some(Observed { number: *number, graph: vector.graph()?, answer })
                })
                .collect();
            let inside = self.judge_whole(at, graphs, &expected, tell);
            self.judge_pieces(at, &inside, tell);
        }
        tell(Progress::Done(last - first));
        last
    }

    /// Compares the outputs of whole graphs, and returns those that show no difference.
    fn judge_whole<'a>(
        &mut self,
        at: usize,
        graphs: Vec<Observed<'a>>,
        expected: &[Result<Interpreted, String>],
        tell: &mut dyn FnMut(Progress),
    ) -> Vec<Observed<'a>> {
        let mut inside = Vec::new();
        for (observed, expected) in graphs.into_iter().zip(expected) {
            if let Some(difference) = self.compare(at, expected, &observed.answer) {
                tell(Progress::Found(Box::new(self.shrunk(at, &observed, observed.graph, difference))));
            } else {
                inside.push(observed);
            }
        }
        inside
    }

    fn compare(
        &mut self,
        at: usize,
        expected: &Result<Interpreted, String>,
        answer: &Result<Observation, String>,
    ) -> Option<Difference> {
        if let (Ok(Ok(_)), Ok(Observation::Skipped(reason))) = (expected, answer) {
            let name = self.implementations[at].0.clone();
            *self.skipped.entry((name, reason.clone())).or_default() += 1;
            return None;
        }
        self.compared += 1;
        match judge(expected, answer) {
            Comparison::Inside => None,
            Comparison::Undecided => {
                self.undecided += 1;
                None
            }
            Comparison::Differs(difference) => Some(difference),
        }
    }

    /// Compares what each operator gave, where all operands of a graph are outputs, with what the interpreter makes of
    /// the very operands that the operator was given. Bounds do not grow from operator to operator in that way, and what
    /// one operator gets wrong is not hidden by the next.
    fn judge_pieces(&mut self, at: usize, graphs: &[Observed<'_>], tell: &mut dyn FnMut(Progress)) {
        let mut pieces = Vec::new();
        for observed in graphs {
            if let Ok(Observation::Outputs(outputs)) = &observed.answer
                && let Some(of_graph) = values::pieces(observed.graph, outputs)
            {
                pieces.extend(of_graph.into_iter().map(|piece| (observed, Generator::nameless(piece))));
            }
        }
        let vectors: Vec<Vector> = pieces.iter().map(|(_, vector)| vector.clone()).collect();
        let expected = self.interpreter.run(&vectors);
        for ((observed, vector), expected) in pieces.iter().zip(&expected) {
            let Some(difference) = self.compare(at, expected, &observed.answer) else {
                continue;
            };
            // What the operator does not do by itself, it does only in that graph.
            let alone = vector.graph().filter(|piece| self.differs(at, piece)).unwrap_or(observed.graph);
            tell(Progress::Found(Box::new(self.shrunk(at, observed, alone, difference))));
        }
    }

    fn differs(&mut self, at: usize, graph: &Graph) -> bool {
        let implementation = &mut self.implementations[at].1;
        let mut trial = Trying { interpreter: &mut self.interpreter, implementation };
        trial.differences(std::slice::from_ref(graph)).iter().any(Option::is_some)
    }

    /// Whether somebody hung so often that it is not asked any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.interpreter.is_given_up() || self.implementations.iter().any(|(_, subject)| subject.is_given_up())
    }

    /// A finding about the builder, which nobody shrinks: it stopped at the last operator.
    fn of_builder(&self, number: u64, defect: Defect) -> Finding {
        Finding {
            number,
            implementation: BUILDER.into(),
            operators: defect.graph.operators.len(),
            vector: self.generator.vector(number, defect.graph),
            difference: Difference::Errored(defect.problem),
            tried: 0,
        }
    }

    /// Shrinks a graph, which is the observed one or a part of it.
    fn shrunk(&mut self, at: usize, observed: &Observed<'_>, graph: &Graph, difference: Difference) -> Finding {
        let (name, implementation) = &mut self.implementations[at];
        let mut trial = Trying { interpreter: &mut self.interpreter, implementation };
        let shrunk = shrink(graph, difference, &mut trial);
        let vector = self.generator.vector(observed.number, trial.complete(shrunk.graph));
        Finding {
            number: observed.number,
            implementation: name.clone(),
            operators: observed.graph.operators.len(),
            vector,
            difference: shrunk.difference,
            tried: shrunk.tried,
        }
    }
}

/// Compares an answer with what the interpreter gives.
fn judge(expected: &Result<Interpreted, String>, observed: &Result<Observation, String>) -> Comparison {
    match (expected, observed) {
        (Ok(Ok(expected)), Ok(observation)) => compare(&bounded(expected), observation),
        (Ok(Ok(_)), Err(problem)) => Comparison::Differs(Difference::Errored(problem.clone())),
        (Ok(Err(Instead::Threw(problem) | Instead::Failed(problem))) | Err(problem), _) => {
            Comparison::Differs(Difference::Interpreter(problem.clone()))
        }
    }
}

fn bounded(expected: &[Bounded]) -> Vec<(String, BoundedTensor)> {
    let one = |Bounded { name, tensor, ranges }: &Bounded| {
        (name.clone(), BoundedTensor { tensor: tensor.clone(), ranges: Rc::new(ranges.clone()) })
    };
    expected.iter().map(one).collect()
}

/// Starts the interpreter.
fn interpreting(allowance: Allowance) -> Start<Interpreted> {
    Arc::new(move || {
        let answering = move |vectors: &[Vector], tell: &mut dyn FnMut(Told<Interpreted>)| {
            for (index, vector) in vectors.iter().enumerate() {
                tell(Told::At(index));
                tell(Told::Answer(index, interpreted(vector, allowance)));
            }
        };
        Ok((Box::new(answering), Traits::default()))
    })
}

fn interpreted(vector: &Vector, allowance: Allowance) -> Interpreted {
    let graph = vector.graph().ok_or_else(|| Instead::Failed("it has no graph".into()))?;
    let outputs = bounds::outputs(graph, Reading::Corrected, allowance).map_err(|observation| match observation {
        Observation::Threw(exception) => Instead::Threw(exception.to_string()),
        Observation::Errored(problem) | Observation::Skipped(problem) => Instead::Failed(problem),
        Observation::Outputs(_) | Observation::Calls(_) => Instead::Failed("it has no bounds".into()),
    })?;
    let one = |(name, BoundedTensor { tensor, ranges })| {
        let ranges = Rc::unwrap_or_clone(ranges);
        Bounded { name, tensor, ranges }
    };
    Ok(outputs.into_iter().map(one).collect())
}

/// Starts an implementation.
pub(crate) fn observing(
    start: impl Fn() -> Result<(Executor, Traits), String> + Send + Sync + 'static,
) -> Start<Observation> {
    Arc::new(move || {
        let (executor, traits) = start()?;
        let answering = move |vectors: &[Vector], tell: &mut dyn FnMut(Told<Observation>)| {
            let mut started = Vec::new();
            for (index, vector) in vectors.iter().enumerate() {
                tell(Told::At(index));
                started.push(executor.start(vector));
            }
            for (index, vector) in started.into_iter().enumerate() {
                tell(Told::At(index));
                tell(Told::Answer(index, executor.finish(vector)));
            }
        };
        Ok((Box::new(answering), traits))
    })
}

/// Tries graphs on the interpreter and one implementation.
struct Trying<'a> {
    interpreter: &'a mut Expecting,
    implementation: &'a mut Observing,
}

impl Trial for Trying<'_> {
    fn differences(&mut self, graphs: &[Graph]) -> Vec<Option<Difference>> {
        let vectors: Vec<Vector> = graphs.iter().map(|graph| Generator::nameless(graph.clone())).collect();
        let expected = self.interpreter.run(&vectors);
        // The implementation is asked only for what the interpreter computes.
        let is_computed = |expected: &Result<Interpreted, String>| matches!(expected, Ok(Ok(_)));
        let computed = vectors.into_iter().zip(&expected).filter(|(_, expected)| is_computed(expected));
        let computed: Vec<Vector> = computed.map(|(vector, _)| vector).collect();
        let mut observed = self.implementation.run(&computed).into_iter();
        let one = |expected| {
            let observed = match &expected {
                Ok(Err(Instead::Threw(_))) => return None,
                Ok(Ok(_)) => observed.next()?,
                Ok(Err(Instead::Failed(_))) | Err(_) => Ok(Observation::Outputs(vec![])),
            };
            if let Comparison::Differs(difference) = judge(&expected, &observed) { Some(difference) } else { None }
        };
        expected.into_iter().map(one).collect()
    }

    fn values(&mut self, graph: &Graph) -> Option<Vec<(String, Tensor)>> {
        let expected = self.interpreter.run(&[Generator::nameless(graph.clone())]).pop()?.ok()?.ok()?;
        Some(expected.into_iter().map(|expected| (expected.name, expected.tensor)).collect())
    }
}

impl Trying<'_> {
    /// The graph with what the interpreter gives as its expected outputs, and the largest bound of each as its tolerance.
    fn complete(&mut self, mut graph: Graph) -> Graph {
        let answer = self.interpreter.run(&[Generator::nameless(graph.clone())]).pop();
        for Bounded { name, tensor, ranges } in answer.and_then(Result::ok).and_then(Result::ok).unwrap_or_default() {
            if let Some(mut output) = values::expected_output(&tensor) {
                output.tolerance = tolerance(&output.data, &ranges);
                graph.expected_outputs.insert(name, output);
            }
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use webnn_reference::buffer::Bytes;
    use webnn_reference::cpu::{Cpu, Interpreter};
    use webnn_reference::descriptor::MLOperandDescriptor;
    use webnn_reference::ml::{ContextType, MLPowerPreference, PlatformProvider};
    use webnn_reference::operand::OperandId;
    use webnn_reference::ops::Operation;
    use webnn_reference::platform::{
        Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
    };
    use webnn_reference::supply::Part;

    use super::*;

    /// The interpreter, but for one fault: triangular() takes a diagonal above 0 for the next one.
    struct Faulty;

    impl PlatformProvider for Faulty {
        fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
            Some(Box::new(FaultyPlatform(Interpreter::default())))
        }
    }

    struct FaultyPlatform(Interpreter);

    type Done<T = ()> = Result<T, PlatformError>;

    impl Platform for FaultyPlatform {
        fn limits(&self) -> PlatformLimits {
            self.0.limits()
        }

        fn create_tensor(&mut self, descriptor: &MLOperandDescriptor) -> Done<TensorData> {
            self.0.create_tensor(descriptor)
        }

        fn write_tensor(&mut self, tensor: TensorData, bytes: Bytes) -> Done {
            self.0.write_tensor(tensor, bytes)
        }

        fn read_tensor(&mut self, tensor: TensorData) -> Done<Box<dyn PendingBytes>> {
            self.0.read_tensor(tensor)
        }

        fn release_tensor(&mut self, tensor: TensorData) {
            self.0.release_tensor(tensor);
        }

        fn convert(&mut self, mut computation: Computation) -> Done<GraphImplementation> {
            for operator in &mut computation.operators {
                if let Operation::Triangular(triangular) = &mut operator.operation
                    && triangular.diagonal > 0
                {
                    triangular.diagonal = triangular.diagonal.saturating_add(1);
                }
            }
            self.0.convert(computation)
        }

        fn set_constant(
            &mut self,
            graph: GraphImplementation,
            constant: OperandId,
            part: Part,
            residence: Residence,
        ) -> Done {
            self.0.set_constant(graph, constant, part, residence)
        }

        fn dispatch(
            &mut self,
            graph: GraphImplementation,
            inputs: &[(String, TensorData)],
            outputs: &[(String, TensorData)],
        ) -> Done {
            self.0.dispatch(graph, inputs, outputs)
        }

        fn release_graph(&mut self, graph: GraphImplementation) {
            self.0.release_graph(graph);
        }
    }

    fn findings(provider: fn() -> Rc<dyn PlatformProvider>, seed: u64, graphs: u64) -> Vec<Finding> {
        let start = observing(move || Ok((Executor::model(provider(), Reading::Corrected), Traits::default())));
        let generator = Generator::new(seed, &[], 30).expect("all operators");
        let patience = Duration::from_secs(600);
        let candidate = Candidate { name: "implementation".to_owned(), start, patience };
        let campaign = Campaign::start(generator, vec![candidate], patience);
        let mut campaign = campaign.expect("an interpreter");
        let mut findings = vec![];
        let mut next = 0;
        while next < graphs {
            next = campaign.batch(next, graphs, &mut |progress| {
                if let Progress::Found(finding) = progress {
                    findings.push(*finding);
                }
            });
        }
        assert!(campaign.compared >= 200);
        findings
    }

    #[test]
    fn the_interpreter_is_inside_its_own_bounds() {
        let findings = findings(|| Rc::new(Cpu), 1, 200);
        let texts: Vec<String> = findings
            .iter()
            .map(|finding| format!("graph {}: {}, {:?}", finding.number, finding.difference, finding.vector.graph()))
            .collect();
        assert!(texts.is_empty(), "{}", texts.join("\n"));
    }

    #[test]
    fn a_planted_fault_is_found_and_shrunk_to_one_operator() {
        let findings = findings(|| Rc::new(Faulty), 1, 200);
        assert!(findings.iter().any(|finding| finding.operators > 4), "a graph of many operators shows the fault");
        for finding in findings {
            let graph = finding.vector.graph().expect("a graph");
            let [operator] = graph.operators.as_slice() else {
                panic!("shrunk to one operator: {graph:?}");
            };
            assert_eq!(operator.name, "triangular");
            assert_eq!((graph.inputs.len(), graph.expected_outputs.len()), (1, 1));
            let elements = graph.inputs.values().map(|input| input.descriptor.element_count()).next().flatten();
            assert!(elements <= Some(3), "one element is wrong, and few others are needed: {graph:?}");
        }
    }
}
