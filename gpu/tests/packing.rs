//! Elements in words: halves are rounded once and to nearest even, packed stores own whole words, and every lane
//! survives a copy.

mod adapter;

use adapter::{Bits, device, device_with_int64, kernel, run, run_as, words};
use half::f16;
use webnn_gpu::wgsl::{Form, Lane, Params, View};

/// Stores float32 values as halves.
fn encode(values: &[f32]) -> Option<Vec<f16>> {
    let device = device()?;
    let kernel = kernel(&[Lane::F32], Lane::F16, "a(i)");
    let bytes = run(&device, &kernel, &[bytemuck::cast_slice(values)], values.len());
    Some(words::<u16>(&bytes).into_iter().map(f16::from_bits).collect())
}

fn same(a: f16, b: f16) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn all_halves_survive_a_round_trip() {
    let Some(device) = device() else { return };
    let all = (0..=u16::MAX).collect::<Vec<_>>();
    let kernel = kernel(&[Lane::F16], Lane::F16, "a(i)");
    let bytes = run(&device, &kernel, &[bytemuck::cast_slice(&all)], all.len());
    for (before, after) in all.iter().zip(words::<u16>(&bytes)) {
        let (before, after) = (f16::from_bits(*before), f16::from_bits(after));
        assert!(same(before, after), "{before:?} became {after:?}");
    }
}

#[test]
fn all_halves_load_exactly() {
    let Some(device) = device() else { return };
    let all = (0..=u16::MAX).collect::<Vec<_>>();
    let kernel = kernel(&[Lane::F16], Lane::F32, "a(i)");
    let bytes = run(&device, &kernel, &[bytemuck::cast_slice(&all)], all.len());
    for (half, got) in all.iter().zip(words::<f32>(&bytes)) {
        let truth = f16::from_bits(*half).to_f32();
        assert!(truth.to_bits() == got.to_bits() || (truth.is_nan() && got.is_nan()), "{half:#06x}");
    }
}

/// Every half, every midpoint between neighbours, and the float32 on each side of both.
#[test]
fn halves_are_rounded_to_nearest_even() {
    let mut values = Vec::new();
    for bits in 0..0x7c00_u16 {
        let here = f16::from_bits(bits).to_f32();
        // The half after the largest would be 65536.
        let next = if bits == 0x7bff { 65536.0 } else { f16::from_bits(bits + 1).to_f32() };
        let middle = f32::midpoint(here, next);
        for x in [here, middle] {
            values.extend([x, x.next_up(), x.next_down()].into_iter().flat_map(|x| [x, -x]));
        }
    }
    let mut bits = Bits::new(16);
    values.extend((0..1 << 18).map(|_| bits.any_f32()));
    let Some(encoded) = encode(&values) else {
        return;
    };
    for (x, got) in values.iter().zip(encoded) {
        let truth = f16::from_f32(*x);
        assert!(same(truth, got), "{x:e}: {truth:?} expected, got {got:?}");
    }
}

/// A last word that is not full has zeros in its unused lanes, and the elements before it are whole.
#[test]
fn partial_words_are_padded_with_zeros() {
    let Some(device) = device() else { return };
    for count in 1..=9_usize {
        let kernel = kernel(&[Lane::U8], Lane::U8, "a(i) + 1u");
        let input = (0..12).collect::<Vec<u8>>();
        let batch = webnn_gpu::batch::Batch::new(std::sync::Arc::clone(&device));
        let module = kernel.module(count as u32, Form::Baked, webnn_gpu::wgsl::Binding::Separate);
        let a = device.buffer_with("a", &input).unwrap();
        let output = device.buffer_with("output", &[0xff; 12]).unwrap();
        batch.run(&module, &[(&a).into(), (&output).into()]).unwrap();
        let bytes = batch.read(&output, 0, 12).wait().unwrap();
        let words = count.next_multiple_of(4);
        assert_eq!(bytes[..count], (1..=count as u8).collect::<Vec<_>>());
        assert!(bytes[count..words].iter().all(|b| *b == 0), "{bytes:?}");
        assert!(bytes[words..].iter().all(|b| *b == 0xff), "{bytes:?}");
    }
}

