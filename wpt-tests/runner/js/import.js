// Collects the tests of a conformance file as data, with the tolerances that the file's own functions compute.
//
// Evaluates to a function that takes the place of what runs them, and returns a function that reports what was collected.

(function (native, global) {
  'use strict';

  const collected = [];

  // The calls have had several orders of arguments: told apart by what they are.
  global.webnn_conformance_test = (...values) => {
    const [build, tolerance] = values.filter(value => typeof value === 'function');
    const resources = values.find(value => typeof value === 'object' && value !== null);
    for (const test of [resources].flat()) {
      collected.push({test, build, tolerance});
    }
  };
  // What is no data is not run.
  for (const name of ['promise_test', 'test', 'async_test', 'promise_setup', 'setup']) {
    global[name] = () => undefined;
  }

  function number(value) {
    if (typeof value === 'bigint') {
      return `${value}n`;
    }
    return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : `${value}`;
  }

  // The first numbers that round to an infinity.
  const INFINITE = {float32: 2 ** 128 - 2 ** 103, float16: 65520};

  // The numbers that an array of the type has of these: what is beyond the type is an infinity in it.
  function dataOf(data, dataType) {
    const isBeyond = value => typeof value === 'number' && Math.abs(value) >= INFINITE[dataType];
    const held = value => number(isBeyond(value) ? Math.sign(value) * Infinity : value);
    return typeof data === 'object' ? Array.from(data, held) : held(data);
  }

  function literal(value) {
    if (value === undefined || value === null) {
      return null;
    }
    if (typeof value === 'bigint') {
      return {$bigint: `${value}`};
    }
    if (typeof value === 'number') {
      const plain = number(value);
      return typeof plain === 'number' ? plain : {$num: plain};
    }
    if (Array.isArray(value)) {
      return value.map(literal);
    }
    if (typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, literal(item)]));
    }
    return value;
  }

  function tensor({descriptor: {dataType, shape}, data, constant}) {
    const described = {descriptor: {dataType, shape: Array.from(shape)}, data: dataOf(data, dataType)};
    return constant ? {...described, constant: true} : described;
  }

  function mapped(members, change) {
    return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
  }

  function graphOf({inputs, operators, expectedOutputs}) {
    return {
      inputs: mapped(inputs ?? {}, tensor),
      operators: operators.map(({name, arguments: values, outputs}) => ({name, arguments: values.map(literal), outputs})),
      expectedOutputs: mapped(expectedOutputs, tensor),
    };
  }

  // As the file does it: the graph is built first, for the shapes of what lies between inputs and outputs. A graph that
  // can not be built has none.
  async function toleranceOf({test, build, tolerance}) {
    let operands = {};
    try {
      const context = await navigator.ml.createContext();
      const built = await build(context, new MLGraphBuilder(context), test.graph);
      operands = built.intermediateOperands ?? {};
    } catch {
      // Its tolerance is computed from its inputs.
    }
    try {
      const {metricType, value} = tolerance(test.graph, operands);
      return {metricType, value: value === undefined ? null : Number(value)};
    } catch {
      return {metricType: 'ULP', value: null};
    }
  }

  return async () => {
    const tests = [];
    const names = new Map();
    for (const entry of collected) {
      const {name} = entry.test;
      names.set(name, (names.get(name) ?? 0) + 1);
      const unique = names.get(name) === 1 ? name : `${name} (${names.get(name)})`;
      const graph = graphOf(entry.test.graph);
      tests.push(JSON.stringify({name: unique, tolerance: await toleranceOf(entry), graph}));
    }
    native.complete(JSON.stringify(tests));
  };
})
