//! The figures as JSON.
//!
//! | key | holds |
//! |---|---|
//! | `command`, `version` | `"bench"`, of swaplist |
//! | `input`, `positions`, `moves`, `rules` | the data, repeated for larger batches |
//! | `cpu`, `threads` | the CPU's name, and how many threads all of it is |
//! | `contenders` | `name`, `kind` (`cpu` or `gpu`), `software` of each |
//! | `scores`, `verdicts` | `figures` and `devices` of each kind that was measured |
//! | `files` | what begins with a file |
//!
//! A figure has `contender`, `software`, `batch`, `seconds` (the median of `runs` of
//! the whole batch), `per_second`, `kernel_seconds` (or null), `floor` (`memcpy` or
//! `copy to device`), `floor_seconds`, `times_floor`, `upload_seconds` (a GPU's floor
//! with what it takes to fill the memory that the bus reads, else null) and `wrong`
//! (null, or what was). Where patience ran out there is no figure.
//!
//! A device has `contender`, `software`, `wins_from` (a batch size, or null if it
//! never does), `of_peak` (the share of the integer peak that its kernels use, where
//! `--gpu-peak` and `--gpu-ops` are given), and of its best batch `best_batch`, `of_copy`, `of_upload`, `busy`.
//!
//! A file has `format`, `bytes`, `records` and `stages`: `name`, `seconds`,
//! `ns_per_record`, `floor` (the name of one of the stages, null for a floor itself)
//! and `times_floor`.

use serde_json::{Value, json};

use super::files::FileFigures;
use super::results::{Device, Part, Results};
use super::table::rate;
use crate::cli::devices;
use crate::cli::options::rules_json;

pub fn to_json(results: &Results<'_>, threads: usize) -> Value {
    let contenders = results.contenders.iter().map(|contender| {
        json!({
            "name": contender.name,
            "kind": if contender.gpu.is_some() { "gpu" } else { "cpu" },
            "software": contender.is_software(),
        })
    });
    let mut json = json!({
        "command": "bench",
        "version": env!("CARGO_PKG_VERSION"),
        "input": results.data.name,
        "positions": results.data.positions.len(),
        "moves": results.data.noisy.len(),
        "rules": rules_json(results.rules),
        "cpu": devices::cpu_name(),
        "threads": threads,
        "contenders": contenders.collect::<Vec<_>>(),
        "files": results.files.iter().map(file).collect::<Vec<_>>(),
    });
    for part in &results.parts {
        let devices = results.devices(part);
        json[part.what.name()] = json!({
            "figures": figures(results, part),
            "devices": devices.iter().map(|found| device(results, found)).collect::<Vec<_>>(),
        });
    }
    json
}

fn figures(results: &Results<'_>, part: &Part) -> Vec<Value> {
    let mut figures = Vec::new();
    for (c, (contender, row)) in results.contenders.iter().zip(&part.rows).enumerate() {
        for (i, (&size, measured)) in results.sizes.iter().zip(row).enumerate() {
            let Some(measured) = measured else { continue };
            let uploaded = part.uploaded(c, i);
            figures.push(json!({
                "contender": contender.name,
                "software": contender.is_software(),
                "batch": size,
                "seconds": measured.total.as_secs_f64(),
                "per_second": rate(size, measured.total) * 1e6,
                "kernel_seconds": measured.kernel.map(|kernel| kernel.as_secs_f64()),
                "floor": if uploaded.is_some() { "copy to device" } else { "memcpy" },
                "floor_seconds": part.floor(c, i).as_secs_f64(),
                "times_floor": part.ratio(c, i),
                "upload_seconds": uploaded.map(|uploaded| uploaded.filled.as_secs_f64()),
                "runs": measured.runs,
                "wrong": measured.wrong,
            }));
        }
    }
    figures
}

fn device(results: &Results<'_>, device: &Device) -> Value {
    let contender = &results.contenders[device.contender];
    let best = device.best.as_ref();
    json!({
        "contender": contender.name,
        "software": contender.is_software(),
        "of_peak": device.of_peak,
        "wins_from": device.wins_from.map(f64::round),
        "best_batch": best.map(|best| best.size),
        "of_copy": best.map(|best| best.of_copy),
        "of_upload": best.map(|best| best.of_upload),
        "busy": best.and_then(|best| best.busy),
    })
}

fn file(file: &FileFigures) -> Value {
    let stage = |stage: &super::files::Stage| {
        json!({
            "name": stage.name,
            "seconds": stage.time.as_secs_f64(),
            "ns_per_record": file.ns(stage),
            "floor": stage.floor.map(|floor| file.stages[floor].name.as_str()),
            "times_floor": file.ratio(stage),
        })
    };
    json!({
        "format": file.format.name(),
        "bytes": file.bytes,
        "records": file.records,
        "stages": file.stages.iter().map(stage).collect::<Vec<_>>(),
    })
}
