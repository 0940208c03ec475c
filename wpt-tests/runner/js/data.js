// Blobs and streams of bytes, as far as the data of constants needs them: https://w3c.github.io/FileAPI/#blob-section and
// https://streams.spec.whatwg.org/#rs-class, without tees, pipes and byte controllers.
//
// Evaluates to a function that puts them on the global object, and returns what js/webidl.js asks of them.

(function (global) {
  'use strict';

  const {Array, ArrayBuffer, Math, Object, Promise, Reflect, String, Symbol, TypeError, Uint8Array, WeakMap} = global;

  function expose(name, object) {
    Object.defineProperty(global, name, {value: object, writable: true, enumerable: false, configurable: true});
    Object.defineProperty(object.prototype, Symbol.toStringTag, {value: name, configurable: true});
  }

  // --- UTF-8, which the engine has no encoder for ---

  function encoded(text) {
    const bytes = [];
    for (const character of String(text).toWellFormed()) {
      const code = character.codePointAt(0);
      const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      bytes.push(more === 0 ? code : [0, 0xC0, 0xE0, 0xF0][more] | code >> 6 * more);
      for (let rest = more - 1; rest >= 0; rest--) {
        bytes.push(0x80 | code >> 6 * rest & 0x3F);
      }
    }
    return new Uint8Array(bytes);
  }

  // --- Blobs ---

  const blobs = new WeakMap();

  function bytesOfPart(part) {
    if (blobs.has(part)) {
      return blobs.get(part);
    }
    if (part instanceof ArrayBuffer) {
      return new Uint8Array(part);
    }
    return ArrayBuffer.isView(part) ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength) : encoded(part);
  }

  // Where a position of slice() is: a negative one counts from the end.
  function position(value, size, otherwise) {
    if (value === undefined) {
      return otherwise;
    }
    const integer = Math.trunc(+value) || 0;
    return integer < 0 ? Math.max(size + integer, 0) : Math.min(integer, size);
  }

  class Blob {
    constructor(parts = [], {type = ''} = {}) {
      const bytes = Array.from(parts, bytesOfPart);
      const whole = new Uint8Array(bytes.reduce((size, part) => size + part.length, 0));
      bytes.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
      blobs.set(this, whole);
      Object.defineProperty(this, 'type', {value: String(type).toLowerCase()});
    }

    get size() {
      return blobs.get(this).length;
    }

    slice(start, end, type = '') {
      const bytes = blobs.get(this);
      return new Blob([bytes.slice(position(start, bytes.length, 0), position(end, bytes.length, bytes.length))], {type});
    }

    async arrayBuffer() {
      return blobs.get(this).slice().buffer;
    }

    stream() {
      const bytes = blobs.get(this).slice();
      return new ReadableStream({
        start(controller) {
          bytes.length > 0 && controller.enqueue(bytes);
          controller.close();
        },
      });
    }
  }
  expose('Blob', Blob);

  // --- Streams ---

  const streams = new WeakMap();

  class ReadableStream {
    constructor(source = {}) {
      const state = {queue: [], waiting: [], isClosed: false, isLocked: false, isStarted: false, source};
      Object.assign(state, {isPulling: false, isToPullAgain: false});
      streams.set(this, state);
      const fail = error => {
        state.error ??= {error};
        serve(state);
      };
      state.fail = fail;
      state.controller = {
        enqueue(chunk) {
          if (state.isClosed || state.error) {
            throw new TypeError('the stream is closed');
          }
          state.queue.push(chunk);
          serve(state);
        },
        close() {
          if (state.isClosed) {
            throw new TypeError('the stream is closed');
          }
          state.isClosed = true;
          serve(state);
        },
        error: fail,
        get desiredSize() {
          return state.error ? null : state.isClosed ? 0 : 1 - state.queue.length;
        },
      };
      // What start() throws, the constructor throws; what it returns is waited for.
      const started = source.start?.(state.controller);
      Promise.resolve(started).then(() => {
        state.isStarted = true;
        pull(state);
      }, fail);
    }

    get locked() {
      return streams.get(this).isLocked;
    }

    getReader() {
      const state = streams.get(this);
      if (state.isLocked) {
        throw new TypeError('the stream is locked');
      }
      state.isLocked = true;
      return {
        read: () => read(state),
        cancel: reason => cancel(state, reason),
        releaseLock() {
          state.isLocked = false;
        },
      };
    }

    async cancel(reason) {
      const state = streams.get(this);
      if (state.isLocked) {
        throw new TypeError('the stream is locked');
      }
      return cancel(state, reason);
    }
  }
  expose('ReadableStream', ReadableStream);
  const {getReader} = ReadableStream.prototype;

  function read(state) {
    return new Promise((resolve, reject) => {
      state.waiting.push({resolve, reject});
      serve(state);
    });
  }

  // Gives those who wait what there is.
  function serve(state) {
    while (state.waiting.length > 0) {
      if (state.error) {
        state.waiting.shift().reject(state.error.error);
      } else if (state.queue.length > 0) {
        state.waiting.shift().resolve({done: false, value: state.queue.shift()});
      } else if (state.isClosed) {
        state.waiting.shift().resolve({done: true, value: undefined});
      } else {
        break;
      }
    }
    pull(state);
  }

  // Asks the source for more, if somebody waits or nothing is in the queue.
  function pull(state) {
    const isEnough = state.queue.length > 0 && state.waiting.length === 0;
    if (!state.isStarted || state.isClosed || state.error || isEnough || !state.source.pull) {
      return;
    }
    if (state.isPulling) {
      state.isToPullAgain = true;
      return;
    }
    Object.assign(state, {isPulling: true, isToPullAgain: false});
    new Promise(resolve => resolve(state.source.pull(state.controller))).then(() => {
      state.isPulling = false;
      state.isToPullAgain && pull(state);
    }, state.fail);
  }

  async function cancel(state, reason) {
    if (!state.isClosed && !state.error) {
      state.isClosed = true;
      state.queue = [];
      serve(state);
      await state.source.cancel?.(reason);
    }
  }

  return {
    isBlob: value => blobs.has(value),
    bytesOfBlob: blob => blobs.get(blob),
    isStream: value => streams.has(value),
    isLocked: stream => streams.get(stream).isLocked,
    readerOf: stream => Reflect.apply(getReader, stream, []),
  };
})
