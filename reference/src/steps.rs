//! Where execution stands in the specification.
//!
//! A function that encodes an algorithm opens a frame with [`algorithm!`](crate::algorithm) and names each step with
//! [`step!`](crate::step). From that one line a step come the place that every exception carries, the trace of the
//! steps that a call reached, and a static check that code and prose have the same steps in the same order.
//!
//! Algorithms are named as the specification's source names them: `MLContext.destroy()` for a method,
//! `MLGraphBuilder/validate operand` for an operation that is defined *for* an interface, and the bare name for one
//! that is not.
//!
//! The frames live in a thread-local stack: the specification's own notion of a running algorithm is a stack too, and
//! the alternative, a parameter on every function, would hide the arguments that the prose names.

use std::cell::RefCell;

use crate::exception::{Exception, ExceptionName};

/// Which of two readings of the specification's text is executed, where the text is wrong.
///
/// Each place where they part has an identifier, an entry in `SPEC_ISSUES.md` and a vector that tells them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// What is meant.
    #[default]
    Corrected,
    /// What is written.
    Literal,
}

/// A step of an algorithm, as reached by an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The algorithm, in the spelling of `algorithm!`.
    pub algorithm: &'static str,
    /// The path of the step in it, such as `"16.5"`.
    pub step: &'static str,
}

struct Running {
    place: Place,
    reading: Reading,
    label: Option<String>,
}

thread_local! {
    static STACK: RefCell<Vec<Running>> = const { RefCell::new(Vec::new()) };
    static TRACE: RefCell<Option<Vec<Place>>> = const { RefCell::new(None) };
}

/// Keeps the frame of an algorithm open until it goes out of scope.
#[must_use = "the frame is closed when this is dropped"]
#[derive(Debug)]
pub struct Frame(());

impl Frame {
    /// Opens a frame that is read as its caller is.
    pub fn open(algorithm: &'static str) -> Self {
        STACK.with_borrow_mut(|stack| {
            let reading = stack.last().map_or_else(Reading::default, |running| running.reading);
            stack.push(Running { place: Place { algorithm, step: "" }, reading, label: None });
        });
        Self(())
    }

    /// Opens a frame for a method of an object that was created under `reading`.
    pub fn open_reading(algorithm: &'static str, reading: Reading) -> Self {
        let frame = Self::open(algorithm);
        STACK.with_borrow_mut(|stack| {
            if let Some(running) = stack.last_mut() {
                running.reading = reading;
            }
        });
        frame
    }

    /// Opens a frame for a method that creates an operator with this label.
    pub fn open_labelled(algorithm: &'static str, reading: Reading, label: &str) -> Self {
        let frame = Self::open_reading(algorithm, reading);
        STACK.with_borrow_mut(|stack| {
            if let Some(running) = stack.last_mut() {
                running.label = Some(label.to_owned());
            }
        });
        frame
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        STACK.with_borrow_mut(Vec::pop);
    }
}

/// Records that the running algorithm has come to this step.
pub fn reach(step: &'static str) {
    STACK.with_borrow_mut(|stack| {
        if let Some(running) = stack.last_mut() {
            running.place.step = step;
            TRACE.with_borrow_mut(|trace| {
                if let Some(places) = trace {
                    places.push(running.place);
                }
            });
        }
    });
}

/// The reading under which the running algorithm executes.
pub fn reading() -> Reading {
    STACK.with_borrow(|stack| stack.last().map_or_else(Reading::default, |running| running.reading))
}

/// An exception thrown at the step that the running algorithm stands at.
pub fn exception(name: ExceptionName, message: String) -> Exception {
    STACK.with_borrow(|stack| {
        let place = stack.last().map_or(Place { algorithm: "no algorithm", step: "" }, |running| running.place);
        let label = stack.iter().rev().find_map(|running| running.label.clone()).unwrap_or_default();
        Exception { name, message, algorithm: place.algorithm, step: place.step, label }
    })
}

/// Runs `execution` and returns, beside its result, every step that it reached, in order.
pub fn trace<T>(execution: impl FnOnce() -> T) -> (T, Vec<Place>) {
    let outer = TRACE.replace(Some(Vec::new()));
    let result = execution();
    let places = TRACE.replace(outer).unwrap_or_default();
    (result, places)
}

/// Forgets all frames: after a panic was caught, none of them is running any more.
pub fn reset() {
    STACK.with_borrow_mut(Vec::clear);
    TRACE.set(None);
}

/// Opens the frame of an algorithm of the specification.
///
/// `algorithm!("name")` is read as its caller is; `algorithm!("name", object)` as the object's context is, and
/// `algorithm!("name", object, label)` is for a method that creates an operator with that label.
#[macro_export]
macro_rules! algorithm {
    ($name:literal) => {
        let _frame = $crate::steps::Frame::open($name);
    };
    ($name:literal, $object:expr) => {
        let _frame = $crate::steps::Frame::open_reading($name, $object.reading());
    };
    ($name:literal, $object:expr, $label:expr) => {
        let _frame = $crate::steps::Frame::open_labelled($name, $object.reading(), &$label);
    };
}

/// Names the step of the running algorithm that the next statements encode.
#[macro_export]
macro_rules! step {
    ($path:literal) => {
        $crate::steps::reach($path)
    };
}

/// Makes an exception at the current step.
#[macro_export]
macro_rules! exception {
    ($name:ident, $($message:tt)+) => {
        $crate::steps::exception($crate::exception::ExceptionName::$name, format!($($message)+))
    };
}

/// Throws at the current step.
#[macro_export]
macro_rules! throw {
    ($name:ident, $($message:tt)+) => {
        return Err($crate::exception!($name, $($message)+))
    };
}

/// Returns a new promise that is rejected at the current step.
#[macro_export]
macro_rules! reject {
    ($name:ident, $($message:tt)+) => {
        return $crate::promise::Promise::rejected($crate::exception!($name, $($message)+))
    };
}

/// Whether the specification's text is executed as written, for the error in it that has this identifier.
#[macro_export]
macro_rules! literal {
    ($issue:literal) => {
        $crate::steps::reading() == $crate::steps::Reading::Literal
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception::Result;

    fn inner() -> Result<()> {
        algorithm!("inner");
        step!("1");
        throw!(TypeError, "no {}", 7);
    }

    fn outer() -> Result<()> {
        let _frame = Frame::open_labelled("outer", Reading::Literal, "op#1");
        step!("1");
        assert!(literal!("an-example"));
        step!("1.1");
        inner()
    }

    #[test]
    fn an_exception_carries_the_innermost_step_and_the_nearest_label() {
        let exception = outer().unwrap_err();
        assert_eq!((exception.algorithm, exception.step), ("inner", "1"));
        assert_eq!(exception.label, "op#1");
        assert_eq!(reading(), Reading::Corrected);
    }

    #[test]
    fn a_trace_lists_the_steps_in_order() {
        let (_, places) = trace(outer);
        let steps: Vec<_> = places.iter().map(|place| (place.algorithm, place.step)).collect();
        assert_eq!(steps, [("outer", "1"), ("outer", "1.1"), ("inner", "1")]);
    }
}
