//! The known name a mistyped one was probably meant to be.

use alloc::vec::Vec;

/// The name closest to `wanted` in edits (insert, delete, replace a character), if it is close enough to
/// be worth a suggestion: at most a third of the characters of `wanted` differ, or one. Upper and lower
/// case count as equal, and the part after a colon is a name of its own, so that `thpmigrat` finds
/// `balancenuma:thpmigrate`. Of equally close names the first wins.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(wanted);
    let tolerance = (wanted.len() / 3).max(1);
    names
        .into_iter()
        .filter_map(|name| {
            let stage = name.split_once(':').map(|(_, stage)| stage);
            let distance = core::iter::once(name)
                .chain(stage)
                .map(folded)
                .filter(|known| known.len().abs_diff(wanted.len()) <= tolerance)
                .map(|known| edits(&wanted, &known))
                .min()?;
            (distance <= tolerance).then_some((distance, name))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Levenshtein distance, one row of the table at a time.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const NAMES: [&str; 5] = ["mainline", "hard-bind", "n:stats", "n:delaystart", "interleave"];

    #[test]
    fn a_slip_of_the_keys_is_found() {
        assert_eq!(nearest("manline", NAMES), Some("mainline"));
        assert_eq!(nearest("hard_bind", NAMES), Some("hard-bind"));
        assert_eq!(nearest("Interleaved", NAMES), Some("interleave"));
        assert_eq!(nearest("n:delaystrat", NAMES), Some("n:delaystart"));
    }

    #[test]
    fn a_stage_is_found_without_its_family() {
        assert_eq!(nearest("delaystart", NAMES), Some("n:delaystart"));
        assert_eq!(nearest("stat", NAMES), Some("n:stats"));
    }

    #[test]
    fn what_is_far_off_gets_no_suggestion() {
        assert_eq!(nearest("windows", NAMES), None);
        assert_eq!(nearest("", NAMES), None);
        assert_eq!(nearest("mainline", []), None);
    }

    #[test]
    fn of_equally_close_names_the_first_wins() {
        assert_eq!(nearest("cat", ["bat", "hat"]), Some("bat"));
    }
}