/// int8 and uint8 are sign- and zero-extended, and stored modulo 256.
#[test]
fn bytes_extend_and_wrap() {
    let Some(device) = device() else { return };
    let all = (0..=u8::MAX).collect::<Vec<_>>();
    let signed = run(&device, &kernel(&[Lane::I8], Lane::I32, "a(i)"), &[&all], 256);
    let expected = all.iter().map(|b| i32::from(b.cast_signed())).collect::<Vec<_>>();
    assert_eq!(words::<i32>(&signed), expected);
    let unsigned = run(&device, &kernel(&[Lane::U8], Lane::U32, "a(i)"), &[&all], 256);
    assert_eq!(words::<u32>(&unsigned), all.iter().map(|b| u32::from(*b)).collect::<Vec<_>>());
    let wrapped = run(&device, &kernel(&[Lane::I8], Lane::I8, "a(i) + 100"), &[&all], 256);
    assert_eq!(wrapped, all.iter().map(|b| b.wrapping_add(100)).collect::<Vec<_>>());
}

/// Every lane, raw and not, through a transposing view in both forms.
#[test]
fn every_lane_survives_a_transposing_copy() {
    let Some(device) = device() else { return };
    let mut random = Bits::new(3);
    for lane in Lane::ALL {
        if lane.needs_int64() && device_with_int64().is_none() {
            continue;
        }
        let size = lane.bytes() as usize;
        // 5 x 7, with bytes that are no NaN in any type, whose payload a load may change.
        let input = (0..35 * size).map(|_| (random.next_u64() % 0x3c) as u8).collect::<Vec<_>>();
        let mut padded = input.clone();
        padded.resize(input.len().next_multiple_of(8), 0);
        let mut kernel = kernel(&[lane], lane, "a(at(i))");
        kernel.params = Params::new().view("at", View::new(&[7, 5], &[1, 7], 0));
        let mut expected = Vec::new();
        for column in 0..7 {
            for row in 0..5 {
                let at = (row * 7 + column) * size;
                expected.extend_from_slice(&input[at..at + size]);
            }
        }
        for form in [Form::Dynamic, Form::Baked] {
            let got = run_as(&device, &kernel, &[&padded], 35, form);
            assert_eq!(got, expected, "{lane:?} {form:?}");
        }
    }
}

/// Raw lanes keep the payloads of NaN and signalling NaN.
#[test]
fn raw_lanes_keep_every_bit() {
    let Some(device) = device() else { return };
    let all = (0..=u16::MAX).collect::<Vec<_>>();
    let raw = Lane::F16.raw();
    let bytes = run(&device, &kernel(&[raw], raw, "a(i)"), &[bytemuck::cast_slice(&all)], all.len());
    assert_eq!(words::<u16>(&bytes), all);
}

/// More words than one row of 65535 groups holds.
#[test]
fn large_tensors_use_a_grid_of_two_dimensions() {
    let Some(device) = device() else { return };
    let count = 65_535 * 64 + 1000;
    let bytes = run(&device, &kernel(&[], Lane::U32, "i * 3u"), &[], count);
    let got = words::<u32>(&bytes);
    assert_eq!(got.len(), count);
    assert!(got.iter().zip(0_u32..).all(|(got, i)| *got == i.wrapping_mul(3)));
}

/// Views that broadcast, reverse and start inside the operand.
#[test]
fn views_walk_as_they_say() {
    let Some(device) = device() else { return };
    let input = (0..24).collect::<Vec<u32>>();
    let cases = [
        (View::broadcast(&[3, 1], &[2, 3, 4]), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2].repeat(2)),
        (View::new(&[24], &[-1], 23), (0..24).rev().collect()),
        (View::new(&[2, 2], &[12, 2], 5), vec![5, 7, 17, 19]),
        (View::contiguous(&[2, 1, 3, 4]), (0..24).collect()),
        (View::new(&[], &[], 4), vec![4]),
    ];
    for (view, expected) in cases {
        let mut kernel = kernel(&[Lane::U32], Lane::U32, "a(at(i))");
        kernel.params = Params::new().view("at", view.clone());
        for form in [Form::Dynamic, Form::Baked] {
            let count = expected.len();
            let bytes = run_as(&device, &kernel, &[bytemuck::cast_slice(&input)], count, form);
            assert_eq!(words::<u32>(&bytes), expected, "{view:?} {form:?}");
        }
    }
}
