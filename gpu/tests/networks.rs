//! Recurrent networks, by activations that keep integers: every option shows in a number that is worked out by hand.

mod session;

use session::{Data, Float16, Session, assert_same, f32s, of_bytes, session, small};
use webnn_reference::ops::gru::{
    MLGruOptions, MLGruWeightLayout, MLRecurrentNetworkActivation::Relu, MLRecurrentNetworkDirection,
};
use webnn_reference::ops::grucell::MLGruCellOptions;
use webnn_reference::ops::lstm::{MLLstmOptions, MLLstmWeightLayout};
use webnn_reference::ops::lstmcell::MLLstmCellOptions;

/// x = 2, h = 3, all weights 1 but the recurrent one of the second gate, 2, and a recurrent bias of the third, 1.
fn gru_cell(session: &Session, reset_after: bool, layout: MLGruWeightLayout) -> Vec<f32> {
    let inputs = [
        f32s(&[1, 1], &[2.0]),
        f32s(&[3, 1], &[1.0, 1.0, 1.0]),
        f32s(&[3, 1], &[1.0, 2.0, 1.0]),
        f32s(&[1, 1], &[3.0]),
        f32s(&[3], &[0.0, 0.0, 1.0]),
    ];
    session.run_f32(&inputs, |b, x| {
        let options = MLGruCellOptions {
            recurrent_bias: Some(x[4].clone()),
            reset_after,
            layout,
            activations: Some(vec![Relu, Relu]),
            ..MLGruCellOptions::default()
        };
        b.gru_cell(&x[0], &x[1], &x[2], &x[3], 1, &options)
    })
}

#[test]
fn a_gru_cell() {
    let Some(session) = session() else { return };
    // z = 2 + 3, r = 2 + 6; n = 2 + 8 * (3 + 1) or 2 + 8 * 3 + 1; z * 3 + (1 - z) * n
    assert_same(&gru_cell(&session, true, MLGruWeightLayout::Zrn), &[15.0 - 4.0 * 34.0]);
    assert_same(&gru_cell(&session, false, MLGruWeightLayout::Zrn), &[15.0 - 4.0 * 27.0]);
    // z = 8, r = 5; n = 2 + 5 * 4
    assert_same(&gru_cell(&session, true, MLGruWeightLayout::Rzn), &[24.0 - 7.0 * 22.0]);
}

#[test]
fn the_usual_activations() {
    let Some(session) = session() else { return };
    let inputs =
        [f32s(&[1, 1], &[1.0]), f32s(&[3, 1], &[0.0, 0.0, 20.0]), f32s(&[3, 1], &[0.0; 3]), f32s(&[1, 1], &[3.0])];
    let got = session.run_f32(&inputs, |b, x| b.gru_cell(&x[0], &x[1], &x[2], &x[3], 1, &MLGruCellOptions::default()));
    // sigmoid(0) * 3 + (1 - sigmoid(0)) * tanh(20)
    assert_same(&got, &[2.0]);
}

/// Adds up the input: z = 0, r = 1, n = W x + h, with a W of 1 forward and 2 backward.
fn sums(session: &Session, direction: MLRecurrentNetworkDirection, place: usize, initial: Option<&Data>) -> Vec<f32> {
    let directions = if direction == MLRecurrentNetworkDirection::Both { 2 } else { 1 };
    let of_all = |each: &[f32]| each[..each.len() / 2 * directions as usize].to_vec();
    let mut inputs = vec![
        f32s(&[2, 1, 1], &[1.0, 10.0]),
        f32s(&[directions, 3, 1], &of_all(&[0.0, 0.0, 1.0, 0.0, 0.0, 2.0])),
        f32s(&[directions, 3, 1], &of_all(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0])),
        f32s(&[directions, 3], &of_all(&[0.0, 1.0, 0.0, 0.0, 1.0, 0.0])),
    ];
    inputs.extend(initial.cloned());
    session.run_f32(&inputs, |b, x| {
        let options = MLGruOptions {
            bias: Some(x[3].clone()),
            initial_hidden_state: x.get(4).cloned(),
            return_sequence: true,
            direction,
            activations: Some(vec![Relu, Relu]),
            ..MLGruOptions::default()
        };
        Ok(b.gru(&x[0], &x[1], &x[2], 2, 1, &options)?.swap_remove(place))
    })
}

#[test]
fn a_gru_in_each_direction() {
    let Some(session) = session() else { return };
    use MLRecurrentNetworkDirection::{Backward, Both, Forward};
    assert_same(&sums(&session, Forward, 0, None), &[11.0]);
    assert_same(&sums(&session, Forward, 1, None), &[1.0, 11.0]);
    assert_same(&sums(&session, Backward, 0, None), &[11.0]);
    assert_same(&sums(&session, Backward, 1, None), &[11.0, 10.0]);
    assert_same(&sums(&session, Both, 0, None), &[11.0, 22.0]);
    assert_same(&sums(&session, Both, 1, None), &[1.0, 22.0, 11.0, 20.0]);
    let initial = f32s(&[2, 1, 1], &[100.0, 1000.0]);
    assert_same(&sums(&session, Both, 0, Some(&initial)), &[111.0, 1022.0]);
}

