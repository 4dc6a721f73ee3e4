//! The functions of the header, and all unsafe code: exported names, which the linker does not
//! check, and slices from a caller's pointer and length. Pointers to one object are references,
//! null being `None`: what they point to is the caller's promise, as in any C library.
#![allow(unsafe_code)]

use core::ffi::c_char;
use core::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::Sides;
use engine::shakmaty::Color;
use swaplist_files::filter::Settings;

use crate::answers;
use crate::types::{Filter, Move, Position, Record, Rules, Status, Verdict, text_of};

/// Runs a function's body, and lets no panic out.
fn guarded(body: impl FnOnce() -> Result<(), Status>) -> Status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Panic,
    }
}

/// Writes an answer, unless there is no place for it.
fn answer<T>(out: Option<&mut MaybeUninit<T>>, find: impl FnOnce() -> Result<T, Status>) -> Status {
    guarded(|| {
        let out = out.ok_or(Status::NullPointer)?;
        out.write(find()?);
        Ok(())
    })
}

fn rules_of(rules: Option<&Rules>) -> Result<engine::Rules, Status> {
    rules.map_or(Ok(engine::Rules::SWAP), Rules::get)
}

/// The sides whose best moves a verdict has.
fn sides(with_threat: i32) -> Sides {
    if with_threat == 0 {
        Sides::ToMove
    } else {
        Sides::Both
    }
}

fn given<T: Copy>(pointer: Option<&T>) -> Result<T, Status> {
    pointer.copied().ok_or(Status::NullPointer)
}

/// The caller's elements. No slice may have more bytes than `isize::MAX`, or be of a null pointer.
/// A pointer that is not null has `count` initialised elements, which nobody changes meanwhile.
unsafe fn slice<'a, T>(first: *const T, count: usize) -> Result<&'a [T], Status> {
    check_slice(first, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, not too long, and what the caller promises.
    Ok(unsafe { core::slice::from_raw_parts(first, count) })
}

/// Room for the caller's answers.
/// A pointer that is not null has room for `count` elements, which nobody else uses meanwhile.
unsafe fn room<'a, T>(first: *mut T, count: usize) -> Result<&'a mut [MaybeUninit<T>], Status> {
    check_slice(first, count)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not null, not too long, and what the caller promises.
    Ok(unsafe { core::slice::from_raw_parts_mut(first.cast(), count) })
}

fn check_slice<T>(first: *const T, count: usize) -> Result<(), Status> {
    match count.checked_mul(size_of::<T>()) {
        None => Err(Status::TooMany),
        Some(bytes) if bytes > isize::MAX.cast_unsigned() => Err(Status::TooMany),
        Some(bytes) if bytes > 0 && first.is_null() => Err(Status::NullPointer),
        Some(_) => Ok(()),
    }
}

/// What a status means, in English; never null, and never to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_status_text(status: i32) -> *const c_char {
    text_of(status).as_ptr()
}

/// Packs the position of a FEN of `length` bytes, with or without its clocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_from_fen(
    fen: *const c_char,
    length: usize,
    position: Option<&mut MaybeUninit<Position>>,
) -> Status {
    answer(position, || {
        // SAFETY: promised by the caller.
        let fen = unsafe { slice(fen.cast::<u8>(), length) }?;
        Ok(engine::Position::from_ascii(fen)?.into())
    })
}

/// Packs bitboards, a1 in bit 0 and h8 in bit 63: of `roles` six (pawns, knights, bishops, rooks,
/// queens, kings of both sides), of `colors` two (White's pieces, Black's). `en_passant` is the
/// target square; one above 63, or on which no pawn can capture, stands for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_from_bitboards(
    roles: *const u64,
    colors: *const u64,
    white_to_move: i32,
    en_passant: i32,
    position: Option<&mut MaybeUninit<Position>>,
) -> Status {
    answer(position, || {
        // SAFETY: promised by the caller.
        let (by_role, by_color) = unsafe { (slice(roles, 6)?, slice(colors, 2)?) };
        let ep = u8::try_from(en_passant).ok();
        let turn = Color::from_white(white_to_move != 0);
        let of = engine::Position::from_bitboards;
        let six = core::array::from_fn(|i| by_role[i]);
        let two = [by_color[0], by_color[1]];
        Ok(of(six, two, turn, ep)?.into())
    })
}

/// The exact SEE of a move. For an impossible move the number is meaningless, but always the same.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_see(
    rules: Option<&Rules>,
    position: Option<&Position>,
    played: Move,
    see: Option<&mut MaybeUninit<i32>>,
) -> Status {
    answer(see, || {
        let position = given(position)?.get();
        played.check()?;
        Ok(rules_of(rules)?.see(&position, played.capture()))
    })
}

/// Whether the SEE of a move is at least `threshold`; faster than the SEE.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_see_ge(
    rules: Option<&Rules>,
    position: Option<&Position>,
    played: Move,
    threshold: i32,
    reached: Option<&mut MaybeUninit<bool>>,
) -> Status {
    answer(reached, || {
        let position = given(position)?.get();
        played.check()?;
        Ok(rules_of(rules)?.see_ge(&position, played.capture(), threshold))
    })
}

/// The verdict on a position; the opponent's threat is found only if `with_threat` is not 0.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_judge(
    rules: Option<&Rules>,
    position: Option<&Position>,
    with_threat: i32,
    verdict: Option<&mut MaybeUninit<Verdict>>,
) -> Status {
    answer(verdict, || {
        let position = given(position)?.get();
        let found = rules_of(rules)?.verdict(&position, sides(with_threat));
        Ok((&found).into())
    })
}

