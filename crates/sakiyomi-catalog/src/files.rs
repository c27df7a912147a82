//! Files that are read and written whole. What is read has a limit, and what is written replaces an older file
//! only when all of it is on the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The longest text that is read: rule sheets, scenarios, experiments, records. The largest that are known have
/// less than a megabyte.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Reads a file of at most `max_bytes`. Devices and pipes, which may have no end, are refused.
pub fn read_bytes(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("is longer than the {max_bytes} bytes that are read of such a file"),
        )),
        false => Ok(bytes),
    }
}

/// Reads a text in UTF-8 of at most [`MAX_TEXT_BYTES`].
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_bytes(path, MAX_TEXT_BYTES)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("is no text: {error}")))
}

/// Opens what is an ordinary file. Opening a pipe would wait for someone who writes into it.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        let what = if found.is_dir() { "is a folder" } else { "is a device or a pipe" };
        let message = format!("{what}; an ordinary file would be right");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    File::open(path)
}

/// Writes a file so that it is there whole or not at all: beside its place first, then onto the disk, then into
/// its place. If anything fails, a file that was there before stays as it was.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // A link stays a link: what it points to is replaced.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&place).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        // Devices and pipes cannot be replaced, and a folder is an error of the system's own words.
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(&place)?);
        write(&mut out)?;
        return out.flush();
    }
    let (file, beside) = create_beside(&place)?;
    let finish = || -> io::Result<()> {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&beside, &place)
    };
    finish().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })?;
    // The new name is on the disk as well once the folder is. Not every system can do that.
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// A file of an unused name in the same folder.
fn create_beside(place: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = place
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "is no name of a file"))?;
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut unused = std::ffi::OsString::from(".");
        unused.push(name);
        unused.push(format!(".{}-{number}.part", std::process::id()));
        let beside = place.with_file_name(unused);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["file"], "nothing is left behind");
        write_atomically(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write_atomically(&folder.path().join("no/file"), |_| Ok(())).is_err());
        assert!(write_atomically(folder.path(), |_| Ok(())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_devices_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        write_atomically(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_bytes(&path, 5).unwrap(), b"12345");
        assert!(read_bytes(&path, 4).unwrap_err().to_string().contains("longer than the 4 bytes"));
        let refused = |path: &Path, what: &str| {
            let message = read_text(path).unwrap_err().to_string();
            assert!(message.contains(what), "{message}");
        };
        refused(folder.path(), "is a folder");
        fs::write(&path, [0xff, 0xfe]).unwrap();
        refused(&path, "is no text");
        #[cfg(unix)]
        refused(Path::new("/dev/zero"), "is a device or a pipe");
    }
}
