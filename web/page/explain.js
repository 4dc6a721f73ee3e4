// A position or a game: the moves under four rule sets, and one exchange step by step.
//
// All that is shown follows from one state, which only `set` changes. The parts have files of their own:
//
//     field, reading     what is typed or pasted, and what is found in it
//     playing, keys      moves on the board, and walking through them
//     board, stage       the position, and the exchange on it (strip)
//     line, table        the list of moves, and what each is worth
//     trail, address     the link, the history, the way back

import { command, PROFILES, read, written } from './address.js';
import { Board } from './board.js';
import { miniature } from './cards.js';
import { copy, fill, get, make } from './dom.js';
import { Editor } from './edit.js';
import { EXAMPLES } from './examples.js';
import { Field } from './field.js';
import { listenToKeys } from './keys.js';
import { MoveList } from './line.js';
import { Playing } from './playing.js';
import { Reading } from './reading.js';
import { ABOUT, listed, UNITS, VALUES } from './rules.js';
import { drawMover, Stage } from './stage.js';
import { Strip } from './strip.js';
import { Table } from './table.js';
import { tour } from './tour.js';
import { able, Trail } from './trail.js';
import { fresh, Tree, unpacked } from './tree.js';
import { Failure, unloaded } from './wasm.js';
import { lanes, sideName } from './words.js';

/** @import { Shown } from './address.js' */
/** @import { Explained } from './answers.js' */
/** @import { Refused } from './board.js' */
/** @import { Place } from './strip.js' */
/** @import { Swaplist } from './wasm.js' */

/** All that is shown follows from this. The position at hand is that of `node` in `tree`; `move` is the
 * one whose exchange is shown, empty for the best capture, and `ply` how many of its captures are played.
 * @typedef {{ tree: Tree, node: number, move: string, rules: string, values: string, at_least?: number,
 *   ply: number, beyond: boolean, lit: Place | null, beside: string, refused: Refused | null, notes: string[],
 *   isPlayed: boolean }} State */
/** How a state follows the one before: with an entry of its own in the history, to go back from;
 * without a note about a move that is no longer legal; while the field is being written; or with what
 * is wrong with the position.
 * @typedef {{ isNew?: boolean, quietly?: boolean, isTyped?: boolean, failure?: Failure }} How */

export class Explain {
  /** @param {Swaplist} wasm @param {() => Promise<Swaplist>} large the module that reads games */
  constructor(wasm, large) {
    this.wasm = wasm;
    /** @type {State} */
    this.state = { ...this.placed(EXAMPLES[0].shown), lit: null, beside: '', refused: null, isPlayed: false };
    /** @type {Explained | null} */
    this.found = null;
    /** The state that was drawn last, and the position on the board then. */
    this.seen = { state: this.state, fen: '' };
    /** What swaplist was asked last. */
    this.question = '';
    /** Whether somebody chose the rules, and not an example. */
    this.areRulesChosen = false;
    this.hasPlayed = false;
    this.trail = new Trail(this);
    this.reading = new Reading(this, large);
    this.playing = new Playing(this);
    this.values = get('values', HTMLSelectElement);
    this.own = get('own-values', HTMLInputElement);
    this.field = new Field({
      typed: (text, isNew) => { this.reading.typed(text, isNew); },
      ended: text => this.reading.ended(text),
      pasted: text => { this.reading.pasted(text); },
    });
    this.board = new Board({
      chosen: (from, to) => this.playing.drop(from, to),
      pressed: square => this.playing.pressed(square),
      refused: (from, to) => {
        const refused = this.found && this.stage.refused(from, to);
        if (refused) this.glance(refused);
      },
      edited: placement => this.playing.edit({ placement }),
    });
    this.editor = new Editor(this.board, {
      toggled: isOpen => { if (!isOpen || !this.playing.goOn()) this.playing.go(0); },
      edit: what => this.playing.edit(what),
      replace: fen => this.set({ ...fresh(fen), move: '' }, { isNew: true, quietly: true }),
    });
    const strip = new Strip({
      // The trunk is of all rule sets.
      go: ({ rules, ply }) => this.set({ ply, ...(rules && !this.lane.includes(rules) ? { rules } : {}) }),
      light: place => this.glance({ lit: place && { ...place, rules: place.rules || this.state.rules } }),
    });
    this.stage = new Stage(wasm, this.board, strip, from => this.playing.reply(from));
    this.table = new Table(what => {
      if (what.rules) this.areRulesChosen = true;
      this.set({ ...what, ...(what.move ? { ply: 0 } : {}) });
    });
    this.line = new MoveList({ show: node => this.playing.visit(node), walk: by => this.playing.walk(by) });
    fill(this.values, [...VALUES, ['own', 'Own values …']]);
    get('examples').replaceChildren(...EXAMPLES.map(({ shown, why }) => make('li', {}, make('a', { href: written(shown), className: 'card' }, miniature(shown.fen, { arrow: shown.move }), why))));
    this.listen();
  }

