//! gruCell: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell>.

use std::iter::once;

use ndarray::ArrayD;

use crate::builder::MLGraphBuilder;
use crate::descriptor::{MLOperandDescriptor, is_valid_dimension};
use crate::exception::Result;
use crate::idl::{Members, Options};
use crate::limits::{DataTypes, FLOATS, OperandLimits, Ranks, TensorLimits};
use crate::number::{Float, sum};
use crate::operand::{MLOperand, OperandId};
use crate::ops::gru::{
    MLGruWeightLayout, MLRecurrentNetworkActivation, ensure_data_types, ensure_ranks, ensure_shape, item,
    optional_numbers, rounded,
};
use crate::ops::{Bound, Operation, OperatorRow};
use crate::value::{Computed, FloatStored, numbers, reserved};
use crate::{algorithm, for_float_type, step, throw};

/// <https://www.w3.org/TR/webnn/#dictdef-mlgrucelloptions>
#[derive(Clone, Debug)]
pub struct MLGruCellOptions {
    /// The operator's label.
    pub label: String,
    /// What is added to the input's part of each gate; nothing if not given.
    pub bias: Option<MLOperand>,
    /// What is added to the hidden state's part of each gate; nothing if not given.
    pub recurrent_bias: Option<MLOperand>,
    /// Whether the reset gate is applied after the matrix multiplication, or before it.
    pub reset_after: bool,
    /// The order of the gates in weights and biases.
    pub layout: MLGruWeightLayout,
    /// The functions of the update and reset gates and of the new gate; sigmoid and tanh if not given.
    pub activations: Option<Vec<MLRecurrentNetworkActivation>>,
}

impl Default for MLGruCellOptions {
    fn default() -> Self {
        Self {
            label: String::new(),
            bias: None,
            recurrent_bias: None,
            reset_after: true,
            layout: MLGruWeightLayout::default(),
            activations: None,
        }
    }
}

impl Options for MLGruCellOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self {
            label: members.label()?,
            bias: members.optional("bias")?,
            recurrent_bias: members.optional("recurrentBias")?,
            reset_after: members.or("resetAfter", true)?,
            layout: members.or("layout", MLGruWeightLayout::default())?,
            activations: members.optional("activations")?,
        })
    }
}

/// <https://www.w3.org/TR/webnn/#tensor-limits-gruCell>
pub const LIMITS: TensorLimits = TensorLimits {
    table: "tensor-limits-gruCell",
    rows: &[
        OperandLimits {
            operand: "input",
            allowed_data_types: DataTypes::Only(FLOATS),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "weight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "recurrentWeight",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "hiddenState",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
        OperandLimits {
            operand: "bias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "recurrentBias",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(1, 1),
            required_ranks: (1, 1),
        },
        OperandLimits {
            operand: "output",
            allowed_data_types: DataTypes::SameAs("input"),
            required_data_types: FLOATS,
            allowed_ranks: Ranks::Between(2, 2),
            required_ranks: (2, 2),
        },
    ],
};

/// gruCell
pub const GRU_CELL: OperatorRow = OperatorRow {
    name: "gruCell",
    section: "api-mlgraphbuilder-grucell",
    parameters: &["input", "weight", "recurrentWeight", "hiddenState", "hiddenSize", "options"],
    call: |b, x| {
        let (input, weight, recurrent_weight) = (x.get("input")?, x.get("weight")?, x.get("recurrentWeight")?);
        let (hidden_state, hidden_size) = (x.get("hiddenState")?, x.get("hiddenSize")?);
        Ok(vec![b.gru_cell(&input, &weight, &recurrent_weight, &hidden_state, hidden_size, &x.options()?)?])
    },
    limits: &LIMITS,
};

/// The parameters of a gruCell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GruCell {
    /// What is added to the input's part of each gate, after the required operands among the operator's inputs.
    pub bias: Option<OperandId>,
    /// What is added to the hidden state's part of each gate.
    pub recurrent_bias: Option<OperandId>,
    /// The size of the hidden state.
    pub hidden_size: u32,
    /// Whether the reset gate is applied after the matrix multiplication, or before it.
    pub reset_after: bool,
    /// The order of the gates in weights and biases.
    pub layout: MLGruWeightLayout,
    /// The functions of the update and reset gates and of the new gate.
    pub activations: [MLRecurrentNetworkActivation; 2],
}

