//! Records of a perf ring, decoded without trusting a length in them.

use super::Layout;
use crate::{Bytes, CpuId, Nanos, Pid, Tid};

const SAMPLE: u32 = 9;
const LOST: u32 = 2;
const THROTTLE: u32 = 5;
const UNTHROTTLE: u32 = 6;
const HEADER: usize = 8;

/// Registers of a thread in user mode, in ascending order of the kernel's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Which registers are there, one bit each.
    pub mask: u64,
    /// Their values.
    pub values: Vec<u64>,
}

impl Registers {
    /// A register by the kernel's number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<u64> {
        let bit = 1u64.checked_shl(number)?;
        if self.mask & bit == 0 {
            return None;
        }
        self.values.get((self.mask & (bit - 1)).count_ones() as usize).copied()
    }
}

/// One sample as the kernel wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSample {
    /// Instruction pointer.
    pub ip: u64,
    /// Process.
    pub pid: Pid,
    /// Thread.
    pub tid: Tid,
    /// When, `CLOCK_MONOTONIC`.
    pub at: Nanos,
    /// Address of the fault; zero where the event has none.
    pub address: u64,
    /// Where the thread ran.
    pub cpu: CpuId,
    /// User registers, if asked for and known.
    pub registers: Option<Registers>,
    /// Size of the page that the address lies in, if asked for and mapped.
    pub page_size: Option<Bytes>,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A sample.
    Sample(RawSample),
    /// The ring was full: so many records are missing.
    Lost(u64),
    /// The kernel paused the event because it came too often.
    Throttled,
    /// A record that is not of interest.
    Other(u32),
    /// The bytes from here on make no sense.
    Damaged,
}

/// Decodes records one after another, as a ring holds them.
pub fn decode(bytes: &[u8], layout: Layout) -> impl Iterator<Item = Record> {
    let mut rest = Reader(bytes);
    std::iter::from_fn(move || {
        if rest.0.is_empty() {
            return None;
        }
        let record = next(&mut rest, layout);
        if record.is_none() {
            rest = Reader(&[]);
        }
        Some(record.unwrap_or(Record::Damaged))
    })
}

fn next(rest: &mut Reader, layout: Layout) -> Option<Record> {
    let kind = rest.u32()?;
    let size = usize::from((rest.u32()? >> 16) as u16);
    let mut body = Reader(rest.take(size.checked_sub(HEADER)?)?);
    Some(match kind {
        SAMPLE => Record::Sample(sample(&mut body, layout)?),
        LOST => {
            let _event = body.u64()?;
            Record::Lost(body.u64()?)
        }
        THROTTLE => Record::Throttled,
        UNTHROTTLE => Record::Other(kind),
        _ => Record::Other(kind),
    })
}

fn sample(body: &mut Reader, layout: Layout) -> Option<RawSample> {
    let ip = body.u64()?;
    let (pid, tid) = (number(body.u32()?)?, number(body.u32()?)?);
    let at = Nanos(body.u64()?);
    let address = body.u64()?;
    let cpu = CpuId(body.u32()?);
    let _reserved = body.u32()?;
    let mut registers = None;
    // Without a user context the kernel writes no registers after an abi of zero.
    if layout.registers != 0 && body.u64()? != 0 {
        let values: Option<Vec<u64>> =
            (0..layout.registers.count_ones()).map(|_| body.u64()).collect();
        registers = Some(Registers { mask: layout.registers, values: values? });
    }
    let page_size = if layout.page_size { body.u64().filter(|&size| size != 0) } else { None };
    Some(RawSample {
        ip,
        pid: Pid(pid),
        tid: Tid(tid),
        at,
        address,
        cpu,
        registers,
        page_size: page_size.map(Bytes),
    })
}

fn number(raw: u32) -> Option<i32> {
    i32::try_from(raw).ok()
}

/// Takes little pieces off the front of bytes; the machine's own byte order, as in the ring.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(front)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_ne_bytes)
    }
}

/// Writes a sample as the kernel does: the fake kernel's half of [`decode`].
pub(crate) fn encode_sample(sample: &RawSample, layout: Layout, into: &mut Vec<u8>) {
    let mut body = Vec::new();
    body.extend(sample.ip.to_ne_bytes());
    body.extend(sample.pid.0.to_ne_bytes());
    body.extend(sample.tid.0.to_ne_bytes());
    body.extend(sample.at.0.to_ne_bytes());
    body.extend(sample.address.to_ne_bytes());
    body.extend(sample.cpu.0.to_ne_bytes());
    body.extend(0u32.to_ne_bytes());
    if layout.registers != 0 {
        body.extend(u64::from(sample.registers.is_some()).wrapping_mul(2).to_ne_bytes());
        for value in sample.registers.iter().flat_map(|registers| &registers.values) {
            body.extend(value.to_ne_bytes());
        }
    }
    if layout.page_size {
        body.extend(sample.page_size.unwrap_or_default().0.to_ne_bytes());
    }
    let size = u16::try_from(HEADER + body.len()).unwrap_or(u16::MAX);
    into.extend(SAMPLE.to_ne_bytes());
    into.extend(2u16.to_ne_bytes());
    into.extend(size.to_ne_bytes());
    into.extend(body);
}
