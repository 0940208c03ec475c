//! What the proposals of `spec-diff/proposals` add to the interfaces. A test holds it against their Web IDL.
//!
//! WebGPU interoperability is not among them: an exported tensor is a `GPUBuffer`, and script has no device here that could
//! have one.

use webnn_reference::proposals::residency::MLOffloadTarget;

use super::interfaces::{CONSTANT, DESCRIPTOR, GRAPH, operation, signature};
use super::{
    Attribute, Description, Dictionary, Member, OPERAND, Operation, Parameter, Signature, Type, enumeration, options,
    required,
};

const DONE: Type = Type::Promise(&Type::Undefined);
const KEY: Parameter = required("key", Type::UsvString);
const DESCRIPTORS: Type = Type::FrozenRecord(&Type::Dictionary("MLOperandDescriptor"));

const OF_A_CONTEXT: &[Operation] = &[
    operation("setMemoryBudget", &[signature(&[required("bytes", BYTES)], DONE)]),
    operation("listGraphs", &[signature(&[], Type::Promise(&Type::Sequence(&Type::UsvString)))]),
    operation("loadGraph", &[signature(&[KEY], Type::Promise(&GRAPH))]),
    operation("saveGraph", &[signature(&[KEY, required("graph", GRAPH), NAMES], DONE)]),
    operation("deleteGraph", &[signature(&[KEY], DONE)]),
];

const BYTES: Type = Type::Nullable(&Type::EnforcedUnsignedLongLong);
const NAMES: Parameter = Parameter { name: "constants", kind: Type::Record(&OPERAND), optional: true };

const OF_A_GRAPH: &[Operation] = &[
    operation(
        "setConstantData",
        &[signature(
            &[required("constant", OPERAND), required("data", Type::ConstantData), options("MLConstantDataOptions")],
            DONE,
        )],
    ),
    operation("offload", &[signature(&[options("MLOffloadOptions")], DONE)]),
    operation("reload", &[signature(&[], DONE)]),
];

const OF_A_GRAPH_TO_READ: &[Attribute] = &[
    Attribute { name: "pinned", kind: Type::Boolean, read_only: false },
    Attribute { name: "inputs", kind: DESCRIPTORS, read_only: true },
    Attribute { name: "outputs", kind: DESCRIPTORS, read_only: true },
    Attribute { name: "constants", kind: Type::FrozenRecord(&OPERAND), read_only: true },
];

/// The ways to make a constant: the last is that of a hollow one.
const WITH_HOLLOW_ONES: &[Signature] = &{
    let [buffer, scalar, tensor] = CONSTANT;
    [buffer, scalar, tensor, signature(&[DESCRIPTOR], OPERAND)]
};

const DICTIONARIES: [Dictionary; 2] = [
    Dictionary {
        name: "MLConstantDataOptions",
        inherits: None,
        members: &[Member { name: "byteOffset", kind: Type::EnforcedUnsignedLongLong, required: false }],
    },
    Dictionary {
        name: "MLOffloadOptions",
        inherits: None,
        members: &[Member { name: "to", kind: Type::Enumeration("MLOffloadTarget"), required: false }],
    },
];

/// Adds it to the description of the specification.
pub(super) fn add_to(description: &mut Description) {
    for interface in &mut description.interfaces {
        match interface.name {
            "MLContext" => interface.operations.extend(OF_A_CONTEXT),
            "MLGraph" => {
                interface.operations.extend(OF_A_GRAPH);
                interface.attributes.extend(OF_A_GRAPH_TO_READ);
            }
            _ => {}
        }
        for operation in interface.operations.iter_mut().filter(|operation| operation.name == "constant") {
            operation.overloads = WITH_HOLLOW_ONES;
        }
    }
    description.dictionaries.extend(DICTIONARIES);
    description.enumerations.push(enumeration("MLOffloadTarget", &MLOffloadTarget::ALL, MLOffloadTarget::as_str));
}
