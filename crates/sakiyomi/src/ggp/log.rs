//! A log of messages: one line each, with the time.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file that grows by a line per message, or nothing. A thread of its own writes it, so that
/// no answer waits for the disk.
#[derive(Debug, Default)]
pub struct Log(Option<Writer>);

#[derive(Debug)]
struct Writer {
    lines: Option<Sender<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Writer {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.lines.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A longer message is cut; rules are of no use in a log.
const MOST_CHARACTERS: usize = 300;

impl Log {
    /// Appends to a file, which is made if there is none.
    pub fn open(file: &Path) -> io::Result<Log> {
        let file = OpenOptions::new().create(true).append(true).open(file)?;
        let (lines, to_write) = mpsc::channel();
        let thread = thread::Builder::new().name("log".to_owned());
        let thread = Some(thread.spawn(move || write_lines(file, &to_write))?);
        Ok(Log(Some(Writer { lines: Some(lines), thread })))
    }

    /// Writes one line. A log that cannot be written must not lose a match, so errors are dropped.
    pub(super) fn line(&self, text: &str) {
        let Some(lines) = self.0.as_ref().and_then(|writer| writer.lines.as_ref()) else { return };
        let mut flat = String::new();
        for (i, c) in text.chars().enumerate() {
            if i == MOST_CHARACTERS {
                flat += &format!(".. ({} bytes)", text.len());
                break;
            }
            flat.push(if c.is_control() { ' ' } else { c });
        }
        let line = format!("{} {flat}\n", time_text(SystemTime::now()));
        let _ = lines.send(line);
    }
}

fn write_lines(mut file: File, lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        let _ = file.write_all(line.as_bytes());
    }
}

/// A time as 2026-11-15T12:00:00.250Z.
fn time_text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // The calendar starts its years in March, so that a leap day comes last.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    let (second, millisecond) = (second % 60, since.subsec_millis());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        let text = |millis| time_text(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(text(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(text(1_709_251_199_999), "2024-02-29T23:59:59.999Z");
        assert_eq!(text(1_767_225_600_000), "2026-01-01T00:00:00.000Z");
        assert_eq!(text(4_102_444_799_000), "2099-12-31T23:59:59.000Z");
    }

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        let log = Log::open(&file).unwrap();
        log.line("a\r\nb");
        log.line(&"x".repeat(10_000));
        Log::default().line("nowhere");
        drop(log);
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("Z a  b"));
        assert!(lines[1].len() < 400 && lines[1].ends_with("(10000 bytes)"));
    }
}
