//! The name that somebody may have meant.

/// How much alike two names have to be, from 0 to 1.
const ALIKE: f64 = 0.25;

/// The known name that is nearest to another, if one is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |known: &str| {
        let (name, known) = (plain(name), plain(known));
        f64::midpoint(strsim::jaro_winkler(&name, &known), strsim::sorensen_dice(&name, &known))
    };
    let nearest = known.iter().map(|known| (likeness(known), *known)).max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|(likeness, _)| *likeness >= ALIKE).map(|(_, name)| name)
}

/// A name by its letters and digits alone.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use webnn_reference::data_type::MLOperandDataType;
    use webnn_reference::ops::OPERATORS;

    use super::*;

    #[test]
    fn a_misspelt_name_leads_to_the_one_that_was_meant() {
        let operators: Vec<&str> = OPERATORS.iter().map(|row| row.name).collect();
        let data_types: Vec<&str> = MLOperandDataType::ALL.into_iter().map(MLOperandDataType::as_str).collect();
        for (name, meant) in [
            ("Relu", "relu"),
            ("convolution", "conv2d"),
            ("soft-max", "softmax"),
            ("gemm ", "gemm"),
            ("layer_norm", "layerNormalization"),
            ("reduce_mean", "reduceMean"),
        ] {
            assert_eq!(nearest(name, &operators), Some(meant), "{name}");
        }
        for (name, meant) in [("f32", "float32"), ("Float16", "float16"), ("i8", "int8"), ("uint_64", "uint64")] {
            assert_eq!(nearest(name, &data_types), Some(meant), "{name}");
        }
        assert_eq!(nearest("qqq", &data_types), None);
    }
}
