//! Where a command is run: the current folder, and the repository around it.

use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::bikeshed::{Document, ReadError};
use crate::check::{Role, Source};
use crate::lock::Lock;
use crate::repository::Repository;

pub(super) struct Here {
    folder: PathBuf,
    pub(super) repository: Option<Repository>,
}

impl Here {
    pub(super) fn find() -> Result<Self, CliError> {
        let folder = std::env::current_dir()?;
        Ok(Self { repository: Repository::around(&folder), folder })
    }

    /// The repository, without which the command makes no sense.
    pub(super) fn repository(&self) -> Result<&Repository, CliError> {
        self.repository.as_ref().ok_or_else(|| CliError::NoRepository(self.folder.clone()))
    }

    /// The folder with the code: the given one, or that of the repository.
    pub(super) fn code(&self, given: Option<&Path>) -> Result<PathBuf, CliError> {
        match (given, &self.repository) {
            (Some(folder), _) => Ok(folder.to_owned()),
            (None, Some(repository)) => Ok(self.short(&repository.code())),
            (None, None) => Err(CliError::NoRepository(self.folder.clone())),
        }
    }

    /// The lock of the repository, if there is one.
    pub(super) fn lock(&self) -> Result<Option<Lock>, CliError> {
        let path = self.repository.as_ref().map(Repository::lock).filter(|lock| lock.exists());
        Ok(path.map(|path| Lock::read(&self.short(&path))).transpose()?)
    }

    /// The proposals of the repository, or the given ones.
    pub(super) fn proposals(&self, given: &[PathBuf]) -> Result<Vec<Source>, CliError> {
        let paths = match (&self.repository, given) {
            (Some(repository), []) => repository.proposals()?,
            _ => given.to_vec(),
        };
        let read = |path: PathBuf| Source::read(&self.short(&path), Role::Proposal);
        Ok(paths.into_iter().map(read).collect::<Result<_, ReadError>>()?)
    }

    /// Everything that has prose: the specification, if it is at hand, and the proposals of the repository.
    pub(super) fn prose(&self, specification: Option<&Path>) -> Result<Vec<(PathBuf, Document)>, CliError> {
        let mut prose = Vec::new();
        if let Some(path) = specification {
            prose.push((path.to_owned(), self::specification(path)?));
        }
        prose.extend(self.proposals(&[])?.into_iter().map(|source| (source.path, source.document)));
        Ok(prose)
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// A path as it is shown: from the current folder, if it is in there.
    pub(super) fn short(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.folder) {
            Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
            Ok(inside) => inside.to_owned(),
            Err(_) => path.to_owned(),
        }
    }
}

/// Reads the specification.
pub(super) fn specification(path: &Path) -> Result<Document, CliError> {
    specification_with_text(path).map(|(document, _)| document)
}

/// Reads the specification, and its text. Of a file without algorithms nothing would be found, which is no good news.
pub(super) fn specification_with_text(path: &Path) -> Result<(Document, String), CliError> {
    let (document, text) = Document::read_with_text(path)?;
    if document.algorithms.is_empty() {
        return Err(CliError::NoAlgorithms(path.to_owned()));
    }
    Ok((document, text))
}
