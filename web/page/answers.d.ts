// Generated from src, by a test of lib.rs.

export type Color = 'white' | 'black';
export type Role = 'pawn' | 'knight' | 'bishop' | 'rook' | 'queen' | 'king';
export type Square = `${'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h'}${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

export type Explained = { 
/**
 * As it was given, without what else stood on the line.
 */
fen: string, 
/**
 * With all six fields.
 */
full_fen: string, placement: string, turn: Color, in_check: boolean, 
/**
 * Whether there are the castling rights `KQkq`; nothing where king and rook are not in place.
 */
castles: [boolean | null, boolean | null, boolean | null, boolean | null], 
/**
 * The en-passant square of the position, and those that it could have.
 */
passing: Passing, values: [number, number, number, number, number], 
/**
 * All legal moves.
 */
moves: Array<LegalMove>, 
/**
 * The move whose exchanges follow, in UCI.
 */
chosen: string | null, 
/**
 * Whether the chosen move was named, and not only the best one.
 */
is_named: boolean, 
/**
 * Under each rule set; none if no move is legal.
 */
exchanges: Array<Exchange>, 
/**
 * `see_ge` of the chosen move under each rule set.
 */
reaches: Array<boolean>, 
/**
 * What was understood in another way than it was written.
 */
notes: Array<string>, };

export type Passing = { at: string | null, can: Array<string>, };

export type LegalMove = { uci: string, san: string, from: Square, 
/**
 * Where the piece goes; for castling, the king's square after it.
 */
to: Square, 
/**
 * A capture or a promotion.
 */
is_noisy: boolean, 
/**
 * Under each rule set.
 */
see: [number, number, number, number], };

export type Exchange = { uci: string, san: string, to: Square, see: number, swap_list: Array<number>, steps: Array<Step>, 
/**
 * How many of the steps are played if each side captures only if that is better.
 */
played: number, 
/**
 * Why the side to capture then does not: it `cannot`, it is `worse`, or the `same`.
 */
stop: 'cannot' | 'worse' | 'same', 
/**
 * Why there is no recapture, if there is none.
 */
settled: string | null, barred: Array<Barred>, };

export type Step = { color: Color, role: Role, from: Square, 
/**
 * What a promoting pawn becomes.
 */
becomes: Role | null, 
/**
 * The captured piece.
 */
takes: Role | null, words: string, 
/**
 * What the first mover has won after it.
 */
balance: number, 
/**
 * The board after it.
 */
placement: string, 
/**
 * The position after it; none if that is not legal, as after a recapture by a pinned piece.
 */
fen: string | null, };

export type Barred = { 
/**
 * The step that it might have made.
 */
step: number, role: Role, square: Square, 
/**
 * Whether it would have captured before the piece that does.
 */
is_passed_over: boolean, 
/**
 * Whether it is a legal move all the same.
 */
is_legal: boolean, words: string, 
/**
 * `pinned`, `pin stays`, `check`, `guarded`, or another reason.
 */
reason: string, 
/**
 * The piece that bars it.
 */
by: On, 
/**
 * The square of the king, or the target.
 */
on: Square, };

export type On = { role: Role, square: Square, };

export type Pasted = { kind: 'position' | 'game' | 'move', 
/**
 * The position to show.
 */
fen: string, 
/**
 * The move beside it: in UCI if it is legal, otherwise as it is written; or empty.
 */
move: string, 
/**
 * The position before the first of the moves.
 */
start: string, 
/**
 * Each move in UCI, after the one before it: 0 for the start, and 1 for the first of them.
 */
moves: Array<[number, string]>, 
/**
 * After which of them the position is shown; 0 for the start.
 */
at: number, 
/**
 * How many of the lines are variations.
 */
variations: number, 
/**
 * How many games there are.
 */
games: number, 
/**
 * The players of a game; or empty.
 */
white: string, black: string, 
/**
 * An address of this page, from its `#` on; or empty.
 */
link: string, 
/**
 * The parts of the text that were used; the rest is left out.
 */
used: Array<[number, number]>, 
/**
 * What was understood in another way than it was written, or is guessed.
 */
notes: Array<string>, };

export type PlayedMove = { uci: string, san: string, 
/**
 * The position after it.
 */
fen: string, };

export type Refusal = { 
/**
 * Empty if it can.
 */
words: string, 
/**
 * The piece that prevents it.
 */
by: Square | null, 
/**
 * The square that this piece attacks.
 */
on: Square | null, };

