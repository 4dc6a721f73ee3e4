//! A device's decoders, compared with the CPU's.

use swaplist::attacks::MASKS;
use swaplist::gpu::program::{Access, BINDINGS, Binding, Entry, Params};
use swaplist::gpu::wgpu::ComputePipeline;
use swaplist::{Position, Rules};
use swaplist_files::formats::Format;

use crate::tests::common::host::Host;
use crate::tests::units::{Coded, Found};

/// A host with this shader, whose dispatches are folded.
pub fn host(shader: &str) -> Host {
    let [params, masks, ..] = BINDINGS;
    let buffers = [
        ("raw", Access::Read),
        ("decoded", Access::Write),
        ("answers", Access::Write),
    ];
    let [raw, decoded, answers] = buffers.map(|(name, access)| Binding {
        name,
        access,
        least: 4,
    });
    let mut host = Host::open(shader, [params, masks, raw, decoded, answers], 1);
    host.shape.max_workgroups = 40;
    host
}

pub fn pipeline(host: &Host, coded: &Coded) -> ComputePipeline {
    let name = match coded.format {
        Format::Viriformat => "decode_viriformat",
        Format::Binpack => "decode_binpack",
        other => panic!("{other:?}"),
    };
    let group = ("GROUP", host.shape.workgroup.into());
    host.pipeline(&Entry {
        name,
        constants: vec![group, ("ANSWER_WORDS", 1.0)],
    })
}

/// Decodes all units at once; returns the first difference.
pub fn compare(host: &Host, pipeline: &ComputePipeline, coded: &Coded) -> Result<(), String> {
    let mut raw = coded.bytes.clone();
    raw.resize(raw.len().next_multiple_of(4) + 16, 0);
    let units_at = raw.len() as u32 / 4;
    // The longest first, as the host sends them.
    let mut rows: Vec<[u32; 4]> = coded
        .units
        .windows(2)
        .map(|units| {
            let [here, next] = [units[0], units[1]];
            [here.start, next.start, here.first, next.first - here.first]
        })
        .collect();
    rows.sort_by_key(|row| core::cmp::Reverse(row[3]));
    raw.extend_from_slice(bytemuck::cast_slice(&rows));
    let records = coded.found.len();
    let groups = host.shape.groups(rows.len() as u32);
    let params = Params {
        count: records as u32,
        groups_x: 0,
        serial: [0; 2],
        values: Rules::SWAP.values,
        bounds: [0; 4],
        own: [rows.len() as u32, groups.0, units_at, 0],
    };
    let contents = [
        bytemuck::bytes_of(&params),
        bytemuck::cast_slice(&MASKS),
        &raw,
        &vec![0xaa; records * size_of::<Position>()],
        &vec![0; records * size_of::<u32>()],
    ];
    let written = host.dispatch(pipeline, contents, groups);
    let positions: Vec<Position> = bytemuck::pod_collect_to_vec(&written[0]);
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&written[1]);
    same(&words, &positions, &coded.found)
}

fn same(words: &[u32], positions: &[Position], found: &[Found]) -> Result<(), String> {
    assert_eq!((words.len(), positions.len()), (found.len(), found.len()));
    for (record, &(word, position)) in found.iter().enumerate() {
        if words[record] != word {
            return Err(format!("{record}: {:x} instead of {word:x}", words[record]));
        }
        if let Some(position) = position.filter(|position| positions[record] != *position) {
            let [theirs, ours] = [positions[record], position].map(|position| position.planes());
            return Err(format!("{record}: {theirs:x?} instead of {ours:x?}"));
        }
    }
    Ok(())
}
