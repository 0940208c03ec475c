// META: title=Graphs that leave the memory of the device, and return
// META: global=window,dedicatedworker

'use strict';

const float32 = (shape, flags) => ({dataType: 'float32', shape, ...flags});
const NUMBERS = new Float32Array([1, -2, 0.5, 4]);

// A graph that adds four numbers, which came as a blob, to its input.
async function addition(context) {
  const builder = new MLGraphBuilder(context);
  const constant = builder.constant(float32([4]));
  const graph = await builder.build({y: builder.add(builder.input('x', float32([4])), constant)});
  await graph.setConstantData(constant, new Blob([NUMBERS]));
  return graph;
}

async function tensors(context) {
  const x = await context.createTensor(float32([4], {writable: true}));
  const y = await context.createTensor(float32([4], {readable: true}));
  return {x, y};
}

promise_test(async () => {
  const context = await navigator.ml.createContext();
  const graph = await addition(context);
  const {x, y} = await tensors(context);
  for (const options of [undefined, {}, {to: 'host'}, {to: 'source'}]) {
    assert_equals(await graph.offload(options), undefined);
    assert_equals(await graph.reload(), undefined);
    await graph.offload(options);
    // dispatch() brings back what it needs.
    context.dispatch(graph, {x}, {y});
    assert_array_equals(new Float32Array(await context.readTensor(y)), NUMBERS);
  }
}, 'a graph leaves and returns, and computes the same');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const graph = await addition(context);
  await promise_rejects_js(t, TypeError, graph.offload({to: 'disk'}));
  await promise_rejects_js(t, TypeError, graph.offload('host'));
  const [offloaded, reloaded] = [graph.offload(), graph.reload()];
  graph.destroy();
  await promise_rejects_dom(t, 'InvalidStateError', offloaded);
  await promise_rejects_dom(t, 'InvalidStateError', reloaded);
  await promise_rejects_dom(t, 'InvalidStateError', graph.offload());
}, 'what is no target, and a graph that was destroyed');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const graph = await addition(context);
  assert_false(graph.pinned);
  graph.pinned = 1;
  assert_true(graph.pinned);
  // The weights take 16 bytes.
  await promise_rejects_dom(t, 'OperationError', context.setMemoryBudget(15));
  assert_equals(await context.setMemoryBudget(16), undefined);
  graph.pinned = false;
  assert_equals(await context.setMemoryBudget(15), undefined);
  await promise_rejects_dom(t, 'UnknownError', graph.reload());
  await context.setMemoryBudget(null);
  await graph.reload();
  graph.destroy();
  assert_throws_dom('InvalidStateError', () => { graph.pinned = true; });
}, 'a budget has graphs leave, but for those that are pinned');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  await context.setMemoryBudget(undefined);
  for (const bytes of [-1, NaN, Infinity, 2 ** 53, 'many']) {
    await promise_rejects_js(t, TypeError, context.setMemoryBudget(bytes));
  }
  await promise_rejects_js(t, TypeError, context.setMemoryBudget());
  await context.setMemoryBudget(3);
  await promise_rejects_dom(t, 'UnknownError', context.createTensor(float32([1])));
  context.destroy();
  await promise_rejects_dom(t, 'InvalidStateError', context.setMemoryBudget(4));
}, 'a budget is a number of bytes, or null');
