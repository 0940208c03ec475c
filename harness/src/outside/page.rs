//! A browser: a page served on loopback runs vectors on `navigator.ml` and posts what came out. `../../page/README.md` has the
//! contract.
//!
//! The page asks and the harness answers, so the conversation lies in a place between the two: the command that is
//! outstanding, and what has come.

use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tiny_http::{Header, Method, Request, Response, Server};

use super::group::Group;
use super::process::{LastLines, Silence};
use super::transcript::{Speaker, Transcript};

const INDEX: &str = include_str!("../../page/index.html");
const SCRIPT: &str = include_str!("../../page/page.js");
const STYLE: &str = include_str!("../../page/page.css");

/// How long a request for the next command is held open.
const HELD_OPEN: Duration = Duration::from_secs(20);

/// How often it is looked whether the browser still runs.
const LOOK: Duration = Duration::from_millis(200);

/// The most bytes of an answer.
const LONGEST_ANSWER: u64 = 1 << 30;

/// What a browser without a screen needs for WebNN, and what keeps it from calling home.
const FLAGS: [&str; 9] = [
    "--headless",
    "--enable-features=WebMachineLearningNeuralNetwork",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
];

/// A page that runs vectors, in a browser that the harness started or that somebody opened.
pub(super) struct Page {
    server: Arc<Server>,
    shared: Arc<Shared>,
    incoming: Receiver<Result<String, String>>,
    transcript: Transcript,
    browser: Option<Group>,
    /// What the browser complains about.
    errors: LastLines,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("browser", &self.browser).finish_non_exhaustive()
    }
}

/// What lies between the page and the harness.
struct Shared {
    session: String,
    outstanding: Mutex<Option<String>>,
    changed: Condvar,
    incoming: Mutex<Sender<Result<String, String>>>,
    /// Whether the page that is open can not do anything any more.
    is_gone: AtomicBool,
}

/// Where a page is served, and who opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// By this browser and with these further flags, started by the harness.
    By(Vec<String>),
    /// By somebody, at this port.
    BySomebody(u16),
}

impl Page {
    /// Serves the page and has it opened.
    ///
    /// # Errors
    /// If nothing can be served, or the browser can not be started.
    pub(super) fn start(opened: &Opened, limit: Duration, transcript: Transcript) -> Result<Self, String> {
        let port = match opened {
            Opened::By(_) => 0,
            Opened::BySomebody(port) => *port,
        };
        let server =
            Server::http(("127.0.0.1", port)).map_err(|error| format!("port {port} can not be served: {error}"))?;
        let port = server.server_addr().to_ip().map(|address| address.port()).ok_or("it is served at no port")?;
        let (to, incoming) = channel();
        let session = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
        let shared = Arc::new(Shared {
            session,
            outstanding: Mutex::new(None),
            changed: Condvar::new(),
            incoming: Mutex::new(to),
            is_gone: AtomicBool::new(false),
        });
        let server = Arc::new(server);
        serve(&server, &shared);
        let url = format!("http://localhost:{port}/?session={}&timeout={}", shared.session, limit.as_secs());
        let errors = LastLines::default();
        let browser = match opened {
            Opened::By(words) => Some(browser(words, &url, &shared.session, &errors)?),
            Opened::BySomebody(_) => {
                anstream::eprintln!("open this page in the browser that is to be tested:\n\n  {url}\n");
                None
            }
        };
        Ok(Self { server, shared, incoming, transcript, browser, errors })
    }

    pub(super) fn send(&self, line: String) {
        self.transcript.note(Speaker::Harness, &line);
        *held(&self.shared.outstanding) = Some(line);
        self.shared.changed.notify_all();
    }

    pub(super) fn receive(&mut self, limit: Duration) -> Result<String, Silence> {
        let received = self.received(limit);
        match &received {
            Ok(line) => self.transcript.note(Speaker::Adapter, line),
            Err(silence) => self.transcript.note(Speaker::End, &silence.to_string()),
        }
        received
    }

