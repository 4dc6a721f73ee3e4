//! Rows that the summaries of jobs and of mixes have in common.

use super::super::tally::Tally;
use crate::formats::{MATE, VALUE_NONE};
use crate::report::{ResultTable, counted, grouped, share};

/// Adds a row for each input in which one record in a thousand or more has a score that often means
/// no score in other programs' data.
pub(crate) fn show_odd_scores<'a>(
    inputs: impl Iterator<Item = (&'a str, &'a Tally)>,
    table: &mut ResultTable,
) {
    for (name, tally) in inputs {
        let odd = &tally.odd_scores;
        let count: u64 = odd.values().sum();
        let commonest = odd.iter().max_by_key(|&(_, count)| count);
        if let Some((score, _)) = commonest
            && 1000 * count >= tally.records
        {
            let share = share(count, tally.records);
            let most = match odd.len() {
                1 => score.to_string(),
                _ => format!("{MATE} or more, mostly {score}"),
            };
            let name = match name {
                "" => String::new(),
                name => format!("{name}: "),
            };
            let text = format!(
                "{name}{share} have a score of {most}, which often stands for none; only \
                 {VALUE_NONE} is read so, and a max-score of {} leaves them out",
                MATE - 1
            );
            table.row("odd scores", text);
        }
    }
}

/// Adds rows for the records that were skipped, and for text that could not be read and was not
/// needed.
pub(crate) fn show_invalid(tally: &Tally, table: &mut ResultTable) {
    table.value("invalid", tally.invalid);
    table.value("invalid_bytes", tally.invalid_bytes);
    table.value("unread", tally.unread);
    if let Some(first) = &tally.first_unread {
        let count = grouped(tally.unread);
        let unread = format!("{count} not needed and passed over, such as {first}");
        table.row("unread", unread);
    }
    if tally.invalid == 0 {
        table.row("invalid", 0);
        return;
    }
    let count = grouped(tally.invalid);
    let bytes = counted(tally.invalid_bytes, "byte");
    let lost = if tally.invalid_records > tally.invalid {
        format!(", {} lost", counted(tally.invalid_records, "position"))
    } else {
        String::new()
    };
    table.row("invalid", format!("{count}, {bytes} skipped{lost}"));
    for message in &tally.messages {
        table.row("", message);
    }
    let more = tally.invalid.saturating_sub(tally.messages.len() as u64);
    if more > 0 {
        table.row("", format!("and {} more", grouped(more)));
    }
}

/// Adds rows for what conversions could not write of the records.
pub(crate) fn show_losses(tally: &Tally, table: &mut ResultTable) {
    for (name, key, count, what) in [
        (
            "castling",
            "lost_castling_rights",
            tally.lost_rights,
            "with a castling right whose rook or king is not in place, which is dropped",
        ),
        (
            "castling",
            "unheld_castling_rights",
            tally.unheld_rights,
            "with a castling right that the format cannot hold, which is dropped",
        ),
        (
            "castled",
            "left_out_castlings",
            tally.left_out_castlings,
            "left out: the played move castles by such a right",
        ),
        (
            "clocks",
            "clamped_clocks",
            tally.clamped_clocks,
            "with a clock above the highest that can be written, which is written instead",
        ),
        (
            "ply",
            "lost_plies",
            tally.lost_plies,
            "with a ply that contradicts the move number, of which one is written",
        ),
        (
            "clipped",
            "clipped_scores",
            tally.clipped_scores,
            "with a score that, multiplied, is beyond 30,999 and becomes 30,999, below mates",
        ),
    ] {
        let s = if count == 1 { "" } else { "s" };
        table.any(name, key, count, &format!(" record{s} {what}"));
    }
}

/// Adds rows for scores that were clamped, for games whose tag and movetext disagree about the
/// result or that lack one of the two, and for games without moves.
pub(crate) fn show_games(tally: &Tally, table: &mut ResultTable) {
    let clamped = tally.clamped;
    let contradicted = tally.contradicted;
    let scores = " large scores, clamped to 309.99 pawns, below mates";
    table.any("clamped", "clamped_scores", clamped, scores);
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let contradictions = format!(
        " game{} whose tag contradicts the movetext, taken from the movetext",
        plural(contradicted)
    );
    table.any(
        "results",
        "contradicted_results",
        contradicted,
        &contradictions,
    );
    let unended = tally.unended;
    let unended_games = format!(
        " game{} without a result after the moves, taken from the tag",
        plural(unended)
    );
    table.any("results", "missing_results", unended, &unended_games);
    let moveless = tally.moveless;
    let moveless_games = format!(
        " game{} without moves, which give no positions",
        plural(moveless)
    );
    table.any("no moves", "games_without_moves", moveless, &moveless_games);
}
