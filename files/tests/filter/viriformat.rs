//! viriformat's own filter agrees with ours made from its configuration.

use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position as _, Role, Square};
use swaplist::{Choice, PackedMove, Position};
use swaplist_files::filter::{Filter, Preset, Reason, Settings};
use swaplist_files::formats::{Outcome, Place, RecordFields};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::{Move as TheirMove, MoveFlags};
use viriformat::chess::piece::PieceType;
use viriformat::chess::types::Square as TheirSquare;
use viriformat::dataformat::{Filter as TheirFilter, Game};

use crate::common::boards::{Random, dense, playouts};

/// A score up to `bound` centipawns from 0.
fn score(random: &mut Random, bound: i16) -> i16 {
    (random.next() % (2 * u64::from(bound.unsigned_abs()) + 1)) as i16 - bound
}

fn square(square: Square) -> TheirSquare {
    TheirSquare::new(square as u8).unwrap()
}

fn their_move(m: Move) -> TheirMove {
    let from = square(m.from().unwrap());
    let to = square(m.to());
    match m {
        Move::EnPassant { .. } => TheirMove::new_with_flags(from, to, MoveFlags::EnPassant),
        Move::Castle { .. } => TheirMove::new_with_flags(from, to, MoveFlags::Castle),
        _ => match m.promotion() {
            None => TheirMove::new(from, to),
            Some(role) => TheirMove::new_with_promo(
                from,
                to,
                match role {
                    Role::Knight => PieceType::Knight,
                    Role::Bishop => PieceType::Bishop,
                    Role::Rook => PieceType::Rook,
                    _ => PieceType::Queen,
                },
            ),
        },
    }
}

/// A position, its record as our readers give it, and a game of that one move.
struct Case {
    position: Position,
    record: RecordFields,
    game: Game,
}

impl Case {
    fn new(chess: &Chess, m: Move, white_score: i16, outcome: Outcome) -> Case {
        let fen = Fen::from_position(chess, EnPassantMode::Legal).to_string();
        let mut board = Board::new();
        board.set_from_fen(&fen, false).unwrap();
        let mut game = Game::new(&board);
        game.set_outcome(match outcome {
            Outcome::White => GameOutcome::WhiteWin(WinType::Mate),
            Outcome::Draw => GameOutcome::Draw(DrawType::Stalemate),
            Outcome::Black => GameOutcome::BlackWin(WinType::Mate),
        });
        game.add_move(their_move(m), white_score);
        let black = u32::from(chess.turn().is_black());
        let score = i32::from(white_score);
        let record = RecordFields::new(Place::Offset(0), 0..1)
            .with_played(PackedMove::from_move(m))
            .with_score(Some(if black == 1 { -score } else { score }))
            .with_outcome(Some(outcome))
            .with_ply(Some((chess.fullmoves().get() - 1) * 2 + black));
        Case {
            position: chess.try_into().unwrap(),
            record,
            game,
        }
    }

    fn random(random: &mut Random, chess: &Chess) -> Option<Case> {
        let moves = chess.legal_moves();
        // Rare moves of random games are sometimes preferred.
        let chosen = |wanted: fn(&Move) -> bool| -> Vec<Move> {
            moves.iter().copied().filter(wanted).collect()
        };
        let rare_moves = match random.below(4) {
            0 => chosen(|m| m.is_capture() || m.is_promotion()),
            1 => chosen(|m| m.is_castle() || m.is_en_passant()),
            _ => Vec::new(),
        };
        let from = if rare_moves.is_empty() {
            &moves[..]
        } else {
            &rare_moves
        };
        let m = *from.get(random.below(from.len().max(1)))?;
        let near = [0, 1, 300, 31_338, 31_339, 31_340, 32_002][random.below(7)];
        let white_score = match random.below(3) {
            0 => score(random, 600),
            1 => near,
            _ => -near,
        };
        let outcome = [Outcome::White, Outcome::Draw, Outcome::Black][random.below(3)];
        Some(Case::new(chess, m, white_score, outcome))
    }

