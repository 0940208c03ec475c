// META: title=A test that needs a document

'use strict';

test(() => document.body.append('text'), 'writes to a document');