  listen() {
    get('read-game').addEventListener('click', () => this.reading.pasted(this.field.value));
    this.values.addEventListener('change', () => {
      const isOwn = this.values.value === 'own';
      this.own.hidden = !isOwn;
      if (isOwn) {
        this.own.value = (this.found?.values ?? [100, 325, 325, 500, 1000]).join(',');
        this.own.focus();
      }
      this.set({ values: isOwn ? listed(this.own.value) : this.values.value });
    });
    this.own.addEventListener('input', () => this.set({ values: listed(this.own.value) }));
    const steps = { first: -99, back: -1, next: 1, last: 99 };
    for (const [id, by] of Object.entries(steps)) get(id).addEventListener('click', () => this.playing.step(by));
    listenToKeys(this);
    get('from-here').addEventListener('click', () => this.playing.goOn());
    get('return').addEventListener('click', () => history.back());
    const copied = get('copied');
    get('to-share').addEventListener('click', async () => {
      try {
        const { share } = await import('./share.js');
        if (this.found?.exchanges.length) share(this.trail.shown, this.trail.link, this.found);
      } catch {
        copied.textContent = unloaded('share.js');
      }
    });
    get('copy-link').addEventListener('click', () => copy(new URL(this.trail.link, location.href).href, copied, this.trail.copiedWords));
    get('copy-text').addEventListener('click', () => { if (this.found) copy(this.wasm.text('explain_text', { ...this.asked(), line: this.found.fen, name: this.found.chosen ?? '' }), copied); });
    get('copy-command').addEventListener('click', () => { if (this.found) copy(command(this.trail.shown, this.found), copied); });
  }

  // What is asked.

  /** The position at hand. */
  get fen() {
    return this.state.tree.nodes[this.state.node].fen;
  }

  asked(quietly = false) {
    const { move, rules, values, at_least } = this.state;
    return { line: this.fen, name: move, quietly, threshold: at_least ?? 0, rules: { profile: rules, values } };
  }

