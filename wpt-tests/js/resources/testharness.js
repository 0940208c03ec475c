// A harness for the tests beside it, with the part of the interface of web-platform-tests' testharness.js that they use.
// The tests run with either: copy this folder's `webnn` into a checkout to run them in a browser.

(function (global) {
  'use strict';

  const PASS = 0, FAIL = 1, TIMEOUT = 2, NOTRUN = 3;
  const OK = 0, ERROR = 1;

  class AssertionError extends Error {
    name = 'AssertionError';
  }

  function assert(condition, description, fallback) {
    if (!condition) {
      throw new AssertionError(description ? `${description}: ${fallback}` : fallback);
    }
  }

  function show(value) {
    return typeof value === 'bigint' ? `${value}n` : typeof value === 'string' ? JSON.stringify(value) : String(value);
  }

  // --- Tests ---

  const tests = [];
  const callbacks = [];
  const setups = [];
  const status = {status: OK, message: null};
  let isComplete = false;

  class Test {
    constructor(name) {
      Object.assign(this, {name, status: NOTRUN, message: null, cleanups: []});
      tests.push(this);
    }

    add_cleanup(cleanup) {
      this.cleanups.push(cleanup);
    }

    step_timeout(callback, delay) {
      return setTimeout(callback, delay);
    }

    end(newStatus, error) {
      this.cleanups.splice(0).forEach(cleanup => cleanup());
      if (!isComplete) {
        this.status = newStatus;
        this.message = error === undefined ? null : `${error?.name}: ${error?.message}`;
      }
    }
  }

  function complete() {
    if (!isComplete) {
      isComplete = true;
      callbacks.forEach(callback => callback(tests, status));
    }
  }

  // Promise tests run one after another, once the scripts have run.
  let queue = Promise.resolve();

  function runLater(test, body) {
    queue = queue.then(async () => {
      if (isComplete) {
        return;
      }
      test.status = TIMEOUT;
      try {
        await Promise.all(setups);
        await body(test);
        test.end(PASS);
      } catch (error) {
        test.end(FAIL, error);
      }
    });
  }

  let isExplicit = false;

  const api = {
    test(body, name) {
      const test = new Test(name);
      try {
        body(test);
        test.end(PASS);
      } catch (error) {
        test.end(FAIL, error);
      }
    },
    promise_test(body, name) {
      runLater(new Test(name), body);
    },
    promise_setup(body) {
      setups.push(Promise.resolve().then(body));
    },
    setup(properties) {
      isExplicit = Boolean(properties?.explicit_done);
    },
    done: complete,
    timeout() {
      status.status = TIMEOUT;
      complete();
    },
    add_completion_callback(callback) {
      callbacks.push(callback);
    },

    // --- Assertions ---

    assert_true: (actual, description) => assert(actual === true, description, `${show(actual)} is not true`),
    assert_false: (actual, description) => assert(actual === false, description, `${show(actual)} is not false`),
    assert_equals: (actual, expected, description) =>
        assert(Object.is(actual, expected), description, `${show(actual)} instead of ${show(expected)}`),
    assert_not_equals: (actual, unexpected, description) =>
        assert(!Object.is(actual, unexpected), description, `${show(actual)}, of all things`),
    assert_array_equals(actual, expected, description) {
      const same = actual.length === expected.length && Array.from(actual).every((item, i) => Object.is(item, expected[i]));
      assert(same, description, `[${Array.from(actual, show)}] instead of [${Array.from(expected, show)}]`);
    },
    assert_unreached: description => assert(false, description, 'reached'),
    assert_throws_js: (constructor, body, description) => assertThrows(() => body(), isOf(constructor), description),
    assert_throws_dom: (name, body, description) => assertThrows(() => body(), isNamed(name), description),
    promise_rejects_js: (test, constructor, promise, description) =>
        assertRejects(promise, isOf(constructor), description),
    promise_rejects_dom: (test, name, promise, description) => assertRejects(promise, isNamed(name), description),
  };

  const isOf = constructor => error => error?.constructor === constructor;
  const isNamed = name => error => error instanceof DOMException && error.name === name;

  function assertThrows(body, isExpected, description) {
    try {
      body();
    } catch (error) {
      return assert(isExpected(error), description, `threw ${error?.name}: ${error?.message}`);
    }
    assert(false, description, 'did not throw');
  }

  async function assertRejects(promise, isExpected, description) {
    try {
      await promise;
    } catch (error) {
      return assert(isExpected(error), description, `rejected with ${error?.name}: ${error?.message}`);
    }
    assert(false, description, 'did not reject');
  }

  Object.assign(global, api);

  function fail(message) {
    status.status = ERROR;
    status.message = message;
    complete();
  }
  global.addEventListener?.('error', event => fail(event.message));
  global.addEventListener?.('unhandledrejection', event => fail(`Unhandled rejection: ${event.reason?.message}`));

  // In a window the end comes by itself, when the scripts have run and the tests are done; a worker says when.
  const finish = () => queue.then(() => isExplicit || complete());
  if (global.GLOBAL.isWindow()) {
    Promise.resolve().then(finish);
  } else {
    api.done = global.done = finish;
  }
})(self);
