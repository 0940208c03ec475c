//! The template of normalizations: scale * (x - mean) / sqrt(variance + epsilon) + bias.
//!
//! Means and the inverses of deviations come from scratch tensors, one of each for every layer, a layer being what is
//! normalized together. The last dispatch is the same for all: from an element, views find its layer, and its scale and
//! bias, which are tables of one number where they are not given.

use webnn_reference::operand::OperandId;

use crate::kernels::accumulate::{self, NORM, Part, SUM};
use crate::kernels::name;
use crate::kernels::reduce::Runs;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, Params, Scalar, View, row_major};

/// What each layer is normalized by.
pub(super) struct Statistics {
    /// Means, as pairs.
    pub(super) means: Tensor,
    /// 1 / sqrt(variance + epsilon), each a pair and an exponent.
    pub(super) inverses: Tensor,
}

/// Scale and bias, in the order in which the operator has them as inputs.
pub(super) struct Affine {
    scale: Option<Tensor>,
    bias: Option<Tensor>,
    /// The input's axes that scale and bias have, in their order.
    axes: Vec<u32>,
}

impl Affine {
    /// Those of an operator whose inputs, from the first optional one on, are these.
    pub(super) fn new(optional: &[Tensor], given: [Option<OperandId>; 2], axes: &[u32]) -> Self {
        let mut optional = optional.iter();
        let [scale, bias] = given.map(|operand| operand.and_then(|_| optional.next().cloned()));
        Self { scale, bias, axes: axes.to_vec() }
    }

    /// The tensor and where each element of the input finds its number; a table with the default if it is not given.
    fn numbers(&self, to: &mut Lowering<'_>, given: Option<&Tensor>, default: f32, input: &Tensor) -> (Tensor, View) {
        let mut strides = vec![0; input.shape.len()];
        if let Some(tensor) = given {
            for (axis, stride) in self.axes.iter().zip(row_major(&tensor.shape)) {
                strides[*axis as usize] = stride;
            }
        }
        let tensor = given.cloned().unwrap_or_else(|| {
            let word = match input.lane {
                Lane::F16 => u32::from(half::f16::from_f32(default).to_bits()),
                _ => default.to_bits(),
            };
            Tensor { lane: input.lane, ..to.table(vec![word]) }
        });
        (tensor, View::new(&input.shape, &strides, 0).collapsed())
    }
}

/// The statistics of layers along `axes`.
pub(super) fn statistics(to: &mut Lowering<'_>, input: &Tensor, axes: &[u32], epsilon: f64) -> Lowered<Statistics> {
    let layers = Runs::new(input, axes);
    let length = axes.iter().map(|axis| input.shape[*axis as usize]).product::<u32>();
    let params = Params::new().number("length", length);
    let means = to.scratch(Lane::Bits128, &[layers.count()])?;
    let finish = Part {
        params: params.clone(),
        text: "fn finish(o: u32, s: Sum) -> vec4<u32> { return pair_words(sum_mean_pair(s, length())); }\n".to_owned(),
        ..Part::default()
    };
    let terms = layers.terms(&name("mean", input.lane), SUM, "sum_add(s, x)");
    accumulate::lower(to, &terms, &finish, &means)?;

    let inverses = to.scratch(Lane::Bits128, &[layers.count()])?;
    let finish = Part {
        params: params.scalar("epsilon", Scalar::F32(epsilon as f32)),
        text: "fn finish(o: u32, s: Norm) -> vec4<u32> {\n    \
                   return scaled_words(deviation_inverse(norm_over_count(s, length()), epsilon()));\n\
               }\n"
        .to_owned(),
        ..Part::default()
    };
    let add = "norm_add_difference(s, difference(x, mean))";
    let mut terms = layers.terms(&name("variance", input.lane), NORM, add);
    terms.part.text = terms.part.text.replacen("    var s", "    let mean = words_pair(means(o));\n    var s", 1);
    terms.part.inputs.push(means.named("means"));
    accumulate::lower(to, &terms, &finish, &inverses)?;
    Ok(Statistics { means, inverses })
}

/// From an element to its layer along `axes`: these have stride 0, and the others are those of a tensor without them.
pub(super) fn layer_of_element(shape: &[u32], axes: &[u32]) -> View {
    let mut layers = shape.to_vec();
    for axis in axes {
        layers[*axis as usize] = 1;
    }
    let mut strides = row_major(&layers);
    for axis in axes {
        strides[*axis as usize] = 0;
    }
    View::new(shape, &strides, 0)
}

/// Normalizes each element by its layer's statistics.
pub(super) fn normalize(
    to: &mut Lowering<'_>,
    input: &Tensor,
    statistics: &Statistics,
    layer: &View,
    affine: &Affine,
    output: &Tensor,
) -> Lowered {
    let (scale, scale_at) = affine.numbers(to, affine.scale.as_ref(), 1.0, input);
    let (bias, bias_at) = affine.numbers(to, affine.bias.as_ref(), 0.0, input);
    let inputs = [
        ("a", input),
        ("means", &statistics.means),
        ("inverses", &statistics.inverses),
        ("scale", &scale),
        ("bias", &bias),
    ];
    let kernel = Kernel {
        name: name("normalize", input.lane),
        inputs: inputs.iter().map(|(name, tensor)| Input::new(name, tensor.lane)).collect(),
        output: output.lane,
        params: Params::new().view("layer", layer.collapsed()).view("scale_at", scale_at).view("bias_at", bias_at),
        body: WGSL.to_owned(),
    };
    to.run(&kernel, &inputs.map(|(_, tensor)| tensor), output)
}

const WGSL: &str = "\
fn element(i: u32) -> f32 {
    let o = layer(i);
    let q = normalized(difference(a(i), words_pair(means(o))), words_scaled(inverses(o)));
    return sum_scaled(Sum(q, Pair(0.0, 0.0)), scale(scale_at(i)), 1.0, bias(bias_at(i)));
}
";
