//! Promises as plain state machines: pending, fulfilled or rejected.
//!
//! Nothing waits on them here. Whoever holds one pumps the timeline and the task queue
//! (see [`Global`](crate::timeline::Global)) and looks again.

use std::cell::RefCell;
use std::rc::Rc;

use crate::exception::{Exception, Result};

/// A promise. Clones are the same promise.
#[derive(Debug)]
pub struct Promise<T>(Rc<RefCell<Option<Result<T>>>>);

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> Default for Promise<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> PartialEq for Promise<T> {
    /// Whether both are the same promise.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Promise<T> {
    /// A new promise, pending.
    pub fn new() -> Self {
        Self(Rc::new(RefCell::new(None)))
    }

    /// A new promise rejected with `exception`.
    pub fn rejected(exception: Exception) -> Self {
        let promise = Self::new();
        promise.reject(exception);
        promise
    }

    /// Resolves the promise with `value`; without effect on one that is settled.
    pub fn resolve(&self, value: T) {
        self.settle(Ok(value));
    }

    /// Rejects the promise with `exception`; without effect on one that is settled.
    pub fn reject(&self, exception: Exception) {
        self.settle(Err(exception));
    }

    fn settle(&self, result: Result<T>) {
        let mut state = self.0.borrow_mut();
        if state.is_none() {
            *state = Some(result);
        }
    }

    /// Whether it is fulfilled or rejected.
    pub fn is_settled(&self) -> bool {
        self.0.borrow().is_some()
    }
}

impl<T: Clone> Promise<T> {
    /// The value or the exception, or `None` while it is pending.
    pub fn outcome(&self) -> Option<Result<T>> {
        self.0.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settles_once() {
        let promise = Promise::new();
        assert_eq!(promise.outcome(), None);
        promise.resolve(1);
        promise.resolve(2);
        promise.reject(crate::exception!(TypeError, "too late"));
        assert_eq!(promise.outcome(), Some(Ok(1)));
    }
}
