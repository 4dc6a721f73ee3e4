//! The figures as text.

use std::fmt::Write as _;
use std::time::Duration;

use super::measure::MOST;
use super::results::{Device, Part, Results};
use crate::cli::devices;
use crate::cli::summary::{Lines, grouped};

/// Millions a second.
#[allow(clippy::cast_precision_loss)] // sizes are far below 2^52
pub fn rate(size: usize, time: Duration) -> f64 {
    size as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

/// Three digits are enough to compare.
pub fn short(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.2}"),
        ..100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// How many times the floor's time, roughly: it varies more than what it is of.
pub fn times(ratio: f64) -> String {
    match ratio {
        ..10.0 => format!("{ratio:.1}x"),
        1000.0.. => ">999x".to_owned(),
        _ => format!("{ratio:.0}x"),
    }
}

pub fn to_text(results: &Results<'_>) -> String {
    let lines = lines(results).text();
    format!(
        "swaplist bench {}\n{lines}{}",
        results.data.name,
        tables(results)
    )
}

/// The figures without what they are of.
pub fn tables(results: &Results<'_>) -> String {
    let mut text = String::new();
    for part in &results.parts {
        let _ = write!(text, "\n{}\n", part.what.title());
        text += &aligned(&sizes_table(results, part));
        for line in findings(results, part) {
            let _ = writeln!(text, "  {line}");
        }
    }
    if !results.files.is_empty() {
        let _ = writeln!(
            text,
            "\nfrom a file in memory, ns a record, one thread unless said"
        );
        text += &aligned(&files_table(results));
    }
    text
}

/// What the figures are of.
pub fn lines(results: &Results<'_>) -> Lines {
    let data = results.data;
    let mut lines = Lines::default();
    let positions = grouped(data.positions.len() as u64);
    let moves = grouped(data.noisy.len() as u64);
    lines.add(
        "data",
        format!("{positions} positions with {moves} noisy moves, over and over"),
    );
    if data.cut {
        lines.add("", "of the file's beginning: there is more");
    }
    lines.add("rules", results.rules);
    lines.add("CPU", devices::cpu_name());
    let mut software = false;
    for contender in results.contenders.iter().filter(|c| c.gpu.is_some()) {
        lines.add("GPU", &contender.name);
        software |= contender.is_software();
    }
    if software {
        lines.add(
            "NOTE",
            "SOFTWARE ADAPTER: it computes on the CPU, its figures say nothing about GPUs",
        );
    }
    let figures = [
        format!(
            "millions a second, median of up to {} runs, all results compared; one",
            results.runs
        ),
        "thread unless said. 9x: takes 9 times as long as its floor, a memcpy of".to_owned(),
        "the batch, or for a GPU the bus's copy of it to the device".to_owned(),
    ];
    for (i, line) in figures.iter().enumerate() {
        lines.add(if i == 0 { "figures" } else { "" }, line);
    }
    if results.sizes.iter().any(|&size| size > MOST) {
        let most = grouped(MOST as u64);
        lines.add(
            "",
            format!("batches above {most} are done in calls of so many"),
        );
    }
    lines
}

type Rows = Vec<Vec<String>>;

/// The first column to the left, the others to the right.
fn aligned(rows: &Rows) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| Some(row.get(column)?.len()))
            .max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from("  ");
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = if column == 0 {
                write!(line, "{cell:<width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn sizes_table(results: &Results<'_>, part: &Part) -> Rows {
    let mut head = vec!["batch".to_owned(), "memcpy".to_owned()];
    for contender in results.contenders {
        head.push(contender.title.clone());
        if contender.gpu.is_some() {
            head.extend(["kernels", "copy", "fill, copy"].map(str::to_owned));
        }
    }
    let mut rows = vec![head];
    for (i, &size) in results.sizes.iter().enumerate() {
        let cell = |time: Option<Duration>| {
            time.map_or_else(|| "-".to_owned(), |time| short(rate(size, time)))
        };
        let mut row = vec![grouped(size as u64), cell(Some(part.floors[i].memcpy))];
        for (c, contender) in results.contenders.iter().enumerate() {
            let ratio = part.ratio(c, i).map(|ratio| format!(" {}", times(ratio)));
            row.push(cell(part.time(c, i)) + &ratio.unwrap_or_default());
            if contender.gpu.is_some() {
                let uploaded = part.uploaded(c, i);
                row.push(cell(part.kernel(c, i)));
                row.push(cell(uploaded.map(|uploaded| uploaded.copy)));
                row.push(cell(uploaded.map(|uploaded| uploaded.filled)));
            }
        }
        rows.push(row);
    }
    rows
}

/// What was wrong, which is the fastest where, and what becomes of a GPU.
pub fn findings(results: &Results<'_>, part: &Part) -> Vec<String> {
    let mut lines = Vec::new();
    for (c, contender) in results.contenders.iter().enumerate() {
        for wrong in part.wrong(c) {
            lines.push(format!("WRONG on {}: {wrong}", contender.name));
        }
    }
    for span in results.spans(part) {
        let name = &results.contenders[span.contender].name;
        let [first, last] = [span.first, span.last].map(|size| grouped(size as u64));
        lines.push(if first == last {
            format!("fastest at {first}: {name}")
        } else {
            format!("fastest from {first} to {last}: {name}")
        });
    }
    for device in results.devices(part) {
        lines.extend(device_lines(results, &device));
    }
    lines
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // sizes
fn device_lines(results: &Results<'_>, device: &Device) -> Vec<String> {
    let contender = &results.contenders[device.contender];
    let name = contender.name.split(" (").next().unwrap_or_default();
    let remark = if contender.is_software() {
        ", but is software and says nothing about GPUs"
    } else {
        ""
    };
    let mut lines = Vec::new();
    if device.compared {
        lines.push(match device.wins_from {
            Some(size) => {
                let size = grouped(size.round() as u64);
                format!("the GPU {name} wins from about {size} on{remark}")
            }
            None => format!("the GPU {name} never wins here{remark}"),
        });
    }
    if let Some(best) = &device.best {
        let size = grouped(best.size as u64);
        // Measured one by one, kernels of a busy machine can take longer than all.
        let busy = best.busy.filter(|&busy| busy <= 1.0);
        let busy = busy.map_or_else(String::new, |busy| {
            format!(
                "; its kernels alone, one by one, {:.0} % of the time",
                busy * 100.0
            )
        });
        lines.push(format!(
            "{name} comes to {:.2} of what the copy to it allows ({:.2} of fill and copy), \
             at {size}{busy}",
            best.of_copy, best.of_upload
        ));
    }
    if let Some(of_peak) = device.of_peak {
        lines.push(format!(
            "{name}'s kernels use {:.1} % of the integer peak given, by the operations given",
            of_peak * 100.0
        ));
    }
    lines
}

/// Stages by files, of which all have the same.
fn files_table(results: &Results<'_>) -> Rows {
    let files = &results.files;
    let mut head = vec![String::new()];
    head.extend(files.iter().map(|file| file.format.name().to_owned()));
    let mut rows = vec![head];
    let all = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells = (0..files.len()).map(cell);
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    rows.push(all("records", &|f| grouped(files[f].records as u64)));
    rows.push(all("bytes", &|f| grouped(files[f].bytes as u64)));
    for (i, stage) in files[0].stages.iter().enumerate() {
        let name = if stage.is_floor() {
            format!("floor: {}", stage.name)
        } else {
            stage.name.clone()
        };
        rows.push(all(&name, &|f| {
            let (file, stage) = (&files[f], &files[f].stages[i]);
            let ratio = file.ratio(stage).map(|ratio| format!(" {}", times(ratio)));
            short(file.ns(stage)) + &ratio.unwrap_or_default()
        }));
    }
    rows
}
