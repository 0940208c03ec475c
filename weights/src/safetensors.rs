//! safetensors: a header that lists tensors, and then their bytes (<https://github.com/huggingface/safetensors>).
//!
//! The file begins with the length of its header, eight bytes; then the header, which is JSON; then the data, without gaps. Nothing is
//! believed that a file says of itself: the length of the header is compared with that of the file before it is allocated,
//! and a header is taken only if each tensor has the bytes that its type and shape need, no two overlap, none is left over,
//! and the file has all of them and no more.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::supply::Blob;

use crate::{Error, File};

/// The longest header that the format allows, in bytes.
const MAX_HEADER: u64 = 100_000_000;
/// The header's length stands in so many bytes before it.
const PREFIX: u64 = 8;
/// So many bytes of a tensor are made and written at once.
const CHUNK: usize = 1 << 20;

/// A file of tensors, open.
#[derive(Debug)]
pub struct SafeTensors {
    file: File,
    /// Where the data begins.
    data: u64,
    header: Metadata,
}

/// A tensor of a file.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its type and shape.
    pub descriptor: MLOperandDescriptor,
    /// Its bytes.
    pub blob: File,
}

impl SafeTensors {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If it can not be read, or is not what it should be.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::of(File::open(path)?)
    }

    /// Reads the header of a file that is open.
    ///
    /// # Errors
    /// If it is not what it should be.
    pub fn of(file: File) -> Result<Self, Error> {
        let wrong = |reason: String| Error::new(file.path(), reason);
        let length = header_length(&file).map_err(wrong)?;
        let text = read(&file, PREFIX, length).map_err(wrong)?;
        let header: Metadata =
            serde_json::from_slice(&text).map_err(|error| wrong(format!("the header is wrong: {error}")))?;
        let data = PREFIX + length;
        let (described, present) = (header.data_len() as u64, file.size() - data);
        if described != present {
            return Err(wrong(format!("the header describes {described} bytes of data, but there are {present}")));
        }
        Ok(Self { data, header, file })
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The names of its tensors, in the order of their bytes.
    pub fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// If there is none, or it has a type or a shape that no operand can have.
    pub fn tensor(&self, name: &str) -> Result<Tensor, Error> {
        let wrong = |reason: String| Error::new(self.file.path(), reason);
        let info = self.header.info(name).ok_or_else(|| wrong(format!("has no tensor {name:?}")))?;
        let data_type = data_type(info.dtype)
            .ok_or_else(|| wrong(format!("the tensor {name:?} is of {}, which WebNN does not have", info.dtype)))?;
        let shape: Result<Vec<u32>, _> = info.shape.iter().map(|dimension| u32::try_from(*dimension)).collect();
        let shape = shape
            .map_err(|_| wrong(format!("the tensor {name:?} has a dimension that is too large: {:?}", info.shape)))?;
        let (start, end) = info.data_offsets;
        let blob = self.file.slice(self.data + start as u64, (end - start) as u64)?;
        Ok(Tensor { descriptor: MLOperandDescriptor::create(data_type, &shape), blob })
    }
}

/// The length of the header, if the file has so many bytes.
fn header_length(file: &File) -> Result<u64, String> {
    let rest = file.size().checked_sub(PREFIX).ok_or("is too short for a safetensors file")?;
    let mut prefix = [0; PREFIX as usize];
    file.read(0, &mut prefix)?;
    let length = u64::from_le_bytes(prefix);
    if length > MAX_HEADER.min(rest) {
        return Err(format!(
            "is no safetensors file: its header would have {length} bytes, but at most {MAX_HEADER} are allowed and {rest} \
             are left of the file"
        ));
    }
    Ok(length)
}

fn read(file: &File, offset: u64, length: u64) -> Result<Vec<u8>, String> {
    let length = usize::try_from(length).map_err(|_| format!("a header of {length} bytes does not fit in memory"))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| format!("there is no memory for a header of {length} bytes"))?;
    bytes.resize(length, 0);
    file.read(offset, &mut bytes)?;
    Ok(bytes)
}

