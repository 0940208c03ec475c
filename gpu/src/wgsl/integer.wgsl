//! Integer operators that WGSL lacks. All arithmetic wraps.
//!
//! A power with a negative exponent is the real power cut towards zero: 1 and -1 keep theirs, 0 gives 0, anything
//! else gives 0.

fn u32_pow(base: u32, exponent: u32) -> u32 {
    var result = 1u;
    var square = base;
    for (var rest = exponent; rest != 0u; rest >>= 1u) {
        if ((rest & 1u) != 0u) { result *= square; }
        square *= square;
    }
    return result;
}

fn i32_pow(base: i32, exponent: i32) -> i32 {
    if (exponent < 0) {
        if (base != 1 && base != -1) { return 0; }
        return select(1, base, (exponent & 1) != 0);
    }
    return bitcast<i32>(u32_pow(bitcast<u32>(base), bitcast<u32>(exponent)));
}

fn u64_pow(base: u64, exponent: u64) -> u64 {
    var result = 1lu;
    var square = base;
    for (var rest = exponent; rest != 0lu; rest >>= 1u) {
        if ((rest & 1lu) != 0lu) { result *= square; }
        square *= square;
    }
    return result;
}

fn i64_pow(base: i64, exponent: i64) -> i64 {
    if (exponent < 0li) {
        if (base != 1li && base != -1li) { return 0li; }
        return select(1li, base, (exponent & 1li) != 0li);
    }
    return bitcast<i64>(u64_pow(bitcast<u64>(base), bitcast<u64>(exponent)));
}

fn i64_neg(n: i64) -> i64 { return 0li - n; }

// The lowest number is its own magnitude.
fn i64_abs(n: i64) -> i64 { return select(n, 0li - n, n < 0li); }

fn i64_sign(n: i64) -> i64 { return select(0li, 1li, n > 0li) - select(0li, 1li, n < 0li); }

// Division truncates; by zero it gives zero. The lowest number over -1 wraps to itself.
fn u32_div(a: u32, b: u32) -> u32 { return select(a / max(b, 1u), 0u, b == 0u); }

fn i32_div(a: i32, b: i32) -> i32 {
    if (b == 0) { return 0; }
    if (b == -1) { return -a; }
    return a / b;
}

fn u64_div(a: u64, b: u64) -> u64 { return select(a / max(b, 1lu), 0lu, b == 0lu); }

fn i64_div(a: i64, b: i64) -> i64 {
    if (b == 0li) { return 0li; }
    if (b == -1li) { return 0li - a; }
    return a / b;
}
