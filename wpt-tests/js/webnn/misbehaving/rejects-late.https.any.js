// META: title=A test that rejects once it is complete

'use strict';

add_completion_callback(() => {
  Promise.reject(new Error('too late'));
  setTimeout(() => {
    throw new Error('later still');
  });
});
test(() => {}, 'is done by then');
