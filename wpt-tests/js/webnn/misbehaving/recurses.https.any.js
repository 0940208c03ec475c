// META: title=A test that calls itself without end

'use strict';

test(() => {
  const deeper = () => deeper() + 1;
  assert_throws_js(RangeError, deeper);
}, 'recursion ends in an exception');
