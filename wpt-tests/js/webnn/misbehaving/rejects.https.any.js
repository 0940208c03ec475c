// META: title=A test that leaves a rejected promise behind, and goes on

'use strict';

promise_test(async () => {
  Promise.reject(new Error('unhandled'));
  await new Promise(resolve => setTimeout(resolve, 10));
}, 'leaves a rejected promise behind');
