// Runs vectors on this browser's WebNN, and hands back what came out. Nothing is judged here: the harness does that.
//
// README.md beside this file has the contract with the harness, ../PROTOCOL.md the form of commands and answers.

const QUERY = new URLSearchParams(location.search);
const SESSION = QUERY.get("session") ?? "";
const TIMEOUT_SECONDS = Number(QUERY.get("timeout")) || 60;

/** More bytes than this are not handed over in one piece. */
const MOST_BYTES = 2 ** 30;

/** The exceptions that the specification throws. */
const EXCEPTIONS = [
  "TypeError",
  "InvalidStateError",
  "SecurityError",
  "NotSupportedError",
  "OperationError",
  "UnknownError",
  "NotFoundError",
  "QuotaExceededError",
];

/** WebNN threw, or rejected a promise. `unsupported` says which of the operator's own limits the call is beyond, if any. */
class Refused {
  constructor(error) {
    this.error = error;
    this.unsupported = undefined;
  }
}

/** The vector can not be expressed in this browser. */
class Skipped {
  constructor(reason) {
    this.reason = reason;
  }
}

/** Makes a call of WebNN, and awaits its promise if it returns one. */
async function webnn(call) {
  try {
    return await call();
  } catch (error) {
    throw new Refused(error);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes and numbers

/** The typed array of each data type. Browsers that have no Float16Array take float16 as the bits of an Uint16Array. */
const ARRAYS = {
  float32: Float32Array,
  float16: globalThis.Float16Array ?? Uint16Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int4: Uint8Array,
  uint4: Uint8Array,
};

function fromBase64(text) {
  if (Uint8Array.fromBase64) {
    return Uint8Array.fromBase64(text);
  }
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function toBase64(bytes) {
  if (bytes.toBase64) {
    return bytes.toBase64();
  }
  const pieces = [];
  for (let start = 0; start < bytes.length; start += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)));
  }
  return btoa(pieces.join(""));
}

/** A typed array with the bytes of an input or a constant. */
function viewOf({ dataType, bytes, times = 1 }) {
  const pattern = fromBase64(bytes);
  const length = pattern.length * times;
  if (length > MOST_BYTES) {
    throw new Skipped(`the page hands over no more than ${MOST_BYTES} bytes, and these are ${length}`);
  }
  const all = new Uint8Array(length);
  for (let start = 0; start < length; start += pattern.length) {
    all.set(pattern, start);
  }
  const View = ARRAYS[dataType];
  if (!View) {
    throw new Skipped(`the page knows no data type ${dataType}`);
  }
  return new View(all.buffer);
}

/** A number that is written as text, as JSON can not hold it: a special one, or an integer of 64 bits. */
function numberOf(text) {
  if (/^-?\d+n?$/.test(text)) {
    return text === "-0" ? -0 : BigInt(text.replace("n", ""));
  }
  return ["NaN", "Infinity", "-Infinity"].includes(text) ? Number(text) : undefined;
}

/** The numbers of a scenario's data, `length` of them if it is one that fills all. */
function numbersOf(data, length) {
  if (Array.isArray(data)) {
    return data;
  }
  if (typeof data === "object" && data !== null) {
    return Array.from({ length: data.$repeat.length * data.times }, (_, index) => data.$repeat[index % data.$repeat.length]);
  }
  return new Array(length).fill(data);
}

