//! Implementations outside: programs that speak the protocol of `../PROTOCOL.md`, and pages in browsers.
//!
//! One vector that crashes or hangs a program costs that vector: the program is started again for the next.

pub(crate) mod adapter;
pub(crate) mod board;
pub(crate) mod decode;
pub(crate) mod elements;
mod encode;
pub(crate) mod group;
pub(crate) mod guard;
mod input;
mod line;
pub(crate) mod messages;
pub(crate) mod page;
pub(crate) mod problem;
mod process;
mod support;
pub(crate) mod transcript;

use std::time::Duration;

use webnn_reference::steps::Reading;
use webnn_vectors::Vector;

use crate::execute::Observation;
use crate::implementation::Start;
use crate::shown::inert;
use board::Board;
use messages::{Answer, Answered, Command, PROTOCOL, Progress, Ready};
use page::{Opened, Page};
use problem::{Problem, Trouble};
use process::{Process, Silence};
use transcript::Transcript;

/// After so many programs that ended or hung without an answer in between, no further one is started.
const MOST_LOST: u32 = 5;

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
    /// What the same program has answered last.
    before: Option<u64>,
    /// Whether the last vector was sent.
    was_asked: bool,
    /// What is wrong with the answer before the last one, as it turned out behind it.
    of_before: Option<Problem>,
    lost: u32,
}

impl Peer {
    fn start(source: &Source, limit: Duration, transcript: Transcript) -> Result<Self, String> {
        Ok(match source {
            Source::Program(words) => Self::Process(Process::start(words, transcript)?),
            Source::Page(opened) => Self::Page(Page::start(opened, limit, transcript)?),
        })
    }

    fn send(&mut self, line: String) {
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

    /// A line that is there although nothing was asked any more.
    fn surplus(&mut self) -> Option<String> {
        match self {
            Self::Process(process) => process.surplus(),
            // It takes answers to its commands only.
            Self::Page(_) => None,
        }
    }

    fn last_errors(&mut self) -> String {
        match self {
            Self::Process(process) => process.last_errors(),
            Self::Page(page) => page.last_errors(),
        }
    }

    fn stop(self, line: String) -> Option<String> {
        match self {
            Self::Process(process) => process.stop(line),
            Self::Page(page) => {
                page.stop(line);
                None
            }
        }
    }
}

impl Outside {
    /// Starts what answers and greets it.
    ///
    /// # Errors
    /// Why it can not be used.
    pub(crate) fn start(source: &Source, start: &Start) -> Result<Self, Problem> {
        let Start { timeout, transcript, board, .. } = start.clone();
        let (peer, ready) = greeted(source, timeout, &transcript)?;
        let (source, peer, before, of_before) = (source.clone(), Some(peer), None, None);
        Ok(Self {
            source,
            timeout,
            transcript,
            board,
            ready,
            peer,
            seq: 0,
            before,
            was_asked: false,
            of_before,
            lost: 0,
        })
    }

    /// Who it is.
    pub(crate) fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Runs a vector.
    pub(crate) fn observe(&mut self, vector: &Vector) -> Observation {
        self.attempt(vector).unwrap_or_else(|problem| Observation::Errored(problem.into()))
    }

    /// Runs a vector.
    ///
    /// # Errors
    /// Why it was not observed what came of it.
    pub(crate) fn attempt(&mut self, vector: &Vector) -> Result<Observation, Problem> {
        self.was_asked = false;
        if let Some(reason) = support::missing(&self.ready, vector) {
            return Ok(Observation::Skipped(reason));
        }
        let sent = encode::vector(vector);
        let sent = sent.map_err(|why| Problem::new(Trouble::Plain, format!("the vector can not be sent: {why}")))?;
        self.seq += 1;
        let command = Command::Run { seq: self.seq, vector: Box::new(sent), progress: self.progress() };
        self.was_asked = true;
        let answer = self.asked(&command)?;
        decode::observation(vector, answer)
    }

