//! Scores of broken shaders.

use crate::common::{boards, cases, gpu};
use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::SHADER;
use swaplist::{
    Batch, PieceValues, Position,
    Profile::{self, Legal, Sf, Sf8, Swap},
    Rules, noisy_moves,
};

/// The shader with one text replaced, which must occur exactly once.
fn mutant(from: &str, to: &str) -> Option<Gpu> {
    assert_eq!(
        SHADER.matches(from).count(),
        1,
        "once in the shader: {from}"
    );
    gpu::open(&gpu::patient().shader(SHADER.replace(from, to)))
}

/// Random games, dense boards and the hand-made cases, which cover the rarest rules.
fn batch() -> Batch {
    let positions = boards::playouts(4).take(4000);
    let positions = positions.chain(boards::dense(4).take(20_000));
    let positions = positions.chain(cases::tricky().into_iter().map(|case| case.chess));
    let mut batch = Batch::new();
    for chess in positions {
        let position = Position::try_from(&chess).unwrap();
        batch.push(position, noisy_moves(&position));
    }
    batch
}

/// How many values of a profile differ from the CPU's.
fn differences(gpu: &Gpu, batch: &Batch, profile: Profile) -> usize {
    let rules = Rules::new(profile, PieceValues::CPW);
    let mut expected = vec![0; batch.len()];
    Cpu::new().score_all(batch, &rules, &mut expected);
    let scores = gpu::score(gpu, batch, &rules);
    scores.iter().zip(&expected).filter(|(a, b)| a != b).count()
}

#[test]
fn the_shader_itself_has_no_differences() {
    let Some(gpu) = gpu::open(&gpu::patient().shader(SHADER)) else {
        return;
    };
    let batch = batch();
    for profile in Profile::ALL {
        assert_eq!(differences(&gpu, &batch, profile), 0);
    }
}

/// The mistake, the text and its replacement, and a profile that must notice.
const MUTANTS: [(&str, &str, &str, Profile); 22] = [
    (
        "the second score of a word is the first",
        "halves[left] | (halves[left + 1u] << 16u)",
        "halves[left] | (halves[left] << 16u)",
        Swap,
    ),
    (
        "no x-ray on diagonals",
        "attackers |= diagonal_attacks(square, occupied)",
        "attackers |= vec2<u32>(0u) & diagonal_attacks(square, occupied)",
        Swap,
    ),
    (
        "no x-ray on files and ranks",
        "attackers |= straight_attacks(square, occupied)",
        "attackers |= vec2<u32>(0u) & straight_attacks(square, occupied)",
        Swap,
    ),
    (
        "a king may be recaptured",
        "select(kings(position), vec2<u32>(0u), is_empty(guards))",
        "vec2<u32>(0u)",
        Swap,
    ),
    (
        "the mover still attacks",
        "& ~bit(origin) & ~bit(square)",
        "& ~bit(square)",
        Swap,
    ),
    (
        "an en-passant victim stays",
        "occupied &= ~bit(square ^ 8u);",
        "",
        Swap,
    ),
    (
        "an en-passant victim is worth nothing",
        "gain = of_code(PAWN);",
        "gain = 0;",
        Swap,
    ),
    (
        "the promoted piece is a pawn",
        "standing = promotion;",
        "",
        Swap,
    ),
    (
        "no gain from promoting",
        "gain += of_code(promotion) - of_code(PAWN);",
        "",
        Swap,
    ),
    (
        "white pawns as black ones",
        "let white = sources.xy",
        "let white = sources.zw",
        Swap,
    ),
    (
        "the last of equals",
        "return vec2<u32>(low, select(0u, high, squares.x == 0u));",
        "return vec2<u32>(select(low, 0u, squares.y != 0u), high);",
        Swap,
    ),
    (
        "a knight before a pawn",
        "const PAWN: u32 = 1u;",
        "const PAWN: u32 = 2u;",
        Swap,
    ),
    (
        "the bound of the loop",
        "const MAX_RECAPTURES: u32 = 64u;",
        "const MAX_RECAPTURES: u32 = 3u;",
        Swap,
    ),
    (
        "all pinners as any",
        "let all_stand = is_empty(pinned.pinners & ~",
        "let all_stand = !is_empty(pinned.pinners & ",
        Sf8,
    ),
    (
        "any pinner as all",
        "let any_stands = !is_empty(pinned.pinners & ",
        "let any_stands = is_empty(pinned.pinners & ~",
        Sf,
    ),
    (
        "snipers hide snipers",
        "let transparent = select(vec2<u32>(0u), snipers, PINS == PINS_SF);",
        "let transparent = vec2<u32>(0u);",
        Sf,
    ),
    (
        "no pins at all",
        "own &= ~barred(position, exchange, own);",
        "",
        Sf,
    ),
    (
        "en passant is exact",
        "if EN_PASSANT == EN_PASSANT_ZERO {",
        "if false {",
        Sf,
    ),
    (
        "promotions are exact",
        "if FIRST_PROMOTION == FIRST_PROMOTION_ZERO {",
        "if false {",
        Sf,
    ),
    (
        "a pawn stays a pawn",
        "win += of_code(QUEEN) - of_code(PAWN);",
        "",
        Legal,
    ),
    (
        "a king may be left attacked",
        "return !exposes(position, exchange, capturer, king, threats);",
        "return true;",
        Legal,
    ),
    (
        "the target hides nothing",
        "^ capturer.bit) | bit(exchange.square);",
        "^ capturer.bit);",
        Legal,
    ),
];

