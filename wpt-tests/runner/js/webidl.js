// Web IDL: the objects that script sees, made from a description of the interfaces.
//
// Script's values are converted here, and handed to one native call as plain values: an object of an interface as its
// handle, a dictionary or record as the list of its members, a buffer source as its bytes. What comes back is made into
// objects by the type that the description declares. https://webidl.spec.whatwg.org/#js-type-mapping
//
// Evaluates to a function that puts the interfaces on the global object, and returns what the host drives them with.
// `data` is what js/data.js returns, where script has what the proposals add.

(function (description, native, global, data) {
  'use strict';

  // What script may replace is taken before any script runs.
  const {Array, ArrayBuffer, BigInt, FinalizationRegistry, Map, Number, Object, Promise, Reflect, SharedArrayBuffer} =
      global;
  const {String, Symbol, TypeError, Uint8Array, WeakMap} = global;
  const {toHex} = Uint8Array.prototype;

  // How many bytes are handed over at a time.
  const PIECE = 2 ** 20;

  const dictionaries = new Map(description.dictionaries.map(dictionary => [dictionary.name, dictionary]));
  const enumerations = new Map(description.enumerations.map(({name, values}) => [name, values]));
  const interfaces = new Map();

  // Handles of objects of interfaces, and the other way round where an object has to stay the same one.
  const handles = new WeakMap();
  const forgotten = new FinalizationRegistry(handle => native.release(handle));

  function wrap(name, handle) {
    const object = Object.create(interfaces.get(name).prototype);
    handles.set(object, {name, handle, cache: new Map()});
    forgotten.register(object, handle);
    return object;
  }

  function isA(value, name) {
    return isObject(value) && handles.get(value)?.name === name;
  }

  function isObject(value) {
    return (typeof value === 'object' && value !== null) || typeof value === 'function';
  }

  // --- From script to native ---

  const INTEGERS = {
    unsignedLong: {enforce: false},
    enforcedUnsignedLong: {enforce: true, min: 0, max: 2 ** 32 - 1, is: 'an unsigned long'},
    enforcedLong: {enforce: true, min: -(2 ** 31), max: 2 ** 31 - 1, is: 'a long'},
    enforcedUnsignedLongLong: {enforce: true, min: 0, max: 2 ** 53 - 1, is: 'an unsigned long long'},
  };

  function toInteger(value, {enforce, min, max, is}, what) {
    const number = +value;
    if (!enforce) {
      return number >>> 0;
    }
    const integer = Math.trunc(number);
    if (!(integer >= min && integer <= max)) {
      throw new TypeError(`${what} has to be in the range of ${is}, not ${number}`);
    }
    return integer + 0;
  }

  function toFinite(value, round, what) {
    const number = round(+value);
    if (!Number.isFinite(number)) {
      throw new TypeError(`${what} has to be finite, not ${+value}`);
    }
    return number;
  }

  function toNumber(value) {
    // Both negations leave a bigint a bigint, and make a number of anything else.
    const numeric = -(-value);
    return typeof numeric === 'bigint' ? {bigint: String(numeric)} : numeric;
  }

  function toEnumeration(value, name, what) {
    const string = `${value}`;
    const values = enumerations.get(name);
    if (!values.includes(string)) {
      throw new TypeError(`${what} has to be one of ${values.join(', ')}, not '${string}'`);
    }
    return string;
  }

  function toSequence(value, type, what) {
    const method = isObject(value) ? value[Symbol.iterator] : undefined;
    if (typeof method !== 'function') {
      throw new TypeError(`${what} has to be a sequence`);
    }
    const items = [];
    const iterator = Reflect.apply(method, value, []);
    const next = iterator.next;
    for (;;) {
      const step = Reflect.apply(next, iterator, []);
      if (!isObject(step)) {
        throw new TypeError(`${what} has an iterator that does not return objects`);
      }
      if (step.done) {
        return items;
      }
      items.push(convert(step.value, type, `${what}[${items.length}]`));
    }
  }

  function toRecord(value, type, what) {
    if (!isObject(value)) {
      throw new TypeError(`${what} has to be an object`);
    }
    const members = new Map();
    for (const key of Reflect.ownKeys(value)) {
      if (Reflect.getOwnPropertyDescriptor(value, key)?.enumerable) {
        const name = convert(key, 'usvString', `a name in ${what}`);
        members.set(name, convert(value[key], type, `${what}.${name}`));
      }
    }
    return {members: Array.from(members)};
  }

  function byName(a, b) {
    return a.name < b.name ? -1 : 1;
  }

  // The dictionary and those that it inherits from, the topmost first.
  function lineage(name) {
    const dictionary = dictionaries.get(name);
    return dictionary.inherits ? [...lineage(dictionary.inherits), dictionary] : [dictionary];
  }

  function toDictionary(value, name, what) {
    if (value !== undefined && value !== null && !isObject(value)) {
      throw new TypeError(`${what} has to be an object`);
    }
    const members = [];
    for (const dictionary of lineage(name)) {
      for (const member of dictionary.members.toSorted(byName)) {
        const given = value === undefined || value === null ? undefined : value[member.name];
        if (given !== undefined) {
          members.push([member.name, convert(given, member.type, `${what}.${member.name}`)]);
        } else if (member.required) {
          throw new TypeError(`${what}.${member.name} is required`);
        }
      }
    }
    return {members};
  }

  function toBufferSource(value, what, kinds = 'a buffer or a view of one') {
    const view = isObject(value) && ArrayBuffer.isView(value) ? viewName(value) : null;
    const buffer = view === null ? value : value.buffer;
    const shared = hasSlotsOf(buffer, SharedArrayBuffer);
    if (!shared && !hasSlotsOf(buffer, ArrayBuffer)) {
      throw new TypeError(`${what} has to be ${kinds}`);
    }
    if (shared ? buffer.growable : buffer.resizable) {
      throw new TypeError(`${what} can not be resizable`);
    }
    const source = {view, shared, detached: isDetached(buffer)};
    return source.detached ? source : {...source, bytes: toDigits(bytesOf(value))};
  }

  // Whether it is a buffer of this kind, whatever its prototype says.
  function hasSlotsOf(value, kind) {
    try {
      Reflect.apply(Reflect.getOwnPropertyDescriptor(kind.prototype, 'byteLength').get, value, []);
      return true;
    } catch {
      return false;
    }
  }

  function viewName(view) {
    const getter = Reflect.getOwnPropertyDescriptor(Reflect.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
    return Reflect.apply(getter.get, view, []) ?? 'DataView';
  }

  function isDetached(buffer) {
    return hasSlotsOf(buffer, ArrayBuffer) && buffer.detached;
  }

  function bytesOf(source) {
    return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) :
                                        new Uint8Array(source);
  }

  // Bytes as hexadecimal digits, in pieces.
  function toDigits(bytes) {
    const pieces = [];
    for (let start = 0; start < bytes.length; start += PIECE) {
      pieces.push(Reflect.apply(toHex, bytes.subarray(start, start + PIECE), []));
    }
    return pieces;
  }

  // A blob as its bytes, a stream as a number under which its bytes arrive later, anything else as a buffer.
  function toConstantData(value, what) {
    if (data.isBlob(value)) {
      return {blob: toDigits(data.bytesOfBlob(value))};
    }
    if (data.isStream(value)) {
      return {stream: native.stream(), locked: data.isLocked(value)};
    }
    return toBufferSource(value, what, 'a buffer, a view of one, a Blob or a ReadableStream');
  }

  // Brings native the bytes of a stream, if it has taken it: until it has enough, or the stream ends or fails.
  async function feed(id, stream) {
    if (!native.tookStream(id)) {
      return;
    }
    const reader = data.readerOf(stream);
    try {
      for (;;) {
        const {done, value} = await reader.read();
        if (done) {
          return native.endStream(id);
        }
        if (!(ArrayBuffer.isView(value) && viewName(value) === 'Uint8Array')) {
          throw new TypeError('the stream has something else than a Uint8Array');
        }
        if (!native.feedStream(id, toDigits(value))) {
          return await reader.cancel();
        }
      }
    } catch (error) {
      native.endStream(id, `the stream failed: ${error?.message ?? error}`);
    }
  }

  function convert(value, type, what) {
    switch (type) {
      case 'boolean':
        return !!value;
      case 'unsignedLong':
      case 'enforcedUnsignedLong':
      case 'enforcedLong':
      case 'enforcedUnsignedLongLong':
        return toInteger(value, INTEGERS[type], what);
      case 'double':
        return toFinite(value, number => number, what);
      case 'float':
        return toFinite(value, Math.fround, what);
      case 'usvString':
        return `${value}`.toWellFormed();
      case 'domString':
        return `${value}`;
      case 'number':
        return toNumber(value);
      case 'bufferSource':
        return toBufferSource(value, what);
      case 'constantData':
        return toConstantData(value, what);
    }
    if (type.nullable) {
      return value === undefined || value === null ? null : convert(value, type.nullable, what);
    }
    if (type.interface) {
      if (!isA(value, type.interface)) {
        throw new TypeError(`${what} has to be an ${type.interface}`);
      }
      return {handle: handles.get(value).handle};
    }
    if (type.enumeration) {
      return toEnumeration(value, type.enumeration, what);
    }
    if (type.dictionary) {
      return toDictionary(value, type.dictionary, what);
    }
    if (type.sequence) {
      return toSequence(value, type.sequence, what);
    }
    if (type.record) {
      return toRecord(value, type.record, what);
    }
    const [number, sequence] = type.either;
    const iterates = isObject(value) && value[Symbol.iterator] !== undefined && value[Symbol.iterator] !== null;
    return convert(value, iterates ? sequence : number, what);
  }

  // --- From native to script ---

  function exception(name, message) {
    return name === 'TypeError' ? new TypeError(message) : new global.DOMException(message, name);
  }

  function revive(value, type, output) {
    if (type.interface) {
      return wrap(type.interface, value);
    }
    if (type.sequence) {
      return value.map(item => revive(item, type.sequence));
    }
    if (type.frozenRecord) {
      return Object.freeze(Object.fromEntries(value.map(([name, item]) => [name, revive(item, type.frozenRecord)])));
    }
    if (type.frozenArray) {
      return Object.freeze(value);
    }
    if (type.promise) {
      return promised(value, type.promise, output);
    }
    return value;
  }

  const pending = new Map();

  function promised(id, type, output) {
    return new Promise((resolve, reject) => pending.set(id, {resolve, reject, type, output}));
  }

  // Settles the promises that native has settled, and says whether there were some.
  function settle() {
    const settled = native.settled();
    for (const [id, fulfilled, value, message] of settled) {
      const {resolve, reject, type, output} = pending.get(id);
      pending.delete(id);
      if (!fulfilled) {
        reject(exception(value, message));
      } else if (output) {
        bytesOf(output).set(new Uint8Array(value));
        resolve();
      } else {
        resolve(revive(value, type));
      }
    }
    return settled.length > 0;
  }

  // Tells native which of the buffers that it is to write to were detached.
  function noteDetached() {
    for (const [id, {output}] of pending) {
      if (output && isDetached(ArrayBuffer.isView(output) ? output.buffer : output)) {
        native.detach(id);
      }
    }
  }

  function call(name, operation, handle, values, returns, output) {
    const [returned, value, message] = native.call(name, operation, handle, values);
    if (!returned) {
      throw exception(value, message);
    }
    const revived = revive(value, returns, output);
    if (operation === 'destroy') {
      settle();
    }
    return revived;
  }

  // --- Interfaces ---

  function requiredOf(parameters) {
    return parameters.filter(({optional}) => !optional).length;
  }

  function convertAll(parameters, values, name) {
    if (values.length < requiredOf(parameters)) {
      throw new TypeError(`${name} needs ${requiredOf(parameters)} arguments, and ${values.length} were given`);
    }
    return parameters.map(({name, type, optional}, index) => {
      const isLeftOut = optional && values[index] === undefined;
      return isLeftOut ? undefined : convert(values[index], type, name);
    });
  }

  // Whether a value goes with a type, where that decides between overloads.
  function goesWith(value, type) {
    if (type.interface) {
      return isA(value, type.interface);
    }
    if (type.dictionary) {
      return value === undefined || value === null || isObject(value);
    }
    return !isObject(value);
  }

  // https://webidl.spec.whatwg.org/#es-overloads, as far as these interfaces need it: by the number of arguments, then
  // by the first of them.
  function resolve(overloads, values, name) {
    const count = Math.min(values.length, Math.max(...overloads.map(({parameters}) => parameters.length)));
    const fitting = overloads.filter(
        ({parameters}) => requiredOf(parameters) <= count && count <= parameters.length);
    if (fitting.length === 0) {
      throw new TypeError(`${name} can not be called with ${values.length} arguments`);
    }
    if (fitting.length === 1) {
      return fitting[0];
    }
    // An interface is looked for first: its objects go with a dictionary too.
    const ordered = fitting.toSorted(({parameters: [a]}) => a.type.interface ? -1 : 1);
    const fits = ({parameters: [first]}) => goesWith(values[0], first.type);
    return ordered.find(fits) ?? ordered.at(-1);
  }

  function slotsOf(object, name) {
    // Called on nothing, a method of the global object's prototypes is called on it.
    const slots = handles.get(object ?? global);
    if (slots?.name !== name) {
      throw new TypeError(`this is called on an object that is not an ${name}`);
    }
    return slots;
  }

  function method(name, {name: operation, overloads}) {
    const invoke = (object, values) => {
      const {handle} = slotsOf(object, name);
      const {parameters, returns} = resolve(overloads, values, operation);
      const converted = convertAll(parameters, values, operation);
      const last = parameters.at(-1);
      const output = last?.name === 'outputData' ? values[parameters.length - 1] : undefined;
      const returned = call(name, operation, handle, converted, returns, output);
      const at = converted.findIndex(value => value?.stream !== undefined);
      if (at !== -1) {
        feed(converted[at].stream, values[at]);
      }
      return returned;
    };
    const promises = Boolean(overloads[0].returns.promise);
    const function_ = {
      [operation](...values) {
        if (!promises) {
          return invoke(this, values);
        }
        try {
          return invoke(this, values);
        } catch (error) {
          return Promise.reject(error);
        }
      },
    }[operation];
    const length = Math.min(...overloads.map(({parameters}) => requiredOf(parameters)));
    Object.defineProperty(function_, 'length', {value: length, configurable: true});
    return {value: function_, writable: true, enumerable: true, configurable: true};
  }

  function accessorOf(name, {name: attribute, type, readOnly}) {
    const read = object => {
      const {handle, cache} = slotsOf(object, name);
      if (!readOnly) {
        return call(name, attribute, handle, [], type);
      }
      // An attribute that never changes gives the same object each time.
      if (!cache.has(attribute)) {
        cache.set(attribute, call(name, attribute, handle, [], type));
      }
      return cache.get(attribute);
    };
    const accessor = {
      get [attribute]() {
        if (!type.promise) {
          return read(this);
        }
        try {
          return read(this);
        } catch (error) {
          return Promise.reject(error);
        }
      },
      set [attribute](value) {
        const {handle} = slotsOf(this, name);
        call(name, `${attribute}=`, handle, [convert(value, type, attribute)], 'undefined');
      },
    };
    const {get, set} = Object.getOwnPropertyDescriptor(accessor, attribute);
    return {get, set: readOnly ? undefined : set, enumerable: true, configurable: true};
  }

  function interfaceObject({name, constructor: parameters}) {
    const construct = function (target, values) {
      if (target === undefined || !parameters) {
        throw new TypeError(parameters ? `${name} is a constructor: use new` : `${name} can not be constructed`);
      }
      const handle = call(name, 'constructor', null, convertAll(parameters, values, name), 'undefined');
      const object = wrap(name, handle);
      const {prototype} = target;
      return target === object_ || !isObject(prototype) ? object : Object.setPrototypeOf(object, prototype);
    };
    const object_ = {
      [name]: function (...values) {
        return construct(new.target, values);
      },
    }[name];
    Object.defineProperty(object_, 'length', {value: requiredOf(parameters ?? []), configurable: true});
    Object.defineProperty(object_, 'prototype', {writable: false});
    return object_;
  }

  // Puts an interface on the global object.
  function expose(name, object) {
    Object.defineProperty(global, name, {value: object, writable: true, enumerable: false, configurable: true});
    Object.defineProperty(object.prototype, Symbol.toStringTag, {value: name, configurable: true});
  }

  for (const interface_ of description.interfaces) {
    const object = interfaceObject(interface_);
    interfaces.set(interface_.name, object);
    expose(interface_.name, object);
    for (const attribute of interface_.attributes) {
      Object.defineProperty(object.prototype, attribute.name, accessorOf(interface_.name, attribute));
    }
    for (const operation of interface_.operations) {
      Object.defineProperty(object.prototype, operation.name, method(interface_.name, operation));
    }
  }

  // The navigator of a window or a worker, which has the mixin of the specification.
  function exposeNavigator(name) {
    const navigator = {
      [name]: function () {
        throw new TypeError(`${name} can not be constructed`);
      },
    }[name];
    Object.defineProperty(navigator, 'prototype', {writable: false});
    expose(name, navigator);
    const object = Object.create(navigator.prototype);
    const ml = wrap('ML', native.ml());
    const accessor = {
      get ml() {
        if (this !== undefined && this !== null && this !== object) {
          throw new TypeError(`this is called on an object that is not a ${name}`);
        }
        return ml;
      },
    };
    const {get} = Object.getOwnPropertyDescriptor(accessor, 'ml');
    Object.defineProperty(navigator.prototype, 'ml', {get, set: undefined, enumerable: true, configurable: true});
    const attribute = {get: {get navigator() { return object; }}, name: 'navigator'};
    const {get: navigatorGetter} = Object.getOwnPropertyDescriptor(attribute.get, attribute.name);
    Object.defineProperty(
        global, 'navigator', {get: navigatorGetter, set: undefined, enumerable: true, configurable: true});
  }

  return {
    exposeNavigator,
    // Lets native do the next of what is queued, and says whether there was something.
    turn() {
      noteDetached();
      const hasPumped = native.pump();
      return settle() || hasPumped;
    },
  };
})
