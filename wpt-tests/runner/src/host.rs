//! Runs a test: a global scope, its scripts in order, and an event loop, within limits of time and memory.
//!
//! Script, the tasks of the reference and timers take turns, as in a browser: all microtasks, then one task, and so on.
//! A test is over when its harness says so, when nothing is left that could go on, or when its time is.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Function, Object, Persistent, Runtime, Value};
use serde::Deserialize;
use webnn_reference::ml::{ML, PlatformProvider};
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;

use crate::Error;
use crate::folder::{Resources, Scope, Test};
use crate::idl::Description;
use crate::native::Native;
use crate::outcome::{FileResult, FileStatus, Status, Subtest};

const WEB_IDL: &str = include_str!("../js/webidl.js");
const DATA: &str = include_str!("../js/data.js");
const GLOBALS: &str = include_str!("../js/globals.js");
const REPORT: &str = include_str!("../js/report.js");
const HARNESS: &str = "/resources/testharness.js";

/// How long a test has, once its time is over, to say what it has so far.
const GRACE: Duration = Duration::from_secs(2);
/// Deep recursion of script ends in an exception long before the thread's own stack does.
const SCRIPT_STACK: usize = 4 << 20;
/// The stack that a thread needs to run tests.
pub const THREAD_STACK: usize = 32 << 20;

/// What tests may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The memory of script, in bytes.
    pub memory: usize,
    /// What the time limit of a test is multiplied with.
    pub timeout_multiplier: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: 1 << 30, timeout_multiplier: 1.0 }
    }
}

/// Runs tests on one implementation.
pub struct Host {
    provider: Rc<dyn PlatformProvider>,
    reading: Reading,
    resources: Resources,
    limits: Limits,
    has_proposals: bool,
}

impl Host {
    /// A host whose contexts use platforms of `provider`.
    pub fn new(provider: Rc<dyn PlatformProvider>, reading: Reading, resources: Resources, limits: Limits) -> Self {
        Self { provider, reading, resources, limits, has_proposals: false }
    }

    /// The same, whose script has what the proposals add to the interfaces, and blobs and streams for it.
    pub fn with_proposals(self) -> Self {
        Self { has_proposals: true, ..self }
    }

    /// Runs a test.
    pub fn run(&self, test: &Test) -> FileResult {
        if let Some(needs) = test.needs {
            return FileResult::of(FileStatus::Skip, format!("needs {needs}"));
        }
        let time = test.time_limit().mul_f64(self.limits.timeout_multiplier);
        let scripts = match self.scripts(test) {
            Ok(scripts) => scripts,
            Err(error) => return FileResult::of(FileStatus::Error, error.to_string()),
        };
        match self.run_scripts(test, &scripts, Instant::now() + time) {
            Ok(result) => result,
            Err(error) => FileResult::of(FileStatus::Error, error.to_string()),
        }
    }

    /// Runs scripts, and then a program: a function, as `js/report.js` has it, that reports something in the end.
    ///
    /// # Errors
    /// A script or a program that throws, or that reports nothing in time.
    pub(crate) fn run_program(
        &self,
        scripts: &[(String, String)],
        program: &str,
        time: Duration,
    ) -> Result<String, Error> {
        let scope = GlobalScope::new(self, &Test::program(), Instant::now() + time)?;
        scope.context.with(|ctx| {
            for (name, source) in scripts {
                let evaluated = ctx.eval_with_options::<Value<'_>, _>(source.as_str(), named(name)).catch(&ctx);
                evaluated.map(drop).map_err(|error| Error::Script(format!("{name}: {error}")))?;
            }
            scope.call_program(&ctx, program).map_err(Error::Script)?;
            scope.run_event_loop(&ctx);
            scope.completed.take().ok_or_else(|| Error::Script("the program reports nothing".into()))
        })
    }

    /// Evaluates a test with a program between its scripts and itself. The program returns a function, which is called in
    /// the end, and reports something.
    ///
    /// # Errors
    /// A script or a program that throws, or that reports nothing in time.
    pub(crate) fn collect(&self, test: &Test, program: &str, time: Duration) -> Result<String, Error> {
        let scripts = self.scripts(test)?;
        let scope = GlobalScope::new(self, test, Instant::now() + time)?;
        scope.context.with(|ctx| {
            let evaluate = |(name, source): &(String, String)| {
                // What is declared as a constant could not be replaced.
                let source = source.replace("const webnn_conformance_test", "var webnn_conformance_test");
                let evaluated = ctx.eval_with_options::<Value<'_>, _>(source, named(name)).catch(&ctx);
                evaluated.map(drop).map_err(|error| Error::Script(format!("{name}: {error}")))
            };
            let (own, others) = scripts.split_last().ok_or(Error::Script("there is no script".into()))?;
            others.iter().try_for_each(evaluate)?;
            let finish = scope.call_program(&ctx, program).map_err(Error::Script)?;
            evaluate(own)?;
            let finish = Function::from_value(finish).map_err(engine)?;
            finish.call::<_, Value<'_>>(()).catch(&ctx).map_err(|error| Error::Script(error.to_string()))?;
            scope.checkpoint(&ctx);
            scope.run_event_loop(&ctx);
            scope.completed.take().ok_or_else(|| Error::Script(format!("{}: nothing was collected", test.name)))
        })
    }

