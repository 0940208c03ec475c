//! Something that answers vectors, in a thread of its own which is given up if it is silent for too long.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use webnn_vectors::Vector;

use crate::worker::AtWork;

/// What a thread tells of the vectors that it was given.
#[derive(Debug)]
pub(crate) enum Told<A> {
    /// It is at this one now.
    At(usize),
    /// This is the answer to this one.
    Answer(usize, A),
}

/// Answers vectors, telling of each.
pub(crate) type Answering<A> = Box<dyn FnMut(&[Vector], &mut dyn FnMut(Told<A>))>;

/// What something that answers says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traits {
    /// Facts that change results.
    pub(crate) facts: Vec<String>,
    /// What it supports.
    pub(crate) support: Support,
}

/// The operators and data types that something supports: all, where it does not say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Support {
    pub(crate) operators: Option<Vec<String>>,
    pub(crate) data_types: Option<Vec<String>>,
}

/// Starts what answers, in the thread that is going to use it, and tells about it; or why it can not be started.
pub(crate) type Start<A> = Arc<dyn Fn() -> Result<(Answering<A>, Traits), String> + Send + Sync>;

/// After so many threads that hung, nothing more is tried.
const MOST_GIVEN_UP: usize = 5;

/// Something that answers vectors.
pub(crate) struct Subject<A> {
    start: Start<A>,
    timeout: Duration,
    thread: Option<Thread<A>>,
    given_up: usize,
    traits: Traits,
}

struct Thread<A> {
    requests: Sender<Vec<Vector>>,
    events: Receiver<Told<A>>,
}

impl<A: Send + 'static> Subject<A> {
    /// Starts it.
    ///
    /// # Errors
    /// Why it can not be started.
    pub(crate) fn start(start: Start<A>, timeout: Duration) -> Result<Self, String> {
        let (thread, traits) = Thread::spawn(&start, timeout)?;
        Ok(Self { start, timeout, thread: Some(thread), given_up: 0, traits })
    }

    /// Whether this is a fact about it.
    pub(crate) fn has_fact(&self, fact: &str) -> bool {
        self.traits.facts.iter().any(|known| known == fact)
    }

    /// What it supports.
    pub(crate) fn support(&self) -> &Support {
        &self.traits.support
    }

    /// Gives it vectors, which it answers while others work.
    pub(crate) fn ask(&self, vectors: &[Vector]) {
        if let Some(thread) = &self.thread {
            // A thread that has ended is noticed where its answers are waited for.
            drop(thread.requests.send(vectors.to_vec()));
        }
    }

    /// Waits for the answers to what it was asked last: one for each vector, or what was wrong instead.
    pub(crate) fn answers(&mut self, vectors: &[Vector]) -> Vec<Result<A, String>> {
        let mut answers: Vec<Option<Result<A, String>>> = vectors.iter().map(|_| None).collect();
        self.collect(&mut answers);
        // One of those that are left may be what silenced it.
        for index in 0..vectors.len() {
            if answers[index].is_none() {
                self.ask(&vectors[index..=index]);
                self.collect(&mut answers[index..=index]);
            }
        }
        let missing = || Err(format!("not tried: {MOST_GIVEN_UP} graphs before it were not answered"));
        answers.into_iter().map(|answer| answer.unwrap_or_else(missing)).collect()
    }

    /// Asks, and waits.
    pub(crate) fn run(&mut self, vectors: &[Vector]) -> Vec<Result<A, String>> {
        self.ask(vectors);
        self.answers(vectors)
    }

    /// Whether it hung so often that it is not asked any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.thread.is_none()
    }

    /// Takes answers as they come; where none comes for too long, the vector that it was at gets none for good.
    fn collect(&mut self, answers: &mut [Option<Result<A, String>>]) {
        let mut at = 0;
        while let Some(thread) = &self.thread
            && answers.iter().any(Option::is_none)
        {
            match thread.events.recv_timeout(self.timeout) {
                Ok(Told::At(index)) => at = index,
                Ok(Told::Answer(index, answer)) => answers[index] = Some(Ok(answer)),
                Err(_) => {
                    let seconds = self.timeout.as_secs_f64();
                    answers[at] = Some(Err(format!("did not answer within {seconds} s (--timeout)")));
                    return self.start_again();
                }
            }
        }
    }

    fn start_again(&mut self) {
        self.given_up += 1;
        self.thread = None;
        if self.given_up < MOST_GIVEN_UP {
            self.thread = Thread::spawn(&self.start, self.timeout).ok().map(|(thread, _)| thread);
        }
    }
}

impl<A: Send + 'static> Thread<A> {
    fn spawn(start: &Start<A>, timeout: Duration) -> Result<(Self, Traits), String> {
        let (requests, inbox) = channel::<Vec<Vector>>();
        let (outbox, events) = channel();
        let (started, is_started) = channel();
        let (start, at_work) = (Arc::clone(start), AtWork::begin());
        thread::spawn(move || {
            match start() {
                Ok((mut answering, traits)) => {
                    drop(started.send(Ok(traits)));
                    for vectors in inbox {
                        // The receiver is gone only where this thread was given up.
                        answering(&vectors, &mut |told| drop(outbox.send(told)));
                    }
                }
                Err(reason) => drop(started.send(Err(reason))),
            }
            drop(at_work);
        });
        let traits = is_started.recv_timeout(timeout).unwrap_or_else(|_| Err("not in time, or it panicked".into()))?;
        Ok((Self { requests, events }, traits))
    }
}

/// A driver that is still giving up its device when the program ends can bring it down.
impl<A> Drop for Subject<A> {
    fn drop(&mut self) {
        if let Some(Thread { requests, events }) = self.thread.take() {
            drop(requests);
            while events.recv_timeout(self.timeout).is_ok() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use webnn_vectors::{Kind, Vector};

    use super::*;

    fn vector(name: &str) -> Vector {
        let kind = Kind::Scenario { steps: vec![] };
        let name = name.to_owned();
        let (id, index) = (String::new(), 0);
        let (source, note, implementation_defined, literal, required) = (None, None, None, None, None);
        Vector { id, index, name, source, note, implementation_defined, literal, required, kind }
    }

    #[test]
    fn the_vector_that_hangs_is_the_only_one_without_an_answer() {
        let start: Start<String> = Arc::new(|| {
            let answering = |vectors: &[Vector], tell: &mut dyn FnMut(Told<String>)| {
                for (index, vector) in vectors.iter().enumerate() {
                    tell(Told::At(index));
                    if vector.name == "hangs" {
                        thread::sleep(Duration::from_secs(3600));
                    }
                    tell(Told::Answer(index, vector.name.clone()));
                }
            };
            Ok((Box::new(answering), Traits::default()))
        });
        let mut subject = Subject::start(start, Duration::from_millis(50)).expect("a thread");
        let answers = subject.run(&["a", "hangs", "b", "c"].map(vector));
        let is_answered: Vec<bool> = answers.iter().map(Result::is_ok).collect();
        assert_eq!(is_answered, [true, false, true, true]);
        assert_eq!(answers[3].as_deref(), Ok("c"));
        assert!(!subject.is_given_up());
    }
}
