// META: title=A test whose graph takes longer than anybody waits

'use strict';

promise_test(async () => {
  const context = await navigator.ml.createContext();
  const builder = new MLGraphBuilder(context);
  // 2049 * 2049 windows of 2048 * 2048 elements: days, and all of them in one native call.
  const number = builder.constant('float32', 1);
  const image = builder.expand(builder.reshape(number, [1, 1, 1, 1]), [1, 1, 4096, 4096]);
  const output = builder.averagePool2d(image, {windowDimensions: [2048, 2048]});
  const graph = await builder.build({output});
  const descriptor = {dataType: 'float32', shape: output.shape, readable: true};
  const tensor = await context.createTensor(descriptor);
  context.dispatch(graph, {}, {output: tensor});
  await context.readTensor(tensor);
}, 'computes for days');
promise_test(async () => {}, 'after');