    /// The scripts of a test, each with its name: the harness, those that it names, the test itself.
    fn scripts(&self, test: &Test) -> Result<Vec<(String, String)>, Error> {
        let folder = folder_of(test);
        let own = format!("/{}", test.file.display());
        let names = [HARNESS.to_owned()].into_iter().chain(test.scripts.iter().cloned()).chain([own]);
        names.map(|name| Ok((name.clone(), self.resources.read(&folder, &name)?))).collect()
    }

    fn run_scripts(&self, test: &Test, scripts: &[(String, String)], deadline: Instant) -> Result<FileResult, Error> {
        let mut scope = GlobalScope::new(self, test, deadline)?;
        scope.context.clone().with(|ctx| {
            for (name, source) in scripts {
                scope.evaluate(&ctx, name, source);
                if name == HARNESS {
                    scope.report_to_host(&ctx)?;
                }
            }
            scope.loaded(&ctx);
            scope.run_event_loop(&ctx);
            Ok(scope.result())
        })
    }
}

fn folder_of(test: &Test) -> std::path::PathBuf {
    test.file.parent().unwrap_or(Path::new("")).to_owned()
}

/// A global scope with an engine of its own.
pub(crate) struct GlobalScope {
    native: Rc<Native>,
    deadline: Rc<Cell<Instant>>,
    completed: Rc<RefCell<Option<String>>>,
    /// What `js/webidl.js` and `js/globals.js` gave the host to drive them with.
    drivers: Option<Drivers>,
    pub(crate) context: Context,
    runtime: Runtime,
}

struct Drivers {
    idl: Persistent<Object<'static>>,
    globals: Persistent<Object<'static>>,
    rejections: Persistent<Object<'static>>,
}

impl Drop for GlobalScope {
    fn drop(&mut self) {
        // Nothing of the engine may outlive it.
        self.drivers = None;
        self.runtime.set_host_promise_rejection_tracker(None);
        self.runtime.set_interrupt_handler(None);
    }
}

/// Keeps the promises that were rejected and that nobody looks at.
const REJECTIONS: &str = "({
  waiting: new Map(),
  track(promise, reason, isHandled) {
    isHandled ? this.waiting.delete(promise) : this.waiting.set(promise, reason);
  },
  take() {
    const taken = Array.from(this.waiting);
    this.waiting.clear();
    return taken;
  },
})";

fn engine(error: impl std::fmt::Display) -> Error {
    Error::Engine(error.to_string())
}

impl GlobalScope {
    pub(crate) fn new(host: &Host, test: &Test, deadline: Instant) -> Result<Self, Error> {
        let runtime = Runtime::new().map_err(engine)?;
        runtime.set_memory_limit(host.limits.memory);
        runtime.set_max_stack_size(SCRIPT_STACK);
        let deadline = Rc::new(Cell::new(deadline));
        let ends = Rc::clone(&deadline);
        runtime.set_interrupt_handler(Some(Box::new(move || Instant::now() > ends.get())));
        let context = Context::full(&runtime).map_err(engine)?;

        let global = Global::new(host.reading);
        let ml = ML::new(&global, Rc::clone(&host.provider));
        let native = Native::new(&global, &ml, &host.resources, folder_of(test));
        let completed = Rc::new(RefCell::new(None));
        let mut scope = Self { native, deadline, completed, drivers: None, context, runtime };
        let drivers =
            scope.context.with(|ctx| scope.furnish(&ctx, test, host.has_proposals).catch(&ctx).map_err(engine))?;
        scope.drivers = Some(drivers);
        scope.track_rejections();
        Ok(scope)
    }

