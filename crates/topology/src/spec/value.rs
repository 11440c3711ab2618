//! Values of a one-line description.

use super::Error;
use super::item::Piece;
use crate::{Bandwidth, Bytes};

/// Largest memory a node may be given: 1 PiB, so that the sum over all nodes cannot overflow.
const LARGEST_SIZE: f64 = (1u64 << 50) as f64;

const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// A whole number from `least` to `most`.
pub(super) fn count(piece: Piece<'_>, least: usize, most: usize) -> Result<usize, Error> {
    let in_range = piece.text.parse().ok().filter(|n| (least..=most).contains(n));
    in_range.ok_or_else(|| piece.expected(&format!("a number from {least} to {most}")))
}

/// A number, decimals allowed, from `least` to `most`.
pub(super) fn decimal(piece: Piece<'_>, least: f64, most: f64) -> Result<f64, Error> {
    plain_decimal(piece.text)
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| piece.expected(&format!("a number from {least} to {most}")))
}

/// A size such as `16GiB`; zero needs no unit.
pub(super) fn size(piece: Piece<'_>) -> Result<Bytes, Error> {
    bytes(piece.text).map(Bytes).ok_or_else(|| piece.expected("a size such as `16GiB`"))
}

/// A rate such as `4.6GiB/s`, not zero.
pub(super) fn rate(piece: Piece<'_>) -> Result<Bandwidth, Error> {
    let rate = piece.text.strip_suffix("/s").and_then(bytes).filter(|&rate| rate > 0);
    rate.map(Bandwidth).ok_or_else(|| piece.expected("a rate such as `4.6GiB/s`"))
}

/// A time in nanoseconds such as `20ns`.
pub(super) fn nanoseconds(piece: Piece<'_>) -> Result<f64, Error> {
    let time = piece.text.strip_suffix("ns").and_then(plain_decimal).filter(|&ns| ns <= 1e6);
    time.ok_or_else(|| piece.expected("a time such as `20ns`"))
}

/// Two times, local and remote, such as `90/140ns`.
pub(super) fn latencies(piece: Piece<'_>) -> Result<(f64, f64), Error> {
    let both = || -> Option<(f64, f64)> {
        let (local, remote) = piece.text.strip_suffix("ns")?.split_once('/')?;
        Some((plain_decimal(local)?, plain_decimal(remote)?))
    };
    both().filter(|&(local, remote)| local > 0.0 && remote >= local && remote <= 1e6).ok_or_else(
        || piece.expected("latencies such as `90/140ns`, the remote one not below the local one"),
    )
}

/// A clock such as `2400MHz` or `2.4GHz`, in MHz.
pub(super) fn clock(piece: Piece<'_>) -> Result<u32, Error> {
    let mhz = match piece.text.strip_suffix("GHz") {
        Some(ghz) => plain_decimal(ghz).map(|ghz| ghz * 1000.0),
        None => piece.text.strip_suffix("MHz").and_then(plain_decimal),
    };
    mhz.filter(|mhz| (1.0..=100_000.0).contains(mhz))
        .map(|mhz| mhz.round() as u32)
        .ok_or_else(|| piece.expected("a clock such as `2400MHz` or `2.4GHz`"))
}

/// A size in the shortest way that reads back as the same number of bytes.
pub(super) fn shown_size(size: u64) -> String {
    for decimals in 0..=2 {
        for &(name, unit) in UNITS[..4].iter().rev() {
            let text = format!("{:.decimals$}{name}", size as f64 / unit as f64);
            if size >= unit && bytes(&text) == Some(size) {
                return text;
            }
        }
    }
    if size == 0 { "0".to_owned() } else { format!("{size}B") }
}

fn bytes(text: &str) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    let (number, unit) =
        UNITS.iter().find_map(|&(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let bytes = plain_decimal(number)? * unit as f64;
    (bytes <= LARGEST_SIZE).then(|| bytes.round() as u64)
}

/// A number of digits and at most one point: no sign, no exponent, no names such as `inf`.
fn plain_decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().ok() } else { None }
}
