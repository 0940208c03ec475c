//! What script can not do by itself: the flat calls that `js/webidl.js` and `js/globals.js` make.
//!
//! Objects of the reference live in a table; script holds their handles. A promise of the reference is a number too,
//! until it is settled and script is told so.

mod argument;
mod calls;
mod source;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use rquickjs::function::Opt;
use rquickjs::{Array, ArrayBuffer, Ctx, Exception as JsException, Function, IntoJs, Object as JsObject, Value};
use webnn_reference::buffer::{ArrayBuffer as Buffer, BufferSource};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::{MLContext, MLContextLostInfo};
use webnn_reference::exception::Exception;
use webnn_reference::graph::MLGraph;
use webnn_reference::ml::ML;
use webnn_reference::operand::MLOperand;
use webnn_reference::promise::Promise;
use webnn_reference::tensor::MLTensor;
use webnn_reference::timeline::Global;

use crate::folder::Resources;
pub(crate) use argument::bytes_of;
use argument::{Argument, joined};
use source::Streams;

/// An object that script has a handle of.
#[derive(Clone)]
enum Object {
    Ml(ML),
    Context(MLContext),
    Builder(MLGraphBuilder),
    Operand(MLOperand),
    Tensor(MLTensor),
    Graph(MLGraph),
}

/// A promise that script waits for.
enum Pending {
    Context(Promise<MLContext>),
    Tensor(Promise<MLTensor>),
    Graph(Promise<MLGraph>),
    Buffer(Promise<Buffer>),
    Written(Promise<()>, BufferSource),
    Lost(Promise<MLContextLostInfo>),
    Texts(Promise<Vec<String>>),
    Done(Promise<()>),
}

/// What a call gave.
enum Returned {
    Undefined,
    Boolean(bool),
    Text(&'static str),
    Numbers(Vec<u32>),
    Texts(Vec<String>),
    Object(Object),
    Objects(Vec<Object>),
    /// Objects with names.
    Named(Vec<(String, Object)>),
    Promise(Pending),
    /// A plain object, as JSON.
    Plain(String),
    Bytes(Vec<u8>),
}

/// Why a call gave nothing.
enum Failure {
    /// It threw.
    Threw(Exception),
    /// The prelude called it wrongly: a mistake of ours.
    Mistake(String),
}

impl From<Exception> for Failure {
    fn from(exception: Exception) -> Self {
        Self::Threw(exception)
    }
}

impl From<String> for Failure {
    fn from(mistake: String) -> Self {
        Self::Mistake(mistake)
    }
}

type Called<T = Returned> = Result<T, Failure>;

/// The state behind the flat calls of one global scope.
pub(crate) struct Native {
    global: Global,
    ml: ML,
    objects: RefCell<HashMap<u32, Object>>,
    pending: RefCell<Vec<(u32, Pending)>>,
    /// What each context supports, as JSON: script asks for it again and again.
    support_limits: RefCell<HashMap<u32, String>>,
    streams: Streams,
    last: Cell<u32>,
    begun: Instant,
    resources: Resources,
    folder: PathBuf,
    log: RefCell<Vec<String>>,
}

impl Native {
    /// For a test in `folder`, whose contexts are made by `ml`.
    pub(crate) fn new(global: &Global, ml: &ML, resources: &Resources, folder: PathBuf) -> Rc<Self> {
        Rc::new(Self {
            global: global.clone(),
            ml: ml.clone(),
            objects: RefCell::default(),
            pending: RefCell::default(),
            support_limits: RefCell::default(),
            streams: Streams::default(),
            last: Cell::new(0),
            begun: Instant::now(),
            resources: resources.clone(),
            folder,
            log: RefCell::default(),
        })
    }

    /// Milliseconds since the scope was made.
    pub(crate) fn now(&self) -> f64 {
        self.begun.elapsed().as_secs_f64() * 1000.0
    }

    /// What script has written to its console.
    pub(crate) fn take_log(&self) -> Vec<String> {
        self.log.take()
    }

    fn number(&self) -> u32 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    fn keep(&self, object: Object) -> u32 {
        let handle = self.number();
        self.objects.borrow_mut().insert(handle, object);
        handle
    }

