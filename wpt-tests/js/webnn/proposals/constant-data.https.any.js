// META: title=Hollow constants, and the data that comes to them later
// META: global=window,dedicatedworker
// META: timeout=long

'use strict';

const float32 = (shape, flags) => ({dataType: 'float32', shape, ...flags});

// A graph that adds a hollow constant of four numbers to nothing.
async function hollow(context) {
  const builder = new MLGraphBuilder(context);
  const constant = builder.constant(float32([4]));
  const graph = await builder.build({y: builder.add(builder.input('x', float32([4])), constant)});
  const x = await context.createTensor(float32([4], {writable: true}));
  const y = await context.createTensor(float32([4], {readable: true}));
  const compute = async () => {
    context.dispatch(graph, {x}, {y});
    return new Float32Array(await context.readTensor(y));
  };
  return {graph, constant, compute};
}

const NUMBERS = new Float32Array([1, -2, 0.5, 4]);

promise_test(async () => {
  const {graph, constant, compute} = await hollow(await navigator.ml.createContext());
  assert_array_equals(constant.shape, [4]);
  const numbers = NUMBERS.slice();
  const set = graph.setConstantData(constant, numbers);
  numbers.fill(0);
  assert_equals(await set, undefined);
  assert_array_equals(await compute(), NUMBERS);
}, 'a buffer is copied when the method is called');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const {graph, constant, compute} = await hollow(context);
  await promise_rejects_dom(t, 'InvalidStateError', compute());
  graph.setConstantData(constant, NUMBERS.subarray(0, 2), {byteOffset: 0});
  await promise_rejects_dom(t, 'InvalidStateError', compute());
  // Enough that it is enqueued.
  graph.setConstantData(constant, NUMBERS.subarray(2), {byteOffset: 8});
  assert_array_equals(await compute(), NUMBERS);
  await promise_rejects_dom(t, 'InvalidStateError', graph.setConstantData(constant, NUMBERS));
}, 'parts come in any order, and a graph computes once all are there');

promise_test(async t => {
  const {graph, constant} = await hollow(await navigator.ml.createContext());
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, new Float32Array(3)));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, new Int32Array(4)));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, NUMBERS, {byteOffset: 2}));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, NUMBERS, {byteOffset: -1}));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, NUMBERS, {byteOffset: 2 ** 53}));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, [1, 2, 3, 4]));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, 'abc'));
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant));
  await promise_rejects_js(t, TypeError, graph.setConstantData(graph, NUMBERS));
  graph.setConstantData(constant, NUMBERS.subarray(0, 2), {byteOffset: 4});
  const again = graph.setConstantData(constant, NUMBERS.subarray(0, 1), {byteOffset: 8});
  await promise_rejects_dom(t, 'InvalidStateError', again);
  const {constant: other} = await hollow(await navigator.ml.createContext());
  await promise_rejects_js(t, TypeError, graph.setConstantData(other, NUMBERS));
}, 'data that does not fit is refused, and bytes that are there already');

promise_test(async () => {
  const {graph, constant, compute} = await hollow(await navigator.ml.createContext());
  const file = new Blob(['head', NUMBERS, new Uint8Array(3)]);
  assert_equals(file.size, 23);
  await graph.setConstantData(constant, file.slice(4, -3));
  assert_array_equals(await compute(), NUMBERS);
}, 'a range of a blob');

promise_test(async t => {
  const {graph, constant, compute} = await hollow(await navigator.ml.createContext());
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, new Blob([new Uint8Array(15)])));
  const bytes = new Uint8Array(NUMBERS.buffer);
  let at = 0;
  const stream = new ReadableStream({
    async pull(controller) {
      await new Promise(resolve => setTimeout(resolve, 1));
      controller.enqueue(bytes.slice(at, at + 5));
      at += 5;
      at >= bytes.length && controller.close();
    },
  });
  const set = graph.setConstantData(constant, stream);
  assert_true(stream.locked);
  // Behind the data, although that arrives later.
  assert_array_equals(await compute(), NUMBERS);
  assert_equals(await set, undefined);
}, 'a stream is read as its bytes arrive, and what follows waits for it');

promise_test(async t => {
  const {graph, constant, compute} = await hollow(await navigator.ml.createContext());
  const start = chunks => ({
    start(controller) {
      chunks.forEach(chunk => controller.enqueue(chunk));
      controller.close();
    },
  });
  const bytes = new Uint8Array(NUMBERS.buffer);
  const failing = {pull() { throw new Error('on purpose'); }};
  const sources =
      [start([]), start([bytes.slice(1)]), start([bytes, bytes.slice(0, 1)]), start(['text']), start([NUMBERS]), failing];
  for (const source of sources) {
    await promise_rejects_dom(t, 'UnknownError', graph.setConstantData(constant, new ReadableStream(source)));
  }
  let canceled = false;
  const endless = new ReadableStream({
    pull: controller => controller.enqueue(bytes.slice()),
    cancel: () => canceled = true,
  });
  await promise_rejects_dom(t, 'UnknownError', graph.setConstantData(constant, endless));
  assert_true(canceled);

  const locked = new ReadableStream(start([bytes]));
  const reader = locked.getReader();
  await promise_rejects_js(t, TypeError, graph.setConstantData(constant, locked));
  reader.releaseLock();
  await graph.setConstantData(constant, locked);
  assert_array_equals(await compute(), NUMBERS);
}, 'a stream that is too short, too long, of something else, or locked leaves the constant as it was');

promise_test(async t => {
  const {graph, constant} = await hollow(await navigator.ml.createContext());
  const set = graph.setConstantData(constant, NUMBERS);
  graph.destroy();
  await promise_rejects_dom(t, 'InvalidStateError', set);
  await promise_rejects_dom(t, 'InvalidStateError', graph.setConstantData(constant, NUMBERS));
}, 'destroy() rejects what is pending');

promise_test(async () => {
  const builder = new MLGraphBuilder(await navigator.ml.createContext());
  for (const nothing of [undefined, null, {}, {dataType: 'float32'}, 'float32', 7]) {
    assert_throws_js(TypeError, () => builder.constant(nothing));
  }
  assert_throws_js(TypeError, () => builder.constant());
  assert_equals(builder.constant('float32', 7).dataType, 'float32');
  assert_equals(builder.constant({dataType: 'int8', shape: []}).dataType, 'int8');
}, 'constant() is overloaded');