/** Puts numbers into a typed array, each as an element of its type. */
function fill(array, numbers) {
  const isBig = array instanceof BigInt64Array || array instanceof BigUint64Array;
  numbers.forEach((number, index) => {
    const value = typeof number === "string" ? numberOf(number) : number;
    array[index] = isBig ? BigInt(value) : Number(value);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Contexts

/** The options of a context that the page's address asks for. */
function contextOptions() {
  const options = {};
  for (const name of ["deviceType", "powerPreference"]) {
    if (QUERY.has(name)) {
      options[name] = QUERY.get(name);
    }
  }
  if (QUERY.has("accelerated")) {
    options.accelerated = QUERY.get("accelerated") !== "false";
  }
  return options;
}

/** The context that graphs are built on: one for all, and a new one when it was lost. */
const shared = {
  context: undefined,
  lost: undefined,

  async get() {
    if (!this.context || this.lost) {
      const context = await webnn(() => navigator.ml.createContext(contextOptions()));
      this.context = context;
      this.lost = undefined;
      context.lost?.then((info) => {
        if (this.context === context) {
          this.lost = info?.message || "no reason given";
        }
      });
    }
    return this.context;
  },

  /** Why there is no context any more, and can be none; nothing if there is one. */
  async gone() {
    try {
      await this.get();
      return undefined;
    } catch ({ error }) {
      return `no context can be created any more: ${error?.name}: ${error?.message}`;
    }
  },

  drop() {
    const context = this.context;
    this.context = undefined;
    quietly(() => context?.destroy?.());
  },
};

/** Gives back what a vector has used; that this fails says nothing of the vector. */
function quietly(call) {
  try {
    call();
  } catch {
    // What is not there any more need not be given back.
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// ---------------------------------------------------------------------------------------------------------------------
// Operators

/** The parameters of the operators that have others than `input, options`, in order. */
const PARAMETERS = (() => {
  const lists = {
    "a options": "isInfinite isNaN logicalNot",
    "a b options":
      "add sub mul div max min pow equal notEqual greater greaterOrEqual lesser lesserOrEqual logicalAnd logicalOr " +
      "logicalXor gemm matmul",
    "condition trueValue falseValue options": "where",
    "input axis options": "argMin argMax cumulativeSum softmax",
    "input beginningPadding endingPadding options": "pad",
    "input dataType options": "cast",
    "input filter options": "conv2d convTranspose2d",
    "input indices options": "gather gatherElements gatherND",
    "input indices updates options": "scatterElements scatterND",
    "input mean variance options": "batchNormalization",
    "input newShape options": "expand reshape",
    "input repetitions options": "tile",
    "input scale zeroPoint options": "dequantizeLinear quantizeLinear",
    "input slope options": "prelu",
    "input splits options": "split",
    "input starts sizes options": "slice",
    "input weight recurrentWeight hiddenState cellState hiddenSize options": "lstmCell",
    "input weight recurrentWeight hiddenState hiddenSize options": "gruCell",
    "input weight recurrentWeight steps hiddenSize options": "gru lstm",
    "inputs axis options": "concat",
  };
  const rows = Object.entries(lists).flatMap(([parameters, operators]) =>
    operators.split(" ").map((operator) => [operator, parameters.split(" ")]),
  );
  return new Map(rows);
})();

/** The arguments of an operator's method by position, up to the last that is given. */
function positioned(operator, named) {
  const parameters = PARAMETERS.get(operator) ?? ["input", "options"];
  const unknown = Object.keys(named).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw new Error(`the vector is wrong: ${operator} has no parameter ${unknown}, only ${parameters.join(", ")}`);
  }
  const given = parameters.findLastIndex((name) => named[name] !== undefined) + 1;
  return parameters.slice(0, given).map((name) => named[name]);
}

/** Calls an operator's method; the operands that it returns. */
async function callOperator(context, builder, operator, named) {
  ensureMethod(MLGraphBuilder, operator);
  const values = positioned(operator, named);
  try {
    const outputs = await webnn(() => builder[operator](...values));
    return Array.isArray(outputs) ? outputs : [outputs];
  } catch (problem) {
    if (problem instanceof Refused) {
      problem.unsupported = beyondLimits(context, operator, named);
    }
    throw problem;
  }
}

function ensureMethod(Interface, method) {
  if (!(method in Interface.prototype)) {
    throw new Skipped(`this browser has no ${Interface.name}.${method}()`);
  }
}

/** Which operand of the call has a data type or a rank that `opSupportLimits()` does not list for it, in words. */
function beyondLimits(context, operator, named) {
  const limits = context.opSupportLimits()[operator];
  if (!limits) {
    return `${operator} is not in opSupportLimits()`;
  }
  const { options = {}, ...positional } = named;
  for (const [name, value] of Object.entries({ ...positional, ...options })) {
    for (const operand of [value].flat().filter((item) => item instanceof MLOperand)) {
      const { dataType, shape } = described(operand);
      const { dataTypes = [dataType], rankRange } = limits[name] ?? {};
      if (!dataTypes.includes(dataType)) {
        return `${operator}: ${name} of ${dataType} is not in opSupportLimits()`;
      }
      if (rankRange && (shape.length < rankRange.min || shape.length > rankRange.max)) {
        return `${operator}: ${name} of rank ${shape.length} is not in opSupportLimits()`;
      }
    }
  }
  const outputType = operator === "cast" ? named.dataType : options.outputDataType;
  if (outputType !== undefined && limits.output && !limits.output.dataTypes.includes(outputType)) {
    return `${operator}: an output of ${outputType} is not in opSupportLimits()`;
  }
  return undefined;
}

/** The descriptor of an operand or tensor; these were methods once. */
function described(operand) {
  const { dataType, shape } = operand;
  return typeof dataType === "function"
    ? { dataType: operand.dataType(), shape: operand.shape() }
    : { dataType, shape: Array.from(shape) };
}

/** A descriptor for every version of WebNN: shapes were called dimensions once. */
const descriptorOf = ({ dataType, shape }) => ({ dataType, shape, dimensions: shape });

/** A tensor's descriptor, likewise: what a tensor is used for was once a set of flags. */
function tensorDescriptor(operand, { readable = false, writable = false }) {
  const descriptor = { ...descriptorOf(operand), readable, writable };
  const flags = globalThis.MLTensorUsage;
  if (flags) {
    descriptor.usage = (readable ? flags.READ : 0) | (writable ? flags.WRITE : 0);
  }
  return descriptor;
}

// ---------------------------------------------------------------------------------------------------------------------
// Graphs

/** Builds the graph of a vector, dispatches it, and reads its outputs back; `owned` collects what is to be destroyed. */
async function runGraph(graph, context, owned) {
  const builder = await webnn(() => new MLGraphBuilder(context));
  const operands = new Map();
  for (const [name, input] of Object.entries(graph.inputs)) {
    operands.set(name, await createOperand(builder, name, input));
  }
  for (const { name, arguments: given, outputs } of graph.operators) {
    const results = await callOperator(context, builder, name, argumentsOf(given, operands));
    outputs.forEach((output, index) => operands.set(output, results[index]));
  }
  const outputs = Object.fromEntries(graph.outputs.map((name) => [name, operandOf(operands, name)]));
  const built = await webnn(() => builder.build(outputs));
  owned.push(built);
  const bytes = await computed(context, built, inputsOf(graph), outputs, owned);

  const results = Object.entries(outputs).map(([name, operand]) => [
    name,
    { ...described(operand), bytes: toBase64(new Uint8Array(bytes[name])) },
  ]);
  return { answer: "result", outputs: Object.fromEntries(results) };
}

/** An operand; that there is none of this name is a mistake of the vector. */
function operandOf(operands, name) {
  const operand = operands.get(name);
  if (operand === undefined) {
    throw new Error(`the vector is wrong: no operand is named ${name}`);
  }
  return operand;
}

function createOperand(builder, name, input) {
  const descriptor = descriptorOf(input);
  if (!input.constant) {
    return webnn(() => builder.input(name, descriptor));
  }
  const view = viewOf(input);
  return webnn(() => builder.constant(descriptor, view));
}

/** A value of the protocol as script has it. */
function argumentsOf(value, operands) {
  if (Array.isArray(value)) {
    return value.map((item) => argumentsOf(item, operands));
  }
  if (typeof value !== "object" || value === null) {
    return value ?? undefined;
  }
  if ("$operand" in value) {
    return operandOf(operands, value.$operand);
  }
  if ("$num" in value) {
    return Number(value.$num);
  }
  if ("$bigint" in value) {
    return BigInt(value.$bigint);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, argumentsOf(member, operands)]));
}

/** The inputs that the outputs depend on: a graph has no others, and wants each of them. */
function inputsOf(graph) {
  const makers = new Map(graph.operators.flatMap((operator) => operator.outputs.map((name) => [name, operator])));
  const found = {};
  const visited = new Set();
  const open = [...graph.outputs];
  while (open.length > 0) {
    const name = open.pop();
    if (visited.has(name)) {
      continue;
    }
    visited.add(name);
    if (makers.has(name)) {
      open.push(...operandNames(makers.get(name).arguments));
    } else if (!graph.inputs[name].constant) {
      found[name] = graph.inputs[name];
    }
  }
  return found;
}

function operandNames(value) {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return "$operand" in value ? [value.$operand] : Object.values(value).flatMap(operandNames);
}

/** Computes the graph: the bytes of its outputs, by name. */
async function computed(context, built, inputs, outputs, owned) {
  if (!context.dispatch && context.compute) {
    return computedAtOnce(context, built, inputs, outputs);
  }
  const tensor = async (operand, use) => {
    const created = await webnn(() => context.createTensor(tensorDescriptor(operand, use)));
    owned.push(created);
    return created;
  };
  const given = {};
  for (const [name, input] of Object.entries(inputs)) {
    const view = viewOf(input);
    given[name] = await tensor(input, { writable: true });
    await webnn(() => context.writeTensor(given[name], view));
  }
  const taken = {};
  for (const [name, operand] of Object.entries(outputs)) {
    taken[name] = await tensor(described(operand), { readable: true });
  }
  await webnn(() => context.dispatch(built, given, taken));
  const bytes = {};
  for (const name of Object.keys(outputs)) {
    bytes[name] = await webnn(() => context.readTensor(taken[name]));
  }
  return bytes;
}

/** The same, in browsers of before there were tensors. */
async function computedAtOnce(context, built, inputs, outputs) {
  const given = Object.entries(inputs).map(([name, input]) => [name, viewOf(input)]);
  const room = Object.entries(outputs).map(([name, operand]) => {
    const { dataType, shape } = described(operand);
    return [name, new ARRAYS[dataType](shape.reduce((product, dimension) => product * dimension, 1))];
  });
  const result = await webnn(() => context.compute(built, Object.fromEntries(given), Object.fromEntries(room)));
  return Object.fromEntries(Object.entries(result.outputs).map(([name, view]) => [name, view.buffer]));
}

/** Runs a graph vector on the shared context. If that is lost, it may be the fault of the vector before: once more, then. */
async function graphAnswer(graph) {
  const first = await graphAttempt(graph);
  if (first.lost === undefined) {
    return first;
  }
  const isOver = (await shared.gone()) !== undefined;
  const answer = isOver ? first : await graphAttempt(graph);
  if (answer.lost === undefined) {
    return answer;
  }
  return { answer: "errored", message: `the context was lost: ${answer.lost}; then ${answer.name}: ${answer.message}` };
}

async function graphAttempt(graph) {
  const context = await shared.get();
  const owned = [];
  try {
    return await runGraph(graph, context, owned);
  } catch (problem) {
    if (!(problem instanceof Refused)) {
      throw problem;
    }
    const answer = exceptionAnswer(problem);
    // News of the loss may be behind the news of its effects.
    await pause(shared.lost === undefined && problem.error?.name !== "TypeError" ? 20 : 0);
    return shared.lost === undefined ? answer : { ...answer, lost: shared.lost };
  } finally {
    owned.forEach((thing) => quietly(() => thing.destroy?.()));
  }
}

function exceptionAnswer(problem) {
  const exception = exceptionOf(problem);
  return { answer: "exception", ...exception };
}

/** Name and message of an exception of WebNN; one of another name is none, and is an error. */
function exceptionOf({ error, unsupported }) {
  const name = error?.name ?? typeof error;
  const message = error?.message ?? String(error);
  if (!EXCEPTIONS.includes(name)) {
    throw new Error(`WebNN threw ${name}, which the specification does not have: ${message}`);
  }
  return unsupported === undefined ? { name, message } : { name, message, unsupported };
}

// ---------------------------------------------------------------------------------------------------------------------
// Scenarios

/** A promise that a later step awaits. `result` says what its value is to the harness. */
class Pending {
  constructor(promise, result = () => ({ done: true })) {
    this.promise = promise;
    this.result = result;
    // Somebody is going to look at a rejection, but not yet.
    promise.catch(() => {});
  }
}

/** A buffer source with a name: itself, and the typed array that its elements are written through. */
class NamedBuffer {
  constructor({ view, data, dataType, length }) {
    const isPlain = ["ArrayBuffer", "SharedArrayBuffer", "DataView"].includes(view);
    const Elements = isPlain ? ARRAYS[dataType] : globalThis[view];
    if (!Elements || (dataType === "float16" && Elements === Uint16Array)) {
      throw new Skipped(`this browser has no ${isPlain ? "Float16Array" : view}`);
    }
    const numbers = numbersOf(data, length);
    this.elements = new Elements(this.#memory(view, numbers.length * Elements.BYTES_PER_ELEMENT));
    fill(this.elements, numbers);
    const { buffer } = this.elements;
    this.source = view === "DataView" ? new DataView(buffer) : isPlain ? buffer : this.elements;
  }

  #memory(view, bytes) {
    if (view !== "SharedArrayBuffer") {
      return new ArrayBuffer(bytes);
    }
    if (!globalThis.SharedArrayBuffer) {
      throw new Skipped("there is no SharedArrayBuffer: the page is not isolated from other origins");
    }
    return new SharedArrayBuffer(bytes);
  }

  call(name, { data }) {
    if (name === "fill") {
      fill(this.elements, numbersOf(data, this.elements.length));
    } else if (name === "detach") {
      structuredClone(this.elements.buffer, { transfer: [this.elements.buffer] });
    } else {
      throw new Error(`the vector is wrong: a buffer has no method ${name}`);
    }
  }
}

/** Methods of proposals that no browser has. */
const PROPOSED = new Set(["offload", "reload", "pinned", "setPinned", "setMemoryBudget", "ledger", "blob", "stream", "requestDevice"]);

/** The data types and shapes of descriptors, or of operands. */
function describedMembers(members) {
  const described = ([name, { dataType, shape }]) => [name, { dataType, shape: [...shape] }];
  return Object.fromEntries(Object.entries(members).map(described));
}

/** Why the steps can not be taken in a browser, if they can not. */
function obstacle(steps) {
  const hasHollow = globalThis.MLGraph && "setConstantData" in MLGraph.prototype;
  const isHollow = ({ call, arguments: given = {} }) =>
    call === "setConstantData" || (call === "constant" && Object.keys(given).join() === "descriptor");
  if (!hasHollow && steps.some(isHollow)) {
    return "hollow constants are a proposal that this browser does not have";
  }
  const proposed = steps.find(({ call }) => PROPOSED.has(call));
  if (proposed) {
    return `${proposed.call}() is a proposal that this browser does not have`;
  }
  const hasCache = globalThis.MLContext && "loadGraph" in MLContext.prototype;
  const ofCache = ["listGraphs", "loadGraph", "saveGraph", "deleteGraph", "inputs", "outputs", "constants"];
  if (!hasCache && steps.some(({ call }) => ofCache.includes(call))) {
    return "a graph cache is a proposal that this browser does not have";
  }
  if (steps.some(({ call }) => call === "spoilGraph" || call === "storage")) {
    return "a page can not damage what the browser stores";
  }
  if (steps.some(({ call }) => call === "lose")) {
    return "a page can not make a context lose its device";
  }
  if (steps.some(({ call, arguments: given }) => call === "pump" && given?.steps !== undefined)) {
    return "a page can not run the steps of a timeline one by one";
  }
  return undefined;
}

/** The objects of a scenario by name, and the calls on them. */
class Scenario {
  objects = new Map();
  contexts = [];
  contextOf = new Map();

  async run(steps) {
    const results = [];
    try {
      for (const step of steps) {
        const result = await this.step(step);
        results.push(result);
        if ((result.exception !== undefined) !== Boolean(step.throws)) {
          break;
        }
      }
    } finally {
      this.contexts.forEach((context) => quietly(() => context.destroy?.()));
    }
    return { answer: "calls", results };
  }

  async step(step) {
    try {
      const pending = await this.call(step.on, step.call, step.arguments ?? {});
      if (step.pending) {
        this.bind(step.let, pending);
        return { done: true };
      }
      const value = pending instanceof Pending ? await webnn(() => pending.promise) : pending;
      this.bind(step.let, value);
      return pending instanceof Pending ? pending.result(value) : { done: true };
    } catch (problem) {
      if (problem instanceof Refused) {
        return { exception: exceptionOf(problem) };
      }
      throw problem;
    }
  }

  bind(names, value) {
    if (Array.isArray(names)) {
      names.forEach((name, index) => this.objects.set(name, value[index]));
    } else if (names !== undefined) {
      this.objects.set(names, Array.isArray(value) && value.length === 1 ? value[0] : value);
    }
  }

  object(name) {
    if (!this.objects.has(name)) {
      throw new Error(`the vector is wrong: nothing is named ${name}`);
    }
    return this.objects.get(name);
  }

  /** A record of names as a record of objects. */
  named(record) {
    return Object.fromEntries(Object.entries(record).map(([name, object]) => [name, this.object(object)]));
  }

  buffer(value) {
    const buffer = typeof value === "string" ? this.object(value) : new NamedBuffer(value);
    return buffer.source;
  }

  /** A value of an argument. A string that names an operand is that operand, one that is a number is that number. */
  value(value, member) {
    if (typeof value === "string" && member !== "label") {
      const object = this.objects.get(value);
      return object instanceof MLOperand ? object : (numberOf(value) ?? value);
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.value(item));
    }
    if (typeof value !== "object" || value === null) {
      return value ?? undefined;
    }
    if ("$num" in value || "$bigint" in value) {
      return argumentsOf(value);
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.value(inner, name)]));
  }

  call(on, name, given) {
    if (on === undefined || on === null) {
      return this.callFree(name, given);
    }
    const object = this.object(on);
    if (object instanceof MLContext) {
      return this.callContext(object, name, given);
    }
    if (object instanceof MLGraphBuilder) {
      return this.callBuilder(object, name, given);
    }
    if (object instanceof NamedBuffer) {
      return object.call(name, given);
    }
    if (object instanceof MLGraph && name === "setConstantData") {
      const [constant, data] = [this.object(given.constant), this.buffer(given.data)];
      return this.promised(() => object.setConstantData(constant, data));
    }
    if (object instanceof MLGraph && ["inputs", "outputs", "constants"].includes(name)) {
      if (given?.name !== undefined) {
        return object.constants[given.name];
      }
      return this.promised(async () => object[name], (members) => ({ value: describedMembers(members) }));
    }
    if ((object instanceof MLGraph || object instanceof MLTensor) && name === "destroy") {
      ensureMethod(object.constructor, "destroy");
      return webnn(() => object.destroy());
    }
    throw new Error(`the vector is wrong: ${on} has no method ${name}`);
  }

  /** Makes a call that returns a promise; what it throws at once is refused at once. */
  async promised(call, result) {
    try {
      return new Pending(Promise.resolve(call()), result);
    } catch (error) {
      throw new Refused(error);
    }
  }

  async callFree(name, given) {
    switch (name) {
      case "createContext":
        return this.createContext(given);
      case "MLGraphBuilder": {
        const context = this.object(given.context);
        const builder = await webnn(() => new MLGraphBuilder(context));
        this.contextOf.set(builder, context);
        return builder;
      }
      case "buffer":
        return new NamedBuffer(given);
      case "await":
        return this.object(given.promise);
      default:
        throw new Error(`the vector is wrong: there is no call ${name}`);
    }
  }

  async createContext(given) {
    const options = given.gpuDevice ? await gpuDevice() : { ...contextOptions(), ...this.value(given) };
    return this.promised(async () => {
      const context = await navigator.ml.createContext(options);
      this.contexts.push(context);
      return context;
    });
  }

  callContext(context, name, given) {
    if (name === "pump") {
      return this.idle();
    }
    if (name === "lost") {
      return new Pending(context.lost, (info) => ({ value: { message: info.message } }));
    }
    ensureMethod(MLContext, name);
    switch (name) {
      case "createTensor":
        return this.promised(() => context.createTensor(given.descriptor));
      case "createConstantTensor": {
        if (given.tensor !== undefined) {
          throw new Skipped("createConstantTensor() of a tensor is a proposal, and no browser has it");
        }
        const data = this.buffer(given.inputData);
        return this.promised(() => context.createConstantTensor(given.descriptor, data));
      }
      case "readTensor":
        return this.readTensor(context, given);
      case "writeTensor": {
        const [tensor, data] = [this.object(given.tensor), this.buffer(given.inputData)];
        return webnn(() => context.writeTensor(tensor, data));
      }
      case "exportToGPU": {
        const tensor = this.object(given.tensor);
        return webnn(() => context.exportToGPU(tensor));
      }
      case "dispatch": {
        const [graph, inputs, outputs] = [this.object(given.graph), this.named(given.inputs), this.named(given.outputs)];
        return webnn(() => context.dispatch(graph, inputs, outputs));
      }
      case "destroy":
        return webnn(() => context.destroy());
      case "listGraphs":
        return this.promised(() => context.listGraphs(), (keys) => ({ value: keys }));
      case "loadGraph":
        return this.promised(() => context.loadGraph(given.key));
      case "saveGraph": {
        const [graph, constants] = [this.object(given.graph), this.named(given.constants ?? {})];
        return this.promised(() => context.saveGraph(given.key, graph, constants));
      }
      case "deleteGraph":
        return this.promised(() => context.deleteGraph(given.key));
      case "opSupportLimits":
        return this.promised(async () => context.opSupportLimits(), (limits) => ({ value: limits }));
      default:
        throw new Error(`the vector is wrong: a context has no method ${name}`);
    }
  }

  readTensor(context, given) {
    const tensor = this.object(given.tensor);
    if (given.outputData !== undefined) {
      const room = this.buffer(given.outputData);
      return this.promised(() => context.readTensor(tensor, room));
    }
    const read = (bytes) => ({ tensor: { ...described(tensor), bytes: toBase64(new Uint8Array(bytes)) } });
    return this.promised(() => context.readTensor(tensor), read);
  }

  callBuilder(builder, name, given) {
    switch (name) {
      case "input":
        return webnn(() => builder.input(given.name, this.value(given.descriptor)));
      case "constant":
        return this.constant(builder, given);
      case "build": {
        const outputs = this.named(given.outputs);
        return this.promised(() => builder.build(outputs));
      }
      default:
        return callOperator(this.contextOf.get(builder), builder, name, this.value(given));
    }
  }

  constant(builder, given) {
    if (given.tensor !== undefined) {
      const tensor = this.object(given.tensor);
      return webnn(() => builder.constant(tensor));
    }
    if (given.dataType !== undefined) {
      const value = this.value(given.value);
      return webnn(() => builder.constant(given.dataType, value));
    }
    const descriptor = this.value(given.descriptor);
    if (given.buffer === undefined) {
      return webnn(() => builder.constant(descriptor));
    }
    const buffer = this.buffer(given.buffer);
    return webnn(() => builder.constant(descriptor, buffer));
  }

  /** Waits until all that was asked for has happened, as far as script can see that. */
  async idle() {
    const open = [...this.objects.values()].filter((object) => object instanceof Pending);
    await Promise.race([Promise.allSettled(open.map(({ promise }) => promise)), pause(1000)]);
  }
}

