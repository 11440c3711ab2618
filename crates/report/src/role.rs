//! Which published cells a model was fitted to and which it is judged by: rules given as data.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::published::CellId;
use crate::seed::{SeedTable, SeedTables};

/// What a published cell is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The model was fitted to it.
    Calibration,
    /// The model was not: it counts in the score.
    HeldOut,
    /// Held out, but its value is a matter of chance: it counts only in `in_band`.
    HeldOutChaotic,
    /// It counts nowhere; a reason is given.
    Unscored,
}

impl Role {
    /// The name used in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calibration => "calibration",
            Self::HeldOut => "held_out",
            Self::HeldOutChaotic => "held_out_chaotic",
            Self::Unscored => "unscored",
        }
    }
}

/// Gives a role to every published cell that fits. A field left out fits all; `*` in a field stands for any text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleRule {
    /// Table id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// First label of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Second label of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Published column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The role.
    pub role: Role,
    /// Why; wanted for [`Role::Unscored`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Factor on the published value before it is compared (0.5 for a table that holds two runs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

impl RoleRule {
    fn fits(&self, cell: &CellId) -> bool {
        let fields = [
            (&self.table, &cell.table),
            (&self.metric, &cell.metric),
            (&self.key, &cell.key),
            (&self.column, &cell.column),
        ];
        fields
            .into_iter()
            .all(|(pattern, text)| pattern.as_ref().is_none_or(|pattern| glob(pattern, text)))
    }
}

impl fmt::Display for RoleRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for field in [&self.table, &self.metric, &self.key, &self.column] {
            write!(f, "{} ", field.as_deref().unwrap_or("*"))?;
        }
        f.write_str(self.role.name())
    }
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    text.strip_prefix(start).is_some_and(|tail| {
        tail.char_indices().map(|(at, _)| &tail[at..]).chain([""]).any(|tail| glob(rest, tail))
    })
}

/// The rules, the first that fits a cell deciding. A cell without a rule is held out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Roles {
    /// The rules in order.
    pub rules: Vec<RoleRule>,
}

impl Roles {
    /// The first rule that fits a cell.
    pub fn rule(&self, cell: &CellId) -> Option<&RoleRule> {
        self.rules.iter().find(|rule| rule.fits(cell))
    }

    /// Checks that every rule fits at least one published cell and that its factor is a positive number.
    ///
    /// # Errors
    /// [`Error::IdleRule`] or [`Error::RuleScale`] with the first that does not.
    pub fn check(&self, tables: &SeedTables) -> Result<(), Error> {
        for (at, rule) in self.rules.iter().enumerate() {
            let fits = |table: &SeedTable| {
                table.cells.iter().any(|cell| rule.fits(&CellId::new(table, cell)))
            };
            if let Some(scale) = rule.scale.filter(|scale| !(*scale > 0.0 && scale.is_finite())) {
                return Err(Error::RuleScale {
                    number: at + 1,
                    rule: rule.to_string(),
                    scale: scale.to_string(),
                });
            }
            if !tables.all().iter().any(fits) {
                return Err(Error::IdleRule { number: at + 1, rule: rule.to_string() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Role, RoleRule, Roles, glob};
    use crate::Error;
    use crate::seed::SeedTables;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("*", "T000"),
            ("T000-*", "T000-01"),
            ("*thp*", "rc6-thpmigrate-v5"),
            ("a*b*c", "aXbbc"),
        ] {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "x"),
            ("T000", "T000-01"),
            ("*thp", "rc6-thpmigrate"),
            ("a*b*c", "acb"),
            ("ä*", "a"),
        ] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_rule_that_fits_nothing_is_an_error() {
        let rule = |table: &str| RoleRule {
            table: Some(table.to_owned()),
            metric: Some("Elapsed".to_owned()),
            key: None,
            column: None,
            role: Role::Calibration,
            reason: None,
            scale: None,
        };
        let tables = SeedTables::load().unwrap();
        assert_eq!(Roles { rules: vec![rule("T000-01")] }.check(&tables), Ok(()));
        let error =
            Roles { rules: vec![rule("T000-01"), rule("T000-03")] }.check(&tables).unwrap_err();
        assert_eq!(
            error,
            Error::IdleRule { number: 2, rule: "T000-03 Elapsed * * calibration".to_owned() }
        );
    }

    #[test]
    fn a_scale_is_a_positive_number() {
        for scale in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let rule = RoleRule {
                table: None,
                metric: None,
                key: None,
                column: None,
                role: Role::HeldOut,
                reason: None,
                scale: Some(scale),
            };
            let error =
                Roles { rules: vec![rule] }.check(&SeedTables::load().unwrap()).unwrap_err();
            assert!(matches!(error, Error::RuleScale { number: 1, .. }), "{error}");
        }
    }
}
