//! What the derived bound must itself pass: every honest computation is inside, and every fault outside.

mod bounded;
mod chains;
mod decisions;
mod exact;
mod hardware;
mod special_numbers;
mod subnormals;
mod sums;