    fn received(&mut self, limit: Duration) -> Result<String, Silence> {
        let begun = Instant::now();
        loop {
            match self.incoming.recv_timeout(LOOK) {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(why)) => return Err(Silence::Unreadable(why)),
                // The page gives a vector up by itself, and says so.
                Err(RecvTimeoutError::Timeout) if begun.elapsed() > limit + HELD_OPEN => {
                    return Err(Silence::TimedOut { limit, begun: 0 });
                }
                Err(RecvTimeoutError::Timeout) => self.ensure_the_browser_runs()?,
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended("is not served any more".into())),
            }
        }
    }

    /// A browser that ends well may have handed the page to another one that runs already.
    fn ensure_the_browser_runs(&mut self) -> Result<(), Silence> {
        let status = self.browser.as_mut().and_then(|browser| browser.wait(Duration::ZERO));
        match status {
            Some(status) if !status.success() => Err(Silence::Ended(format!("the browser ended ({status})"))),
            _ => Ok(()),
        }
    }

    /// The last lines of the browser's standard error, if it has ended: one that runs writes a lot that is of no interest.
    pub(super) fn last_errors(&mut self) -> String {
        if self.ensure_the_browser_runs().is_ok() {
            return String::new();
        }
        self.errors.wait_for_the_end();
        let errors = self.errors.to_string();
        // Chromium says what it wants, and not where to say it.
        let advice = if errors.contains("--no-sandbox") {
            "\n  in a container of its own, without anything to protect, that is -i \"browser:PATH --no-sandbox\""
        } else {
            ""
        };
        errors + advice
    }

    /// Waits until the page says again that it is there: the browser is of no use until it was started anew.
    pub(super) fn wait_until_opened_again(&mut self, limit: Duration) -> Result<(), String> {
        loop {
            let line = self.receive(limit).map_err(|silence| silence.to_string())?;
            if line.contains(r#""ready""#) {
                return Ok(());
            }
        }
    }

    pub(super) fn stop(self, line: String) {
        self.send(line);
        // Long enough for the page to be told that it is over.
        thread::sleep(Duration::from_millis(300));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

/// Starts a browser with a profile of its own, which goes with it.
fn browser(words: &[String], url: &str, session: &str, errors: &LastLines) -> Result<Group, String> {
    let (program, flags) = words.split_first().ok_or("`browser:` needs the path of a browser")?;
    let profile = std::env::temp_dir().join(format!("webnn-browser-{session}"));
    std::fs::create_dir_all(&profile).map_err(|error| format!("{}: {error}", profile.display()))?;
    let mut command = Command::new(program);
    command.args(FLAGS).args(flags).arg(format!("--user-data-dir={}", profile.display())).arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let started = Group::start(&mut command, Some(profile));
    let mut browser = started.map_err(|error| format!("{program:?} can not be started: {error}"))?;
    if let Some(error) = browser.child.stderr.take() {
        // No part of the conversation.
        errors.keep(error, Transcript::default());
    }
    Ok(browser)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers requests, each in a thread of its own, as one may be held open.
fn serve(server: &Arc<Server>, shared: &Arc<Shared>) {
    let (server, shared) = (Arc::clone(server), Arc::clone(shared));
    thread::spawn(move || {
        for request in server.incoming_requests() {
            let shared = Arc::clone(&shared);
            thread::spawn(move || answer(request, &shared));
        }
    });
}

fn answer(mut request: Request, shared: &Shared) {
    let url = request.url().to_owned();
    let (path, query) = url.split_once('?').unwrap_or((url.as_str(), ""));
    let is_of_session = query.split('&').any(|pair| pair.strip_prefix("session=") == Some(&shared.session));
    let mut ready = None;
    let (status, kind, body) = match (request.method(), path, is_of_session) {
        (Method::Get, "/", _) => (200, "text/html", INDEX.to_owned()),
        (Method::Get, "/page.js", _) => (200, "text/javascript", SCRIPT.to_owned()),
        (Method::Get, "/page.css", _) => (200, "text/css", STYLE.to_owned()),
        (Method::Post, "/ready" | "/next", false) => (403, "text/plain", "this page is of another session".to_owned()),
        (Method::Post, "/ready" | "/next", true) => match (body(&mut request), path) {
            (Err(why), _) => (400, "text/plain", why),
            (Ok(body), "/ready") => {
                shared.arrived(&body);
                ready = Some(body);
                (204, "text/plain", String::new())
            }
            (Ok(body), _) => match shared.next(body) {
                Some(command) => (200, "application/json", command),
                None => (204, "text/plain", String::new()),
            },
        },
        _ => (404, "text/plain", "there is nothing here".to_owned()),
    };
    let mut response = Response::from_string(body).with_status_code(status);
    let headers = [
        ("Content-Type", format!("{kind}; charset=utf-8")),
        ("Cross-Origin-Opener-Policy", "same-origin".to_owned()),
        ("Cross-Origin-Embedder-Policy", "require-corp".to_owned()),
        ("Cache-Control", "no-store".to_owned()),
    ];
    for (name, value) in headers {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    // A page that has gone will ask again.
    drop(request.respond(response));
    // Last, since the program may end with this.
    if let Some(body) = ready {
        shared.tell(Ok(body));
    }
}

fn body(request: &mut Request) -> Result<String, String> {
    let mut body = String::new();
    let read = request.as_reader().take(LONGEST_ANSWER + 1).read_to_string(&mut body);
    let length = read.map_err(|error| format!("the body can not be read: {error}"))?;
    if length as u64 > LONGEST_ANSWER { Err("the body has more than 1 GiB".into()) } else { Ok(body) }
}

impl Shared {
    fn tell(&self, told: Result<String, String>) {
        // The harness has ended where nobody listens.
        drop(held(&self.incoming).send(told));
    }

    /// The page is there; or there again, and what it was at is lost.
    fn arrived(&self, body: &str) {
        self.is_gone.store(!body.contains(r#""ready""#), Ordering::Relaxed);
        let outstanding = held(&self.outstanding).take();
        match outstanding {
            Some(command) if !is_start(&command) => {
                self.tell(Err("the page was loaded anew while it was at this vector".into()));
            }
            _ => {}
        }
    }

    /// Takes an answer and gives the next command, if there is one before long.
    fn next(&self, body: String) -> Option<String> {
        let mut outstanding = held(&self.outstanding);
        let answer: Json = serde_json::from_str(&body).unwrap_or_default();
        if let Some(seq) = answer["seq"].as_u64()
            && outstanding.as_deref().and_then(seq_of) == Some(seq)
        {
            *outstanding = None;
            self.is_gone.store(answer["fatal"].is_string(), Ordering::Relaxed);
            self.tell(Ok(body));
        }
        if self.is_gone.load(Ordering::Relaxed) {
            return None;
        }
        let is_nothing = |outstanding: &mut Option<String>| outstanding.as_deref().is_none_or(is_start);
        let waited = self.changed.wait_timeout_while(outstanding, HELD_OPEN, is_nothing);
        let (outstanding, _) = waited.unwrap_or_else(PoisonError::into_inner);
        outstanding.clone().filter(|command| !is_start(command))
    }
}

/// `start` is answered by `/ready`, and never sent.
fn is_start(command: &str) -> bool {
    command.starts_with(r#"{"command":"start""#)
}

fn seq_of(command: &str) -> Option<u64> {
    serde_json::from_str::<Json>(command).ok()?["seq"].as_u64()
}
