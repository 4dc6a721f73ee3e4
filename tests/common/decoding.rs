//! A device's decoders, compared with the CPU's.

use swaplist::backend::{Backend as _, Question};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::{self, Ask, DECODING, RawFacts, Work};
use swaplist::gpu::wgpu::ComputePipeline;
use swaplist::{Bounds, Position, Rules};

use super::coded::{Coded, Found};
use super::gpu::BOUNDS;
use super::host::Host;

/// Enough for most comparisons at once.
pub const CHUNK: usize = 1 << 17;

/// A host with this shader, whose dispatches are folded.
pub fn host(decoder: &str) -> Host {
    let mut host = Host::open(decoder, DECODING);
    host.grid.max_workgroups = 40;
    host
}

pub fn pipeline(host: &Host, coded: &Coded) -> ComputePipeline {
    let kernel = program::Kernel::Exceed {
        with_threat: false,
        with_facts: false,
    };
    host.pipeline(&kernel.decoder(coded.raw().coding, host.grid))
}

/// Decodes in chunks of at most so many records. Returns the number of units in each, or the
/// first difference.
pub fn compare(
    host: &Host,
    pipeline: &ComputePipeline,
    coded: &Coded,
    chunk: usize,
) -> Result<Vec<usize>, String> {
    let capacity = host.capacity(chunk);
    let question = Question::Records(coded.raw(), Ask::Bounds(Bounds::default()));
    let work = Work::new(question, &Rules::SWAP);
    if !work.fits(capacity) {
        return Err("refused".to_owned());
    }
    let (mut last, mut chunks) = (None, Vec::new());
    while let Some(chunk) = work.chunk_after(last.as_ref(), capacity) {
        let (params, _) = work.params(&chunk, host.grid, 0);
        let mut raw = work.upload(&chunk).to_vec();
        raw.resize(program::raw_words(raw.len()) * size_of::<u32>(), 0);
        raw.extend(work.requests(&chunk).flatten());
        let records = chunk.positions.len();
        let contents = [
            bytemuck::bytes_of(&params),
            program::masks(),
            &raw,
            &vec![0xaa; records * size_of::<Position>()],
            &vec![0; records * size_of::<u32>()],
        ];
        if records > 0 {
            let groups = host.grid.of_units(params.units);
            let written = host.dispatch(pipeline, contents, groups);
            let positions: Vec<Position> = bytemuck::pod_collect_to_vec(&written[0]);
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&written[1]);
            same(&words, &positions, &coded.found[chunk.positions.clone()])?;
        }
        chunks.push(chunk.captures.len());
        last = Some(chunk);
    }
    assert_eq!(last.map_or(0, |last| last.positions.end), coded.found.len());
    Ok(chunks)
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

/// Compares facts on decoded records, and what they exceed; returns the first that differs.
pub fn told_like_cpu(gpu: &Gpu, coded: &Coded, rules: &Rules) -> Result<(), String> {
    let bounds = BOUNDS[1];
    let question = Question::Records(coded.raw(), Ask::Facts(bounds));
    let answers = gpu.answers(&question, rules);
    let answers = answers.map_err(|error| error.to_string())?;
    if answers.records.is_empty() {
        return Err("not decoded".to_owned());
    }
    let told = answers.facts;
    let played = coded.played();
    assert_eq!(
        (told.len(), played.len()),
        (coded.found.len(), played.len())
    );
    for ((told, (word, position)), played) in told.iter().zip(&coded.found).zip(played) {
        let position = position.ok_or("no position")?;
        let mut facts = RawFacts::new(&position, played, rules);
        facts.raw = told.raw;
        if *told != facts || told.raw.0 & !0x8000_000f != *word {
            return Err(format!("{position}: {told:x?} instead of {facts:x?}"));
        }
        if told.raw.exceeds(bounds) != rules.exceeds(&position, bounds) {
            return Err(format!("{position}: {told:x?}"));
        }
    }
    Ok(())
}

/// Compares verdicts on decoded records, and the numbers of their pieces; returns the first that
/// differs.
pub fn judged_like_cpu(gpu: &Gpu, coded: &Coded) -> Result<(), String> {
    let question = Question::Records(coded.raw(), Ask::Verdicts);
    let answers = gpu.answers(&question, &Rules::SWAP);
    let answers = answers.map_err(|error| error.to_string())?;
    if answers.records.len() != coded.found.len() {
        return Err("not decoded".to_owned());
    }
    let judged = answers.records.iter().zip(&answers.verdicts);
    for ((answer, verdict), (word, position)) in judged.zip(&coded.found) {
        let position = position.ok_or("no position")?;
        let pieces = position.occupied().count();
        if answer.0 & !(1 << 31) != word | pieces as u32 {
            return Err(format!("{position}: {answer:x?}"));
        }
        if *verdict != Rules::SWAP.verdict(&position, false) {
            return Err(format!("{position}: {verdict:?}"));
        }
    }
    Ok(())
}
