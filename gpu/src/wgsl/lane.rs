//! How elements sit in words, and the code that takes them out and puts them in.
//!
//! | lane | in a word | arithmetic type | why |
//! |---|---|---|---|
//! | float32, int32, uint32 | 1 | f32, i32, u32 | float32 is a word that is bit-cast, so that copies keep every bit |
//! | float16 | 2 | f32 | `unpack2x16float` is exact; storing rounds once, by integers, in `f32_to_f16` |
//! | int8, uint8 | 4 | i32, u32 | stored modulo 256: an operator that saturates does so itself |
//! | int64, uint64 | 1 word of 64 bits | i64, u64 | needs SHADER_INT64 |
//! | 16 raw bits | 2 | u32 | moves float16 without looking at it |
//! | 64 raw bits | 1 word of 64 bits | `vec2<u32>` | moves 64-bit integers without SHADER_INT64 |
//! | 128 raw bits | 1 word of 128 bits | `vec4<u32>` | holds what is known of a sum half-way |
//!
//! Operators that only move data (reshape, transpose, gather, ...) use [`Lane::raw`], whose arithmetic type is
//! plain bits: NaN payloads and subnormals survive because no float instruction ever touches them.

/// The storage of one tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// IEEE binary32.
    F32,
    /// IEEE binary16, computed as binary32.
    F16,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit signed integer.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// 8-bit signed integer, computed in 32 bits.
    I8,
    /// 8-bit unsigned integer, computed in 32 bits.
    U8,
    /// 16 bits that are only moved.
    Bits16,
    /// 64 bits that are only moved.
    Bits64,
    /// 128 bits: a partial result.
    Bits128,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 11] = [
        Self::F32,
        Self::F16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::I8,
        Self::U8,
        Self::Bits16,
        Self::Bits64,
        Self::Bits128,
    ];

    /// The type that kernels compute in.
    pub const fn arithmetic(self) -> &'static str {
        match self {
            Self::F32 | Self::F16 => "f32",
            Self::I32 | Self::I8 => "i32",
            Self::U32 | Self::U8 | Self::Bits16 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::Bits64 => "vec2<u32>",
            Self::Bits128 => "vec4<u32>",
        }
    }

    /// The element type of the buffer.
    pub const fn word_type(self) -> &'static str {
        match self {
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::Bits64 => "vec2<u32>",
            Self::Bits128 => "vec4<u32>",
            _ => "u32",
        }
    }

    /// Elements in one word of the buffer.
    pub const fn per_word(self) -> u32 {
        match self {
            Self::F16 | Self::Bits16 => 2,
            Self::I8 | Self::U8 => 4,
            _ => 1,
        }
    }

    /// Bytes of one word of the buffer.
    pub const fn word_bytes(self) -> u32 {
        self.bytes() * self.per_word()
    }

    /// Bytes of one element.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F16 | Self::Bits16 => 2,
            Self::I8 | Self::U8 => 1,
            Self::I64 | Self::U64 | Self::Bits64 => 8,
            Self::Bits128 => 16,
        }
    }

    /// Whether kernels with this lane need SHADER_INT64.
    pub const fn needs_int64(self) -> bool {
        matches!(self, Self::I64 | Self::U64)
    }

    /// The lane of the same width that treats elements as bits.
    pub const fn raw(self) -> Self {
        match self {
            Self::F32 | Self::I32 | Self::U32 => Self::U32,
            Self::F16 | Self::Bits16 => Self::Bits16,
            Self::I8 | Self::U8 => Self::U8,
            Self::I64 | Self::U64 | Self::Bits64 => Self::Bits64,
            Self::Bits128 => Self::Bits128,
        }
    }

    /// `fn name(i: u32) -> T`, which loads element `i` of the buffer `name_words`.
    pub(super) fn accessor(self, name: &str) -> String {
        let words = format!("{name}_words");
        let value = match self {
            Self::F32 => format!("bitcast<f32>({words}[i])"),
            Self::F16 => format!("unpack2x16float({words}[i >> 1u])[i & 1u]"),
            Self::I32 => format!("bitcast<i32>({words}[i])"),
            Self::I8 => format!("extractBits(bitcast<i32>({words}[i >> 2u]), (i & 3u) << 3u, 8u)"),
            Self::U8 => format!("extractBits({words}[i >> 2u], (i & 3u) << 3u, 8u)"),
            Self::Bits16 => format!("extractBits({words}[i >> 1u], (i & 1u) << 4u, 16u)"),
            Self::U32 | Self::I64 | Self::U64 | Self::Bits64 | Self::Bits128 => format!("{words}[i]"),
        };
        format!("fn {name}(i: u32) -> {} {{ return {value}; }}\n", self.arithmetic())
    }

    /// Whether an element is more than a word of 32 bits.
    pub(crate) const fn is_wide(self) -> bool {
        self.bytes() > 4
    }

    /// The expression that turns the bits of an element into its value.
    pub(crate) fn decoded(self, bits: &str) -> String {
        match self {
            Self::F32 => format!("bitcast<f32>({bits})"),
            Self::F16 => format!("unpack2x16float({bits}).x"),
            Self::I32 => format!("bitcast<i32>({bits})"),
            Self::I8 => format!("extractBits(bitcast<i32>({bits}), 0u, 8u)"),
            Self::U8 | Self::U32 | Self::Bits16 | Self::I64 | Self::U64 | Self::Bits64 | Self::Bits128 => {
                bits.to_owned()
            }
        }
    }

    /// The expression that turns a computed `value` into the bits to store, low bits first.
    pub(crate) fn encoded(self, value: &str) -> String {
        match self {
            Self::F32 | Self::I32 => format!("bitcast<u32>({value})"),
            Self::F16 => format!("f32_to_f16({value})"),
            Self::I8 => format!("(bitcast<u32>({value}) & 0xffu)"),
            Self::U8 => format!("({value} & 0xffu)"),
            Self::Bits16 => format!("({value} & 0xffffu)"),
            Self::U32 | Self::I64 | Self::U64 | Self::Bits64 | Self::Bits128 => value.to_owned(),
        }
    }
}

/// The entry point of a kernel with this output: one invocation, one word.
pub(super) fn entry_point(output: Lane, workgroup: u32) -> String {
    let store = if output.per_word() == 1 {
        format!("    output_words[word] = {};\n", output.encoded("element(word)"))
    } else {
        packed_store(output)
    };
    format!(
        "@compute @workgroup_size({workgroup})\n\
         fn main(\n    \
             @builtin(workgroup_id) group: vec3<u32>,\n    \
             @builtin(num_workgroups) groups: vec3<u32>,\n    \
             @builtin(local_invocation_index) local: u32,\n\
         ) {{\n    \
             let word = (group.y * groups.x + group.x) * {workgroup}u + local;\n    \
             if (word >= words()) {{ return; }}\n\
         {store}}}\n"
    )
}

/// A loop, not four copies: `element` is inlined once, which quarters the driver's work.
fn packed_store(output: Lane) -> String {
    let lanes = output.per_word();
    let width = 32 / lanes;
    let encoded = output.encoded("element(first + lane)");
    format!(
        "    let first = word * {lanes}u;\n    \
             let lanes = min({lanes}u, count() - first);\n    \
             var packed = 0u;\n    \
             for (var lane = 0u; lane < lanes; lane++) {{\n        \
                 packed |= {encoded} << (lane * {width}u);\n    \
             }}\n    \
             output_words[word] = packed;\n"
    )
}
