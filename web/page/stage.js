// What the board shows: the position at hand, or what some captures of an exchange leave of it.

import { PROFILES } from './address.js';
import { get, make, signClass, signed } from './dom.js';
import { SHORT } from './rules.js';
import { able } from './trail.js';
import { atStart, beside, reason, sentence, sideAt, sideName, stepWords } from './words.js';

/** @import { Exchange, Explained, LegalMove, Refusal } from './answers.js' */
/** @import { Board } from './board.js' */
/** @import { State } from './explain.js' */
/** @import { Strip } from './strip.js' */
/** @import { Swaplist } from './wasm.js' */

/** A position that stands on the board.
 * @typedef {Pick<Explained, 'moves' | 'in_check' | 'turn'> & { fen: string }} Standing */

export class Stage {
  /** @param {Swaplist} wasm @param {Board} board @param {Strip} strip @param {(from: string) => void} reply plays
   *   the best recapture of a piece */
  constructor(wasm, board, strip, reply) {
    this.wasm = wasm;
    this.board = board;
    this.strip = strip;
    this.reply = reply;
    /** @type {State | null} */
    this.state = null;
    /** @type {Explained | null} */
    this.found = null;
    /** The last position after a step, and of which question it is. */
    this.after = { key: '', standing: /** @type {Standing | null} */ (null) };
  }

  /** @param {string} [rules] @returns {Exchange | undefined} */
  exchange(rules = this.state?.rules ?? '') {
    return this.found?.exchanges[PROFILES.indexOf(rules)];
  }

  /** The position after so many captures; none if it is not legal, as after a recapture by a pinned
   * piece.
   * @param {number} ply @returns {Standing | null} */
  standing(ply) {
    const { state, found } = this;
    if (!state || !found) return null;
    if (!ply) return { ...found, fen: found.full_fen };
    const fen = this.exchange()?.steps[ply - 1]?.fen;
    if (!fen) return null;
    const rules = { profile: state.rules, values: found.values.join(',') };
    const key = JSON.stringify([fen, rules]);
    if (this.after.key !== key) this.after = { key, standing: { ...this.wasm.json('explain', { line: fen, name: '', quietly: true, rules }), fen } };
    return this.after.standing;
  }

  /** The recaptures that are legal after a step, one of each piece, the best first.
   * @param {number} ply @returns {LegalMove[]} */
  recaptures(ply) {
    const exchange = this.exchange(), standing = ply ? this.standing(ply) : null;
    if (!exchange || !standing || !this.state) return [];
    const profile = PROFILES.indexOf(this.state.rules);
    const all = standing.moves.filter(({ to, is_noisy }) => to === exchange.to && is_noisy).sort((a, b) => b.see[profile] - a.see[profile]);
    return all.filter(({ from }, i) => all.findIndex(one => one.from === from) === i);
  }

  /** What a recapture after a step is worth beside the best one, or why it is not possible.
   * @param {string} from @param {number} ply */
  recapture(from, ply) {
    const exchange = this.exchange();
    if (!exchange || !this.found || !this.state) return '';
    const profile = PROFILES.indexOf(this.state.rules);
    const all = this.recaptures(ply).map(({ from, san, see }) => ({ from, san, see: see[profile] }));
    const move = all.find(one => one.from === from);
    if (move) return beside(move, all[0], this.found.values[0]);
    if (exchange.steps[ply]?.from === from) return `the piece on ${from} captures under ${this.state.rules}.`;
    const barred = exchange.barred.find(({ step, square }) => step === ply && square === from);
    return barred ? `${reason(barred, this.state.rules)}.` : `the piece on ${from} has no legal capture on ${exchange.to}.`;
  }

  /** What is said of a piece that is touched: how it could recapture.
   * @param {string} square */
  said(square) {
    const exchange = this.exchange(), ply = this.state?.ply ?? 0;
    if (!exchange || this.board.pieceOn(square)?.color !== sideAt(exchange, ply || 1)) return '';
    // Where nothing can be recaptured, a piece is only moved.
    if (ply && exchange.steps.length < 2) return '';
    // The piece that is about to be captured is gone before anything could be recaptured.
    if (!ply && square === exchange.to) return '';
    const words = this.recapture(square, ply || 1);
    return ply ? atStart(words) : `After ${exchange.san}, ${words}`;
  }

  /** Why a move that was tried is not legal.
   * @param {string} from @param {string} to */
  refused(from, to) {
    const standing = this.standing(this.state?.ply ?? 0);
    if (!standing) return { beside: 'This position is not legal: a king could be captured.', refused: null };
    /** @type {Refusal} */
    const { words, by, on } = this.wasm.json('why_not', { fen: standing.fen, from, to });
    return words ? { beside: `${words[0].toUpperCase()}${words.slice(1)}.`, refused: { from, by, on } } : null;
  }

  /** @param {State} state @param {Explained | null} found */
  show(state, found) {
    this.state = state;
    this.found = found;
    if (!found) return;
    const exchange = this.exchange();
    const isOfAll = found.exchanges.every(({ see }) => see === exchange?.see);
    get('sentence').textContent = exchange ? `${isOfAll ? '' : `Under ${state.rules} (${SHORT[state.rules]}), `}${sentence(exchange, found.values[0], state.rules)}` : '';
    get('swap-list').textContent = exchange ? `Swap list: ${exchange.swap_list.map(gain => String(gain).replace('-', '−')).join(', ')}` : '';
    this.strip.show(found.exchanges, PROFILES, state);
    this.drawBoard(state, found);
  }

