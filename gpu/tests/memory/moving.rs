//! The calls by which memory is moved, and the ledger of it.

use webnn_reference::exception::Exception;
use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::Ledger;
use webnn_reference::operand::MLOperand;
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::proposals::residency::{MLOffloadOptions, MLOffloadTarget};
use webnn_reference::supply::ConstantData;

use crate::session::Session;

pub(crate) fn set(
    session: &Session,
    graph: &MLGraph,
    constant: &MLOperand,
    data: &ConstantData,
) -> Result<(), Exception> {
    session.global.settle(&graph.set_constant_data(constant, data, MLConstantDataOptions::default()))
}

pub(crate) fn set_at(
    session: &Session,
    graph: &MLGraph,
    constant: &MLOperand,
    data: &ConstantData,
    at: usize,
) -> Result<(), Exception> {
    let options = MLConstantDataOptions { byte_offset: Some(at as u64) };
    session.global.settle(&graph.set_constant_data(constant, data, options))
}

pub(crate) fn offload(session: &Session, graph: &MLGraph, to: MLOffloadTarget) -> Result<(), Exception> {
    session.global.settle(&graph.offload(MLOffloadOptions { to }))
}

pub(crate) fn reload(session: &Session, graph: &MLGraph) -> Result<(), Exception> {
    session.global.settle(&graph.reload())
}

pub(crate) fn ledger(session: &Session) -> Ledger {
    session.global.run_until_idle();
    session.context.ledger()
}
