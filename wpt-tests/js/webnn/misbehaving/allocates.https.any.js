// META: title=A test that asks for all the memory there is

'use strict';

test(() => {
  const kept = [];
  for (;;) {
    kept.push(new Uint8Array(2 ** 24).fill(1));
  }
}, 'allocates without end');
test(() => {}, 'goes on');
