// Playing on the board: a move of either side, a recapture of the exchange, another piece or side, and
// walking through what was played.

import { fresh } from './tree.js';
import { atStart } from './words.js';

/** @import { Explain } from './explain.js' */

/** What a pawn becomes, as people choose. */
const PROMOTIONS = 'qnrb';
const ROLES = /** @type {const} */ ({ q: 'queen', n: 'knight', r: 'rook', b: 'bishop' });

export class Playing {
  /** @param {Explain} explain */
  constructor(explain) {
    this.explain = explain;
  }

  /** A piece was moved on the board.
   * @param {string} from @param {string} to */
  async drop(from, to) {
    const { ply } = this.explain.state, standing = this.explain.stage.standing(ply);
    const step = this.explain.stage.exchange()?.steps[ply];
    const all = standing?.moves.filter(one => one.from === from && one.to === to) ?? [];
    let [move] = all;
    if (all.length > 1 && standing) {
      const letters = [...PROMOTIONS].filter(letter => all.some(({ uci }) => uci[4] === letter));
      const role = await this.explain.board.promotion(to, standing.turn, letters.map(letter => ROLES[/** @type {keyof typeof ROLES} */ (letter)]));
      const chosen = letters.find(letter => ROLES[/** @type {keyof typeof ROLES} */ (letter)] === role);
      const found = all.find(({ uci }) => uci[4] === chosen);
      if (!found) {
        this.explain.glance({});
        return;
      }
      move = found;
    }
    const isNext = !!ply && step?.from === from && this.explain.stage.exchange()?.to === to && (!move || (step.becomes ?? undefined) === ROLES[/** @type {keyof typeof ROLES} */ (move.uci[4])]);
    if (isNext) this.recapture(from);
    else if (move) this.play(move.uci, ply && move.is_noisy && to === this.explain.stage.exchange()?.to ? atStart(this.explain.stage.recapture(from, ply)) : '');
  }

  /** The best capture goes on in the exchange.
   * @param {string} from */
  recapture(from) {
    const { ply, tree } = this.explain.state;
    const words = atStart(this.explain.stage.recapture(from, ply));
    const isLegal = this.explain.stage.recaptures(ply).some(one => one.from === from);
    if (isLegal && !tree.isBare) this.moveTo(ply + 1);
    this.explain.set({ ply: ply + 1, beside: isLegal ? words : '' }, { isNew: isLegal && !tree.isBare });
  }

  /** The move of the list after so many captures of the exchange, which become moves of the game.
   * @param {number} ply */
  moveTo(ply) {
    const { tree } = this.explain.state, exchange = this.explain.stage.exchange();
    let at = this.explain.state.node;
    for (const { from, becomes } of exchange?.steps.slice(0, ply) ?? []) {
      const letter = becomes ? Object.entries(ROLES).find(([, role]) => role === becomes)?.[0] : '';
      at = tree.add(this.explain.wasm, at, at === this.explain.state.node && exchange ? exchange.uci : `${from}${exchange?.to}${letter}`);
    }
    return at;
  }

  /** Plays a legal move on the board.
   * @param {string} uci */
  play(uci, beside = '') {
    const { ply, tree, node: before } = this.explain.state;
    const node = this.moveTo(ply);
    tree.add(this.explain.wasm, node, uci);
    this.explain.set({ node, move: uci, ply: 1, isPlayed: node !== before, beside }, { isNew: true, quietly: true });
  }

  /** Plays the best recapture of a piece, and says what it is worth beside the best one.
   * @param {string} from */
  reply(from) {
    const { ply } = this.explain.state, move = this.explain.stage.recaptures(ply).find(one => one.from === from);
    if (move) this.play(move.uci, atStart(this.explain.stage.recapture(from, ply)));
  }

  /** A square was touched: a piece that could recapture says so.
   * @param {string} square */
  pressed(square) {
    if (!this.explain.found) return;
    const beside = this.explain.stage.said(square);
    if (beside !== this.explain.state.beside || this.explain.state.refused) this.explain.glance({ beside });
  }

  /** Looks at the captures in the position on the board; returns whether there is one.
   * @returns {boolean} */
  goOn() {
    const { ply } = this.explain.state;
    if (!this.explain.found || !ply || !this.explain.stage.standing(ply)) return false;
    this.explain.set({ node: this.moveTo(ply), move: '', ply: 0, isPlayed: true }, { isNew: true, quietly: true });
    return true;
  }

  /** Another board, side to move, castling right or en-passant square.
   * @param {import('./edit.js').Edit} what */
  edit(what) {
    const line = this.explain.found?.full_fen ?? this.explain.fen;
    /** @type {string} */
    const fen = this.explain.wasm.json('edit', { line, placement: this.explain.found?.placement ?? this.explain.board.ground.getFen(), ...what });
    this.explain.field.write(fen);
    this.explain.set({ ...fresh(fen), move: this.explain.state.move }, { isNew: true, quietly: true });
  }

  /** Shows a move of the list.
   * @param {number} node */
  visit(node) {
    this.explain.set(this.explain.state.tree.visited(node), { quietly: true });
  }

  /** A move back or on in the game.
   * @param {number} by */
  walk(by) {
    const { tree } = this.explain.state, at = this.explain.reached;
    const to = by < 0 ? tree.nodes[at].parent : tree.nodes[at].children[0];
    if (to !== undefined && to >= 0) this.visit(Math.abs(by) > 1 ? by < 0 ? 0 : tree.mainLine.at(-1) ?? 0 : to);
  }

  /** @param {number} by */
  step(by) {
    const { steps, played } = this.explain.stage.exchange() ?? { steps: [], played: 0 };
    const last = this.explain.state.beyond ? steps.length : played;
    this.go(Math.max(0, Math.min(last, this.explain.state.ply + by)));
  }

  /** Shows the board after some captures. @param {number} ply */
  go(ply) {
    if (this.explain.found) this.explain.set({ ply });
  }
}