#[test]
fn wrong_rules_differ() {
    let batch = batch();
    for (what, from, to, profile) in MUTANTS {
        let Some(gpu) = mutant(from, to) else {
            return;
        };
        let differing = differences(&gpu, &batch, profile);
        eprintln!(
            "{what}: {differing} of {} differ under {profile}",
            batch.len()
        );
        assert!(differing > 0, "{what} is not found out under {profile}");
    }
}

/// Scores in half a word, and in a whole one.
#[test]
fn what_is_not_written_is_wrong() {
    not_written_is_wrong(Rules::SWAP);
    not_written_is_wrong(Rules::from(PieceValues::new([30_000; 5]).unwrap()));
}

fn not_written_is_wrong(rules: Rules) {
    for (what, from, to) in [
        (
            "the last move",
            "if index < params.count {\n        let request",
            "if index + 1u < params.count {\n        let request",
        ),
        (
            "no move",
            "if index < params.count {\n        let request",
            "if false {\n        let request",
        ),
        (
            "one workgroup",
            "if index < params.count {\n        let request",
            "if (index < params.count) && (group.x != 1u) {\n        let request",
        ),
        (
            "no row but the first",
            "let first = (group.y * params.groups_x + group.x) * GROUP;",
            "let first = group.x * GROUP;",
        ),
        (
            "an impossible score",
            "word = written(value);",
            "word = written(value + 16777216 * 2);",
        ),
    ] {
        assert_eq!(
            SHADER.matches(from).count(),
            1,
            "once in the shader: {from}"
        );
        let options = gpu::patient()
            .max_workgroups(30)
            .shader(SHADER.replace(from, to));
        let Some(gpu) = gpu::open(&options) else {
            return;
        };
        let mut batch = batch();
        batch.append(&batch.clone());
        // The first batch leaves correct scores behind in every buffer.
        for _ in 0..2 {
            let error = gpu::scored(&gpu, &batch, &rules);
            assert!(
                matches!(error, Err(BackendError::Wrong(_))),
                "{what}: {error:?}"
            );
        }
    }
}

/// Stale scores of an earlier batch do not hide a mistake.
#[test]
fn what_was_written_before_does_not_count() {
    let from = "if index < params.count {\n        let request";
    let to = "if (index < params.count) && (params.values[0].y != 7) {\n        let request";
    let Some(gpu) = mutant(from, to) else {
        return;
    };
    let batch = batch();
    gpu::equals_cpu(&gpu, &batch, &Rules::SWAP);
    let idle = Rules::from(PieceValues::new([7, 300, 300, 500, 900]).unwrap());
    let error = gpu::scored(&gpu, &batch, &idle);
    assert!(matches!(error, Err(BackendError::Wrong(_))), "{error:?}");
}

#[test]
fn a_shader_that_does_not_compile_is_refused() {
    if gpu::open(&gpu::patient()).is_none() {
        return;
    }
    for broken in ["fn", "", "@compute @workgroup_size(1) fn other() {}"] {
        let name = std::env::var("GPU_TESTS").ok();
        let opened = Gpu::open_with(name.as_deref(), &gpu::patient().shader(broken));
        let refused = opened.and_then(|gpu| gpu::scored(&gpu, &batch(), &Rules::SWAP));
        assert!(
            matches!(refused, Err(BackendError::Device(_))),
            "{broken:?}: {refused:?}"
        );
    }
}