    fn ours(&self, filter: &Filter) -> Option<Reason> {
        let judged = filter.judge(&self.position, &self.record);
        judged.unwrap()
    }

    fn theirs_keeps(&self, filter: &TheirFilter) -> bool {
        self.game.filter_pass_count(filter) == 1
    }
}

/// Positions right after one in which both sides may castle to both sides.
fn castling(seed: u64) -> impl Iterator<Item = Chess> {
    const FEN: &str = "r3k2r/pppqppbp/2npbnp1/8/8/2NPBNP1/PPPQPPBP/R3K2R w KQkq - 0 9";
    let fen: Fen = FEN.parse().unwrap();
    let start: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut random = Random(seed);
    std::iter::repeat_with(move || {
        let mut chess = start.clone();
        for _ in 0..random.below(6) {
            let moves = chess.legal_moves();
            // Mates are rare, but there are some.
            if !moves.is_empty() {
                chess.play_unchecked(moves[random.below(moves.len())]);
            }
        }
        chess
    })
}

/// Cases from random games and dense boards, with every kind of move.
fn cases(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random(seed);
    let boards = playouts(seed).zip(dense(seed)).zip(castling(seed));
    boards
        .flat_map(|((one, two), three)| [one, two, three])
        .filter_map(|chess| Case::random(&mut random, &chess))
        .take(count)
        .collect()
}

fn parsed(filter: &TheirFilter) -> Filter {
    let text = toml::to_string(filter).unwrap();
    let settings = Settings::from_toml(&text).unwrap();
    assert_eq!(settings.base(), Preset::Viriformat);
    settings.filter().unwrap()
}