    /// Whether the last vector was sent, so that its answer may come a second time.
    pub(crate) fn was_asked(&self) -> bool {
        self.was_asked && matches!(self.source, Source::Program(_))
    }

    /// What is wrong with the answer before the last one, if that turned out with the last.
    pub(crate) fn of_before(&mut self) -> Option<Problem> {
        self.of_before.take()
    }

    /// Asks the program to end, and waits a little; what is wrong with its last answer, if that turned out now.
    pub(crate) fn end(&mut self) -> Option<Problem> {
        let peer = self.peer.take()?;
        if let Peer::Page(_) = peer {
            self.board.settle();
        }
        let line = peer.stop(line_of(&Command::Stop { progress: self.progress() }))?;
        // Other last words harm nobody.
        let answered = line::answered(&line).ok()?.answer.seq()?;
        (Some(answered) == self.before).then(|| twice(&line))
    }

    /// How far the run is, for a page: somebody may be looking at it.
    fn progress(&self) -> Option<Box<Progress>> {
        match self.source {
            Source::Page(_) => self.board.progress().map(Box::new),
            Source::Program(_) => None,
        }
    }

    /// Sends a command and waits for its answer. Where that is that nothing works any more, the vector before may be to
    /// blame, and the command is sent once more to what is started anew; and so it is where what comes is a second answer to
    /// the one before.
    fn asked(&mut self, command: &Command) -> Result<Answer, Problem> {
        if self.lost >= MOST_LOST {
            let why = format!("not tried: {MOST_LOST} programs before ended or hung without an answer");
            return Err(Problem::new(Trouble::Plain, why));
        }
        match self.asked_once(command) {
            Err(problem) if problem.is_fatal() => self.asked_once(command),
            Err(problem) if problem.is_of_before() => {
                self.of_before = Some(problem);
                self.asked_once(command)
            }
            once => once,
        }
    }