    fn release(&self, handle: u32) {
        self.support_limits.borrow_mut().remove(&handle);
        // Dropped once the borrow has ended: what it releases may be more than itself.
        let released = self.objects.borrow_mut().remove(&handle);
        drop(released);
    }

    fn object(&self, handle: u32) -> Called<Object> {
        self.objects.borrow().get(&handle).cloned().ok_or_else(|| format!("there is no object {handle}").into())
    }

    /// Lets the reference do the next of what is queued, and says whether there was something.
    fn pump(&self) -> bool {
        if !self.streams.are_arriving() {
            self.global.pump_timelines();
        }
        self.global.pump_a_task()
    }

    /// A buffer that a promise is to write to was detached.
    fn detach(&self, promise: u32) {
        let pending = self.pending.borrow();
        let found = pending.iter().find(|(number, _)| *number == promise);
        if let Some((_, Pending::Written(_, output))) = found {
            output.buffer().detach();
        }
    }

    /// The promises that are settled by now, each with what it was settled with.
    fn settled<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Array<'js>> {
        let mut settled = Vec::new();
        self.pending.borrow_mut().retain(|(number, pending)| match pending.outcome() {
            None => true,
            Some(outcome) => {
                settled.push((*number, outcome));
                false
            }
        });
        let list = Array::new(ctx.clone())?;
        for (index, (number, outcome)) in settled.into_iter().enumerate() {
            let entry = Array::new(ctx.clone())?;
            entry.set(0, number)?;
            self.describe(ctx, &entry, 1, outcome.map_err(Failure::Threw))?;
            list.set(index, entry)?;
        }
        Ok(list)
    }

    /// Writes to `entry` whether it went well, and the value, or the name and the message of the exception.
    fn describe<'js>(&self, ctx: &Ctx<'js>, entry: &Array<'js>, first: usize, called: Called) -> rquickjs::Result<()> {
        match called {
            Ok(returned) => {
                entry.set(first, true)?;
                entry.set(first + 1, self.returned(ctx, returned)?)
            }
            Err(Failure::Threw(exception)) => {
                entry.set(first, false)?;
                entry.set(first + 1, exception.name.as_str())?;
                entry.set(first + 2, message_of(&exception))
            }
            Err(Failure::Mistake(mistake)) => Err(JsException::throw_internal(ctx, &mistake)),
        }
    }

    fn returned<'js>(&self, ctx: &Ctx<'js>, returned: Returned) -> rquickjs::Result<Value<'js>> {
        match returned {
            Returned::Undefined => Ok(Value::new_undefined(ctx.clone())),
            Returned::Boolean(boolean) => boolean.into_js(ctx),
            Returned::Text(text) => text.into_js(ctx),
            Returned::Numbers(numbers) => numbers.into_js(ctx),
            Returned::Texts(texts) => texts.into_js(ctx),
            Returned::Named(objects) => {
                let handles = objects.into_iter().map(|(name, object)| (name, self.keep(object)));
                handles
                    .map(|(name, handle)| pair_of(ctx, name, handle))
                    .collect::<rquickjs::Result<Vec<_>>>()?
                    .into_js(ctx)
            }
            Returned::Object(object) => self.keep(object).into_js(ctx),
            Returned::Objects(objects) => {
                let handles: Vec<u32> = objects.into_iter().map(|object| self.keep(object)).collect();
                handles.into_js(ctx)
            }
            Returned::Promise(promise) => {
                let number = self.number();
                self.pending.borrow_mut().push((number, promise));
                number.into_js(ctx)
            }
            Returned::Plain(json) => ctx.json_parse(json),
            Returned::Bytes(bytes) => Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value()),
        }
    }

    /// The object with the flat calls.
    pub(crate) fn install<'js>(self: &Rc<Self>, ctx: &Ctx<'js>) -> rquickjs::Result<JsObject<'js>> {
        let object = JsObject::new(ctx.clone())?;
        let native = Rc::clone(self);
        object.set(
            "call",
            Function::new(
                ctx.clone(),
                move |ctx: Ctx<'js>, interface: String, operation: String, handle: Option<u32>, values: Array<'js>| {
                    let arguments = values.iter::<Value<'js>>().map(|value| Argument::from_script(&value?));
                    let arguments: Vec<Argument> = arguments.collect::<rquickjs::Result<_>>()?;
                    let entry = Array::new(ctx.clone())?;
                    let called = native.call(&interface, &operation, handle, &arguments);
                    native.describe(&ctx, &entry, 0, called)?;
                    Ok::<_, rquickjs::Error>(entry)
                },
            )?,
        )?;
        let native = Rc::clone(self);
        object.set("ml", Function::new(ctx.clone(), move || native.keep(Object::Ml(native.ml.clone())))?)?;
        let native = Rc::clone(self);
        object.set("pump", Function::new(ctx.clone(), move || native.pump())?)?;
        let native = Rc::clone(self);
        object.set("settled", Function::new(ctx.clone(), move |ctx: Ctx<'js>| native.settled(&ctx))?)?;
        let native = Rc::clone(self);
        object.set("detach", Function::new(ctx.clone(), move |promise: u32| native.detach(promise))?)?;
        let native = Rc::clone(self);
        object.set("release", Function::new(ctx.clone(), move |handle: u32| native.release(handle))?)?;
        let native = Rc::clone(self);
        object.set("stream", Function::new(ctx.clone(), move || native.number())?)?;
        let native = Rc::clone(self);
        object.set("tookStream", Function::new(ctx.clone(), move |number: u32| native.streams.is_taken(number))?)?;
        let native = Rc::clone(self);
        let feed = move |number: u32, pieces: Vec<String>| native.streams.feed(number, &joined(&pieces));
        object.set("feedStream", Function::new(ctx.clone(), feed)?)?;
        let native = Rc::clone(self);
        let end = move |number: u32, failure: Opt<String>| native.streams.end(number, failure.0);
        object.set("endStream", Function::new(ctx.clone(), end)?)?;
        let native = Rc::clone(self);
        object.set("now", Function::new(ctx.clone(), move || native.now())?)?;
        let native = Rc::clone(self);
        let log = move |line: String| native.log.borrow_mut().push(line);
        object.set("log", Function::new(ctx.clone(), log)?)?;
        let native = Rc::clone(self);
        let read = move |url: String| native.resources.read(&native.folder, &url).ok();
        object.set("read", Function::new(ctx.clone(), read)?)?;
        Ok(object)
    }
}