export type Choices = { formats: Array<FormatChoice>, presets: Array<PresetChoice>, keys: Array<KeyChoice>, };

export type FormatChoice = { name: string, is_writable: boolean, 
/**
 * Whether records of other formats can be written in it.
 */
is_convertible_to: boolean, can_mark: boolean, prefers_mark: boolean, };

export type PresetChoice = { name: string, about: string, 
/**
 * The rules that it brings.
 */
rules: { profile: string, values: number[] } | null, max_see: number | null, };

export type KeyChoice = { name: string, value: string, help: string, is_switch: boolean, };

export type Opened = { from: string, to: string, with_threat: boolean, };

export type Progress = { records: number, bytes: number, 
/**
 * Why the CPU took over, if it did.
 */
fallback: string | null, };

export type Ended = { summary: import('./report.js').Summary, lines: Array<[string, string]>, reasons: Array<[string, number]>, fate: string, results: [string, string, string], is_sound: boolean, };

export type Looked = { from: string, can_mark: boolean, prefers_mark: boolean, };

export type Preview = { records: number, invalid: number, 
/**
 * How many have no score, if the filter looks at it.
 */
unscored: number | null, 
/**
 * Why reading ended before the end of the file, if it did.
 */
stopped: string | null, is_all: boolean, kept: Group, dropped: Array<Group>, };

export type Group = { name: string, label: string, count: number, examples: Array<Example>, };

export type Example = { fen: string, 
/**
 * The FEN that explains the move: of a threat, with its side to move.
 */
of: string, move: ExampleMove | null, is_threat: boolean, in_check: boolean, score: number | null, ply: number | null, pieces: number, };

export type ExampleMove = { from: string, to: string, uci: string, san: string, see: number, };

export type Game = { games: number, moves: number, 
/**
 * How many of the moves are captures or promotions.
 */
noisy: number, 
/**
 * How many variations there are.
 */
variations: number, 
/**
 * All moves of main lines in their order; or the captures and promotions, those first where the rule sets
 * differ, or that lose material.
 */
rows: Array<Played>, 
/**
 * What cannot be read.
 */
faults: Array<string>, };

export type Played = { 
/**
 * Which of several games.
 */
game: number, 
/**
 * As in `12.` or `12...`.
 */
number: string, uci: string, san: string, 
/**
 * The position before it.
 */
fen: string, 
/**
 * Under each rule set.
 */
see: [number, number, number, number], 
/**
 * Whether the rule sets differ.
 */
differs: boolean, 
/**
 * Whether it loses material under the rules asked for.
 */
loses: boolean, };

export type Checked = { answers: number, 
/**
 * What is wrong with which other lines.
 */
bad: Array<string>, 
/**
 * Whether no line is an answer, all for the same reason: `bad` is one message then.
 */
fail_alike: boolean, 
/**
 * How values were read that are not plain centipawns.
 */
notes: Array<string>, 
/**
 * The rules that fit the answers best; null if there are no answers.
 */
best: Fit | null, 
/**
 * How surely the answers determine each piece value of the best rules, from pawn to queen.
 */
evidence: Array<'none' | 'one_answer' | 'several'>, 
/**
 * That evidence in words, a sentence each.
 */
about_values: Array<string>, 
/**
 * The options of which another choice agrees as often.
 */
open: Array<string>, 
/**
 * The best of each rule set.
 */
profiles: Array<Fit>, classes: Array<Class>, 
/**
 * Answers that disagree.
 */
rows: Array<Row>, };

export type Class = { class: string, disagree: number, answers: number, 
/**
 * What the engine seems to do, with how many of the disagreeing answers that explains; the most
 * first.
 */
seems: Array<[string, number]>, };

export type Fit = { words: string, profile: string | null, values: string, agreed: number, };

export type Row = { line: number, fen: string, move: string, class: string, 
/**
 * What the engine seems to do, if anything known explains the answer.
 */
seems: string | null, said: string, see: number, 
/**
 * The rule sets under which it is right.
 */
under: Array<string>, 
/**
 * The rule set that explains it.
 */
shown: string, };

export type Layout = { bindings: Array<BindingSize>, positions: number, requests: number, results: number, serial_at: number, results_at: number, };

export type BindingSize = { type: 'uniform' | 'read-only-storage' | 'storage', least: number, };
