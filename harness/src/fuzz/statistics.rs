//! What was drawn how often.

use std::collections::BTreeMap;

use super::draft::Use;
use super::generator::Drawn;
use crate::listing::tried::DrawnOperator;
use crate::shown::plural;

/// Counts of what the graphs of a campaign have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statistics {
    graphs: usize,
    operators: BTreeMap<&'static str, Counts>,
}

/// Counts for one operator.
#[derive(Clone, Debug, Default)]
struct Counts {
    drawn: usize,
    refused: usize,
    reasons: BTreeMap<String, usize>,
    data_types: BTreeMap<&'static str, usize>,
    options: BTreeMap<String, usize>,
}

impl Statistics {
    /// Counts a graph.
    pub(crate) fn count(&mut self, drawn: &Drawn) {
        self.graphs += 1;
        for Use { operator, data_type, options } in &drawn.uses {
            let counts = self.operators.entry(operator).or_default();
            counts.drawn += 1;
            *counts.data_types.entry(data_type.name()).or_default() += 1;
            for option in options {
                *counts.options.entry(option.clone()).or_default() += 1;
            }
        }
        for (operator, reason) in &drawn.refused {
            let counts = self.operators.entry(operator).or_default();
            counts.refused += 1;
            *counts.reasons.entry(reason.clone()).or_default() += 1;
        }
    }

    /// How many operators there were in all graphs.
    pub(crate) fn drawn(&self) -> usize {
        self.operators.values().map(|counts| counts.drawn).sum()
    }

    fn refused(&self) -> usize {
        self.operators.values().map(|counts| counts.refused).sum()
    }

    /// One line.
    pub(crate) fn line(&self) -> String {
        let of_operators = || self.operators.iter().map(|(name, counts)| (counts.drawn, *name));
        let (Some((fewest, rare)), Some((most, frequent))) = (of_operators().min(), of_operators().max()) else {
            return "nothing was drawn".into();
        };
        let proposed = self.drawn() + self.refused();
        format!(
            "{} of {}, of {}, from {fewest} times {rare} to {most} times {frequent}; \
             the builder refused {:.1} % of {proposed} calls",
            plural(self.graphs, "graph"),
            plural(self.drawn(), "operator"),
            plural(self.operators.len(), "kind"),
            100.0 * self.refused() as f64 / proposed.max(1) as f64,
        )
    }

    /// Every operator, for programs.
    pub(crate) fn listed(&self) -> Vec<DrawnOperator> {
        let listed = |(operator, counts): (&&'static str, &Counts)| DrawnOperator {
            operator,
            drawn: counts.drawn,
            refused: counts.refused,
            data_types: counts.data_types.clone(),
            options: counts.options.clone(),
        };
        self.operators.iter().map(listed).collect()
    }

    /// Every operator with its data types and options.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for (operator, counts) in &self.operators {
            let list = |counts: Vec<String>| counts.join(", ");
            let data_types = counts.data_types.iter().map(|(name, count)| format!("{name} {count}")).collect();
            let options = counts.options.iter().map(|(name, count)| format!("{name} {count}")).collect();
            text += &format!("{operator}: {} drawn, {} refused\n", counts.drawn, counts.refused);
            text += &format!("    of {}\n", list(data_types));
            if !counts.options.is_empty() {
                text += &format!("    with {}\n", list(options));
            }
        }
        text
    }
}

#[cfg(test)]
impl Statistics {
    /// How often an operator was drawn, and with which data types.
    pub(crate) fn of(&self, operator: &str) -> (usize, Vec<&'static str>) {
        let counts = self.operators.get(operator);
        counts.map(|counts| (counts.drawn, counts.data_types.keys().copied().collect())).unwrap_or_default()
    }

    /// The calls that were refused most, by operator.
    pub(crate) fn most_refused(&self) -> Vec<(&'static str, f64, String)> {
        let mut all: Vec<_> = self
            .operators
            .iter()
            .map(|(name, counts)| {
                let share = counts.refused as f64 / (counts.refused + counts.drawn).max(1) as f64;
                let reason = counts.reasons.iter().max_by_key(|(_, count)| **count);
                (*name, share, reason.map(|(reason, _)| reason.clone()).unwrap_or_default())
            })
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }
}