impl MLGraphBuilder {
    /// <https://www.w3.org/TR/webnn/#dom-mlgraphbuilder-grucell>
    ///
    /// # Errors
    /// InvalidStateError if the builder can not build, TypeError if an operand belongs to another builder, its data
    /// type or rank is not allowed, the shapes do not fit one another, or there are not two activations.
    pub fn gru_cell(
        &self,
        input: &MLOperand,
        weight: &MLOperand,
        recurrent_weight: &MLOperand,
        hidden_state: &MLOperand,
        hidden_size: u32,
        options: &MLGruCellOptions,
    ) -> Result<MLOperand> {
        algorithm!(
            "MLGraphBuilder.gruCell(input, weight, recurrentWeight, hiddenState, hiddenSize, options)",
            self,
            options.label
        );
        step!("1");
        self.ensure_can_build()?;
        step!("2");
        let optional_operands = || options.bias.iter().chain(&options.recurrent_bias);
        let operands = [input, weight, recurrent_weight, hidden_state];
        self.ensure_operands(operands.into_iter().chain(optional_operands()))?;
        step!("3");
        let required_operands = [
            ("input", input),
            ("weight", weight),
            ("recurrentWeight", recurrent_weight),
            ("hiddenState", hidden_state),
        ];
        ensure_data_types(&LIMITS, &required_operands, input)?;
        step!("4");
        ensure_ranks(&LIMITS, &required_operands)?;
        step!("5");
        let batch_size = input.shape()[0];
        step!("6");
        let input_size = input.shape()[1];
        let [batches, inputs, hidden] = [batch_size, input_size, hidden_size].map(u64::from);
        step!("7");
        ensure_shape("weight", weight, &[3 * hidden, inputs])?;
        step!("8");
        ensure_shape("recurrentWeight", recurrent_weight, &[3 * hidden, hidden])?;
        step!("9");
        ensure_shape("hiddenState", hidden_state, &[batches, hidden])?;
        step!("10");
        if !is_valid_dimension(hidden * 6) {
            throw!(TypeError, "6 times {hidden_size} is no valid dimension");
        }
        step!("11");
        if let Some(bias) = &options.bias {
            step!("11.1");
            ensure_data_types(&LIMITS, &[("bias", bias)], input)?;
            step!("11.2");
            ensure_shape("bias", bias, &[3 * hidden])?;
        }
        step!("12");
        if let Some(recurrent_bias) = &options.recurrent_bias {
            step!("12.1");
            ensure_data_types(&LIMITS, &[("recurrentBias", recurrent_bias)], input)?;
            step!("12.2");
            ensure_shape("recurrentBias", recurrent_bias, &[3 * hidden])?;
        }
        step!("13");
        let activations = if let Some(activations) = &options.activations {
            step!("13.1");
            let Ok(activations) = <[_; 2]>::try_from(activations.as_slice()) else {
                throw!(TypeError, "activations needs 2 items, not {}", activations.len());
            };
            step!("13.2");
            activations
        } else {
            step!("14");
            step!("14.1");
            [MLRecurrentNetworkActivation::Sigmoid, MLRecurrentNetworkActivation::Tanh]
        };
        step!("15");
        let desc = MLOperandDescriptor::create(input.data_type(), &[batch_size, hidden_size]);
        step!("16");
        step!("16.1");
        let output = self.create_operand(desc);
        step!("16.2");
        let gru_cell = GruCell {
            bias: options.bias.as_ref().map(MLOperand::id),
            recurrent_bias: options.recurrent_bias.as_ref().map(MLOperand::id),
            hidden_size,
            reset_after: options.reset_after,
            layout: options.layout,
            activations,
        };
        let operator = self.create_operator(Operation::GruCell(gru_cell), &options.label);
        step!("16.3");
        output.set_operator(operator);
        step!("16.4");
        self.set_inputs(operator, operands);
        step!("16.5");
        step!("16.6");
        for operand in optional_operands() {
            self.add_input(operator, operand);
        }
        step!("16.7"); // BY TYPE: the activations are parameters of the operation.
        step!("16.8");
        self.set_outputs(operator, [&output]);
        step!("17");
        Ok(output)
    }
}