    /// Puts everything on the global object that a browser has there.
    fn furnish<'js>(&self, ctx: &Ctx<'js>, test: &Test, has_proposals: bool) -> rquickjs::Result<Drivers> {
        let native = self.native.install(ctx)?;
        let completed = Rc::clone(&self.completed);
        let complete = move |json: String| {
            completed.borrow_mut().get_or_insert(json);
        };
        native.set("complete", Function::new(ctx.clone(), complete)?)?;

        let (description, data) = if has_proposals {
            let expose: Function<'js> = ctx.eval_with_options(DATA, named("data.js"))?;
            (Description::with_the_proposals(), Some(expose.call::<_, Object<'js>>((ctx.globals(),))?))
        } else {
            (Description::of_the_specification(), None)
        };
        let description = serde_json::to_string(&description).unwrap_or_default();
        let describe: Function<'js> = ctx.eval_with_options(WEB_IDL, named("webidl.js"))?;
        let idl: Object<'js> = describe.call((ctx.json_parse(description)?, native.clone(), ctx.globals(), data))?;
        let is_window = test.scope == Scope::Window;
        let expose: Function<'js> = idl.get("exposeNavigator")?;
        expose.call::<_, ()>((if is_window { "Navigator" } else { "WorkerNavigator" },))?;

        let path = test.name.split('?').next().unwrap_or_default();
        let location = serde_json::json!({
            "href": format!("https://web-platform.test:8443{}", test.name), "protocol": "https:",
            "host": "web-platform.test:8443", "hostname": "web-platform.test", "port": "8443",
            "origin": "https://web-platform.test:8443", "pathname": path, "search": test.variant, "hash": "",
        });
        let scope = test.scope.interface();
        let settings = serde_json::json!({
            "isWindow": is_window, "scope": scope, "isIsolated": test.is_isolated, "location": location,
        });
        let complete_globals: Function<'js> = ctx.eval_with_options(GLOBALS, named("globals.js"))?;
        let settings = ctx.json_parse(settings.to_string())?;
        let globals: Object<'js> = complete_globals.call((native.clone(), ctx.globals(), settings))?;
        if let Some(title) = &test.title {
            ctx.globals().set("META_TITLE", title.as_str())?;
        }
        let rejections: Object<'js> = ctx.eval(REJECTIONS)?;
        rejections.set("native", native)?;
        Ok(Drivers {
            idl: Persistent::save(ctx, idl),
            globals: Persistent::save(ctx, globals),
            rejections: Persistent::save(ctx, rejections),
        })
    }

    fn track_rejections(&self) {
        let Some(drivers) = &self.drivers else {
            return;
        };
        let rejections = drivers.rejections.clone();
        self.runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, is_handled| {
            // A promise that can not be kept here, for want of memory, is not reported.
            let tracked = rejections.clone().restore(&ctx).and_then(|rejections| {
                let track: Function<'_> = rejections.get("track")?;
                track.call::<_, ()>((rquickjs::prelude::This(rejections), promise, reason, is_handled))
            });
            drop(tracked);
        })));
    }

    /// Evaluates a classic script in the global scope. What it throws is reported there.
    ///
    /// Microtasks wait until all scripts have run: testharness.js, where it finds no document, takes the first of them
    /// for the sign that the last script was loaded.
    pub(crate) fn evaluate(&self, ctx: &Ctx<'_>, name: &str, source: &str) {
        if let Err(thrown) = ctx.eval_with_options::<Value<'_>, _>(source, named(name)).catch(ctx) {
            self.report_error(ctx, thrown);
        }
    }

    /// Tells the scope that all its scripts have run.
    fn loaded(&self, ctx: &Ctx<'_>) {
        if let Err(thrown) = self.drive::<_, ()>(ctx, |drivers| &drivers.globals, "loaded", ()).catch(ctx) {
            self.report_error(ctx, thrown);
        }
        self.checkpoint(ctx);
    }

    fn report_error<'js>(&self, ctx: &Ctx<'js>, thrown: CaughtError<'js>) {
        let error = match thrown {
            CaughtError::Exception(exception) => exception.into_value(),
            CaughtError::Value(value) => value,
            CaughtError::Error(_) => return,
        };
        if !self.is_over() {
            drop(self.drive::<_, ()>(ctx, |drivers| &drivers.globals, "reportError", (error,)));
        }
    }

    /// Lets testharness.js report to the host.
    fn report_to_host(&self, ctx: &Ctx<'_>) -> Result<(), Error> {
        let called = self.call_program(ctx, REPORT);
        called.map(drop).map_err(|error| Error::Script(format!("{HARNESS} is not what it should be: {error}")))
    }

    /// Calls a program with the flat calls and the global object.
    fn call_program<'js>(&self, ctx: &Ctx<'js>, program: &str) -> Result<Value<'js>, String> {
        let call = || {
            let native: Object<'js> = self.driver(ctx, |drivers| &drivers.rejections)?.get("native")?;
            let program: Function<'js> = ctx.eval_with_options(program, named("program.js"))?;
            program.call::<_, Value<'js>>((native, ctx.globals()))
        };
        call().catch(ctx).map_err(|error| error.to_string())
    }

    fn driver<'js>(
        &self,
        ctx: &Ctx<'js>,
        which: impl Fn(&Drivers) -> &Persistent<Object<'static>>,
    ) -> rquickjs::Result<Object<'js>> {
        let drivers = self.drivers.as_ref().ok_or(rquickjs::Error::Unknown)?;
        which(drivers).clone().restore(ctx)
    }

    fn drive<'js, A: rquickjs::function::IntoArgs<'js>, R: rquickjs::FromJs<'js>>(
        &self,
        ctx: &Ctx<'js>,
        which: impl Fn(&Drivers) -> &Persistent<Object<'static>>,
        name: &str,
        arguments: A,
    ) -> rquickjs::Result<R> {
        let driver = self.driver(ctx, which)?;
        let function: Function<'js> = driver.get(name)?;
        let mut all = rquickjs::function::Args::new(ctx.clone(), arguments.num_args());
        all.this(driver)?;
        arguments.into_args(&mut all)?;
        function.call_arg(all)
    }

    fn is_over(&self) -> bool {
        Instant::now() > self.deadline.get()
    }

    fn is_complete(&self) -> bool {
        self.completed.borrow().is_some()
    }

    /// Runs all microtasks, then tells script of promises that were rejected and that nobody looks at.
    fn checkpoint(&self, ctx: &Ctx<'_>) {
        while !self.is_over() && ctx.execute_pending_job() {}
        if self.is_over() {
            return;
        }
        let report = || -> rquickjs::Result<()> {
            let taken: Vec<Vec<Value<'_>>> = self.drive(ctx, |drivers| &drivers.rejections, "take", ())?;
            for pair in taken {
                if let [promise, reason] = pair.as_slice() {
                    let arguments = (promise.clone(), reason.clone());
                    self.drive::<_, ()>(ctx, |drivers| &drivers.globals, "reportRejection", arguments)?;
                }
            }
            Ok(())
        };
        if let Err(thrown) = report().catch(ctx) {
            self.report_error(ctx, thrown);
        }
        while !self.is_over() && ctx.execute_pending_job() {}
    }

    /// Goes on until the test is complete, nothing is left, or its time is over; then asks for what there is.
    pub(crate) fn run_event_loop(&self, ctx: &Ctx<'_>) {
        while !self.is_complete() && !self.is_over() && self.turn(ctx) {}
        if !self.is_complete() {
            self.deadline.set(Instant::now() + GRACE);
            // What testharness.js does when time is over.
            drop(ctx.eval::<(), _>("timeout()").catch(ctx));
            self.checkpoint(ctx);
        }
    }

    /// Does the next thing, and says whether there was one.
    fn turn(&self, ctx: &Ctx<'_>) -> bool {
        let turned = || -> rquickjs::Result<bool> {
            if self.drive::<_, bool>(ctx, |drivers| &drivers.idl, "turn", ())? {
                return Ok(true);
            }
            let Some(due) = self.drive::<_, Option<f64>>(ctx, |drivers| &drivers.globals, "nextTimer", ())? else {
                return Ok(false);
            };
            self.sleep_until(due);
            if !self.is_over() {
                self.drive::<_, ()>(ctx, |drivers| &drivers.globals, "runTimer", ())?;
            }
            Ok(true)
        };
        let goes_on = turned().catch(ctx).unwrap_or_else(|thrown| {
            self.report_error(ctx, thrown);
            true
        });
        self.checkpoint(ctx);
        goes_on
    }

    fn sleep_until(&self, due: f64) {
        let wait = Duration::from_secs_f64((due - self.native.now()).max(0.0) / 1000.0);
        std::thread::sleep(wait.min(self.deadline.get().saturating_duration_since(Instant::now())));
    }

    fn result(&mut self) -> FileResult {
        let log = self.native.take_log();
        let report = self.completed.take().and_then(|json| serde_json::from_str::<Report>(&json).ok());
        match report {
            Some(report) => FileResult { log, ..report.into() },
            None => FileResult { log, ..FileResult::of(FileStatus::Timeout, "the test does not end") },
        }
    }
}

fn named(name: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_owned());
    options
}

/// What `js/report.js` reports, with the numbers of testharness.js.
#[derive(Deserialize)]
struct Report {
    status: u32,
    message: Option<String>,
    subtests: Vec<ReportedSubtest>,
}

#[derive(Deserialize)]
struct ReportedSubtest {
    name: String,
    status: u32,
    message: Option<String>,
}

impl From<Report> for FileResult {
    fn from(report: Report) -> Self {
        let status = match report.status {
            0 => FileStatus::Ok,
            2 => FileStatus::Timeout,
            3 => FileStatus::PreconditionFailed,
            _ => FileStatus::Error,
        };
        let subtests = report.subtests.into_iter().map(|subtest| Subtest {
            name: subtest.name,
            status: match subtest.status {
                0 => Status::Pass,
                2 => Status::Timeout,
                3 => Status::Notrun,
                4 => Status::PreconditionFailed,
                _ => Status::Fail,
            },
            message: subtest.message,
        });
        Self { status, message: report.message, subtests: subtests.collect(), log: vec![] }
    }
}
