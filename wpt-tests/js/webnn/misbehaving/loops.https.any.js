// META: title=A test that does not end

'use strict';

test(() => {}, 'before');
promise_test(async () => {
  for (;;) {
  }
}, 'loops for ever');
promise_test(async () => {}, 'after');
