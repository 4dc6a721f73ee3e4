// Generated from src/explain.rs, by its test.

export type Color = 'white' | 'black';
export type Role = 'pawn' | 'knight' | 'bishop' | 'rook' | 'queen' | 'king';

export type Explained = { 
/**
 * As it was given, without what else stood on the line.
 */
fen: string, 
/**
 * With all six fields.
 */
full_fen: string, placement: string, turn: Color, in_check: boolean, values: [number, number, number, number, number], 
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

export type LegalMove = { uci: string, san: string, from: string, 
/**
 * Where the piece goes; for castling, the king's square after it.
 */
to: string, 
/**
 * A capture or a promotion.
 */
is_noisy: boolean, 
/**
 * Under each rule set.
 */
see: [number, number, number, number], };

export type Exchange = { uci: string, san: string, to: string, see: number, swap_list: Array<number>, steps: Array<Step>, 
/**
 * How many of the steps are played if each side captures only if that is better.
 */
played: number, 
/**
 * Why the side to capture then does not: it `cannot`, it is `worse`, or the `same`.
 */
stop: 'cannot' | 'worse' | 'same', settled: string | null, barred: Array<Barred>, };

export type Step = { color: Color, role: Role, from: string, 
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
placement: string, };

export type Barred = { 
/**
 * The step that it might have made.
 */
step: number, role: Role, square: string, 
/**
 * Whether it would have been first.
 */
is_passed_over: boolean, words: string, 
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
on: string, };

export type On = { role: Role, square: string, };
