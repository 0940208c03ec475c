//! The error function.
//!
//! Below 1/2, erf x = x + x p(x^2); from there to 1, a polynomial around 3/4. From 1 on, erf x = 1 - exp(-q), where q = -ln(erfc x) is smooth: a polynomial
//! of it in x - 1, whose error is damped by erfc, at most 0.16. From 4 on, 1.
//!
//! Near 0 the function is 2/sqrt(pi) times x, which may be subnormal and then has to be built by integers.

fn f32_erf(x: f32) -> f32 {
    let magnitude = f32_magnitude(x);
    if (magnitude > 0x7f800000u || magnitude == 0u) { return x; }
    if (magnitude >= 0x40800000u) { return f32_with_sign(1.0, x); }
    if (magnitude < 0x30000000u) { return f32_with_sign(erf_tiny(magnitude), x); }
    let a = f32_of(magnitude);
    if (a >= 1.0) { return f32_with_sign(erf_tail(a - 1.0), x); }
    if (a >= 0.5) { return f32_with_sign(erf_middle(a - 0.75), x); }
    let z = a * a;
    let p = 0.12837916612625122 + z * (-0.37612631916999817 + z * (0.11283636093139648
        + z * (-0.026851050555706024 + z * (0.0051533668301999569 - z * 0.00070235825842246413))));
    return f32_with_sign(a + a * p, x);
}

// 2/sqrt(pi) times a number below 2^-31.
fn erf_tiny(magnitude: u32) -> f32 {
    let u = f32_unpack(magnitude);
    let m = f32_of((u.m & 0x7fffffu) | 0x3f800000u);
    let p = pair_mul(Pair(m, 0.0), Pair(0.56418961286544800, -0.000000029317691385699618));
    return f32_scale(p.hi, p.lo, u.e + 1);
}

// erf(3/4 + u) for |u| <= 1/4.
fn erf_middle(u: f32) -> f32 {
    let p = 0.64293104410171509 + u * (-0.48219829797744751 + u * (0.026790959760546684
        + u * (0.15068666636943817 + u * (-0.053288668394088745 + u * (-0.026865741237998009
        + u * (0.018479401245713234 + u * 0.0022658698726445436))))));
    // Opaque, or the two constants are added to each other first and the second is lost.
    return 0.71115565299987793 + f32_opaque(u * p - 0.000000019346362734040667);
}

// erf(1 + u) for 0 <= u < 3.
fn erf_tail(u: f32) -> f32 {
    let p = 2.6389653682708740 + u * (0.84313249588012695 + u * (0.041435625404119492
        + u * (-0.0097228912636637688 + u * (0.0015698621282353997 + u * (0.000039014317735563964
        + u * (-0.00010240350093226880 + u * 0.000018535958588472567))))));
    let q = pair_sum(1.8496055603027344, u * p);
    let e = exp_scaled(-q.hi, 0.000000050369486359613800 - q.lo);
    let erfc = f32_scale(e.hi, e.lo, e.k);
    return 1.0 - erfc;
}
