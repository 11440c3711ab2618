//! Quantities with their unit in the type.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// Size of a base page.
pub const PAGE: Bytes = Bytes(4096);
/// Size of a huge page (one PMD entry on x86-64).
pub const HUGE_PAGE: Bytes = Bytes(2 << 20);
/// Base pages in a huge page.
pub const PAGES_PER_HUGE: u64 = 512;

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// Nothing of it.
            pub const ZERO: Self = Self(0);

            /// The difference, or zero where `other` is larger.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }

        impl Mul<u64> for $name {
            type Output = Self;
            fn mul(self, factor: u64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Div<u64> for $name {
            type Output = Self;
            fn div(self, divisor: u64) -> Self {
                Self(self.0 / divisor)
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                Self(iter.map(|q| q.0).sum())
            }
        }
    };
}

quantity!(
    /// A number of bytes.
    Bytes
);
quantity!(
    /// A span or a point of time in nanoseconds. Virtual in the simulator, `CLOCK_MONOTONIC` live.
    Nanos
);
quantity!(
    /// A rate in bytes per second.
    Bandwidth
);

impl Bytes {
    /// `n` KiB.
    #[must_use]
    pub const fn kib(n: u64) -> Self {
        Self(n << 10)
    }

    /// `n` MiB.
    #[must_use]
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }

    /// `n` GiB.
    #[must_use]
    pub const fn gib(n: u64) -> Self {
        Self(n << 30)
    }

    /// Base pages that hold this many bytes, rounded up.
    #[must_use]
    pub const fn pages(self) -> u64 {
        self.0.div_ceil(PAGE.0)
    }
}

impl Nanos {
    /// `n` microseconds.
    #[must_use]
    pub const fn micros(n: u64) -> Self {
        Self(n * 1_000)
    }

    /// `n` milliseconds.
    #[must_use]
    pub const fn millis(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// `n` seconds.
    #[must_use]
    pub const fn secs(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// The value in seconds, for printing.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl fmt::Display for Bytes {
    /// In the largest binary unit that leaves a whole number or one decimal: `16 GiB`, `1.5 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if self.0 >= 1 << shift {
                let tenths = (u128::from(self.0) * 10 + (1u128 << (shift - 1))) >> shift;
                return if tenths.is_multiple_of(10) {
                    write!(f, "{} {unit}", tenths / 10)
                } else {
                    write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
                };
            }
        }
        write!(f, "{} B", self.0)
    }
}

/// A base page of an address space: its address divided by 4096.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct PageIndex(pub u64);

impl PageIndex {
    /// The first base page of the 2 MiB region that holds this page.
    #[must_use]
    pub const fn huge_start(self) -> Self {
        Self(self.0 & !(PAGES_PER_HUGE - 1))
    }

    /// The page `n` pages further on.
    #[must_use]
    pub const fn offset(self, n: u64) -> Self {
        Self(self.0 + n)
    }
}
