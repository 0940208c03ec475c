//! The interfaces, without the builder's operators.

use super::operators::OPERATORS;
use super::{Attribute, DATA_TYPE, Interface, OPERAND, Operation, Parameter, Signature, Type, optional, required};

const CONTEXT: Type = Type::Interface("MLContext");
const TENSOR: Type = Type::Interface("MLTensor");
pub(super) const GRAPH: Type = Type::Interface("MLGraph");
pub(super) const DESCRIPTOR: Parameter = required("descriptor", Type::Dictionary("MLOperandDescriptor"));
const SHAPE: Type = Type::FrozenArray(&Type::UnsignedLong);

const fn attribute(name: &'static str, kind: Type) -> Attribute {
    Attribute { name, kind, read_only: true }
}

pub(super) const fn operation(name: &'static str, overloads: &'static [Signature]) -> Operation {
    Operation { name, overloads }
}

pub(super) const fn signature(parameters: &'static [Parameter], returns: Type) -> Signature {
    Signature { parameters, returns }
}

const DESTROY: Operation = operation("destroy", &[signature(&[], Type::Undefined)]);

const CREATE_CONTEXT: Operation = operation(
    "createContext",
    &[
        signature(&[optional("options", Type::Dictionary("MLContextOptions"))], Type::Promise(&CONTEXT)),
        signature(&[required("gpuDevice", Type::Interface("GPUDevice"))], Type::Promise(&CONTEXT)),
    ],
);

const OF_A_CONTEXT: &[Operation] = &[
    operation(
        "dispatch",
        &[signature(
            &[
                required("graph", GRAPH),
                required("inputs", Type::Record(&TENSOR)),
                required("outputs", Type::Record(&TENSOR)),
            ],
            Type::Undefined,
        )],
    ),
    operation(
        "createTensor",
        &[signature(&[required("descriptor", Type::Dictionary("MLTensorDescriptor"))], Type::Promise(&TENSOR))],
    ),
    operation(
        "createConstantTensor",
        &[signature(&[DESCRIPTOR, required("inputData", Type::BufferSource)], Type::Promise(&TENSOR))],
    ),
    operation(
        "readTensor",
        &[
            signature(&[required("tensor", TENSOR)], Type::Promise(&Type::ArrayBuffer)),
            signature(
                &[required("tensor", TENSOR), required("outputData", Type::BufferSource)],
                Type::Promise(&Type::Undefined),
            ),
        ],
    ),
    operation(
        "writeTensor",
        &[signature(&[required("tensor", TENSOR), required("inputData", Type::BufferSource)], Type::Undefined)],
    ),
    operation("opSupportLimits", &[signature(&[], Type::Dictionary("MLOpSupportLimits"))]),
    DESTROY,
];

/// The ways to make a constant.
pub(super) const CONSTANT: [Signature; 3] = [
    signature(&[DESCRIPTOR, required("buffer", Type::BufferSource)], OPERAND),
    signature(&[required("dataType", DATA_TYPE), required("value", Type::Number)], OPERAND),
    signature(&[required("tensor", TENSOR)], OPERAND),
];

const OF_A_BUILDER: &[Operation] = &[
    operation("input", &[signature(&[required("name", Type::UsvString), DESCRIPTOR], OPERAND)]),
    operation("constant", &CONSTANT),
    operation("build", &[signature(&[required("outputs", Type::Record(&OPERAND))], Type::Promise(&GRAPH))]),
];

const OF_A_CONTEXT_TO_READ: &[Attribute] = &[
    attribute("accelerated", Type::Boolean),
    attribute("lost", Type::Promise(&Type::Dictionary("MLContextLostInfo"))),
];

const OF_AN_OPERAND_TO_READ: &[Attribute] = &[attribute("dataType", DATA_TYPE), attribute("shape", SHAPE)];

const OF_A_TENSOR_TO_READ: &[Attribute] = &[
    attribute("dataType", DATA_TYPE),
    attribute("shape", SHAPE),
    attribute("readable", Type::Boolean),
    attribute("writable", Type::Boolean),
    attribute("constant", Type::Boolean),
];

const CONSTRUCTOR: &[Parameter] = &[required("context", CONTEXT)];

/// All interfaces. The mixin of the navigators, which has one attribute, is made by the host.
pub(super) fn all() -> Vec<Interface> {
    let interface = |name, attributes: &[Attribute], operations: &[Operation]| Interface {
        name,
        constructor: None,
        attributes: attributes.to_vec(),
        operations: operations.to_vec(),
    };
    vec![
        interface("ML", &[], &[CREATE_CONTEXT]),
        interface("MLContext", OF_A_CONTEXT_TO_READ, OF_A_CONTEXT),
        interface("MLGraph", &[], &[DESTROY]),
        interface("MLOperand", OF_AN_OPERAND_TO_READ, &[]),
        interface("MLTensor", OF_A_TENSOR_TO_READ, &[DESTROY]),
        Interface {
            constructor: Some(CONSTRUCTOR),
            ..interface("MLGraphBuilder", &[], &[OF_A_BUILDER, OPERATORS].concat())
        },
    ]
}