/// x = 2, h = 0, c, all weights 1.
fn lstm_cell(session: &Session, c: f32, peephole: Option<&[f32]>, layout: MLLstmWeightLayout) -> [Vec<f32>; 2] {
    [0, 1].map(|place| {
        let mut inputs = vec![
            f32s(&[1, 1], &[2.0]),
            f32s(&[4, 1], &[1.0, 2.0, 3.0, 4.0]),
            f32s(&[4, 1], &[1.0; 4]),
            f32s(&[1, 1], &[0.0]),
            f32s(&[1, 1], &[c]),
        ];
        inputs.extend(peephole.map(|weight| f32s(&[3], weight)));
        session.run_f32(&inputs, |b, x| {
            let options = MLLstmCellOptions {
                peephole_weight: x.get(5).cloned(),
                layout,
                activations: Some(vec![Relu; 3]),
                ..MLLstmCellOptions::default()
            };
            Ok(b.lstm_cell(&x[0], &x[1], &x[2], [&x[3], &x[4]], 1, &options)?.swap_remove(place))
        })
    })
}

#[test]
fn an_lstm_cell() {
    let Some(session) = session() else { return };
    let inf = f32::INFINITY;
    // i = 2, o = 4, f = 6, g = 8: c' = 6 * 3 + 2 * 8, h' = 4 * c'
    assert_eq!(lstm_cell(&session, 3.0, None, MLLstmWeightLayout::Iofg), [[136.0], [34.0]]);
    // i = 2, f = 4, g = 6, o = 8: c' = 4 * 3 + 2 * 6, h' = 8 * c'
    assert_eq!(lstm_cell(&session, 3.0, None, MLLstmWeightLayout::Ifgo), [[192.0], [24.0]]);
    // i = 2 + 3, o = 4 + 6, f = 6 - 3, in the order of the peepholes whatever the layout.
    let peephole = Some([1.0, 2.0, -1.0].as_slice());
    assert_eq!(lstm_cell(&session, 3.0, peephole, MLLstmWeightLayout::Iofg), [[490.0], [49.0]]);
    // i = 5, f = 4 - 3, g = 6, o = 8 + 6
    assert_eq!(lstm_cell(&session, 3.0, peephole, MLLstmWeightLayout::Ifgo), [[462.0], [33.0]]);
    // A peephole that is not given is not 0 times an infinite state.
    assert_eq!(lstm_cell(&session, inf, None, MLLstmWeightLayout::Iofg), [[inf], [inf]]);
}

#[test]
fn an_lstm_of_halves() {
    let Some(session) = session() else { return };
    let run = |place: usize| {
        let inputs = [
            small(Float16, &[3, 1, 1], &[1, 2, 3]),
            small(Float16, &[1, 4, 1], &[0, 0, 0, 1]),
            small(Float16, &[1, 4, 1], &[0; 4]),
            small(Float16, &[1, 4], &[1, 1, 1, 0]),
            small(Float16, &[1, 1, 1], &[10]),
        ];
        let bytes = session.run(&inputs, |b, x| {
            let options = MLLstmOptions {
                bias: Some(x[3].clone()),
                initial_cell_state: Some(x[4].clone()),
                return_sequence: true,
                activations: Some(vec![Relu; 3]),
                ..MLLstmOptions::default()
            };
            Ok(b.lstm(&x[0], &x[1], &x[2], 3, 1, &options)?.swap_remove(place))
        });
        of_bytes(&bytes, half::f16::from_le_bytes).into_iter().map(half::f16::to_f32).collect::<Vec<_>>()
    };
    assert_same(&run(0), &[16.0]);
    assert_same(&run(1), &[16.0]);
    assert_same(&run(2), &[11.0, 13.0, 16.0]);
}

/// Longer than one invocation sums up.
#[test]
fn a_long_input() {
    let Some(session) = session() else { return };
    let n = 10_001;
    let inputs = [
        f32s(&[1, n], &vec![1.0; n as usize]),
        f32s(&[3, n], &[vec![0.0; 2 * n as usize], vec![0.5; n as usize]].concat()),
        f32s(&[3, 1], &[0.0; 3]),
        f32s(&[1, 1], &[0.0]),
    ];
    let got = session.run_f32(&inputs, |b, x| {
        let options = MLGruCellOptions { activations: Some(vec![Relu, Relu]), ..MLGruCellOptions::default() };
        b.gru_cell(&x[0], &x[1], &x[2], &x[3], 1, &options)
    });
    assert_same(&got, &[5000.5]);
}
