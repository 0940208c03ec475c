//! The program `webnn`.

fn main() {
    let code = webnn_harness::command_line();
    // Not by returning: a worker that hangs must not keep the program from ending.
    std::process::exit(i32::from(code));
}
