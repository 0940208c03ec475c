//! resample2d: <https://www.w3.org/TR/webnn/#api-mlgraphbuilder-resample2d-method>.
//!
//! Along each axis a table says, for each place of the output, which elements of the input lie before and after it, and
//! how far it is from the first to the second, as a fraction in lowest terms. The nearest element is moved as bits.
//! Linearly, the four elements are multiplied by whole numbers and their sum is divided by the denominators once, so
//! that nothing is lost where elements cancel; 8-bit integers are rounded from that to the nearest, the even one of two.

use webnn_reference::ops::resample2d::{MLInterpolationMode, Resample2d};

use crate::kernels::name;
use crate::lower::{Lowered, Lowering, Tensor};
use crate::wgsl::{Input, Kernel, Lane, Params, View, row_major};

pub(crate) fn lower(to: &mut Lowering<'_>, operation: &Resample2d, inputs: &[Tensor], output: &Tensor) -> Lowered {
    let input = &inputs[0];
    let linear = operation.mode == MLInterpolationMode::Linear;
    let axes = operation.axes.map(|axis| axis as usize);
    let strides = row_major(&input.shape);
    let along = axes.map(|axis| Along {
        input: input.shape[axis],
        output: output.shape[axis],
        // Below 2^31, like all elements.
        stride: strides[axis] as u32,
    });
    let table = to.table(along.iter().flat_map(|axis| axis.table(linear)).collect());
    let mut others = strides.clone();
    axes.iter().for_each(|axis| others[*axis] = 0);
    let output_strides = row_major(&output.shape);
    let params = Params::new()
        .view("base", View::new(&output.shape, &others, 0).collapsed())
        .list("sizes", 2, &axes.map(|axis| output.shape[axis]))
        .list("strides", 2, &axes.map(|axis| output_strides[axis] as u32));
    let (input, output) = if linear { (input.clone(), output.clone()) } else { (input.raw(), output.raw()) };
    let operation = if linear { "resample between" } else { "resample nearest" };
    let kernel = Kernel {
        name: name(operation, input.lane),
        inputs: vec![Input::new("a", input.lane), Input::new("table", table.lane)],
        output: output.lane,
        params,
        body: body(linear, input.lane),
    };
    to.run(&kernel, &[&input, &table], &output)
}

/// One of the two axes.
#[derive(Clone, Copy, Debug)]
struct Along {
    input: u32,
    output: u32,
    stride: u32,
}

impl Along {
    /// For each place: the nearest element; or the elements on both sides, and the fraction: its numerator, what is left
    /// of the denominator, and the denominator, all as pairs of floats.
    fn table(self, linear: bool) -> Vec<u32> {
        let words = (0..i64::from(self.output)).flat_map(|place| {
            let (numerator, denominator) = self.coordinate(place);
            let (floor, rest) = (numerator / denominator, numerator % denominator);
            let offset = |index: i64| index as u32 * self.stride;
            if !linear {
                // ceil(coordinate - 1/2): the lower one of two.
                return vec![offset(floor + i64::from(2 * rest > denominator))];
            }
            let common = greatest_common_divisor(rest, denominator);
            let next = floor + i64::from(rest > 0);
            let (down, all) = (rest / common, denominator / common);
            let fraction = [down, all - down, all].into_iter().flat_map(pair);
            [offset(floor), offset(next)].into_iter().chain(fraction).collect()
        });
        words.collect()
    }

    /// clamp((place + 0.5) / scale - 0.5, 0, input - 1) as a fraction.
    fn coordinate(self, place: i64) -> (i64, i64) {
        let (input, output) = (i64::from(self.input), i64::from(self.output));
        let numerator = i128::from(2 * place + 1) * i128::from(input) - i128::from(output);
        let denominator = 2 * output;
        // Both are below 2^63: 2^31 places of 2^31 elements.
        let last = i128::from(input - 1) * i128::from(denominator);
        (numerator.clamp(0, last) as i64, denominator)
    }
}

/// The bits of a whole number below 2^48 as a sum of two floats.
fn pair(number: i64) -> [u32; 2] {
    let high = number as f32;
    [high, (number - high as i64) as f32].map(f32::to_bits)
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn body(linear: bool, lane: Lane) -> String {
    let result = lane.arithmetic();
    if !linear {
        return format!(
            "fn element(i: u32) -> {result} {{\n    \
                 let row = (i / strides(0u)) % sizes(0u);\n    \
                 let column = (i / strides(1u)) % sizes(1u);\n    \
                 return a(base(i) + table(row) + table(sizes(0u) + column));\n\
             }}\n"
        );
    }
    // Eight bits are exact in any conversion, and the library's own would be written out four times.
    let (number, value) = match lane {
        Lane::I8 => ("f32", "resample_integer(s, denominator)"),
        Lane::U8 => ("f32", "bitcast<u32>(resample_integer(s, denominator))"),
        _ => ("", "resample_value(s, denominator)"),
    };
    let add = if lane == Lane::F32 { "resample_add" } else { "resample_add_short" };
    format!(
        "fn element(i: u32) -> {result} {{\n    \
             let row = 8u * ((i / strides(0u)) % sizes(0u));\n    \
             let column = 8u * (sizes(0u) + (i / strides(1u)) % sizes(1u));\n    \
             let at = base(i);\n    \
             let upper = at + table(row);\n    \
             let lower = at + table(row + 1u);\n    \
             let left = table(column);\n    \
             let right = table(column + 1u);\n    \
             let down = pair_at(row + 2u);\n    \
             let across = pair_at(column + 2u);\n    \
             let up = pair_at(row + 4u);\n    \
             let back = pair_at(column + 4u);\n    \
             var s = sum_empty();\n    \
             s = {add}(s, {number}(a(upper + left)), up, back);\n    \
             s = {add}(s, {number}(a(upper + right)), up, across);\n    \
             s = {add}(s, {number}(a(lower + left)), down, back);\n    \
             s = {add}(s, {number}(a(lower + right)), down, across);\n    \
             let denominator = pair_mul(pair_at(row + 6u), pair_at(column + 6u));\n    \
             return {value};\n\
         }}\n\
         fn pair_at(place: u32) -> Pair {{\n    \
             return Pair(f32_of(table(place)), f32_of(table(place + 1u)));\n\
         }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_between_elements() {
        // 0 and 1, twice as large: 0, 1/4, 3/4 and 1, in strides of 5.
        let along = Along { input: 2, output: 4, stride: 5 };
        let [one, three, four] = [1.0_f32, 3.0, 4.0].map(f32::to_bits);
        let rows = [[0, 0, 0, one, one], [0, 5, one, three, four], [0, 5, three, one, four], [5, 5, 0, one, one]];
        let words = rows.into_iter().flat_map(|[a, b, down, up, all]| [a, b, down, 0, up, 0, all, 0]);
        assert_eq!(along.table(true), words.collect::<Vec<_>>());
        assert_eq!(along.table(false), [0, 0, 5, 5]);
        // Half as large: each between two, of which the nearest is the lower.
        let along = Along { input: 4, output: 2, stride: 1 };
        let two = 2.0_f32.to_bits();
        assert_eq!(along.table(true), [0, 1, one, 0, one, 0, two, 0, 2, 3, one, 0, one, 0, two, 0]);
        assert_eq!(along.table(false), [0, 2]);
    }
}