impl Pending {
    fn outcome(&self) -> Option<Result<Returned, Exception>> {
        match self {
            Self::Context(promise) => mapped(promise, |context| Returned::Object(Object::Context(context))),
            Self::Tensor(promise) => mapped(promise, |tensor| Returned::Object(Object::Tensor(tensor))),
            Self::Graph(promise) => mapped(promise, |graph| Returned::Object(Object::Graph(graph))),
            Self::Buffer(promise) => mapped(promise, |buffer| Returned::Bytes(buffer.detach())),
            Self::Written(promise, output) => mapped(promise, |()| Returned::Bytes(output.buffer().to_vec())),
            Self::Texts(promise) => mapped(promise, Returned::Texts),
            Self::Done(promise) => mapped(promise, |()| Returned::Undefined),
            Self::Lost(promise) => {
                mapped(promise, |info| Returned::Plain(serde_json::json!({ "message": info.message }).to_string()))
            }
        }
    }
}

/// A name and a handle, as a pair.
fn pair_of<'js>(ctx: &Ctx<'js>, name: String, handle: u32) -> rquickjs::Result<Array<'js>> {
    let pair = Array::new(ctx.clone())?;
    pair.set(0, name)?;
    pair.set(1, handle)?;
    Ok(pair)
}

fn mapped<T: Clone>(promise: &Promise<T>, returned: impl FnOnce(T) -> Returned) -> Option<Result<Returned, Exception>> {
    promise.outcome().map(|outcome| outcome.map(returned))
}

/// An exception's message as script sees it: without the name, which script has beside it.
fn message_of(exception: &Exception) -> String {
    let text = exception.to_string();
    text.strip_prefix(&format!("{} ", exception.name)).unwrap_or(&text).to_owned()
}
