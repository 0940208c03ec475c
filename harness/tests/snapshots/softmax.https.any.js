// META: title=test WebNN API softmax: softmax float32 1D axis 0
// META: global=window
// META: variant=?cpu
// META: variant=?gpu
// META: variant=?npu
// META: script=../resources/utils.js
// META: timeout=long

'use strict';

// Source of the expected values: mpmath 1.4.1 at 50 digits, rounded once

const getTolerance = () => ({metricType: 'ULP', value: 18});

const tests = [{
'name': 'softmax float32 1D axis 0',
'graph': {
'inputs': {'input': {
'data': [0.43, -0.43, 0.47, -1.76, 1.88],
'descriptor': {shape: [5], dataType: 'float32'}
}},
'operators': [{
'name': 'softmax',
'arguments': [{'input': 'input'}, {'axis': 0}],
'outputs': 'output'
}],
'expectedOutputs': {'output': {
'data': [0.14622012, 0.06187481, 0.15218748, 0.016364481, 0.6233531],
'descriptor': {shape: [5], dataType: 'float32'}
}}
}
}];

tests.forEach(test => webnn_conformance_test(buildAndExecuteGraph, getTolerance, test));
