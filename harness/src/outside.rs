//! Implementations outside: programs that speak the protocol of `../PROTOCOL.md`, and pages in browsers.
//!
//! One vector that crashes or hangs a program costs that vector: the program is started again for the next.

pub(crate) mod adapter;
pub(crate) mod board;
mod decode;
mod encode;
pub(crate) mod group;
pub(crate) mod guard;
pub(crate) mod messages;
pub(crate) mod page;
mod process;
pub(crate) mod transcript;

use std::collections::BTreeSet;
use std::time::Duration;

use webnn_reference::data_type::MLOperandDataType;
use webnn_vectors::{Kind, Vector};

use crate::execute::Observation;
use board::Board;
use messages::{Answer, Answered, Command, PROTOCOL, Progress, Ready};
use page::{Opened, Page};
use process::{Process, Silence};
use transcript::Transcript;

/// After so many programs that ended or hung without an answer in between, no further one is started.
const MOST_LOST: u32 = 5;

/// How much of a line that is no answer is shown.
const SHOWN: usize = 200;

/// How long somebody may take to open a page.
const UNTIL_OPENED: Duration = Duration::from_secs(3600);

/// Where an implementation outside is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A program and its arguments.
    Program(Vec<String>),
    /// A page.
    Page(Opened),
}

/// Who answers.
#[derive(Debug)]
enum Peer {
    Process(Process),
    Page(Page),
}

/// An implementation outside: who answers for it, and how to start that again.
#[derive(Debug)]
pub(crate) struct Outside {
    source: Source,
    timeout: Duration,
    transcript: Transcript,
    board: Board,
    ready: Ready,
    peer: Option<Peer>,
    seq: u64,
    lost: u32,
}

impl Peer {
    fn start(source: &Source, limit: Duration, transcript: Transcript) -> Result<Self, String> {
        Ok(match source {
            Source::Program(words) => Self::Process(Process::start(words, transcript)?),
            Source::Page(opened) => Self::Page(Page::start(opened, limit, transcript)?),
        })
    }

    fn send(&self, line: String) {
        match self {
            Self::Process(process) => process.send(line),
            Self::Page(page) => page.send(line),
        }
    }

    fn receive(&mut self, limit: Duration) -> Result<String, Silence> {
        match self {
            Self::Process(process) => process.receive(limit),
            Self::Page(page) => page.receive(limit),
        }
    }

    fn last_errors(&mut self) -> String {
        match self {
            Self::Process(process) => process.last_errors(),
            Self::Page(page) => page.last_errors(),
        }
    }

    fn stop(self, line: String) {
        match self {
            Self::Process(process) => process.stop(line),
            Self::Page(page) => page.stop(line),
        }
    }
}

impl Outside {
    /// Starts what answers and greets it.
    ///
    /// # Errors
    /// Why it can not be used.
    pub(crate) fn start(
        source: &Source,
        timeout: Duration,
        transcript: Transcript,
        board: Board,
    ) -> Result<Self, String> {
        let (peer, ready) = greeted(source, timeout, &transcript)?;
        Ok(Self { source: source.clone(), timeout, transcript, board, ready, peer: Some(peer), seq: 0, lost: 0 })
    }

    /// Who it is.
    pub(crate) fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Runs a vector.
    pub(crate) fn observe(&mut self, vector: &Vector) -> Observation {
        if let Some(reason) = self.unsupported(vector) {
            return Observation::Skipped(reason);
        }
        let sent = match encode::vector(vector) {
            Ok(sent) => sent,
            Err(problem) => return Observation::Errored(format!("the vector can not be sent: {problem}")),
        };
        self.seq += 1;
        let command = Command::Run { seq: self.seq, vector: Box::new(sent), progress: self.progress() };
        match self.asked(&command).and_then(|answer| decode::observation(vector, answer)) {
            Ok(observation) => observation,
            Err(problem) => Observation::Errored(problem),
        }
    }

    /// How far the run is, for a page: somebody may be looking at it.
    fn progress(&self) -> Option<Box<Progress>> {
        match self.source {
            Source::Page(_) => self.board.progress().map(Box::new),
            Source::Program(_) => None,
        }
    }

    /// What it said that it does not support, of what a vector needs.
    fn unsupported(&self, vector: &Vector) -> Option<String> {
        let (graph, ready) = match &vector.kind {
            Kind::Negative { .. } if !self.ready.validation => {
                return Some("validation is WebNN's own, and the implementation behind the adapter has none".into());
            }
            Kind::Graph { graph, .. } | Kind::Negative { graph, .. } => (graph, &self.ready),
            Kind::Scenario { .. } if self.ready.scenarios => return None,
            Kind::Scenario { .. } => return Some("the adapter does not run scenarios".into()),
        };
        let is_missing = |list: &Option<Vec<String>>, name: &str| {
            list.as_ref().is_some_and(|supported| !supported.iter().any(|supported| supported == name))
        };
        let data_types: BTreeSet<&str> = graph.inputs.values().map(|input| input.descriptor.data_type.name()).collect();
        let of_specification = |name: &&str| MLOperandDataType::from_name(name).is_some();
        if let Some(name) = data_types.iter().find(|name| !of_specification(name)) {
            return Some(format!("{name} is not a data type of the specification"));
        }
        if let Some(name) = data_types.iter().find(|name| is_missing(&ready.data_types, name)) {
            return Some(format!("{name} is not supported"));
        }
        let operator = graph.operators.iter().find(|operator| is_missing(&ready.operators, &operator.name));
        operator.map(|operator| format!("{} is not supported", operator.name))
    }

