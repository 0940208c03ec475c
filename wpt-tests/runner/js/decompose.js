// Runs decompositions of operators: for each test, the function that has the operator's name in place of the operator.
//
// A decomposition is called as the operator would be, with the builder before its arguments, and with the members of its
// options that have defaults. Evaluates to a function that reports a list with the outputs, or the error, of each test.

(function (native, global) {
  'use strict';

  const ARRAYS = {
    float32: Float32Array, float16: Float16Array, int32: Int32Array, uint32: Uint32Array,
    int64: BigInt64Array, uint64: BigUint64Array, int8: Int8Array, uint8: Uint8Array,
  };

  function typedArray({dataType, shape}, data) {
    const array = new ARRAYS[dataType](shape.reduce((a, b) => a * b, 1));
    Array.isArray(data) ? array.set(data) : array.fill(data);
    return array;
  }

  function resolve(value, operands) {
    if (typeof value === 'string') {
      return operands[value] ?? value;
    }
    if (Array.isArray(value)) {
      return value.map(item => resolve(item, operands));
    }
    return value;
  }

  function resolveOptions(options, defaults, operands) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    return {...defaults, ...Object.fromEntries(given.map(([name, value]) => [name, resolve(value, operands)]))};
  }

  async function run({graph: {inputs, operators: [operator]}, parameters, defaults}) {
    const context = await navigator.ml.createContext();
    const builder = new MLGraphBuilder(context);
    // As constants, operands that the decomposition does not use are not asked for.
    const operands = Object.create(null);
    for (const [name, {descriptor, data}] of Object.entries(inputs)) {
      operands[name] = builder.constant(descriptor, typedArray(descriptor, data));
    }
    const values = operator.arguments.flatMap(Object.entries).filter(([name]) => name !== 'options');
    const options = operator.arguments.find(argument => argument.options)?.options ?? {};
    const positional = values.map(([, value]) => resolve(value, operands));
    // What was left out before the options is left out here too.
    positional.length = parameters - 1;
    const result = global[operator.name](builder, ...positional, resolveOptions(options, defaults, operands));
    const results = [result].flat();
    if (results.some(result => !(result instanceof MLOperand))) {
      throw new TypeError('what it returns is no MLOperand');
    }
    // A result that is an operand as it was given can not be an output of a graph.
    const names = [operator.outputs].flat();
    const outputs = Object.fromEntries(results.map((result, index) => [names[index], builder.identity(result)]));
    const graph = await builder.build(outputs);
    const tensors = {};
    for (const [name, {dataType, shape}] of Object.entries(outputs)) {
      tensors[name] = await context.createTensor({dataType, shape, readable: true});
    }
    context.dispatch(graph, {}, tensors);
    return Promise.all(Object.entries(tensors).map(async ([name, tensor]) => {
      const bytes = new Uint8Array(await context.readTensor(tensor));
      return {name, dataType: tensor.dataType, shape: Array.from(tensor.shape), digits: bytes.toHex()};
    }));
  }

  async function runAll(tests) {
    const results = [];
    for (const test of tests) {
      try {
        results.push({outputs: await run(test)});
      } catch (error) {
        results.push({error: `${error?.name}: ${error?.message}`});
      }
    }
    native.complete(JSON.stringify(results));
  }

  runAll(global.decompositionTests);
})
