//! Arguments of the operators that normalize, resample and convolve backwards, and of prelu.

use webnn_reference::idl::Value;

use super::{Arguments, Shapes, number, numbers};

/// How many ways there are to call an operator, if it is one of these.
pub(super) fn variants(name: &str) -> Option<usize> {
    match name {
        // Without and with the optional operands; the two modes.
        "batchNormalization" | "instanceNormalization" | "layerNormalization" | "convTranspose2d" | "resample2d" => {
            Some(2)
        }
        _ => None,
    }
}

impl Arguments<'_> {
    /// The argument, if the operator is one of these.
    pub(super) fn of_layers(&self, parameter: &str) -> Option<Value> {
        let (any, image) = (self.shapes.any(), self.shapes.image());
        match (self.name, parameter) {
            ("convTranspose2d", "filter") => {
                let [_, channels, height, width] = image;
                Some(self.operand(parameter, &[channels, 3, height.min(1000), width.min(900)]))
            }
            ("convTranspose2d" | "instanceNormalization" | "resample2d", "input") => {
                Some(self.operand(parameter, &image))
            }
            ("batchNormalization", "mean" | "variance") => Some(self.operand(parameter, &any[1..2])),
            ("prelu", "slope") => Some(self.operand(parameter, &any[any.len() - 1..])),
            _ => None,
        }
    }

    /// The options, if the operator is one of these.
    pub(super) fn options_of_layers(&self) -> Option<Vec<(String, Value)>> {
        let (any, image) = (self.shapes.any(), self.shapes.image());
        let others = self.shapes == Shapes::Others;
        let affine = |shape: &[u32]| {
            let given = ["scale", "bias"].map(|name| (name.to_owned(), self.operand(name, shape)));
            Some(if self.variant == 1 { given.to_vec() } else { Vec::new() })
        };
        match self.name {
            "batchNormalization" => affine(&any[1..2]),
            "instanceNormalization" => affine(&image[1..2]),
            "layerNormalization" => affine(&any[1..]),
            "convTranspose2d" => {
                let steps = if others { 3 } else { 2 };
                let bias = || ("bias".to_owned(), self.operand("bias", &[3]));
                // Many terms for each of fewer elements.
                let padding = || ("padding".to_owned(), numbers(&[999, 999, 899, 899]));
                Some(match (self.variant, self.is_many()) {
                    (0, false) => Vec::new(),
                    (_, false) => vec![("strides".to_owned(), numbers(&[steps, 1])), bias()],
                    (0, true) => vec![padding()],
                    (_, true) => vec![padding(), bias()],
                })
            }
            "resample2d" => {
                let mode = ["nearest-neighbor", "linear"][self.variant];
                let scale = number(if others { 3 } else { 2 });
                let scales = Value::Sequence(vec![scale, number(1)]);
                Some(vec![("mode".to_owned(), Value::String(mode.to_owned())), ("scales".to_owned(), scales)])
            }
            _ => None,
        }
    }
}