/// The weights of one direction, and how they are used.
pub(super) struct Cell<'a> {
    pub(super) weight: &'a [Float],
    pub(super) recurrent_weight: &'a [Float],
    pub(super) bias: Option<&'a [Float]>,
    pub(super) recurrent_bias: Option<&'a [Float]>,
    pub(super) reset_after: bool,
    pub(super) layout: MLGruWeightLayout,
    pub(super) activations: [MLRecurrentNetworkActivation; 2],
}

/// What a row of a matrix and a vector are summed up from, to make their product.
pub(super) fn products<'a>(matrix: &'a [Float], row: usize, vector: &'a [Float]) -> impl Iterator<Item = Float> + 'a {
    let row = &matrix[row * vector.len()..];
    row.iter().zip(vector).map(|(weight, number)| weight * number)
}

impl Cell<'_> {
    /// The hidden state after one step, of one batch, as the section's emulation has it:
    ///
    /// z = f(W_z x + b_z + R_z h + c_z), r = f(W_r x + b_r + R_r h + c_r),
    /// n = g(W_n x + b_n + r (R_n h + c_n)) if the reset comes after, else n = g(W_n x + b_n + R_n (r h) + c_n),
    /// h' = z h + (1 - z) n, with b for the bias and c for the recurrent bias.
    pub(super) fn step(&self, input: &[Float], hidden: &[Float]) -> Vec<Float> {
        let [update, reset, new] = self.layout.places().map(|place| place * hidden.len());
        let [of_gates, of_new] = self.activations;
        let from_input =
            |row: usize| self.bias.map(|bias| bias[row]).into_iter().chain(products(self.weight, row, input));
        let from_hidden = |row: usize, hidden: &[Float]| {
            let bias = self.recurrent_bias.map(|bias| bias[row]);
            sum(bias.into_iter().chain(products(self.recurrent_weight, row, hidden)))
        };
        let gate = |row| sum(from_input(row).chain(once(from_hidden(row, hidden))));
        let resets: Vec<Float> = (0..hidden.len()).map(|unit| of_gates.of(gate(reset + unit))).collect();
        let reset_hidden: Vec<Float> = resets.iter().zip(hidden).map(|(reset, hidden)| reset * hidden).collect();
        let unit = |unit: usize| {
            let from_hidden = if self.reset_after {
                resets[unit] * from_hidden(new + unit, hidden)
            } else {
                from_hidden(new + unit, &reset_hidden)
            };
            let n = of_new.of(sum(from_input(new + unit).chain(once(from_hidden))));
            let z = gate(update + unit);
            of_gates.of(z) * hidden[unit] + n * of_gates.complement_of(z)
        };
        (0..hidden.len()).map(unit).collect()
    }
}

impl GruCell {
    pub(super) fn compute(&self, bound: &Bound<'_>) -> Computed {
        for_float_type!(bound.input(0), input => self.one_step(input, bound))
    }

