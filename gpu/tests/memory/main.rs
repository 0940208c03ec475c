//! The memory of graphs: constants that are supplied after building, in any way; graphs that leave the device and return;
//! constants that are streamed; the ledger of all that, and what goes wrong with it.

mod lost_devices;
mod moving;
mod networks;
mod residency;
#[path = "../session/mod.rs"]
mod session;
mod sources;
mod streaming;
mod supply;
