//! The program `webnn`.

fn main() {
    webnn_harness::program()
}
