//! Facts of broken shaders and decoders.

use crate::common::coded::{self, Coded};
use crate::common::decoding::told_like_cpu;
use crate::common::facts::every_move;
use crate::common::{gpu, odd};
use swaplist::formats::Format::{Binpack, Viriformat};
use swaplist::gpu::program::{DECODER, SHADER};
use swaplist::{Profile, Rules};

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

#[test]
fn wrong_facts_on_decoded_records_are_found() {
    let coded = [Viriformat, Binpack].map(|format| {
        let files = (0..3).map(|seed| coded::file(format, seed, 30));
        Coded::of(format, files.chain(odd::targets(format)))
    });
    let options = gpu::patient;
    let decoder = |from, to| options().decoder(replaced(DECODER, from, to));
    let shader = |from, to| options().shader(replaced(SHADER, from, to));
    for (mutant, options) in [
        decoder("put_played(game.first + i, played);", ""),
        decoder("put_played(chain.first, played);", ""),
        decoder("put_played(chain.first + i, played);", ""),
        decoder(
            "played.kind == KIND_PROMOTION);\n        let",
            "true);\n        let",
        ),
        decoder(
            "answers[FACTS_WORDS * record] =",
            "answers[FACTS_WORDS * record + 1u] =",
        ),
        shader("answers[word] = facts(", "answers[word + 1u] = facts("),
        shader("if ANSWER_WORDS == FACTS_WORDS {", "if false {"),
    ]
    .into_iter()
    .enumerate()
    {
        let Some(gpu) = gpu::open(&options) else {
            return;
        };
        let mut told = coded
            .iter()
            .map(|coded| told_like_cpu(&gpu, coded, &Rules::SWAP));
        assert!(told.any(|told| told.is_err()), "{mutant}");
    }
    let right = gpu::open(&options()).unwrap();
    for coded in &coded {
        assert_eq!(told_like_cpu(&right, coded, &Rules::SWAP), Ok(()));
    }
}

/// What is broken, and by what.
const MUTANTS: [[&str; 2]; 36] = [
    ["played & CAPTURE_MASK));", "played & 7u));"],
    [
        "return select(0u, TAKES_EN_PASSANT,",
        "return select(0u, TAKES_PIECE,",
    ],
    ["(mover == PAWN) && leaves_file", "leaves_file"],
    ["(mover == PAWN) && leaves_file", "mover == PAWN"],
    ["((origin ^ destination) & 7u) != 0u", "true"],
    [
        "if bit_at(pieces_of_side(position, 0u), destination) == 0u {",
        "if true {",
    ],
    ["select(0u, TAKES_ROOK, mover >= KING)", "TAKES_ROOK"],
    ["select(0u, TAKES_ROOK, mover >= KING)", "0u"],
    ["<< PIECES_AT)", "<< 17u)"],
    ["if bit_at(us, origin) == 0u {", "if false {"],
    ["destination) && (promotion == 0u);", "destination);"],
    ["select(promotion == 0u, ", "select(true, "],
    ["(promotion >= KNIGHT) && ", ""],
    [" && (promotion <= QUEEN)", ""],
    [
        "is_pawn && !is_empty(LAST_RANKS & there)",
        "!is_empty(LAST_RANKS & there)",
    ],
    [
        "if !fits || (bit_at(us, destination) == 1u) {",
        "if !fits {",
    ],
    [
        "passing_of(position, 0u) & there;",
        "passing_of(position, 0u);",
    ],
    [
        "(bit_at(passing_pawns(position, us, destination), origin) == 1u)",
        "true",
    ],
    ["if is_pawn && (taken != TAKES_PIECE) {", "if is_pawn {"],
    ["bit_at(position.black, origin) == 1u);", "false);"],
    ["select(king, destination, king == origin)", "king"],
    ["(occupied & ~bit(origin)) | there;", "occupied | there;"],
    [
        "(occupied & ~bit(origin)) | there;",
        "occupied & ~bit(origin);",
    ],
    ["occupied & ~us & ~there;", "occupied & ~us;"],
    ["&& starts &&", "&&"],
    ["select(1u, 6u, is_black)", "select(6u, 1u, is_black)"],
    ["(bit_at(occupied, passed & 63u) == 0u)", "true"],
    ["select(2u, 6u, goes_right)", "select(6u, 2u, goes_right)"],
    ["select(3u, 5u, goes_right)", "select(5u, 3u, goes_right)"],
    ["(code_at(position, rook) != ROOK)", "false"],
    ["((rook & 56u) != rank)", "false"],
    ["(walk | from_to(rook, rook_to)) & others", "walk & others"],
    [
        "(walk | from_to(rook, rook_to)) & others",
        "from_to(rook, rook_to) & others",
    ],
    ["if is_passed && ", "if "],
    ["const MAX_FILES: u32 = 8u", "const MAX_FILES: u32 = 4u"],
    ["    if !is_legal(position, played) {", "    if false {"],
];

#[test]
fn wrong_facts_on_moves_are_found() {
    let mut missed = Vec::new();
    for mutant in MUTANTS {
        let [from, to] = mutant;
        match every_move(&replaced(SHADER, from, to), Profile::Swap) {
            None => return,
            Some(Ok(())) => missed.push(mutant),
            Some(Err(_)) => {}
        }
    }
    assert_eq!(missed, [[""; 2]; 0], "not found out");
}
