// META: title=The interfaces as script sees them
// META: global=window,worker

'use strict';

const INTERFACES = ['ML', 'MLContext', 'MLGraph', 'MLGraphBuilder', 'MLOperand', 'MLTensor'];

test(() => {
  for (const name of INTERFACES) {
    const {value, writable, enumerable, configurable} = Object.getOwnPropertyDescriptor(self, name);
    assert_array_equals([writable, enumerable, configurable], [true, false, true], name);
    assert_equals(value.name, name);
    assert_equals(value.prototype[Symbol.toStringTag], name);
    assert_false(Object.getOwnPropertyDescriptor(value, 'prototype').writable, name);
    assert_equals(value.prototype.constructor, value);
  }
}, 'interface objects are named, not enumerable, and can be replaced');

test(() => {
  for (const name of INTERFACES.filter(name => name !== 'MLGraphBuilder')) {
    assert_throws_js(TypeError, () => new self[name](), name);
    assert_equals(self[name].length, 0);
  }
  assert_throws_js(TypeError, () => MLGraphBuilder({}));
  assert_throws_js(TypeError, () => new MLGraphBuilder());
  assert_throws_js(TypeError, () => new MLGraphBuilder({}));
  assert_equals(MLGraphBuilder.length, 1);
}, 'only a builder can be constructed, and only of a context');

test(() => {
  const {value, enumerable, writable} = Object.getOwnPropertyDescriptor(MLGraphBuilder.prototype, 'conv2d');
  assert_true(enumerable && writable);
  assert_equals(value.name, 'conv2d');
  assert_equals(value.length, 2);
  assert_equals(MLGraphBuilder.prototype.constant.length, 1, 'the shortest overload');
  assert_throws_js(TypeError, () => new value());
  const {get, set} = Object.getOwnPropertyDescriptor(MLOperand.prototype, 'shape');
  assert_equals(get.name, 'get shape');
  assert_equals(set, undefined);
}, 'operations and attributes have their names, lengths and flags');

promise_test(async t => {
  assert_equals(navigator.ml, navigator.ml);
  const context = await navigator.ml.createContext();
  assert_true(context instanceof MLContext);
  assert_equals(context.lost, context.lost);
  const builder = new MLGraphBuilder(context);
  assert_equals(Object.prototype.toString.call(builder), '[object MLGraphBuilder]');
  const x = builder.input('x', {dataType: 'float32', shape: [2]});
  assert_equals(x.shape, x.shape);
  assert_true(Object.isFrozen(x.shape));
  assert_throws_js(TypeError, () => MLGraphBuilder.prototype.relu.call({}, x));
  assert_throws_js(TypeError, () => MLGraphBuilder.prototype.relu.call(undefined, x));
  assert_throws_js(TypeError, () => MLOperand.prototype.shape);
  assert_throws_js(TypeError, () => builder.relu(Object.create(MLOperand.prototype)));
  await promise_rejects_js(t, TypeError, MLContext.prototype.createTensor.call({}, {}));
}, 'methods and attributes look at what they are called on');

promise_test(async () => {
  class Builder extends MLGraphBuilder {}
  const builder = new Builder(await navigator.ml.createContext());
  assert_true(builder instanceof Builder && builder instanceof MLGraphBuilder);
  assert_equals(builder.input('x', {dataType: 'int8', shape: []}).dataType, 'int8');
}, 'a builder can be inherited from');
