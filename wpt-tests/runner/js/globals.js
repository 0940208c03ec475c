// The global scope of a window or a worker, as far as tests without a document need it.
//
// Evaluates to a function that completes the global object, and returns what the host drives it with.

(function (native, global, settings) {
  'use strict';

  const hidden = (name, value) =>
      Object.defineProperty(global, name, {value, writable: true, enumerable: false, configurable: true});

  const {isWindow, scope} = settings;

  global.self = global;
  if (isWindow) {
    global.window = global;
  }

  // The interfaces that tell scopes apart.
  for (const name of isWindow ? [scope] : ['WorkerGlobalScope', scope]) {
    const interface_ = {
      [name]: function () {
        throw new TypeError(`${name} can not be constructed`);
      },
    }[name];
    Object.defineProperty(interface_, Symbol.hasInstance, {value: object => object === global});
    hidden(name, interface_);
  }
  if (scope === 'DedicatedWorkerGlobalScope') {
    // Nobody is on the other side: results are reported in another way.
    global.postMessage = () => undefined;
  }

  // --- DOMException: https://webidl.spec.whatwg.org/#idl-DOMException ---

  const CODES = [
    'IndexSizeError', '', 'HierarchyRequestError', 'WrongDocumentError', 'InvalidCharacterError', '',
    'NoModificationAllowedError', 'NotFoundError', 'NotSupportedError', 'InUseAttributeError', 'InvalidStateError',
    'SyntaxError', 'InvalidModificationError', 'NamespaceError', 'InvalidAccessError', '', 'TypeMismatchError',
    'SecurityError', 'NetworkError', 'AbortError', 'URLMismatchError', 'QuotaExceededError', 'TimeoutError',
    'InvalidNodeTypeError', 'DataCloneError',
  ];

  class DOMException {
    #name;
    #message;

    constructor(message = '', name = 'Error') {
      this.#message = `${message}`;
      this.#name = `${name}`;
      Error.captureStackTrace?.(this, DOMException);
    }

    get name() {
      return this.#name;
    }

    get message() {
      return this.#message;
    }

    get code() {
      return this.#name === '' ? 0 : CODES.indexOf(this.#name) + 1;
    }
  }
  Object.setPrototypeOf(DOMException.prototype, Error.prototype);
  for (const name of ['name', 'message', 'code']) {
    Object.defineProperty(DOMException.prototype, name, {enumerable: true});
  }
  Object.defineProperty(DOMException.prototype, Symbol.toStringTag, {value: 'DOMException', configurable: true});
  hidden('DOMException', DOMException);

  // --- Events ---

  const listeners = new Map();

  global.addEventListener = (type, listener) => {
    listeners.set(type, [...(listeners.get(type) ?? []), listener]);
  };
  global.removeEventListener = (type, listener) => {
    listeners.set(type, (listeners.get(type) ?? []).filter(other => other !== listener));
  };

  function dispatch(type, members) {
    let isCanceled = false;
    const event = {type, target: global, preventDefault: () => isCanceled = true, ...members};
    for (const listener of listeners.get(type) ?? []) {
      typeof listener === 'function' ? listener.call(global, event) : listener.handleEvent(event);
    }
    return isCanceled;
  }

  function reportError(error) {
    const message = `Uncaught ${error?.name ?? ''}: ${error?.message ?? error}`;
    dispatch('error', {error, message, filename: settings.location.pathname, lineno: 0, colno: 0});
  }
  global.reportError = reportError;

  // --- Timers ---

  const timers = new Map();
  let lastTimer = 0;

  function addTimer(callback, delay, repeats, values) {
    const interval = Math.max(0, +delay || 0);
    timers.set(++lastTimer, {callback, values, due: native.now() + interval, interval, repeats});
    return lastTimer;
  }
  global.setTimeout = (callback, delay, ...values) => addTimer(callback, delay, false, values);
  global.setInterval = (callback, delay, ...values) => addTimer(callback, delay, true, values);
  global.clearTimeout = global.clearInterval = id => {
    timers.delete(id);
  };

  // The id and the timer that is due first.
  function firstTimer() {
    return Array.from(timers).reduce((a, b) => a && a[1].due <= b[1].due ? a : b, undefined);
  }

  // Runs the timer that is due first.
  function runTimer() {
    const [id, timer] = firstTimer();
    if (timer.repeats) {
      timer.due = native.now() + Math.max(1, timer.interval);
    } else {
      timers.delete(id);
    }
    try {
      typeof timer.callback === 'function' ? timer.callback(...timer.values) : (0, eval)(`${timer.callback}`);
    } catch (error) {
      reportError(error);
    }
  }

  global.queueMicrotask = callback => {
    Promise.resolve().then(() => {
      try {
        callback();
      } catch (error) {
        reportError(error);
      }
    });
  };

  // --- Where the test is ---

  global.performance = {now: () => native.now()};
  global.location = Object.freeze({...settings.location, toString: () => settings.location.href});
  global.isSecureContext = true;
  global.crossOriginIsolated = settings.isIsolated;
  global.GLOBAL = {
    isWindow: () => isWindow,
    isWorker: () => !isWindow,
    isShadowRealm: () => false,
  };

  const log = (...values) => native.log(values.map(value => String(value)).join(' '));
  global.console = {log, info: log, warn: log, error: log, debug: log, assert() {}, trace() {}};

  // --- Files of the checkout ---

  global.fetch = async resource => {
    const url = String(resource?.url ?? resource);
    const text = native.read(url);
    if (text === null) {
      throw new TypeError(`there is no file ${url} beside the test`);
    }
    return {
      ok: true,
      status: 200,
      url,
      text: async () => text,
      json: async () => JSON.parse(text),
    };
  };

  class URLSearchParams {
    #pairs;

    constructor(init = '') {
      const query = String(init).replace(/^\?/, '');
      const decode = text => decodeURIComponent(text.replaceAll('+', ' '));
      this.#pairs = query.split('&').filter(Boolean).map(pair => {
        const [name, ...value] = pair.split('=');
        return [decode(name), decode(value.join('='))];
      });
    }

    get(name) {
      return this.#pairs.find(([other]) => other === name)?.[1] ?? null;
    }

    getAll(name) {
      return this.#pairs.filter(([other]) => other === name).map(([, value]) => value);
    }

    has(name) {
      return this.get(name) !== null;
    }

    forEach(callback) {
      this.#pairs.forEach(([name, value]) => callback(value, name, this));
    }

    [Symbol.iterator]() {
      return this.#pairs.values();
    }
  }
  hidden('URLSearchParams', URLSearchParams);

  // --- Structured clones, of plain data ---

  global.structuredClone = value => {
    const seen = new Map();
    const clone = value => {
      if (typeof value === 'function' || typeof value === 'symbol') {
        throw new DOMException('functions and symbols can not be cloned', 'DataCloneError');
      }
      if (typeof value !== 'object' || value === null) {
        return value;
      }
      if (!seen.has(value)) {
        cloneObject(value);
      }
      return seen.get(value);
    };
    const keep = (value, copy) => {
      seen.set(value, copy);
      return copy;
    };
    const cloneObject = value => {
      if (value instanceof ArrayBuffer) {
        keep(value, value.slice(0));
      } else if (ArrayBuffer.isView(value)) {
        keep(value, new value.constructor(clone(value.buffer), value.byteOffset, value.length ?? value.byteLength));
      } else if (value instanceof Date || value instanceof RegExp) {
        keep(value, new value.constructor(value));
      } else if (value instanceof Map) {
        const copy = keep(value, new Map());
        value.forEach((item, key) => copy.set(clone(key), clone(item)));
      } else if (value instanceof Set) {
        const copy = keep(value, new Set());
        value.forEach(item => copy.add(clone(item)));
      } else if (Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
        const copy = keep(value, Array.isArray(value) ? new Array(value.length) : {});
        Object.keys(value).forEach(key => copy[key] = clone(value[key]));
      } else {
        throw new DOMException('objects of this kind can not be cloned', 'DataCloneError');
      }
    };
    return clone(value);
  };

  return {
    // Tells the scope that all its scripts have run.
    loaded() {
      if (scope === 'ServiceWorkerGlobalScope') {
        dispatch('install');
      }
      if (!isWindow) {
        global.done();
      }
    },
    reportError,
    runTimer,
    // When the next timer is due, or null.
    nextTimer: () => firstTimer()?.[1].due ?? null,
    // Promises that were rejected, and that nobody looks at.
    reportRejection(promise, reason) {
      dispatch('unhandledrejection', {promise, reason});
    },
  };
})
