// Hands the results of testharness.js to the host, once all tests are done.

(function (native, global) {
  'use strict';

  const {JSON} = global;

  global.add_completion_callback((tests, status) => {
    const subtests = tests.map(({name, status, message}) => ({name, status, message: message ?? null}));
    native.complete(JSON.stringify({status: status.status, message: status.message ?? null, subtests}));
  });
})
