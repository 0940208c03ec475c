// META: title=Graphs that are kept under a key
// META: global=window,dedicatedworker

'use strict';

const float32 = (shape, flags) => ({dataType: 'float32', shape, ...flags});
const NUMBERS = new Float32Array([1, -2, 0.5, 4]);

async function hollow(context) {
  const builder = new MLGraphBuilder(context);
  const constant = builder.constant(float32([4]));
  const graph = await builder.build({y: builder.add(builder.input('x', float32([4])), constant)});
  return {graph, constant};
}

promise_test(async t => {
  const context = await navigator.ml.createContext();
  t.add_cleanup(() => context.deleteGraph('addition'));
  const {graph, constant} = await hollow(context);
  assert_equals(await context.saveGraph('addition', graph, {w: constant}), undefined);
  assert_array_equals(await context.listGraphs(), ['addition']);
  graph.destroy();

  const loaded = await context.loadGraph('addition');
  assert_true(loaded instanceof MLGraph);
  assert_array_equals(Object.keys(loaded.constants), ['w']);
  const {w} = loaded.constants;
  assert_true(w instanceof MLOperand);
  assert_equals(w.dataType, 'float32');
  await loaded.setConstantData(w, NUMBERS);
  const x = await context.createTensor(float32([4], {writable: true}));
  const y = await context.createTensor(float32([4], {readable: true}));
  context.dispatch(loaded, {x}, {y});
  assert_array_equals(new Float32Array(await context.readTensor(y)), NUMBERS);
}, 'a graph is saved without its weights, and loaded');

promise_test(async () => {
  const {graph, constant} = await hollow(await navigator.ml.createContext());
  assert_equals(graph.inputs, graph.inputs);
  assert_equals(graph.constants, graph.constants);
  assert_true(Object.isFrozen(graph.outputs));
  assert_array_equals(Object.keys(graph.inputs), ['x']);
  assert_equals(graph.inputs.x.dataType, 'float32');
  assert_array_equals(graph.outputs.y.shape, [4]);
  assert_array_equals(Object.keys(graph.constants), []);
  assert_equals(constant.dataType, 'float32');
}, 'what a graph says of itself stays the same object');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  t.add_cleanup(() => context.deleteGraph('key'));
  await promise_rejects_dom(t, 'NotFoundError', context.loadGraph('key'));
  await promise_rejects_js(t, TypeError, context.loadGraph(''));
  await promise_rejects_js(t, TypeError, context.deleteGraph(''));
  assert_equals(await context.deleteGraph('key'), undefined);
  const {graph, constant} = await hollow(context);
  await promise_rejects_js(t, TypeError, context.saveGraph('', graph, {w: constant}));
  await promise_rejects_js(t, TypeError, context.saveGraph('key', graph));
  await promise_rejects_js(t, TypeError, context.saveGraph('key', graph, {w: graph}));
  await promise_rejects_js(t, TypeError, context.saveGraph('key', graph, {w: constant, v: constant}));
  const other = await navigator.ml.createContext();
  await promise_rejects_js(t, TypeError, other.saveGraph('key', graph, {w: constant}));
  await context.saveGraph('key', graph, {w: constant});
  graph.destroy();
  await promise_rejects_dom(t, 'InvalidStateError', context.saveGraph('key', graph, {w: constant}));
  await context.deleteGraph('key');
  await promise_rejects_dom(t, 'NotFoundError', context.loadGraph('key'));
  context.destroy();
  await promise_rejects_dom(t, 'InvalidStateError', context.listGraphs());
}, 'keys that are empty or unknown, names that are missing, and objects that are gone');