  /** The move of the list that the board shows: that of the position at hand, or what was played of the
   * exchange. */
  get reached() {
    const { tree, ply } = this.state, exchange = this.stage.exchange();
    let at = this.state.node;
    for (const step of exchange?.steps.slice(0, ply) ?? []) {
      const next = tree.nodes[at].children.find(child => tree.nodes[child].fen === step.fen);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  /** The rule sets under which the exchange goes as under the shown one. */
  get lane() {
    const all = lanes(this.found?.exchanges ?? [], PROFILES);
    return all.find(({ rules }) => rules.includes(this.state.rules))?.rules ?? [];
  }

  // One way to change what is shown.

  /** Shows another state: asks swaplist if the question is another one, draws, and writes the address.
   * @param {Partial<State>} what @param {How} [how] */
  set(what, { isNew = false, quietly = false, isTyped = false, failure } = {}) {
    const before = this.state, { tree, node, move } = before;
    this.state = { ...before, lit: null, beside: '', refused: null, ...what };
    const { state } = this;
    const isMoved = state.tree !== tree || state.node !== node;
    if (isMoved) this.found = null;
    if (isMoved || state.move !== move) state.ply = what.ply ?? 0;
    if (isMoved && !what.isPlayed) state.isPlayed = false;
    const question = JSON.stringify(this.asked());
    if (failure) {
      this.question = '';
      this.state.notes = [];
      this.fail(failure.message, failure);
    } else if (question !== this.question || !this.found) {
      this.question = question;
      state.notes = what.notes ?? [];
      this.ask(quietly);
      this.question = JSON.stringify(this.asked());
    }
    if (this.found && !isTyped) this.field.write(this.found.fen);
    this.draw();
    this.trail.address(isNew);
  }

  /** Shows what passes: a chip under the pointer, words on a piece that was touched.
   * @param {Pick<Partial<State>, 'lit' | 'beside' | 'refused'>} what */
  glance(what) {
    Object.assign(this.state, { beside: '', refused: null }, what);
    if (this.found) this.stage.drawBoard(this.state, this.found);
  }

  /** Asks swaplist, and keeps its answer or shows its error.
   * @param {boolean} quietly */
  ask(quietly) {
    const asked = this.asked(quietly);
    // The capture that was best stays under other rules.
    if (!quietly) asked.name ||= this.found?.chosen ?? '';
    let failed = this.answer(asked);
    const wrong = failed?.field === 'values' ? `Piece values: ${failed.message}.` : '';
    // The position stays, its values pale, while others are written.
    if (wrong) failed = this.answer({ ...asked, rules: { ...asked.rules, values: 'cpw' } });
    get('values-error').textContent = wrong;
    get('asked').classList.toggle('stale', !!wrong);
    this.own.setAttribute('aria-invalid', String(!!wrong));
    if (failed) {
      this.fail(failed.message, failed);
      this.reading.rescue(this.fen);
    } else this.field.tell({ notes: [...this.state.notes, ...this.found?.notes ?? []] });
    for (const id of ['copy-text', 'copy-command', 'to-share', 'from-here']) get(id, HTMLButtonElement).disabled = !!(failed || wrong);
  }

  /** Keeps what swaplist answers, or returns its error.
   * @param {ReturnType<Explain['asked']>} asked */
  answer(asked) {
    /** @type {Explained} */
    let found;
    try {
      found = this.wasm.json('explain', asked);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    const { state } = this;
    const profile = PROFILES.indexOf(state.rules);
    found.moves.sort((a, b) => b.see[profile] - a.see[profile]);
    this.found = found;
    // Without what else stood on the line.
    state.tree.nodes[state.node].fen = found.fen;
    if (found.is_named || asked.quietly) state.move = found.is_named && found.chosen || '';
    const { steps = [], played = 0 } = found.exchanges[profile] ?? {};
    state.ply = Math.max(0, Math.min(state.ply, steps.length));
    state.beyond = state.ply > played;
    return null;
  }

  /** Shows what is wrong; a board that is being edited stays as it is, with the error beside it.
   * @param {string} message @param {{ placement?: string, turn?: string, at?: [number, number] }} [what] */
  fail(message, { placement, turn, at } = {}) {
    this.found = null;
    this.field.tell({ fen: message, notes: this.state.notes, at });
    this.reading.game?.leave();
    this.stage.fail(this.state, placement, turn);
    this.table.clear();
    this.editor.show(null);
    get('unit').hidden = true;
    for (const id of ['first', 'back', 'next', 'last', 'from-here', 'copy-text', 'copy-command', 'to-share']) get(id, HTMLButtonElement).disabled = true;
    if (turn) drawTurn(turn === 'black' ? 'black' : 'white');
    this.board.moved();
  }

  draw() {
    const { found, state } = this;
    if (!found) return;
    const wasOther = get('play').classList.contains('other');
    get('play').classList.remove('other');
    const { steps = [], played = 0 } = found.exchanges[PROFILES.indexOf(state.rules)] ?? {};
    state.ply = Math.max(0, Math.min(state.ply, steps.length));
    state.beyond = state.ply > played || state.beyond && state.ply === played;
    drawTurn(found.turn);
    this.reading.game?.follow(this.asked().rules, found.full_fen, !!state.tree.text && state.tree.text === this.reading.game.text);
    this.stage.show(state, found);
    this.line.show(state.tree, this.reached);
    this.editor.show(found);
    this.table.show(found, state.rules);
    get('about-rules').textContent = ABOUT[state.rules];
    get('unit').hidden = !found.exchanges.length;
    get('unit').textContent = `${sideName(found.turn)}’s balance, in ${UNITS[state.values] ?? 'the units of your values'}`;
    able('to-share', found.exchanges.length > 0 && !get('values-error').textContent);
    if (wasOther) this.board.moved();
    this.seen = { state, fen: this.stage.standing(state.ply)?.fen ?? '' };
  }

  // Opening.

  /** Shows what the address says, or the first example. */
  open() {
    const { trail } = this, { entry } = trail;
    if (!history.state) trail.reach = 0;
    const asked = read(trail.hash) ?? read(location.search);
    const isLinked = !!(location.hash || location.search);
    const notes = [`The link names no position: this is ${this.found ? 'the one from before' : 'an example'}`];
    const isExample = !asked || EXAMPLES.some(({ shown }) => written(shown) === written(asked));
    this.areRulesChosen = !isExample && (this.areRulesChosen || !!asked);
    this.question = '';
    this.found = null;
    const placed = asked && this.placed(asked);
    if (placed && entry.game && this.reading.game?.isListed) Object.assign(placed.tree, { text: this.reading.game.text, game: entry.game });
    this.set({ ...placed ?? (isLinked ? { notes } : {}), isPlayed: !!entry.isPlayed });
    if (!this.found) this.field.write(this.fen);
    this.fillForm();
    this.reading.reopen(asked, entry.game);
    if (!asked && !this.hasPlayed && !matchMedia('(prefers-reduced-motion: reduce)').matches) tour(this);
    this.hasPlayed = true;
  }

  /** The fields of what is shown beside the position. */
  fillForm() {
    const { values, at_least } = this.state;
    const named = VALUES.some(([name]) => name === values);
    this.values.value = named ? values : 'own';
    this.own.hidden = named;
    this.own.value = named ? '' : values;
    this.table.fillIn(at_least ?? 0);
  }

  /** What an address names, as a state.
   * @param {Shown} shown */
  placed({ fen, move, rules, values, at_least, step, line, at, notes = [] }) {
    const rest = { rules, values, at_least, notes, beyond: false };
    if (!line) return { ...rest, ...fresh(fen), move, ply: step ?? 0 };
    try {
      const { tree, numbers, lost } = Tree.played(this.wasm, fen, unpacked(line));
      if (lost) notes.push(`The link’s game has ${lost} move${lost > 1 ? 's' : ''} that ${lost > 1 ? 'are' : 'is'} not legal, and left out`);
      const number = numbers[at ?? numbers.length - 1] ?? -1, node = number < 0 ? tree.nodes.length - 1 : number;
      return { ...rest, tree, ...(step === undefined ? tree.visited(node) : { node, move, ply: step }) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { ...rest, ...fresh(fen), move, ply: 0 };
    }
  }

  /** For another part, which now lies ahead. */
  leave() {
    this.trail.reach = 0;
    this.board.left();
  }
}

/** Whose move it is in the position.
 * @param {'white' | 'black'} turn */
function drawTurn(turn) {
  for (const radio of document.querySelectorAll('input[name=turn]')) {
    const input = /** @type {HTMLInputElement} */ (radio);
    input.checked = input.value === turn;
  }
  drawMover(turn);
}

