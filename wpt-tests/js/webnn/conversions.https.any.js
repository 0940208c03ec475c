// META: title=How values of script are converted

'use strict';

const float32 = shape => ({dataType: 'float32', shape});
let context, builder, x;

promise_setup(async () => {
  context = await navigator.ml.createContext();
  builder = new MLGraphBuilder(context);
  x = builder.input('x', float32([2, 3]));
});

promise_test(async () => {
  assert_array_equals(builder.softmax(x, '1').shape, [2, 3]);
  assert_array_equals(builder.softmax(x, 1.9).shape, [2, 3]);
  assert_array_equals(builder.softmax(x, null).shape, [2, 3]);
  for (const axis of [-1, NaN, Infinity, 2 ** 32, undefined, 'one', 1n, Symbol()]) {
    assert_throws_js(TypeError, () => builder.softmax(x, axis));
  }
}, 'a number in range is what converts to one');

promise_test(async () => {
  assert_array_equals(builder.cumulativeSum(x, 2 ** 32 + 1).shape, [2, 3]);
}, 'without a range, an unsigned long is taken modulo 2^32');

promise_test(async () => {
  assert_equals(builder.constant('int64', 9007199254740993n).dataType, 'int64');
  assert_equals(builder.constant('int8', 'not a number').dataType, 'int8');
  assert_equals(builder.clamp(x, {minValue: '1', maxValue: 2n}).dataType, 'float32');
  assert_throws_js(TypeError, () => builder.clamp(x, {minValue: 2n, maxValue: 1}));
  assert_throws_js(TypeError, () => builder.constant('int8', Symbol()));
  assert_throws_js(TypeError, () => builder.linear(x, {alpha: NaN}));
  assert_throws_js(TypeError, () => builder.linear(x, {alpha: 1n}));
}, 'an MLNumber is a bigint or any double, and a double is finite');

promise_test(async () => {
  assert_throws_js(TypeError, () => builder.cast(x, 'float64'));
  assert_throws_js(TypeError, () => builder.pad(x, [0, 0], [0, 0], {mode: 'symmetric'}));
  assert_equals(builder.cast(x, {toString: () => 'int32'}).dataType, 'int32');
}, 'enumerations are strings of a list');

promise_test(async () => {
  function* shape() {
    yield 3;
    yield '2';
  }
  assert_array_equals(builder.reshape(x, shape()).shape, [3, 2]);
  assert_array_equals(builder.reshape(x, new Set([6])).shape, [6]);
  assert_throws_js(TypeError, () => builder.reshape(x, 6));
  assert_throws_js(TypeError, () => builder.reshape(x, {length: 1, 0: 6}));
  assert_throws_js(TypeError, () => builder.reshape(x, '6'));
  assert_throws_js(TypeError, () => builder.concat([x, 'x'], 0));
}, 'a sequence is any object that can be iterated');

promise_test(async () => {
  assert_equals(builder.split(x, 3, {axis: 1}).length, 3);
  assert_equals(builder.split(x, [1, 2], {axis: 1}).length, 2);
  assert_equals(builder.split(x, 1).length, 1);
  assert_throws_js(TypeError, () => builder.split(x, -1));
}, 'a union of a number and a sequence');

promise_test(async () => {
  const read = [];
  const options = new Proxy({}, {get: (_, name) => void read.push(name)});
  builder.gemm(x, builder.input('y', float32([3, 2])), options);
  assert_array_equals(read, ['label', 'aTranspose', 'alpha', 'bTranspose', 'beta', 'c']);
  assert_throws_js(TypeError, () => builder.relu(x, 'label'));
  assert_equals(builder.relu(x, null).dataType, 'float32');
  assert_equals(builder.relu(x, () => 0).dataType, 'float32');
  assert_throws_js(TypeError, () => builder.conv2d(x, x, {bias: null}));
  assert_throws_js(TypeError, () => builder.input('z', {dataType: 'int8'}));
}, 'members of a dictionary are read once, those of its parent first, each in alphabetical order');

promise_test(async t => {
  const y = builder.relu(x);
  const hidden = Object.defineProperty({y}, 'no operand', {value: 1, enumerable: false});
  await promise_rejects_js(t, TypeError, new MLGraphBuilder(context).build(hidden));
  await promise_rejects_js(t, TypeError, builder.build({[Symbol()]: y}));
  await promise_rejects_js(t, TypeError, builder.build({y: 1}));
  await promise_rejects_js(t, TypeError, builder.build());
  await promise_rejects_js(t, TypeError, builder.build('y'));
}, 'a record is what an object has of its own and enumerable');

promise_test(async () => {
  assert_throws_js(TypeError, () => builder.constant());
  assert_throws_js(TypeError, () => builder.constant(float32([1])));
  assert_throws_js(TypeError, () => builder.constant('float33', 1));
  assert_array_equals(builder.constant(float32([1]), new Float32Array(1)).shape, [1]);
  assert_array_equals(builder.constant('float32', 1).shape, []);
  const tensor = await context.createConstantTensor(float32([1]), new Float32Array(1));
  assert_array_equals(builder.constant(tensor).shape, [1]);
}, 'overloads are told apart by their arguments');

promise_test(async () => {
  const label = 'the\u202elabel';
  try {
    builder.softmax(x, 9, {label});
  } catch (error) {
    assert_true(error.message.includes('[the\\u{202e}label]'), error.message);
    return;
  }
  assert_unreached();
}, 'an exception names the label of the operator');