/// Any configuration without randomness.
fn configurations() -> impl Strategy<Value = TheirFilter> {
    let numbers = (
        prop_oneof![Just(0_u32), 0..60_u32],
        prop_oneof![Just(0_u32), 2..33_u32],
        prop_oneof![
            Just(u32::MAX),
            Just(0),
            Just(31_339),
            Just(300),
            0..1000_u32
        ],
        prop_oneof![Just(u32::MAX), Just(0), Just(300), 0..700_u32],
    );
    let switches = prop::array::uniform5(any::<bool>());
    let table = prop::collection::vec(any::<bool>(), 33);
    (numbers, switches, any::<bool>(), table).prop_map(|(numbers, switches, skip, table)| {
        let (min_ply, min_pieces, max_eval, max_eval_incorrectness) = numbers;
        let [
            filter_tactical,
            filter_check,
            filter_castling,
            random,
            counted,
        ] = switches;
        let certain = |on: bool| if on { 1.0 } else { 0.0 };
        let mut filter = TheirFilter {
            min_ply,
            min_pieces,
            max_eval,
            filter_tactical,
            filter_check,
            filter_castling,
            max_eval_incorrectness,
            random_fen_skipping: random,
            random_fen_skip_probability: certain(skip && min_ply % 4 == 0),
            material_count_filtered: counted,
            ..TheirFilter::default()
        };
        for (to, from) in filter.material_count_probabilities.iter_mut().zip(table) {
            *to = certain(from);
        }
        filter
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn our_filter_of_its_toml_matches_its_own(filter in configurations(), seed: u64) {
        let ours = parsed(&filter);
        for case in cases(seed, 100) {
            let reason = case.ours(&ours);
            prop_assert_eq!(
                reason.is_none(),
                case.theirs_keeps(&filter),
                "{:?} {} {:?} {:?}", reason, case.position, case.record, filter
            );
        }
    }
}

/// The property above is not empty: each rule alone drops and keeps records.
#[test]
fn each_key_alone_drops_some_and_keeps_some() {
    type Set = fn(&mut TheirFilter);
    fn few(filter: &mut TheirFilter) {
        filter.material_count_filtered = true;
        filter.material_count_probabilities = [0.0; 33];
        filter.material_count_probabilities[20..].fill(1.0);
    }
    let cases = cases(11, 4_000);
    let keys: [(Set, &str); 8] = [
        (|filter| filter.min_ply = 16, "ply"),
        (|filter| filter.min_pieces = 12, "pieces"),
        (|filter| filter.max_eval = 31_339, "score"),
        (|filter| filter.filter_tactical = true, "played_capture"),
        (|filter| filter.filter_check = true, "in_check"),
        (|filter| filter.filter_castling = true, "played_castling"),
        (
            |filter| filter.max_eval_incorrectness = 300,
            "eval_incorrectness",
        ),
        (few, "material_count"),
    ];
    for (set, reason) in keys {
        let mut filter = TheirFilter {
            random_fen_skip_probability: 0.0,
            ..TheirFilter::UNRESTRICTED
        };
        set(&mut filter);
        let ours = parsed(&filter);
        let mut dropped = 0;
        for case in &cases {
            let found = case.ours(&ours);
            let theirs = case.theirs_keeps(&filter);
            assert_eq!(found.is_none(), theirs, "{}", case.position);
            dropped += usize::from(found.map(Reason::name) == Some(reason));
        }
        assert!(dropped > 20 && dropped < cases.len(), "{reason}: {dropped}");
    }
}

#[test]
fn its_defaults_are_the_preset() {
    assert_eq!(parsed(&TheirFilter::default()), Preset::Viriformat.filter());
    let settings = Settings::from_toml("min_ply = 16\nfilter_check = true").unwrap();
    assert_eq!(settings.filter().unwrap(), Preset::Viriformat.filter());
    assert_eq!(parsed(&TheirFilter::UNRESTRICTED), Preset::None.filter());
}

/// Its model is private, so the rates at which both keep are compared.
#[test]
fn the_wdl_model_keeps_as_often_as_its_own() {
    const DRAWS: u32 = 20_000;
    const OWN_DRAWS: u32 = 10 * DRAWS;
    let mut random = Random(5);
    let own = TheirFilter {
        wdl_filtered: true,
        wdl_model_params_a: [3.0, -20.0, 60.0, 200.0],
        wdl_model_params_b: [-4.0, 30.0, -90.0, 150.0],
        material_min: 30,
        material_max: 60,
        mom_target: 50,
        wdl_heuristic_scale: 0.8,
        ..TheirFilter::UNRESTRICTED
    };
    let standard = TheirFilter {
        wdl_filtered: true,
        wdl_model_params_a: TheirFilter::default().wdl_model_params_a,
        wdl_model_params_b: TheirFilter::default().wdl_model_params_b,
        wdl_heuristic_scale: 1.5,
        ..TheirFilter::UNRESTRICTED
    };
    let outcomes = [Outcome::White, Outcome::Draw, Outcome::Black];
    let boards: Vec<Chess> = playouts(8).step_by(37).take(6).collect();
    for (filter, chess) in [own, standard]
        .iter()
        .flat_map(|f| boards.iter().map(move |c| (f, c)))
    {
        let own_filter = parsed(filter);
        let Some(&m) = chess.legal_moves().first() else {
            continue;
        };
        for outcome in outcomes {
            let score = score(&mut random, 450);
            let case = Case::new(chess, m, score, outcome);
            let draws = (0..DRAWS).map(|_| u32::from(case.theirs_keeps(filter)));
            let kept = f64::from(draws.sum::<u32>());
            // The ply has a part in the draw.
            let record = |ply| case.record.with_ply(Some(ply));
            let judge = |ply| own_filter.judge(&case.position, &record(ply)).unwrap();
            let own_kept = (0..OWN_DRAWS).filter(|&ply| judge(ply).is_none());
            let ours = f64::from(own_kept.count() as u32) / f64::from(OWN_DRAWS);
            let expected = f64::from(DRAWS) * ours;
            let deviation = (1.1 * expected * (1.0 - ours)).sqrt();
            // Their draws differ from run to run. Where few are kept, as 2, three times as many are
            // not so rare as the deviation says: the number has a longer tail.
            assert!(
                (kept - expected).abs() < 5.5 * deviation + 8.0,
                "{kept} kept, expected {expected:.0}: {score} {outcome:?} {}",
                case.position
            );
        }
    }
}
