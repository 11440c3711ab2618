//! Reads a journal that another process wrote, whole or not.

use super::{Entry, Header, Record};

/// Where a journal stops making sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// What a journal says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What it belongs to; `None` if the first record is not one.
    pub header: Option<Header>,
    /// Records that are whole and follow the header without a gap or damage before them.
    pub entries: Vec<Entry>,
    /// Records that are whole, but come after damage.
    pub after_damage: Vec<Entry>,
    /// The last record was cut off, as after a kill. Its act did not happen.
    pub torn: bool,
    /// The first damage.
    pub damage: Option<Damage>,
    /// Bytes before a record that was cut off.
    pub(super) length: u64,
    /// Number of the next record.
    pub(super) next: u64,
}

impl Reading {
    /// Whether nothing is left to undo.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let last = self.after_damage.last().or(self.entries.last());
        last.is_none_or(|entry| entry.record == Record::Settled)
    }
}

/// Reads a journal; never fails, but says what is wrong.
#[must_use]
pub fn read_journal(bytes: &[u8]) -> Reading {
    let mut reading = Reading { length: bytes.len() as u64, ..Reading::default() };
    let mut expected = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let whole = line.strip_suffix(b"\n");
        let Some(entry) = Entry::from_line(whole.unwrap_or(line)) else {
            if whole.is_none() {
                reading.torn = true;
                reading.length -= line.len() as u64;
            } else {
                damaged(&mut reading, index, "its checksum or content is wrong");
            }
            continue;
        };
        if entry.seq != expected {
            damaged(&mut reading, index, "records before it are missing");
        }
        expected = entry.seq.saturating_add(1);
        reading.next = expected;
        match (&entry.record, index) {
            (Record::Header(header), 0) => reading.header = Some(header.clone()),
            (Record::Header(_), _) => damaged(&mut reading, index, "a second header"),
            _ if reading.damage.is_some() => reading.after_damage.push(entry),
            _ => reading.entries.push(entry),
        }
    }
    if reading.header.is_none() && !bytes.is_empty() {
        damaged(&mut reading, 0, "it is no header of a homenode journal");
    }
    reading
}

fn damaged(reading: &mut Reading, index: usize, problem: &'static str) {
    reading.damage.get_or_insert(Damage { line: index + 1, problem });
}