async function gpuDevice() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) {
    throw new Skipped("this browser has no WebGPU adapter to make a context from");
  }
  return adapter.requestDevice();
}

// ---------------------------------------------------------------------------------------------------------------------
// Answers

/** Runs a vector: the answer to the harness, whatever happens. */
async function answerTo({ seq, vector }) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(lateAnswer()), TIMEOUT_SECONDS * 1000);
  });
  const answer = await Promise.race([run(vector), late]);
  clearTimeout(timer);
  const fatal = await Promise.race([shared.gone(), pause(TIMEOUT_SECONDS * 1000).then(() => "WebNN does not answer any more")]);
  return fatal === undefined ? { ...answer, seq } : { ...answer, seq, fatal };
}

function lateAnswer() {
  shared.drop();
  return { answer: "errored", message: `WebNN did not answer within ${TIMEOUT_SECONDS} s` };
}

async function run({ graph, scenario }) {
  try {
    if (graph) {
      return await graphAnswer(graph);
    }
    const reason = obstacle(scenario);
    return reason === undefined ? await new Scenario().run(scenario) : { answer: "skipped", reason };
  } catch (problem) {
    if (problem instanceof Skipped) {
      return { answer: "skipped", reason: problem.reason };
    }
    if (problem instanceof Refused) {
      const { name, message } = problem.error ?? {};
      return { answer: "errored", message: `no context could be created: ${name}: ${message}` };
    }
    return { answer: "errored", message: String(problem?.message ?? problem), details: String(problem?.stack ?? "") };
  }
}

