// META: title=A test that throws while it is loaded

'use strict';

test(() => {}, 'before');
throw new Error('on purpose');
