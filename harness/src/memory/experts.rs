//! A mixture of experts, of which few are needed for each token
//! (<https://github.com/webmachinelearning/webnn/issues/780>, case 2).

use std::time::Instant;

use webnn_reference::graph::MLGraph;
use webnn_reference::ledger::Way as Moved;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::tensor::MLTensor;

use super::model::{self, Model, Router};
use super::session::Session;
use super::{Measured, Outcome, Unit, Way, Workload, column, way};

/// How many experts there are.
const EXPERTS: usize = 8;
/// How many of them fit into the budget.
const FITTING: usize = 3;
/// How many tokens are made.
const TOKENS: u32 = 32;

/// Eight experts, two of them active for each token.
pub(crate) static MIXTURE: Workload = Workload {
    name: "experts",
    about: "8 experts, of which a router that knows no locality draws 2 for each of 32 tokens",
    ways: &[
        way("resident", "all experts stay on the device").taking(1.0, 0.0),
        way("budget", "setMemoryBudget() for 3 experts; who was needed longest ago leaves")
            .taking(FITTING as f64 / EXPERTS as f64, 0.0),
    ],
    columns: &[
        column("time", "time of a token", Unit::Seconds),
        column("device", "device peak", Unit::Bytes),
        column("host", "host peak", Unit::Bytes),
        column("hits", "hits", Unit::Count),
        column("misses", "misses", Unit::Count),
        column("moved", "moved for a token", Unit::Bytes),
    ],
    compared: Some("time"),
    agrees: true,
    tensors: |size| {
        let model = Model::of(size / EXPERTS as u64, 2);
        let names: Vec<String> = (0..EXPERTS).map(|expert| format!("expert{expert}")).collect();
        let parts: Vec<(&str, Model)> = names.iter().map(|name| (name.as_str(), model)).collect();
        model::tensors_of(&parts)
    },
    measure,
};

fn measure(session: &Session, way: &Way) -> Outcome<Measured> {
    let file = session.model()?;
    let running = session.begin()?;
    let rows = model::part(&file, "expert0")?[0].descriptor.shape[0];
    let mixture = Mixture::new(session, rows)?;
    let mut experts = Vec::new();
    for expert in 0..EXPERTS {
        if way.name == "budget" && expert == FITTING {
            // What so many experts take.
            session.set_budget(session.ledger().budgeted_peak())?;
        }
        let graph = session.chain_from_file(&model::part(&file, &format!("expert{expert}"))?)?;
        session.dispatch(&graph, &mixture.tokens[0], &mixture.of_experts[0])?;
        session.wait()?;
        experts.push(graph);
    }
    let (router, mut misses) = (Router::new(), 0);
    let before = session.ledger().moved_on(Moved::Upload);
    let since = Instant::now();
    for token in 0..TOKENS as usize {
        misses += mixture.next(token, router.route(EXPERTS).map(|expert| &experts[expert]))?;
    }
    let result = session.read(&mixture.tokens[TOKENS as usize % 2])?;
    let time = since.elapsed().as_secs_f64() / f64::from(TOKENS);
    let moved = (session.ledger().moved_on(Moved::Upload) - before) as f64 / f64::from(TOKENS);
    Ok(session
        .measured(&running, &result)
        .with("time", time)
        .with("moved", moved)
        .with("misses", f64::from(misses))
        .with("hits", f64::from(2 * TOKENS - misses)))
}

/// What the experts share.
struct Mixture<'a> {
    session: &'a Session,
    /// Adds up what two experts say.
    sum: MLGraph,
    /// A token and the next.
    tokens: [MLTensor; 2],
    of_experts: [MLTensor; 2],
}

impl<'a> Mixture<'a> {
    fn new(session: &'a Session, rows: u32) -> Outcome<Self> {
        let row = model::row(rows);
        let builder = session.builder()?;
        let [a, b] = [builder.input("a", &row)?, builder.input("b", &row)?];
        let sum = session.build(&builder, builder.add(&a, &b, &MLOperatorOptions::default())?)?;
        let tokens = [session.noise(&row)?, session.tensor(&row)?];
        let of_experts = [session.tensor(&row)?, session.tensor(&row)?];
        Ok(Self { session, sum, tokens, of_experts })
    }

    /// Makes a token of the one before. Says how many of its experts were not there.
    fn next(&self, token: usize, experts: [&MLGraph; 2]) -> Outcome<u32> {
        let (x, y) = (&self.tokens[token % 2], &self.tokens[(token + 1) % 2]);
        let mut misses = 0;
        for (expert, of_expert) in experts.into_iter().zip(&self.of_experts) {
            let before = self.session.ledger().moved_on(Moved::Upload);
            self.session.dispatch(expert, x, of_expert)?;
            self.session.idle();
            misses += u32::from(self.session.ledger().moved_on(Moved::Upload) > before);
        }
        let [a, b] = &self.of_experts;
        let inputs = [("a".to_owned(), a.clone()), ("b".to_owned(), b.clone())];
        self.session.context.dispatch(&self.sum, &inputs, &[("y".to_owned(), y.clone())])?;
        Ok(misses)
    }
}
