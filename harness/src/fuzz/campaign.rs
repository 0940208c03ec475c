//! A campaign: graphs are drawn in batches, the interpreter and the implementations run them at the same time, and where
//! one differs the graph is shrunk.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use webnn_reference::cpu::Cpu;
use webnn_reference::steps::Reading;
use webnn_vectors::{DataType, Descriptor, ExpectedOutput, Graph, Vector};

use super::generator::{Defect, Generator};
use super::shrink::{Trial, shrink};
use super::statistics::Statistics;
use super::subject::{Start, Subject, Told};
use crate::execute::{Executor, Observation, Tensor};
use crate::judge::difference::{Difference, Expected, difference};

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
type Interpreted = Result<Vec<Expected>, Instead>;

/// What the interpreter did instead of computing.
#[derive(Clone, Debug)]
enum Instead {
    /// A call threw: the graph is not valid.
    Threw(String),
    /// It panicked.
    Failed(String),
}

/// A campaign that is under way.
pub(crate) struct Campaign {
    generator: Generator,
    interpreter: Expecting,
    implementations: Vec<(String, Observing)>,
    pub(crate) statistics: Statistics,
}

impl Campaign {
    /// Starts the interpreter and the implementations.
    ///
    /// # Errors
    /// The first that can not be started, and why.
    pub(crate) fn start(
        generator: Generator,
        implementations: &[(String, Start<Observation>)],
        timeout: Duration,
    ) -> Result<Self, String> {
        let interpreter = Subject::start(interpreting(), timeout)?;
        let started = implementations.iter().map(|(name, start)| {
            let subject = Subject::start(Arc::clone(start), timeout);
            Ok((name.clone(), subject.map_err(|reason| format!("{name} did not start: {reason}"))?))
        });
        let implementations = started.collect::<Result<_, String>>()?;
        Ok(Self { generator, interpreter, implementations, statistics: Statistics::default() })
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
                Err(defect) => tell(Progress::Found(Box::new(self.of_builder(number, defect)))),
            }
        }
        let (numbers, vectors): (Vec<u64>, Vec<Vector>) = vectors.into_iter().unzip();
        self.interpreter.ask(&vectors);
        self.implementations.iter().for_each(|(_, subject)| subject.ask(&vectors));
        let expected = self.interpreter.answers(&vectors);
        for at in 0..self.implementations.len() {
            let observed = self.implementations[at].1.answers(&vectors);
            for (((number, vector), expected), observed) in numbers.iter().zip(&vectors).zip(&expected).zip(observed) {
                if let (Some(difference), Some(graph)) = (judge(expected, &observed), vector.graph()) {
                    tell(Progress::Found(Box::new(self.shrunk(at, *number, graph, difference))));
                }
            }
        }
        tell(Progress::Done(last - first));
        last
    }

    /// Whether somebody hung so often that it is not asked any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.interpreter.is_given_up() || self.implementations.iter().any(|(_, subject)| subject.is_given_up())
    }

    /// A finding about the builder, which nobody shrinks: it stopped at the last operator.
    fn of_builder(&self, number: u64, defect: Defect) -> Finding {
        Finding {
            number,
            implementation: "the builder".into(),
            operators: defect.graph.operators.len(),
            vector: self.generator.vector(number, defect.graph),
            difference: Difference::Errored(defect.problem),
            tried: 0,
        }
    }

    fn shrunk(&mut self, at: usize, number: u64, graph: &Graph, difference: Difference) -> Finding {
        let (name, implementation) = &mut self.implementations[at];
        let mut trial = Trying { interpreter: &mut self.interpreter, implementation };
        let shrunk = shrink(graph, difference, &mut trial);
        let vector = self.generator.vector(number, trial.complete(shrunk.graph));
        Finding {
            number,
            implementation: name.clone(),
            operators: graph.operators.len(),
            vector,
            difference: shrunk.difference,
            tried: shrunk.tried,
        }
    }
}

/// How an answer differs from what the interpreter gives.
fn judge(expected: &Result<Interpreted, String>, observed: &Result<Observation, String>) -> Option<Difference> {
    match (expected, observed) {
        (Ok(Ok(expected)), Ok(observation)) => difference(expected, observation),
        (Ok(Ok(_)), Err(problem)) => Some(Difference::Errored(problem.clone())),
        (Ok(Err(Instead::Threw(problem) | Instead::Failed(problem))) | Err(problem), _) => {
            Some(Difference::Interpreter(problem.clone()))
        }
    }
}

/// Starts the interpreter.
fn interpreting() -> Start<Interpreted> {
    Arc::new(|| {
        let executor = Executor::new(Rc::new(Cpu), Reading::Corrected);
        Ok(Box::new(move |vectors: &[Vector], tell: &mut dyn FnMut(Told<Interpreted>)| {
            for (index, vector) in vectors.iter().enumerate() {
                tell(Told::At(index));
                tell(Told::Answer(index, interpreted(executor.finish(executor.start(vector)))));
            }
        }))
    })
}

fn interpreted(observation: Observation) -> Interpreted {
    match observation {
        Observation::Outputs(outputs) => {
            Ok(outputs.into_iter().map(|(name, tensor)| Expected { name, tensor }).collect())
        }
        Observation::Threw(exception) => Err(Instead::Threw(exception.to_string())),
        Observation::Errored(problem) | Observation::Skipped(problem) => Err(Instead::Failed(problem)),
        Observation::Calls(_) => Err(Instead::Failed("it made the calls of a scenario".into())),
    }
}

/// Starts an implementation.
pub(crate) fn observing(start: impl Fn() -> Result<Executor, String> + Send + Sync + 'static) -> Start<Observation> {
    Arc::new(move || {
        let executor = start()?;
        Ok(Box::new(move |vectors: &[Vector], tell: &mut dyn FnMut(Told<Observation>)| {
            let mut started = Vec::new();
            for (index, vector) in vectors.iter().enumerate() {
                tell(Told::At(index));
                started.push(executor.start(vector));
            }
            for (index, vector) in started.into_iter().enumerate() {
                tell(Told::At(index));
                tell(Told::Answer(index, executor.finish(vector)));
            }
        }))
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
        let one = |expected| match &expected {
            Ok(Err(Instead::Threw(_))) => None,
            Ok(Ok(_)) => judge(&expected, &observed.next()?),
            Ok(Err(Instead::Failed(_))) | Err(_) => judge(&expected, &Ok(Observation::Outputs(vec![]))),
        };
        expected.into_iter().map(one).collect()
    }

    fn values(&mut self, graph: &Graph) -> Option<Vec<(String, Tensor)>> {
        let expected = self.interpreter.run(&[Generator::nameless(graph.clone())]).pop()?.ok()?.ok()?;
        Some(expected.into_iter().map(|expected| (expected.name, expected.tensor)).collect())
    }
}

impl Trying<'_> {
    /// The graph with what the interpreter gives as its expected outputs.
    fn complete(&mut self, mut graph: Graph) -> Graph {
        for (name, tensor) in self.values(&graph).unwrap_or_default() {
            if let Some(output) = expected_output(&tensor) {
                graph.expected_outputs.insert(name, output);
            }
        }
        graph
    }
}

fn expected_output(tensor: &Tensor) -> Option<ExpectedOutput> {
    let data_type = DataType::from_name(tensor.data_type.as_str())?;
    let descriptor = Descriptor { data_type, shape: tensor.shape.clone() };
    let data = descriptor.data_of(&tensor.bytes).ok()?;
    Some(ExpectedOutput { descriptor, tolerance: None, data })
}
