// META: title=Graphs, tensors, promises and buffers
// META: variant=?first
// META: variant=?second&a=b%20c
// META: timeout=long

'use strict';

const float32 = (shape, flags) => ({dataType: 'float32', shape, ...flags});
const READ = {readable: true}, WRITE = {writable: true};

async function relu(context) {
  const builder = new MLGraphBuilder(context);
  const graph = await builder.build({y: builder.relu(builder.input('x', float32([3])))});
  const x = await context.createTensor(float32([3], WRITE));
  const y = await context.createTensor(float32([3], READ));
  return {graph, x, y};
}

test(() => {
  const parameters = new URLSearchParams(location.search);
  assert_true(['?first', '?second&a=b%20c'].includes(location.search));
  assert_equals(parameters.get('a'), parameters.has('second') ? 'b c' : null);
}, 'a variant is the query of the address');

promise_test(async () => {
  const context = await navigator.ml.createContext({powerPreference: 'low-power'});
  const {graph, x, y} = await relu(context);
  context.writeTensor(x, new Float32Array([-1, 0, 2]));
  assert_equals(context.dispatch(graph, {x}, {y}), undefined);
  assert_array_equals(new Float32Array(await context.readTensor(y)), [0, 0, 2]);
}, 'a graph is built, dispatched and read');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const tensor = await context.createTensor(float32([2], {...READ, ...WRITE}));
  const memory = new Float32Array([7, 1, 2, 7]);
  context.writeTensor(tensor, memory.subarray(1, 3));
  memory.fill(0);
  const whole = new Float32Array(4);
  assert_equals(await context.readTensor(tensor, whole.subarray(2)), undefined);
  assert_array_equals(whole, [0, 0, 1, 2]);
  const shared = new SharedArrayBuffer(8);
  await context.readTensor(tensor, shared);
  assert_array_equals(new Float32Array(shared), [1, 2]);
  await promise_rejects_js(t, TypeError, context.readTensor(tensor, whole));
  await promise_rejects_js(t, TypeError, context.readTensor(tensor, new Int32Array(2)));
  await promise_rejects_js(t, TypeError, context.readTensor(tensor, new ArrayBuffer(8, {maxByteLength: 16})));
  assert_throws_js(TypeError, () => context.writeTensor(tensor, [1, 2]));
}, 'buffers and views are copied when the call is made');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const tensor = await context.createTensor(float32([2], {...READ, ...WRITE}));
  const gone = new ArrayBuffer(8);
  gone.transfer();
  await promise_rejects_js(t, TypeError, context.readTensor(tensor, gone));
  assert_throws_js(TypeError, () => context.writeTensor(tensor, gone));
  const going = new ArrayBuffer(8);
  const reading = context.readTensor(tensor, going);
  going.transfer();
  await promise_rejects_js(t, TypeError, reading);
}, 'a detached buffer is refused, also when it was detached meanwhile');

promise_test(async () => {
  const context = await navigator.ml.createContext();
  const tensor = await context.createTensor({dataType: 'float16', shape: [2], readable: true, writable: true});
  context.writeTensor(tensor, new Float16Array([0.5, -2]));
  assert_array_equals(new Uint16Array(await context.readTensor(tensor)), [0x3800, 0xc000]);
  context.writeTensor(tensor, new Uint16Array([0x3c00, 0]));
  assert_array_equals(new Float16Array(await context.readTensor(tensor)), [1, 0]);
}, 'float16 may be written as its bits');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const {graph, x, y} = await relu(context);
  const order = [];
  const reading = context.readTensor(y).catch(error => order.push(error.name));
  y.destroy();
  order.push('after');
  await reading;
  assert_array_equals(order, ['after', 'InvalidStateError']);
  assert_throws_js(TypeError, () => context.dispatch(graph, {x}, {y}));
  graph.destroy();
  assert_throws_dom('InvalidStateError', () => context.dispatch(graph, {x}, {y}));
}, 'what is destroyed rejects what waits for it');

promise_test(async t => {
  const context = await navigator.ml.createContext();
  const {lost} = context;
  context.destroy();
  assert_equals(typeof (await lost).message, 'string');
  assert_equals(await context.lost, await lost);
  assert_throws_dom('InvalidStateError', () => new MLGraphBuilder(context));
  await promise_rejects_dom(t, 'InvalidStateError', context.createTensor(float32([1])));
}, 'a lost context says so');

promise_test(async () => {
  const context = await navigator.ml.createContext();
  const order = [];
  const creating = context.createTensor(float32([1])).then(() => order.push('task'));
  Promise.resolve().then(() => order.push('microtask'));
  setTimeout(() => order.push('timer'), 50);
  await creating;
  order.push('awaited');
  await new Promise(resolve => setTimeout(resolve, 60));
  assert_array_equals(order, ['microtask', 'task', 'awaited', 'timer']);
}, 'microtasks come before tasks, and timers when they are due');

promise_test(async () => {
  const context = await navigator.ml.createContext();
  const limits = context.opSupportLimits();
  assert_not_equals(limits, context.opSupportLimits());
  assert_true(limits.conv2d.filter.dataTypes.includes('float32'));
  assert_equals(limits.conv2d.filter.rankRange.min, 4);
  assert_true(limits.maxTensorByteLength > 0);
}, 'what is supported is told anew each time');
