//! What the ledgers of a scenario's contexts say after each of its calls.
//!
//! Only `webnn explain` asks, and executes the scenario once more for it: a platform that is asked waits for its device, so
//! that a scenario could go otherwise.

use std::cell::RefCell;

use webnn_reference::context::MLContext;
use webnn_vectors::{FIGURES, Kind, Vector};

use super::memory;

/// The figures of a context's ledger, as [`FIGURES`] names them.
pub(crate) type Figures = Vec<(&'static str, u64)>;

/// The contexts that there are after a call, by name, and their figures.
pub(crate) type Ledgers = Vec<(String, Figures)>;

thread_local! {
    static NOTED: RefCell<Option<Vec<Ledgers>>> = const { RefCell::new(None) };
}

/// Runs `execution`, and returns the ledgers after each call of the scenario that it executes.
pub(crate) fn record(execution: impl FnOnce()) -> Vec<Ledgers> {
    let outer = NOTED.replace(Some(vec![]));
    execution();
    NOTED.replace(outer).unwrap_or_default()
}

/// Notes the ledgers of these contexts, if somebody records.
pub(super) fn note<'a>(contexts: impl Iterator<Item = (&'a str, &'a MLContext)>) {
    NOTED.with_borrow_mut(|noted| {
        let Some(noted) = noted else {
            return;
        };
        let figures = |context: &MLContext| {
            let ledger = context.ledger();
            FIGURES.iter().filter_map(|name| Some((*name, memory::found(&ledger, name)?))).collect()
        };
        let mut ledgers: Ledgers = contexts.map(|(name, context)| (name.to_owned(), figures(context))).collect();
        ledgers.sort();
        noted.push(ledgers);
    });
}

/// The calls that are about where weights are, and how much memory there is.
const ABOUT_MEMORY: &[&str] = &["setConstantData", "offload", "reload", "setPinned", "setMemoryBudget", "ledger"];

/// Whether a vector is about memory.
pub(crate) fn is_about_memory(vector: &Vector) -> bool {
    match &vector.kind {
        Kind::Scenario { steps } => steps.iter().any(|step| ABOUT_MEMORY.contains(&step.call.as_str())),
        Kind::Graph { .. } | Kind::Negative { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use webnn_reference::ledger::Ledger;

    use super::*;

    #[test]
    fn a_ledger_has_every_figure_that_a_vector_can_ask_for() {
        for name in FIGURES {
            assert_eq!(memory::found(&Ledger::default(), name), Some(0), "{name}");
        }
    }
}