    /// Sends a command and waits for its answer. Where that is that nothing works any more, the vector before may be to
    /// blame, and the command is sent once more to what is started anew.
    fn asked(&mut self, command: &Command) -> Result<Answer, String> {
        if self.lost >= MOST_LOST {
            return Err(format!("not tried: {MOST_LOST} programs before ended or hung without an answer"));
        }
        match self.asked_once(command) {
            Err(Lost { is_fatal: true, .. }) => self.asked_once(command),
            once => once,
        }
        .map_err(|lost| lost.why)
    }

    /// A program that gives no answer is lost.
    fn asked_once(&mut self, command: &Command) -> Result<Answer, Lost> {
        let mut peer = match self.peer.take() {
            Some(peer) => peer,
            None => {
                greeted(&self.source, self.timeout, &self.transcript)
                    .inspect_err(|_| self.lost += 1)
                    .map_err(|problem| format!("could not be started again: {problem}"))?
                    .0
            }
        };
        let answer = answer(&mut peer, command, self.timeout);
        self.lost = if answer.is_ok() { 0 } else { self.lost + 1 };
        // A program that failed ends with this; a page that somebody opened is still open.
        let is_somebodys = matches!(self.source, Source::Page(Opened::BySomebody(_)));
        match (&answer, &mut peer) {
            (Ok(_), _) => self.peer = Some(peer),
            (Err(Lost { is_fatal: true, why }), Peer::Page(page)) if is_somebodys => {
                anstream::eprintln!("{why}: close the browser and open the page in it again");
                page.wait_until_opened_again(UNTIL_OPENED)?;
                self.peer = Some(peer);
            }
            (Err(_), _) => self.peer = is_somebodys.then_some(peer),
        }
        answer
    }
}

/// Why there is no answer.
#[derive(Debug)]
struct Lost {
    why: String,
    /// Whether nothing works any more where it was asked.
    is_fatal: bool,
}

impl From<String> for Lost {
    fn from(why: String) -> Self {
        Self { why, is_fatal: false }
    }
}

impl From<Lost> for String {
    fn from(lost: Lost) -> Self {
        lost.why
    }
}

/// Asks the program to end, and waits a little.
impl Drop for Outside {
    fn drop(&mut self) {
        if let Some(peer) = self.peer.take() {
            if let Peer::Page(_) = peer {
                self.board.settle();
            }
            peer.stop(line(&Command::Stop { progress: self.progress() }));
        }
    }
}

/// Sends recorded commands to a program, and returns its answers, or why there is none.
///
/// # Errors
/// If it does not start.
pub(crate) fn replayed(
    source: &Source,
    timeout: Duration,
    commands: &[&Command],
) -> Result<Vec<Result<Answer, String>>, String> {
    let mut outside = Outside::start(source, timeout, Transcript::default(), Board::default())?;
    Ok(commands.iter().map(|command| outside.asked(command)).collect())
}

fn greeted(source: &Source, timeout: Duration, transcript: &Transcript) -> Result<(Peer, Ready), String> {
    let mut peer = Peer::start(source, timeout, transcript.of_a_new_process())?;
    let limit = if matches!(source, Source::Page(Opened::BySomebody(_))) { UNTIL_OPENED } else { timeout };
    match answer(&mut peer, &Command::Start { protocol: PROTOCOL }, limit)? {
        Answer::Ready(ready) if ready.protocol == PROTOCOL => Ok((peer, *ready)),
        Answer::Errored { message, .. } => Err(message),
        Answer::Ready(ready) => Err(format!(
            "it speaks protocol {}, and this program speaks protocol {PROTOCOL}: update the older of the two",
            ready.protocol
        )),
        _ => Err("it did not answer \"ready\" to \"start\"".into()),
    }
}

/// The answer to a command; or what came instead, with the last lines of standard error.
fn answer(peer: &mut Peer, command: &Command, timeout: Duration) -> Result<Answer, Lost> {
    peer.send(line(command));
    loop {
        let received = peer.receive(timeout).map_err(|silence| Lost::from(silence.to_string()));
        let answer = received.and_then(|line| parsed(&line, command));
        // A page that was loaded anew says again that it is there.
        let says_again =
            matches!((&*peer, command, &answer), (Peer::Page(_), Command::Run { .. }, Ok(Answer::Ready(_))));
        if !says_again {
            return answer.map_err(|lost| Lost { why: format!("{}{}", lost.why, peer.last_errors()), ..lost });
        }
    }
}

fn parsed(line: &str, command: &Command) -> Result<Answer, Lost> {
    let Answered { answer, fatal } = serde_json::from_str(line.trim_end())
        .map_err(|error| format!("wrote a line that is no answer ({error}): {}", shown(line)))?;
    match (command, answer.seq(), fatal) {
        (Command::Run { seq, .. }, Some(answered), _) if *seq != answered => {
            Err(format!("answered seq {answered} where seq {seq} was asked: {}", shown(line)).into())
        }
        (_, _, Some(why)) => Err(Lost { why, is_fatal: true }),
        (_, _, None) => Ok(answer),
    }
}

fn shown(line: &str) -> String {
    let mut beginning: String = line.trim_end().chars().take(SHOWN).collect();
    if beginning.len() < line.trim_end().len() {
        beginning.push('\u{2026}');
    }
    format!("{beginning:?}")
}

fn line(command: &Command) -> String {
    serde_json::to_string(command).expect("messages are plain data")
}