    fn one_step<T: FloatStored>(&self, input: &ArrayD<T>, bound: &Bound<'_>) -> Computed {
        let x = numbers(&input.view())?;
        let weight = numbers(&T::array(bound.input(1)).view())?;
        let recurrent_weight = numbers(&T::array(bound.input(2)).view())?;
        let hidden = numbers(&T::array(bound.input(3)).view())?;
        let bias = optional_numbers::<T>(bound, self.bias)?;
        let recurrent_bias = optional_numbers::<T>(bound, self.recurrent_bias)?;
        let cell = Cell {
            weight: &weight,
            recurrent_weight: &recurrent_weight,
            bias: bias.as_deref(),
            recurrent_bias: recurrent_bias.as_deref(),
            reset_after: self.reset_after,
            layout: self.layout,
            activations: self.activations,
        };
        let batches = input.shape()[0];
        let mut output = reserved(hidden.len())?;
        for batch in 0..batches {
            output.extend(cell.step(item(&x, batch, batches), item(&hidden, batch, batches)));
        }
        rounded::<T>(bound.output(), &output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trial::{builder, computed, constant, value, zeros};
    use crate::steps::Reading;
    use MLRecurrentNetworkActivation::{Relu, Tanh};

    /// One unit and one input: x = 2, h = 3, and each gate's weight, recurrent weight and biases of their own.
    fn cell(b: &MLGraphBuilder, options: MLGruCellOptions) -> Result<MLOperand> {
        let matrix = |elements: [f32; 3]| {
            let [z, r, n] = elements;
            constant(b, &[3, 1], &if options.layout == MLGruWeightLayout::Zrn { [z, r, n] } else { [r, z, n] })
        };
        let [x, h] = [2f32, 3.0].map(|number| constant(b, &[1, 1], &[number]));
        let options = MLGruCellOptions { activations: Some(vec![Relu, Relu]), ..options };
        b.gru_cell(&x, &matrix([-1.0, 1.0, 10.0]), &matrix([1.0, 1.0, 100.0]), &h, 1, &options)
    }

    #[test]
    fn the_gates_are_where_the_layout_says() -> Result<()> {
        for layout in MLGruWeightLayout::ALL {
            // z = -2 + 3, so that the hidden state stays as it is.
            let output = computed(|b| cell(b, MLGruCellOptions { layout, ..Default::default() }))?;
            assert_eq!(output, value(&[1, 1], &[3f32]));
        }
        Ok(())
    }

    #[test]
    fn the_reset_gate_is_applied_to_the_recurrent_bias_only_after_the_multiplication() -> Result<()> {
        for (reset_after, expected) in [(true, 6.0 - (20.0 + 5.0 * 307.0)), (false, 6.0 - (20.0 + 5.0 * 300.0 + 7.0))] {
            let output = computed(|b| {
                // z = -2 + 3 + 1 = 2, r = 2 + 3, and the new gate's recurrent bias is 7.
                let bias = Some(constant(b, &[3], &[1f32, 0.0, 0.0]));
                let recurrent_bias = Some(constant(b, &[3], &[0f32, 0.0, 7.0]));
                cell(b, MLGruCellOptions { bias, recurrent_bias, reset_after, ..Default::default() })
            })?;
            assert_eq!(output, value(&[1, 1], &[expected]));
        }
        Ok(())
    }

    #[test]
    fn the_new_gate_counts_even_where_the_update_gate_is_nearly_one() -> Result<()> {
        let output = computed(|b| {
            let (one, zero) = (constant(b, &[1, 1], &[1f32]), constant(b, &[1, 1], &[0f32]));
            let (weight, recurrent_weight) =
                (constant(b, &[3, 1], &[40f32, 0.0, 100.0]), constant(b, &[3, 1], &[0f32; 3]));
            b.gru_cell(&one, &weight, &recurrent_weight, &zero, 1, &MLGruCellOptions::default())
        })?;
        // mpmath: tanh(100) (1 - 1 / (1 + exp(-40)))
        assert_eq!(output, value(&[1, 1], &[4.248_354e-18f32]));
        Ok(())
    }

    #[test]
    fn the_shapes_follow_from_the_sizes() {
        let b = builder(Reading::Corrected);
        let (input, weight) = (zeros::<f32>(&b, &[2, 5]), zeros::<f32>(&b, &[9, 5]));
        let (recurrent_weight, hidden_state) = (zeros::<f32>(&b, &[9, 3]), zeros::<f32>(&b, &[2, 3]));
        let step = |hidden_state: &MLOperand, hidden_size, options: MLGruCellOptions| {
            b.gru_cell(&input, &weight, &recurrent_weight, hidden_state, hidden_size, &options).unwrap_err().step
        };
        assert_eq!(step(&zeros::<half::f16>(&b, &[2, 3]), 3, MLGruCellOptions::default()), "3");
        assert_eq!(step(&zeros::<f32>(&b, &[3]), 3, MLGruCellOptions::default()), "4");
        assert_eq!(step(&hidden_state, 2, MLGruCellOptions::default()), "7");
        assert_eq!(step(&input, 3, MLGruCellOptions::default()), "9");
        let bias = Some(zeros::<f32>(&b, &[1, 9]));
        assert_eq!(step(&hidden_state, 3, MLGruCellOptions { bias: bias.clone(), ..Default::default() }), "11.2");
        assert_eq!(step(&hidden_state, 3, MLGruCellOptions { recurrent_bias: bias, ..Default::default() }), "12.2");
        let activations = Some(vec![Tanh; 3]);
        assert_eq!(step(&hidden_state, 3, MLGruCellOptions { activations, ..Default::default() }), "13.1");
        let swapped = b.gru_cell(&input, &weight, &weight, &hidden_state, 3, &MLGruCellOptions::default());
        assert_eq!(swapped.unwrap_err().step, "8");
    }
}