/// The types that WebNN and the format both have.
const TYPES: [(MLOperandDataType, Dtype); 8] = [
    (MLOperandDataType::Float32, Dtype::F32),
    (MLOperandDataType::Float16, Dtype::F16),
    (MLOperandDataType::Int32, Dtype::I32),
    (MLOperandDataType::Uint32, Dtype::U32),
    (MLOperandDataType::Int64, Dtype::I64),
    (MLOperandDataType::Uint64, Dtype::U64),
    (MLOperandDataType::Int8, Dtype::I8),
    (MLOperandDataType::Uint8, Dtype::U8),
];

fn data_type(dtype: Dtype) -> Option<MLOperandDataType> {
    TYPES.iter().find(|(_, of_format)| *of_format == dtype).map(|(of_webnn, _)| *of_webnn)
}

fn dtype(data_type: MLOperandDataType) -> Option<Dtype> {
    TYPES.iter().find(|(of_webnn, _)| *of_webnn == data_type).map(|(_, of_format)| *of_format)
}

/// Writes a file of these tensors, a piece at a time: `fill` is given the number of a tensor, where in it the piece begins,
/// and the piece. The file has its name once it is whole and on the disk, and leaves nothing behind if it never is.
///
/// # Errors
/// If it can not be written, or two tensors have the same name.
pub fn write(
    path: impl AsRef<Path>,
    tensors: &[(String, MLOperandDescriptor)],
    fill: impl FnMut(usize, u64, &mut [u8]),
) -> Result<(), Error> {
    let path = path.as_ref();
    let header = header(tensors).map_err(|reason| Error::new(path, reason))?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = write_to(&partial, path, &header, tensors, fill);
    written.map_err(|error| {
        // If it can not be removed either, the first error says more.
        drop(fs::remove_file(&partial));
        Error::new(path, format!("can not be written: {error}"))
    })
}

fn write_to(
    partial: &PathBuf,
    path: &Path,
    header: &[u8],
    tensors: &[(String, MLOperandDescriptor)],
    mut fill: impl FnMut(usize, u64, &mut [u8]),
) -> io::Result<()> {
    let mut file = fs::File::create(partial)?;
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(header)?;
    let mut piece = vec![0; CHUNK];
    for (index, (_, descriptor)) in tensors.iter().enumerate() {
        let length = descriptor.byte_length();
        for offset in (0..length).step_by(CHUNK) {
            let piece = &mut piece[..(length - offset).min(CHUNK as u64) as usize];
            fill(index, offset, piece);
            file.write_all(piece)?;
        }
    }
    file.sync_all()?;
    fs::rename(partial, path)
}

/// The header, with spaces at its end so that the data begins at a multiple of eight bytes.
fn header(tensors: &[(String, MLOperandDescriptor)]) -> Result<Vec<u8>, String> {
    let mut names = BTreeSet::from(["__metadata__"]);
    let mut end = 0usize;
    let mut infos = Vec::new();
    for (name, descriptor) in tensors {
        if !names.insert(name) {
            return Err(format!("no tensor can be named {name:?}: the name is taken"));
        }
        let start = end;
        let length = usize::try_from(descriptor.byte_length()).ok();
        end = length.and_then(|length| end.checked_add(length)).ok_or("the tensors are too large")?;
        let dtype = dtype(descriptor.data_type).ok_or("the format does not have the type")?;
        let shape = descriptor.shape.iter().map(|dimension| *dimension as usize).collect();
        infos.push((name.clone(), TensorInfo { dtype, shape, data_offsets: (start, end) }));
    }
    let metadata = Metadata::new(None, infos).map_err(|error| error.to_string())?;
    let mut text = serde_json::to_vec(&metadata).map_err(|error| error.to_string())?;
    text.resize(text.len().next_multiple_of(PREFIX as usize), b' ');
    Ok(text)
}