/** What this browser is, and what its WebNN supports. */
async function ready() {
  const context = await shared.get();
  const limits = context.opSupportLimits?.() ?? {};
  const general = ["preferredInputLayout", "maxTensorByteLength", "input", "constant", "output"];
  const dataTypes = new Set(["input", "constant", "output"].flatMap((name) => limits[name]?.dataTypes ?? []));
  const answer = { answer: "ready", protocol: 1, language: "JavaScript", ...(await browser()), scenarios: true };
  const adapter = await adapterOf(context);
  if (adapter) {
    answer.adapter = adapter;
  }
  if (dataTypes.size > 0) {
    answer.dataTypes = [...dataTypes];
    answer.operators = Object.keys(limits).filter((name) => !general.includes(name));
  }
  return answer;
}

async function browser() {
  const data = await navigator.userAgentData?.getHighEntropyValues(["fullVersionList", "model"]);
  // One of the brands is made up, so that pages do not rely on the list; Chromium is what others are made from.
  const brands = (data?.fullVersionList ?? []).filter(({ brand }) => !/not.*brand/i.test(brand));
  const found = brands.find(({ brand }) => brand !== "Chromium") ?? brands[0];
  if (found) {
    const device = [data.platform, data.model].filter(Boolean).join(", ");
    return { name: found.brand, version: device ? `${found.version} (${device})` : found.version };
  }
  const [, name, version] = navigator.userAgent.match(/(Firefox|Edg|Chrome|Version)\/([\d.]+)/) ?? [];
  return { name: name === "Version" ? "Safari" : (name ?? "browser"), version: version ?? navigator.userAgent };
}

