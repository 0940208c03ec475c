//! Results that are what they are: no honest implementation has another.

use webnn_reference::derived_bound::{Allowance, Ranges};
use webnn_reference::exception::Result;
use webnn_reference::ops::argminmax::MLArgMinMaxOptions;
use webnn_reference::ops::reduce::MLReduceOptions;

use crate::bounded::{constant, o, output, outputs};
use crate::hardware::Chance;

#[test]
fn a_graph_of_exact_operators_has_no_bound() -> Result<()> {
    let mut chance = Chance(29);
    let x: Vec<f32> = chance.numbers(24);
    let outputs = outputs(Allowance { flushes_subnormals: true }, |b| {
        let x = constant(b, &[2, 3, 4], &x);
        let y = b.transpose(&b.relu(&b.neg(&x, &o())?, &o())?, &Default::default())?;
        let z = b.concat(&[b.reshape(&y, &[24], &o())?, b.floor(&b.reshape(&x, &[24], &o())?, &o())?], 0, &o())?;
        let index = b.arg_max(&z, 0, &MLArgMinMaxOptions::default())?;
        let gathered = b.gather(&z, &index, &Default::default())?;
        let greater = b.greater(&x, &constant(b, &[], &[0.5f32]), &o())?;
        let chosen = b.where_(&greater, &x, &b.abs(&x, &o())?, &o())?;
        let integers = b.cast(&x, webnn_reference::data_type::MLOperandDataType::Int32, &o())?;
        let sum = b.reduce_sum(&integers, &MLReduceOptions::default())?;
        Ok(vec![gathered, chosen, sum, b.reduce_max(&x, &MLReduceOptions::default())?])
    })?;
    for output in outputs {
        assert!(matches!(*output.ranges, Ranges::Exact));
    }
    Ok(())
}

#[test]
fn results_that_the_type_holds_are_exact() -> Result<()> {
    let y = output(|b| b.mul(&constant(b, &[2], &[3f32, 0.5]), &constant(b, &[2], &[7f32, -4.0]), &o()))?;
    assert!(matches!(*y.ranges, Ranges::Exact));
    let y = output(|b| b.add(&constant(b, &[1], &[1f32]), &constant(b, &[1], &[1e-9f32]), &o()))?;
    assert!(y.holds(0, 1.0) && !y.holds(0, 1.0 + f64::powi(2.0, -22)));
    Ok(())
}
