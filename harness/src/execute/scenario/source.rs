//! The calls on what data come from: buffers and blobs.

use webnn_reference::buffer::BufferSource;
use webnn_vectors::{ElementType, Value};

use super::arguments::Arguments;
use super::{Called, done};
use crate::execute::memory::ScenarioBlob;

pub(super) fn call_buffer(buffer: &BufferSource, element: ElementType, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "fill" => {
            buffer.write(&arguments.data_for(buffer, element)?);
            done(Ok(()))
        }
        "detach" => {
            buffer.buffer().detach();
            done(Ok(()))
        }
        other => Err(format!("a buffer has no method `{other}`").into()),
    }
}

pub(super) fn call_blob(blob: &ScenarioBlob, arguments: &Arguments<'_>) -> Called {
    match arguments.step.call.as_str() {
        "vanish" => blob.vanish(),
        "truncate" => {
            let bytes = arguments.value("bytes").and_then(Value::as_u64);
            blob.truncate(bytes.ok_or("`bytes` has to be a number of bytes")?);
        }
        "reappear" => blob.reappear(),
        other => return Err(format!("a blob has no method `{other}`").into()),
    }
    done(Ok(()))
}