    /// A program that gives no answer is lost.
    fn asked_once(&mut self, command: &Command) -> Result<Answer, Problem> {
        let mut peer = match self.peer.take() {
            Some(peer) => peer,
            None => {
                self.before = None;
                greeted(&self.source, self.timeout, &self.transcript)
                    .inspect_err(|_| self.lost += 1)
                    .map_err(|problem| problem.while_at("could not be started again"))?
                    .0
            }
        };
        let answer = answer(&mut peer, command, self.before, self.timeout);
        // A page answers its commands only.
        let can_repeat_itself = matches!(self.source, Source::Program(_));
        self.before = answer.as_ref().ok().and_then(Answer::seq).filter(|_| can_repeat_itself);
        self.lost = if answer.is_ok() { 0 } else { self.lost + 1 };
        // A program that failed ends with this; a page that somebody opened is still open.
        let is_somebodys = matches!(self.source, Source::Page(Opened::BySomebody(_)));
        match (&answer, &mut peer) {
            (Ok(_), _) => self.peer = Some(peer),
            (Err(problem), Peer::Page(page)) if is_somebodys && problem.is_fatal() => {
                let problem = problem.to_string();
                anstream::eprintln!("{}: close the browser and open the page in it again", inert(&problem));
                let opened = page.wait_until_opened_again(UNTIL_OPENED);
                opened.map_err(|why| Problem::new(Trouble::Silent, why))?;
                self.peer = Some(peer);
            }
            (Err(_), _) => self.peer = is_somebodys.then_some(peer),
        }
        answer
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        // Nobody is left to be told.
        drop(self.end());
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
) -> Result<Vec<Result<Answer, Problem>>, Problem> {
    let mut outside = Outside::start(source, &Start { timeout, ..Start::new(Reading::Corrected) })?;
    let mut answers: Vec<Result<Answer, Problem>> = Vec::new();
    for command in commands {
        let answer = outside.asked(command);
        if let (Some(problem), Some(before)) = (outside.of_before(), answers.last_mut()) {
            *before = Err(problem);
        }
        answers.push(answer);
    }
    if let (Some(problem), Some(last)) = (outside.end(), answers.last_mut()) {
        *last = Err(problem);
    }
    Ok(answers)
}

fn greeted(source: &Source, timeout: Duration, transcript: &Transcript) -> Result<(Peer, Ready), Problem> {
    let started = Peer::start(source, timeout, transcript.of_a_new_process());
    let mut peer = started.map_err(|why| Problem::new(Trouble::Launch, why))?;
    let limit = if matches!(source, Source::Page(Opened::BySomebody(_))) { UNTIL_OPENED } else { timeout };
    match answer(&mut peer, &Command::Start { protocol: PROTOCOL }, None, limit)? {
        Answer::Ready(ready) if ready.protocol == PROTOCOL => {
            // What a browser has more than the specification is no mistake.
            if let Source::Program(_) = source {
                support::ensure_names_are_known(&ready).map_err(|why| Problem::new(Trouble::Plain, why))?;
            }
            Ok((peer, *ready))
        }
        Answer::Errored { message, .. } => Err(Problem::new(Trouble::Plain, message).and(&peer.last_errors())),
        Answer::Ready(ready) => Err(Problem::new(
            Trouble::Plain,
            format!(
                "it speaks protocol {}, and this program speaks protocol {PROTOCOL}: update the older of the two",
                ready.protocol
            ),
        )),
        other => {
            Err(Problem::new(Trouble::Greeting, format!("it answered {:?} to \"start\", not \"ready\"", other.kind())))
        }
    }
}

/// The answer to a command; or what came instead, with the last lines of standard error. `before` is what the same program has
/// answered last.
fn answer(peer: &mut Peer, command: &Command, before: Option<u64>, timeout: Duration) -> Result<Answer, Problem> {
    peer.send(line_of(command));
    loop {
        let received = peer.receive(timeout).map_err(Problem::from);
        let answer = received.and_then(|line| parsed(&line, command, before));
        // A page that was loaded anew says again that it is there.
        let says_again =
            matches!((&*peer, command, &answer), (Peer::Page(_), Command::Run { .. }, Ok(Answer::Ready(_))));
        if !says_again {
            let answer = answer.and_then(|answer| ensure_it_is_all(peer, answer));
            return answer.map_err(|problem| problem.and(&peer.last_errors()));
        }
    }
}

fn parsed(line: &str, command: &Command, before: Option<u64>) -> Result<Answer, Problem> {
    let Answered { answer, fatal } = line::answered(line).map_err(|why| Problem::new(Trouble::Plain, why))?;
    match (command, answer.seq(), fatal) {
        (Command::Run { seq, .. }, Some(answered), _) if *seq != answered && before == Some(answered) => {
            Err(twice(line))
        }
        (Command::Run { seq, .. }, Some(answered), _) if *seq != answered => {
            let shown = line::shown(line);
            let why = format!("answered seq {answered} where seq {seq} was asked: {shown}");
            Err(Problem::new(Trouble::Turn, why))
        }
        (_, _, Some(why)) => Err(Problem::new(Trouble::Fatal, why)),
        (_, _, None) => Ok(answer),
    }
}

/// What is wrong with an answer that came once more, later.
fn twice(line: &str) -> Problem {
    Problem::new(Trouble::Again, format!("wrote a second line behind its answer: {}", line::shown(line)))
}

/// Checks that nothing stands behind an answer that has come already.
fn ensure_it_is_all(peer: &mut Peer, answer: Answer) -> Result<Answer, Problem> {
    match peer.surplus() {
        None => Ok(answer),
        Some(line) if line.trim().is_empty() => Err(Problem::new(
            Trouble::Turn,
            "wrote an empty line behind its answer: write a line break at the end of each answer only",
        )),
        Some(line) => {
            let why = format!("wrote a second line behind its answer: {}", line::shown(&line));
            Err(Problem::new(Trouble::Turn, why))
        }
    }
}

fn line_of(command: &Command) -> String {
    serde_json::to_string(command).expect("messages are plain data")
}
