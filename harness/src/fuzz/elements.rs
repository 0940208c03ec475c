//! The elements of the inputs and constants of random graphs.

use half::f16;
use webnn_vectors::{DataType, Number};

use super::random::Random;

/// What an operand is for, which says what its elements may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Anything.
    Any,
    /// Weights: between -1 and 1, now and then anything.
    Weights,
    /// Variances and scales: above 0, now and then anything.
    Positive,
    /// Truth values.
    Truth,
    /// Indices into so many elements, from either end; now and then out of range.
    Indices(u32),
}

/// How the elements of one tensor are drawn.
#[derive(Clone, Copy, Debug)]
enum Mood {
    /// Numbers of every mantissa, between these.
    Within(f64, f64),
    /// Small whole numbers and halves: ties, equal elements, zeros.
    Halves,
    /// Of any magnitude.
    Wide,
    /// Among the others NaN, infinities, -0, subnormals and the ends of the range.
    Special,
    /// All bits at random.
    Bits,
}

/// As many elements as asked for.
pub(crate) fn elements(random: &mut Random, data_type: DataType, purpose: Purpose, count: usize) -> Vec<Number> {
    let mood = mood(random, purpose);
    (0..count).map(|_| element(random, data_type, purpose, mood)).collect()
}

fn mood(random: &mut Random, purpose: Purpose) -> Mood {
    let usual = match purpose {
        Purpose::Any | Purpose::Truth | Purpose::Indices(_) => Mood::Within(-4.0, 4.0),
        Purpose::Weights => Mood::Within(-1.0, 1.0),
        Purpose::Positive => Mood::Within(0.125, 4.0),
    };
    match random.below(32) {
        0 | 1 => Mood::Special,
        2 => Mood::Wide,
        3 if purpose == Purpose::Any => Mood::Bits,
        4..12 if purpose == Purpose::Any => Mood::Halves,
        _ => usual,
    }
}

fn element(random: &mut Random, data_type: DataType, purpose: Purpose, mood: Mood) -> Number {
    match (purpose, mood) {
        (Purpose::Truth, _) => Number::Integer(i128::from(random.choose(&[0u8, 1, 1, 0, 2, 100]))),
        (Purpose::Indices(_), Mood::Wide | Mood::Special) => integer(random, data_type, mood),
        (Purpose::Indices(size), _) => index(random, data_type, i128::from(size)),
        _ if is_float(data_type) => Number::Float(float(random, data_type, mood)),
        _ => integer(random, data_type, mood),
    }
}

/// Whether the type is a floating point type.
pub(crate) fn is_float(data_type: DataType) -> bool {
    matches!(data_type, DataType::Float32 | DataType::Float16)
}

fn index(random: &mut Random, data_type: DataType, size: i128) -> Number {
    let index = random.below(size as usize) as i128;
    let from_the_end = range(data_type).0 < 0 && random.one_in(3);
    Number::Integer(if from_the_end { index - size } else { index })
}

/// The nearest number of the type.
fn rounded(data_type: DataType, number: f64) -> f64 {
    if data_type == DataType::Float16 { f16::from_f64(number).to_f64() } else { f64::from(number as f32) }
}

fn float(random: &mut Random, data_type: DataType, mood: Mood) -> f64 {
    let number = match mood {
        Mood::Within(low, high) => random.real(low, high),
        Mood::Halves => f64::from(random.between(0, 12)) * 0.5 - 3.0,
        Mood::Wide => {
            let exponent = if data_type == DataType::Float16 { 18 } else { 60 };
            random.real(-1.0, 1.0) * 2f64.powi(random.between(0, 2 * exponent) as i32 - exponent as i32)
        }
        Mood::Special if random.one_in(3) => random.choose(&specials(data_type)),
        Mood::Special => random.real(-4.0, 4.0),
        Mood::Bits if data_type == DataType::Float16 => f16::from_bits(random.bits() as u16).to_f64(),
        Mood::Bits => f64::from(f32::from_bits(random.bits() as u32)),
    };
    // One NaN is as good as another, and the file has no more than one.
    if number.is_nan() { f64::NAN } else { rounded(data_type, number) }
}

/// Where something special happens to numbers of the type.
fn specials(data_type: DataType) -> [f64; 14] {
    let (largest, smallest_normal, smallest) = if data_type == DataType::Float16 {
        (f16::MAX.to_f64(), f16::MIN_POSITIVE.to_f64(), f16::from_bits(1).to_f64())
    } else {
        (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), f64::from(f32::from_bits(1)))
    };
    [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        largest,
        -largest,
        smallest_normal,
        -smallest_normal,
        smallest,
        -smallest,
        smallest * 100.0,
        1.0,
        -1.0,
    ]
}

fn integer(random: &mut Random, data_type: DataType, mood: Mood) -> Number {
    let (least, greatest) = range(data_type);
    let integer = match mood {
        Mood::Within(low, _) => {
            let least = if low > 0.0 { 1 } else { -9 };
            i128::from(random.between(0, 18)) + least
        }
        Mood::Halves => i128::from(random.between(0, 4)) - 2,
        Mood::Special if random.coin() => random.choose(&[least, least + 1, greatest - 1, greatest, 0, 1]),
        Mood::Special => i128::from(random.between(0, 200)) - 100,
        Mood::Wide => i128::from(random.bits() as i64 >> random.below(63)),
        Mood::Bits => i128::from(random.bits()) + least,
    };
    let values = greatest - least + 1;
    Number::Integer(least + (integer - least).rem_euclid(values))
}

/// The least and the greatest number of an integer type.
fn range(data_type: DataType) -> (i128, i128) {
    let is_signed = matches!(data_type, DataType::Int64 | DataType::Int32 | DataType::Int8);
    let values = 1i128 << data_type.bits();
    if is_signed { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
}

#[cfg(test)]
mod tests {
    use webnn_vectors::{Data, Descriptor};

    use super::*;

    #[test]
    fn every_element_is_one_of_its_type() {
        let mut random = Random::new(5, 0);
        let purposes = [Purpose::Any, Purpose::Weights, Purpose::Positive, Purpose::Truth, Purpose::Indices(3)];
        for data_type in DataType::ALL.into_iter().filter(|data_type| data_type.is_specified()) {
            for purpose in purposes.into_iter().cycle().take(500) {
                let data = Data::List(elements(&mut random, data_type, purpose, 7));
                let bytes = Descriptor { data_type, shape: vec![7] }.bytes_of(&data);
                assert!(bytes.is_ok(), "{data_type}, {purpose:?}: {bytes:?}");
            }
        }
    }
}