  /** @param {State} state @param {Explained} found */
  drawBoard(state, found) {
    const { lit, ply } = state, exchange = this.exchange(), standing = this.standing(ply);
    const lighted = lit && this.exchange(lit.rules), next = exchange?.steps[ply];
    /** @type {import('./board.js').View['moves']} */
    const moves = [...standing?.moves ?? []];
    // A recapture that the chosen rules play although it is not legal, as by a pinned piece, can be
    // made on the board, too.
    if (ply && next && exchange && !moves.some(({ from, to }) => from === next.from && to === exchange.to)) moves.push({ from: next.from, to: exchange.to, is_noisy: false, see: [0, 0, 0, 0] });
    const turn = exchange ? sideAt(exchange, ply) : found.turn;
    this.board.show({
      placement: found.placement,
      turn,
      inCheck: standing?.in_check,
      moves,
      profile: PROFILES.indexOf(state.rules),
      exchange,
      ply,
      beyond: state.beyond,
      lit: lit && lighted ? { exchange: lighted, ply: lit.ply } : null,
      recaptures: this.recaptures(ply).map(({ from }) => from),
      refused: state.refused,
    });
    this.strip.mark('data-lit', lit);
    drawMover(turn);
    this.drawStep(state, lighted ?? exchange);
  }

  /** Says what happens at the step that is shown, or at the one that is lit. The counter and the
   * buttons are those of the exchange that is shown, whatever is lit.
   * @param {State} state @param {Exchange | undefined} exchange of what is lit, or shown */
  drawStep(state, exchange) {
    const { lit } = state, { steps = [], barred = [] } = exchange ?? {};
    const shown = this.exchange(), shownSteps = shown?.steps ?? [], shownPlayed = shown?.played ?? 0;
    const ply = lit?.ply ?? state.ply;
    const step = steps[ply - 1];
    get('at').textContent = shown ? `${state.ply} of ${state.ply > shownPlayed ? shownSteps.length : shownPlayed}` : '';
    const now = step && exchange ? stepWords(exchange, ply - 1, this.found?.values[0] ?? 0, state.isPlayed) : 'Choose a piece to see what its moves are worth';
    // Beside a capture that is lit: who may not capture in its place. Else: who may not capture next.
    const first = lit ? ply - 1 : ply;
    const why = step || state.ply ? barred.filter(one => one.step === first).map(one => atStart(reason(one, (lit ?? state).rules))) : [];
    const also = lit ? '' : state.beside;
    // A refusal is all that is said, and so is what is said of a piece before the first step.
    const said = also && (!step || state.refused) ? [] : [now, ...why].map(words => `${words}.`);
    get('step').textContent = exchange || also ? [...said, also].join(' ').trim() : '';
    if (!lit) this.drawOthers(state, exchange);
    const last = state.beyond ? shownSteps.length : shownPlayed;
    for (const id of ['first', 'back']) able(id, state.ply > 0);
    for (const id of ['next', 'last']) able(id, state.ply < last);
    const from = get('from-here', HTMLButtonElement), fen = shownSteps[state.ply - 1]?.fen;
    from.title = !state.ply ? 'Play a step first' : fen ? 'What can be captured in this position' : 'This position is not legal: a king could be captured';
    able('from-here', !!fen);
  }

  /** The recaptures besides the one that is next.
   * @param {State} state @param {Exchange | undefined} exchange */
  drawOthers({ ply, rules }, exchange) {
    const next = exchange?.steps[ply]?.from, profile = PROFILES.indexOf(rules);
    const others = this.recaptures(ply).filter(({ from }) => from !== next);
    const buttons = others.map(({ from, san, see }) => make('button', { type: 'button', onclick: () => this.reply(from) }, `${san} `, make('b', { className: signClass(see[profile]) }, signed(see[profile]))));
    get('others').hidden = !others.length;
    get('others').replaceChildren('Instead: ', ...buttons);
  }

  /** Where the line gives no legal position: shows its faulty board if that can be read, or else keeps
   * the one that was there.
   * @param {State} state @param {string | undefined} placement @param {string | undefined} turn */
  fail(state, placement, turn) {
    this.state = state;
    this.found = null;
    this.strip.show([], PROFILES, state);
    for (const id of ['step', 'at', 'swap-list', 'mover']) get(id).textContent = '';
    get('others').hidden = true;
    get('sentence').textContent = !placement && this.board.view ? 'The board still shows another position: this one cannot be read yet.' : '';
    get('play').classList.toggle('other', !placement);
    // No move of what was there before can be made.
    const shown = placement ?? this.board.view?.placement;
    if (shown) this.board.show({ placement: shown, turn: turn === 'black' ? 'black' : 'white', moves: [], profile: 0, ply: 0, beyond: false });
  }
}

/** Whose move it is on the board.
 * @param {'white' | 'black'} turn */
export function drawMover(turn) {
  get('mover').textContent = `${sideName(turn)} to move`;
  get('mover').className = turn;
}
