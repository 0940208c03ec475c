// META: title=A test that waits for what never comes

'use strict';

promise_test(() => new Promise(() => {}), 'waits for ever');
