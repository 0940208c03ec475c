//! Matrix products.

use webnn_reference::ops::OperatorRow;

use crate::fuzz::draft::{Call, Draft};
use crate::fuzz::elements::Purpose;

pub(super) fn gemm(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let a = draft.first(row, "a");
    let (a_transpose, b_transpose) = (draft.random.coin(), draft.random.coin());
    let [rows, inner] = if a_transpose { [a.shape[1], a.shape[0]] } else { [a.shape[0], a.shape[1]] };
    let columns = draft.random.between(1, 9);
    let b = if b_transpose { [columns, inner] } else { [inner, columns] };
    let b = draft.operand(a.data_type, &b, Purpose::Any);
    let mut call = Call::with("a", &a).and("b", b.name.as_str());
    if draft.random.coin() {
        let shape = draft.narrower(&[rows, columns]);
        let c = draft.operand(a.data_type, &shape, Purpose::Any);
        call = call.option("c", c.name.as_str());
    }
    let (alpha, beta) = (draft.scalar(), draft.scalar());
    call = call.maybe(draft, "alpha", alpha).maybe(draft, "beta", beta);
    if a_transpose {
        call = call.option("aTranspose", true);
    }
    if b_transpose { call.option("bTranspose", true) } else { call.maybe(draft, "bTranspose", false) }
}

pub(super) fn matmul(draft: &mut Draft, row: &'static OperatorRow) -> Call {
    let a = draft.first(row, "a");
    let (batches, matrix) = a.shape.split_at(a.rank() - 2);
    let [rows, inner] = [matrix[0], matrix[1]];
    let other = draft.random.between(1, 9);
    let mut shape = draft.partner(batches);
    // The operand that is there already may be on either side.
    let is_left = draft.random.coin();
    shape.extend(if is_left { [inner, other] } else { [other, rows] });
    let b = draft.operand(a.data_type, &shape, Purpose::Any);
    let (a, b) = if is_left { (a, b) } else { (b, a) };
    Call::with("a", &a).and("b", b.name.as_str())
}