/// Whether a position is quiet: not in check, and no capture or promotion has a SEE above 0.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_is_quiet(
    rules: Option<&Rules>,
    position: Option<&Position>,
    quiet: Option<&mut MaybeUninit<bool>>,
) -> Status {
    answer(quiet, || {
        let position = given(position)?.get();
        Ok(rules_of(rules)?.is_quiet(&position))
    })
}

/// Makes a filter from the text of a filter's file, `length` bytes of TOML such as
/// `preset = 'calm'`, with the keys of `swaplist filter --config`. An empty text is the preset
/// `quiet`. `swaplist_filter_free` frees it. If the text is not a filter's, the reason is written
/// to `message`, at most `room` bytes with a final zero; both may be zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_filter_new(
    toml: *const c_char,
    length: usize,
    message: *mut c_char,
    room: usize,
    filter: Option<&mut MaybeUninit<Box<Filter>>>,
) -> Status {
    answer(filter, || {
        // SAFETY: promised by the caller.
        let toml = unsafe { slice(toml.cast::<u8>(), length) }?;
        // SAFETY: promised by the caller.
        let message = unsafe { self::room(message.cast::<u8>(), room) }?;
        let text = core::str::from_utf8(toml).map_err(|error| error.to_string());
        let settings = text.and_then(|text| Settings::from_toml(text).map_err(|e| e.to_string()));
        let made = settings.and_then(|settings| settings.filter().map_err(|e| e.to_string()));
        match made {
            Ok(filter) => Ok(Box::new(Filter(filter))),
            Err(reason) => {
                write_text(&reason, message);
                Err(Status::BadFilter)
            }
        }
    })
}

/// Writes a text with a final zero, as much of it as there is room for.
fn write_text(text: &str, out: &mut [MaybeUninit<u8>]) {
    let Some(most) = out.len().checked_sub(1) else {
        return;
    };
    let end = text.floor_char_boundary(most);
    let bytes = text[..end].bytes().chain([0]);
    for (out, byte) in out.iter_mut().zip(bytes) {
        out.write(byte);
    }
}

/// Frees a filter; does nothing for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_filter_free(filter: Option<Box<Filter>>) {
    drop(filter);
}

/// Whether a filter keeps a position. Refuses a filter with rules on what records have and
/// positions have not, such as the score. Random rules draw by the position.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_filter_is_quiet(
    filter: Option<&Filter>,
    position: Option<&Position>,
    quiet: Option<&mut MaybeUninit<bool>>,
) -> Status {
    answer(quiet, || {
        let Filter(filter) = filter.ok_or(Status::NullPointer)?;
        let position = given(position)?.get();
        if filter.needs().next().is_some() {
            return Err(Status::MissingField);
        }
        Ok(filter.is_quiet(&position))
    })
}

/// Whether a filter keeps a position with its record.
#[unsafe(no_mangle)]
pub extern "C" fn swaplist_filter_keeps(
    filter: Option<&Filter>,
    position: Option<&Position>,
    record: Option<&Record>,
    kept: Option<&mut MaybeUninit<bool>>,
) -> Status {
    answer(kept, || {
        let Filter(filter) = filter.ok_or(Status::NullPointer)?;
        let position = given(position)?.get();
        let fields = given(record)?.fields()?;
        let judged = filter.judge(&position, &fields);
        let reason = judged.map_err(|_| Status::MissingField)?;
        Ok(reason.is_none())
    })
}

/// The exact SEE of a move in each of `count` positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_see_batch(
    rules: Option<&Rules>,
    positions: *const Position,
    moves: *const Move,
    count: usize,
    see: *mut i32,
) -> Status {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (positions, moves) = unsafe { (slice(positions, count)?, slice(moves, count)?) };
        // SAFETY: promised by the caller.
        let see = unsafe { room(see, count) }?;
        answers::scores(&rules_of(rules)?, positions, moves, see, |see| see)
    })
}

/// Whether the SEE of a move in each of `count` positions is at least `threshold`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_see_ge_batch(
    rules: Option<&Rules>,
    positions: *const Position,
    moves: *const Move,
    count: usize,
    threshold: i32,
    reached: *mut bool,
) -> Status {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (positions, moves) = unsafe { (slice(positions, count)?, slice(moves, count)?) };
        // SAFETY: promised by the caller.
        let reached = unsafe { room(reached, count) }?;
        answers::scores(&rules_of(rules)?, positions, moves, reached, |see| {
            see >= threshold
        })
    })
}

/// The verdicts on `count` positions, as by `swaplist_judge`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_judge_batch(
    rules: Option<&Rules>,
    positions: *const Position,
    count: usize,
    with_threat: i32,
    verdicts: *mut Verdict,
) -> Status {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (positions, out) = unsafe { (slice(positions, count)?, room(verdicts, count)?) };
        answers::verdicts(&rules_of(rules)?, positions, sides(with_threat), out)
    })
}

/// Which of `count` positions are quiet, as by `swaplist_is_quiet`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swaplist_is_quiet_batch(
    rules: Option<&Rules>,
    positions: *const Position,
    count: usize,
    quiet: *mut bool,
) -> Status {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (positions, out) = unsafe { (slice(positions, count)?, room(quiet, count)?) };
        answers::quiet(&rules_of(rules)?, positions, out)
    })
}
