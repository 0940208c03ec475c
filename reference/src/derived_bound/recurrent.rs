//! Rules to come.

use super::Ranges;
use super::site::Site;
use crate::value::Computed;

pub(super) fn gru(_: &crate::ops::gru::Gru, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    Ok(site.anything())
}

pub(super) fn gru_cell(_: &crate::ops::grucell::GruCell, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    Ok(site.anything())
}

pub(super) fn lstm(_: &crate::ops::lstm::Lstm, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    Ok(site.anything())
}

pub(super) fn lstm_cell(_: &crate::ops::lstmcell::LstmCell, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    Ok(site.anything())
}
