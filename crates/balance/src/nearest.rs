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