/** The devices that a small graph was built for, where the browser says so, and what the page's address asked for. */
async function adapterOf(context) {
  const asked = Object.entries(contextOptions()).map(([name, value]) => `${name} ${value}`);
  try {
    const builder = new MLGraphBuilder(context);
    const input = builder.input("x", descriptorOf({ dataType: "float32", shape: [1] }));
    const graph = await builder.build({ y: builder.relu(input) });
    const devices = Array.from(graph.devices ?? []);
    graph.destroy?.();
    return [...devices, ...asked].join(", ");
  } catch {
    return asked.join(", ");
  }
}

/** Why there is no WebNN here, and what to do; nothing if there is. */
function missing() {
  if (navigator.ml) {
    return undefined;
  }
  if (!isSecureContext) {
    const { origin, port, pathname, search } = location;
    return (
      `Browsers offer WebNN to secure pages only: those of https, and of the machine itself. On the harness's machine open ` +
      `http://localhost:${port}${pathname}${search} instead. On a phone at its cable \`adb reverse tcp:${port} tcp:${port}\` ` +
      `makes that address work too; without a cable, name ${origin} under ` +
      "chrome://flags/#unsafely-treat-insecure-origin-as-secure."
    );
  }
  return (
    "This browser offers no WebNN (navigator.ml is missing). Chrome and Edge have it behind a flag: open " +
    "chrome://flags/#web-machine-learning-neural-network, choose Enabled, and start the browser again; from a terminal, " +
    "--enable-features=WebMachineLearningNeuralNetwork does the same."
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// The conversation with the harness

/** Posts to the harness, again and again if it can not be reached. `undefined` if it has nothing to say yet. */
async function post(path, body) {
  for (let wait = 250; ; wait = Math.min(2 * wait, 5000)) {
    let response;
    try {
      response = await fetch(`${path}?${new URLSearchParams({ session: SESSION })}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      if (response.ok) {
        const text = await response.text();
        show.reached();
        return text ? JSON.parse(text) : undefined;
      }
    } catch (error) {
      show.unreachable(error);
      await pause(wait);
      continue;
    }
    throw new Error(`The harness refused: ${(await response.text()) || response.statusText}`);
  }
}

async function converse() {
  const problem = missing();
  if (problem) {
    show.problem(problem);
    await post("/ready", { answer: "errored", message: problem });
    return;
  }
  const hello = await ready().catch((refused) => {
    const { name, message } = refused.error ?? refused;
    return { answer: "errored", message: `WebNN is there, but no context could be created: ${name}: ${message}` };
  });
  await post("/ready", hello);
  if (hello.answer === "errored") {
    show.problem(hello.message);
    return;
  }
  show.hello(hello);
  const lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
  let answer = null;
  for (;;) {
    const command = await post("/next", answer);
    answer = null;
    if (command?.command === "stop") {
      show.finished(command);
      break;
    }
    if (command?.command === "run") {
      show.running(command);
      answer = await answerTo(command);
      show.answered(command, answer);
      if (answer.fatal) {
        const next = await post("/next", answer);
        if (next?.command === "run") {
          await post("/ready", { answer: "errored", message: answer.fatal });
        }
        show.problem(`This browser's WebNN has crashed: ${answer.fatal}. End the browser, start it, and open this page again.`);
        break;
      }
    }
  }
  await lock?.release();
}

// ---------------------------------------------------------------------------------------------------------------------
// What the page shows

/** What the harness makes of an answer; and what there is to answer, as long as it does not say. */
const OUTCOMES = ["passed", "failed", "result", "exception", "calls", "errored", "skipped", "open"];

const show = {
  counts: {},
  progress: undefined,
  vector: "",
  failure: undefined,
  drawn: 0,

  element: (id) => document.getElementById(id),

  text(id, text) {
    const element = this.element(id);
    element.textContent = text;
    element.hidden = text === "";
  },

  hello({ name, version, adapter }) {
    this.text("browser", [`${name} ${version}`, adapter].filter(Boolean).join(" · "));
    this.text("state", "Waiting for the harness.");
  },

  running({ vector, progress }) {
    this.vector = vector.id;
    this.take(progress);
    this.draw();
  },

  take(progress) {
    this.progress = progress ?? this.progress;
    this.failure = progress?.lastFailure ?? this.failure;
  },

  answered({ vector }, { answer, message }) {
    this.counts[answer] = (this.counts[answer] ?? 0) + 1;
    if (answer === "errored") {
      this.failure = { vector: vector.id, message };
    }
  },

  /** Draws what is new, at most ten times a second. */
  draw(now = performance.now()) {
    if (now - this.drawn < 100) {
      return;
    }
    this.drawn = now;
    const done = this.progress?.done ?? Object.values(this.counts).reduce((sum, count) => sum + count, 0);
    const total = this.progress?.total;
    const bar = this.element("progress");
    bar.hidden = !total;
    [bar.value, bar.max] = [done, total ?? 1];
    this.text("state", total ? `${done} of ${total} vectors` : `${done} vectors`);
    this.text("vector", this.vector);
    this.drawCounts(this.progress?.outcomes ?? this.counts);
    this.element("failure").hidden = !this.failure;
    if (this.failure) {
      this.text("failed-vector", this.failure.vector);
      this.text("failed-message", this.failure.message ?? "");
    }
  },

  drawCounts(counts) {
    const inOrder = Object.entries(counts).sort(([a], [b]) => OUTCOMES.indexOf(a) - OUTCOMES.indexOf(b));
    const cells = inOrder.map(([name, count]) => {
      const cell = document.createElement("div");
      cell.className = `count ${name}`;
      const [number, label] = [document.createElement("b"), document.createElement("span")];
      [number.textContent, label.textContent] = [count, name];
      cell.append(number, label);
      return cell;
    });
    this.element("counts").replaceChildren(...cells);
  },

  problem(message) {
    this.text("state", "");
    this.text("problem", message);
  },

  unreachable(error) {
    this.text("connection", `The harness can not be reached (${error.message}). Is it still running? Trying again.`);
  },

  reached() {
    this.text("connection", "");
  },

  finished({ progress }) {
    this.vector = "";
    this.take(progress);
    this.draw(Infinity);
    this.text("state", `Done: ${this.element("state").textContent}. The harness has the results; close this page.`);
  },
};

converse().catch((error) => show.problem(error.message));
