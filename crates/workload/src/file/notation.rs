//! How sizes, times, counts, parts and node sets are written.

use std::fmt;
use std::marker::PhantomData;

use homenode_topology::{Bytes, Machine, Nanos, NodeMask};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};

use crate::{Part, Places};

/// A value that is written as text.
trait Text: Sized {
    /// What to write, for messages.
    const EXPECTED: &'static str;
    fn read(text: &str) -> Option<Self>;
    /// The value that a plain whole number stands for, if it may.
    fn number(_: u64) -> Option<Self> {
        None
    }
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: Text> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::read(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<T, E> {
        let value = u64::try_from(n).ok().and_then(T::number);
        value.ok_or_else(|| E::invalid_value(Unexpected::Signed(n), &self))
    }
}

macro_rules! written_as_text {
    ($($name:ty),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(TextVisitor(PhantomData))
            }
        }
    )*};
}

written_as_text!(Size, Length, Count, Nodes);

/// A whole number followed by one of the units.
fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// An amount of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(pub(super) Bytes);

impl Text for Size {
    const EXPECTED: &'static str = "a size such as \"3GiB\" (B, KiB, MiB, GiB, TiB)";

    fn read(text: &str) -> Option<Self> {
        let units =
            [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];
        with_unit(text, &units).map(|bytes| Self(Bytes(bytes)))
    }
}

/// A span of time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Length(pub(super) Nanos);

impl Text for Length {
    const EXPECTED: &'static str = "a time such as \"5ms\" (ns, us, ms, s)";

    fn read(text: &str) -> Option<Self> {
        let units = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
        with_unit(text, &units).map(|nanos| Self(Nanos(nanos)))
    }
}

/// How many processes or threads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Of(u64),
    /// Online CPUs divided by this, at least one.
    CpusBy(u64),
}

impl Count {
    pub(super) fn on(self, machine: &Machine) -> u64 {
        match self {
            Self::Of(n) => n,
            Self::CpusBy(n) => (machine.cpus.len() as u64 / n).max(1),
        }
    }
}

impl Text for Count {
    const EXPECTED: &'static str = "a number of at least 1, \"cpus\" or, for example, \"cpus/2\"";

    fn read(text: &str) -> Option<Self> {
        let by = match text.strip_prefix("cpus")? {
            "" => 1,
            rest => rest.strip_prefix('/')?.parse().ok().filter(|&by| by > 0)?,
        };
        Some(Self::CpusBy(by))
    }

    fn number(n: u64) -> Option<Self> {
        (n > 0).then_some(Self::Of(n))
    }
}

/// A set of nodes, by number or by its role on the machine.
#[derive(Clone, Debug)]
pub(super) enum Nodes {
    All,
    FirstHalf,
    SecondHalf,
    /// One node for each member of the team, members in order.
    Spread,
    List(NodeMask),
}

impl Text for Nodes {
    const EXPECTED: &'static str =
        "\"all\", \"first-half\", \"second-half\", \"spread\" or a list of nodes such as \"0-1,4\"";

    fn read(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "first-half" => Some(Self::FirstHalf),
            "second-half" => Some(Self::SecondHalf),
            "spread" => Some(Self::Spread),
            list => list.parse().ok().filter(|nodes: &NodeMask| !nodes.is_empty()).map(Self::List),
        }
    }
}

impl Nodes {
    /// The nodes meant for one member of a team; `all` are those that could serve.
    pub(super) fn resolve(&self, places: &Places, member: Member, all: NodeMask) -> NodeMask {
        match self {
            Self::List(nodes) => nodes.clone(),
            Self::FirstHalf if places.is_choice() => places.first_half(),
            Self::SecondHalf if places.is_choice() => places.second_half(),
            Self::Spread if places.is_choice() => {
                places.share(member.i as usize, member.of as usize).into_iter().collect()
            }
            Self::All | Self::FirstHalf | Self::SecondHalf | Self::Spread => all,
        }
    }
}

/// Which of a team of like processes or threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) i: u32,
    pub(super) of: u32,
}

/// Which part of a region.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Place {
    #[default]
    Whole,
    Slice,
    Stretch(Stretch),
}

#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stretch {
    start: Size,
    length: Size,
}

impl Place {
    /// The part of a region of `size` that is meant for one member of a team.
    pub(super) fn resolve(self, size: Bytes, member: Member) -> Part {
        match self {
            Self::Whole => Part::whole(size),
            Self::Slice => Part::slice(size, member.i, member.of),
            Self::Stretch(Stretch { start, length }) => Part { start: start.0, length: length.0 },
        }
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct PlaceVisitor;

        impl<'de> Visitor<'de> for PlaceVisitor {
            type Value = Place;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"whole\", \"slice\" or { start = \"0B\", length = \"1GiB\" }")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Place, E> {
                match text {
                    "whole" => Ok(Place::Whole),
                    "slice" => Ok(Place::Slice),
                    other => Err(E::invalid_value(Unexpected::Str(other), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Place, A::Error> {
                Stretch::deserialize(MapAccessDeserializer::new(map)).map(Place::Stretch)
            }
        }

        from.deserialize_any(PlaceVisitor)
    }
}
