//! Distances in a one-line description.

use super::Error;
use super::item::Piece;
use crate::{Distances, LOCAL_DISTANCE, NodeId, NodeMask, REMOTE_DISTANCE};

/// 255 means "unreachable" in the firmware's table.
const FARTHEST: u16 = 254;

/// 10 to itself, 20 to any other node.
pub(super) fn default(nodes: &NodeMask) -> Distances {
    table(nodes, |from, to| if from == to { LOCAL_DISTANCE } else { REMOTE_DISTANCE })
}

/// One distance.
pub(super) fn figure(piece: Piece<'_>) -> Result<u16, Error> {
    let in_range = |distance: &u16| (LOCAL_DISTANCE..=FARTHEST).contains(distance);
    let wanted = || piece.expected(&format!("a distance from {LOCAL_DISTANCE} to {FARTHEST}"));
    piece.text.parse().ok().filter(in_range).ok_or_else(wanted)
}

/// Distances of all pairs: uniform, along a ring, or a matrix.
pub(super) fn all(piece: Piece<'_>, nodes: &NodeMask) -> Result<Distances, Error> {
    if let Some(steps) = piece.strip_prefix("ring:") {
        return ring(steps, nodes);
    }
    if piece.text.contains(',') || piece.text.contains(';') {
        return matrix(piece, nodes);
    }
    let (local, remote) = piece.split_once('/').ok_or_else(|| {
        piece.expected("`10/20`, `ring:10/16/22`, or a matrix such as `10,20;20,10`")
    })?;
    let (local, remote) = (figure(local)?, figure(remote)?);
    Ok(table(nodes, |from, to| if from == to { local } else { remote }))
}

fn ring(piece: Piece<'_>, nodes: &NodeMask) -> Result<Distances, Error> {
    let steps = piece.split('/').map(figure).collect::<Result<Vec<_>, _>>()?;
    let around = nodes.len();
    let needed = around / 2 + 1;
    if steps.len() != needed {
        return Err(piece.wrong(format!(
            "a ring of {around} nodes needs {needed} distances, for 0 to {} steps, found {}",
            needed - 1,
            steps.len()
        )));
    }
    Ok(table(nodes, |from, to| {
        let one_way = from.abs_diff(to);
        steps[one_way.min(around - one_way)]
    }))
}

fn matrix(piece: Piece<'_>, nodes: &NodeMask) -> Result<Distances, Error> {
    let count = nodes.len();
    let rows: Vec<Piece<'_>> = piece.split(';').collect();
    if rows.len() != count {
        return Err(piece.wrong(format!("{count} nodes need {count} rows, found {}", rows.len())));
    }
    let mut figures = Vec::with_capacity(count);
    for row in rows {
        let row_figures = row.split(',').map(figure).collect::<Result<Vec<_>, _>>()?;
        if row_figures.len() != count {
            return Err(row.wrong(format!(
                "{count} nodes need {count} distances in a row, found {}",
                row_figures.len()
            )));
        }
        figures.push(row_figures);
    }
    Ok(table(nodes, |from, to| figures[from][to]))
}

/// The distances that `of` gives for positions in the order of nodes.
fn table(nodes: &NodeMask, of: impl Fn(usize, usize) -> u16) -> Distances {
    let ids: Vec<NodeId> = nodes.iter().collect();
    let mut distances = Distances::new();
    for (i, &from) in ids.iter().enumerate() {
        for (j, &to) in ids.iter().enumerate() {
            distances.set(from, to, of(i, j));
        }
    }
    distances
}
