// A position or a game: the moves under four rule sets, and one exchange step by step.

import { command, LONGEST, PROFILES, read, START, written } from './address.js';
import { Board } from './board.js';
import { miniature } from './cards.js';
import { clipped, copy, fill, get, make } from './dom.js';
import { Editor } from './edit.js';
import { EXAMPLES } from './examples.js';
import { Field } from './field.js';
import { MoveList } from './line.js';
import { ABOUT, listed, UNITS, VALUES } from './rules.js';
import { drawMover, Stage } from './stage.js';
import { Strip } from './strip.js';
import { Table } from './table.js';
import { able, Trail } from './trail.js';
import { Tree, unpacked } from './tree.js';
import { Failure, unloaded } from './wasm.js';
import { atStart, lanes, sideName } from './words.js';

/** @import { Shown } from './address.js' */
/** @import { Explained, Pasted } from './answers.js' */
/** @import { GameList } from './game.js' */
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

/** How long each capture is shown when the page opens. */
const PLAY_MS = 1100;
/** The key of the game that a reload brings back. */
const KEPT = 'game';
/** A FEN that needs no reader. */
const PLAIN = /^\s*([1-8pnbrqk]+\/){7}[1-8pnbrqk]+ [wb] (-|[KQkq]+) (-|[a-h][36])( \d{1,4} \d{1,4})?\s*$/i;
/** Reading that takes longer is told. */
const SLOW_MS = 250;
/** What a pawn becomes, as people choose. */
const PROMOTIONS = 'qnrb';
const ROLES = /** @type {const} */ ({ q: 'queen', n: 'knight', r: 'rook', b: 'bishop' });

export class Explain {
  /** @param {Swaplist} wasm @param {() => Promise<Swaplist>} large the module that reads games */
  constructor(wasm, large) {
    this.wasm = wasm;
    this.large = large;
    /** Reads what people paste, once it is needed.
     * @type {Swaplist | undefined} */
    this.reader = undefined;
    /** The captures of a game that was pasted.
     * @type {GameList | null} */
    this.game = null;
    /** Until the row of it that was chosen last is shown. */
    this.choosing = Promise.resolve();
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
    this.trail = new Trail();
    this.values = get('values', HTMLSelectElement);
    this.own = get('own-values', HTMLInputElement);
    this.field = new Field({
      typed: (text, isNew) => { this.typed(text, isNew); },
      ended: text => this.ended(text),
      pasted: text => { this.pasted(text); },
    });
    this.board = new Board({
      chosen: (from, to) => this.drop(from, to),
      pressed: square => this.pressed(square),
      refused: (from, to) => {
        const refused = this.found && this.stage.refused(from, to);
        if (refused) this.glance(refused);
      },
      edited: placement => this.edit({ placement }),
    });
    this.editor = new Editor(this.board, {
      toggled: isOpen => { if (!isOpen || !this.goOn()) this.go(0); },
      edit: what => this.edit(what),
      replace: fen => this.set({ ...fresh(fen), move: '' }, { isNew: true, quietly: true }),
    });
    const strip = new Strip({
      // The trunk is of all rule sets.
      go: ({ rules, ply }) => this.set({ ply, ...(rules && !this.lane.includes(rules) ? { rules } : {}) }),
      light: place => this.glance({ lit: place && { ...place, rules: place.rules || this.state.rules } }),
    });
    this.stage = new Stage(wasm, this.board, strip, from => this.reply(from));
    this.table = new Table(what => {
      if (what.rules) this.areRulesChosen = true;
      this.set({ ...what, ...(what.move ? { ply: 0 } : {}) });
    });
    this.line = new MoveList({ show: node => this.visit(node), walk: by => this.walk(by) });
    fill(this.values, [...VALUES, ['own', 'Own values …']]);
    get('examples').replaceChildren(...EXAMPLES.map(({ shown, why }) => make('li', {}, make('a', { href: written(shown), className: 'card' }, miniature(shown.fen, { arrow: shown.move }), why))));
    this.listen();
  }

  listen() {
    get('read-game').addEventListener('click', () => this.pasted(this.field.value));
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
    for (const [id, by] of Object.entries(steps)) get(id).addEventListener('click', () => this.step(by));
    addEventListener('keydown', event => this.key(event));
    const keys = get('key-list', HTMLDialogElement);
    get('show-keys').addEventListener('click', () => keys.showModal());
    get('close-keys').addEventListener('click', () => keys.close());
    get('from-here').addEventListener('click', () => this.goOn());
    get('return').addEventListener('click', () => history.back());
    const copied = get('copied');
    get('to-share').addEventListener('click', async () => {
      try {
        const { share } = await import('./share.js');
        if (this.found?.exchanges.length) share(this.shown, this.link, this.found);
      } catch {
        copied.textContent = unloaded('share.js');
      }
    });
    get('copy-link').addEventListener('click', () => copy(new URL(this.link, location.href).href, copied, this.copiedWords));
    get('copy-text').addEventListener('click', () => { if (this.found) copy(this.wasm.text('explain_text', { ...this.asked(), line: this.found.fen, name: this.found.chosen ?? '' }), copied); });
    get('copy-command').addEventListener('click', () => { if (this.found) copy(command(this.shown, this.found), copied); });
  }

  // What is asked, and what the address says of it.

  /** The position at hand. */
  get fen() {
    return this.state.tree.nodes[this.state.node].fen;
  }

  asked(quietly = false) {
    const { move, rules, values, at_least } = this.state;
    return { line: this.fen, name: move, quietly, threshold: at_least ?? 0, rules: { profile: rules, values } };
  }

  /** The position with its move alone.
   * @returns {Shown} */
  get shown() {
    const { move, rules, values, at_least, ply } = this.state;
    // What is being written may be anything.
    return { fen: this.fen.slice(0, 500), move, rules, values, at_least, step: ply };
  }

  /** All that is shown.
   * @returns {Shown} */
  get whole() {
    const { tree, node, ply } = this.state;
    if (tree.isBare) return this.shown;
    const { text, numbers } = tree.packed(), at = this.reached;
    const isWalked = at > 0 && tree.nodes[at].parent === node && ply === 1;
    const number = numbers[isWalked ? at : node];
    const game = tree.text && this.game?.isListed ? this.game.players || '-' : undefined;
    const shown = { ...this.shown, fen: tree.nodes[0].fen, line: text, game };
    return isWalked ? { ...shown, move: '', step: undefined, at: number === numbers.length - 1 ? undefined : number } : { ...shown, at: number };
  }

  get link() {
    const whole = written(this.whole);
    return whole.length <= LONGEST ? whole : written(this.shown);
  }

  get copiedWords() {
    if (written(this.whole).length > LONGEST) return 'Copied: this position alone. The game is too long for a link.';
    const { games = 1 } = this.game?.isListed && this.game.found || {};
    return games > 1 ? 'Copied: this game alone. All games are too long for a link.' : 'Copied.';
  }

  /** @param {boolean} [isNew] */
  address(isNew = false) {
    const { link, state: { isPlayed, tree } } = this, whole = written(this.whole);
    get('to-explain', HTMLAnchorElement).href = link;
    // What is seen on the board, or the position at hand where no game could stand so.
    const { fen = this.fen } = this.stage.standing(this.state.ply) ?? {};
    get('to-lichess', HTMLAnchorElement).href = `https://lichess.org/analysis/standard/${encodeURI(fen.replaceAll(' ', '_'))}`;
    this.trail.write(link, { isPlayed, game: this.game?.isListed ? tree.game : 0, ...(whole === link ? {} : { whole }) }, isNew);
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
    this.address(isNew);
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
      this.rescue(this.fen);
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
    this.game?.leave();
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
    this.game?.follow(this.asked().rules, found.full_fen, !!state.tree.text && state.tree.text === this.game.text);
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

  // Opening, typing and pasting.

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
    if (placed && entry.game && this.game?.isListed) Object.assign(placed.tree, { text: this.game.text, game: entry.game });
    this.set({ ...placed ?? (isLinked ? { notes } : {}), isPlayed: !!entry.isPlayed });
    if (!this.found) this.field.write(this.fen);
    this.fillForm();
    this.reopen(asked, entry.game);
    if (!asked && !this.hasPlayed && !matchMedia('(prefers-reduced-motion: reduce)').matches) this.playOnce();
    this.hasPlayed = true;
  }

  /** Lists the game of a link again, or one that is too long for it.
   * @param {Shown | null} asked @param {number} [number] which game of a pasted text it is */
  reopen(asked, number = 0) {
    const kept = this.hasPlayed ? this.game?.text ?? '' : keptGame();
    const { tree } = this.state;
    if (number && kept) this.relist(kept, number);
    else if (asked?.line && asked.game !== undefined) this.relist(this.state.tree.written(asked.game), 1);
    else if (asked?.game && !asked.line) this.readGame(asked.game, false);
    else if (this.game?.isListed && tree.text !== this.game.text) this.game.leave();
  }

  /** @param {string} text @param {number} number which of its games is shown */
  relist(text, number) {
    Object.assign(this.state.tree, { text, game: number });
    if (this.game?.isListed && this.game.text === text) this.draw();
    else this.readGame(text, false);
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

  /** The rules of an example, which nobody chose, do not stay for a position of one's own.
   * @returns {Partial<State>} */
  get ownRules() {
    return this.areRulesChosen ? {} : { rules: PROFILES[0] };
  }

  /** The first position, game or move in a text, or why there is none.
   * @param {string} text @param {number} [game] which of several games
   * @returns {Promise<Pasted | Failure>} */
  async readText(text, game = 0) {
    // Most texts need no reader.
    if (PLAIN.test(text) && this.isLegal(text)) return { kind: 'position', fen: text.trim(), move: '', start: text.trim(), moves: [], at: 0, variations: 0, games: 0, white: '', black: '', link: '', used: [[0, text.length]], notes: [] };
    const { fen } = this.seen, slow = setTimeout(() => { get('reading').textContent = 'Reading …'; }, SLOW_MS);
    try {
      this.reader ??= await this.large();
      return this.reader.json('paste', { text, fen, game });
    } catch (error) {
      if (error instanceof Failure) return error;
      return new Failure({ field: 'fen', error: unloaded('swaplist.wasm') });
    } finally {
      clearTimeout(slow);
      get('reading').textContent = '';
    }
  }

  /** @param {string} fen */
  isLegal(fen) {
    try {
      return !!this.wasm.json('play', { fen, moves: [] });
    } catch {
      return false;
    }
  }

  /** What is being written into the field of the position.
   * @param {string} text @param {boolean} isNew */
  async typed(text, isNew) {
    const found = await this.readText(text);
    // Typing went on meanwhile.
    if (this.field.value !== text) return;
    get('pasted').replaceChildren();
    if (found instanceof Failure) {
      this.refuse(text, found, isNew);
      return;
    }
    if (found.kind === 'position') {
      this.showText(text, found, { isNew, isTyped: !found.link });
      return;
    }
    this.refuse(text, new Failure({ field: 'fen', error: '' }), isNew);
    const isGame = found.kind === 'game';
    this.fail(isGame ? 'These are the moves of a game' : 'This is a move of the position before');
    get('read-game').hidden = false;
    get('read-game').textContent = isGame ? 'List its captures' : `Play ${clipped(text.trim())}`;
  }

  /** Typing has ended, with Enter or elsewhere.
   * @param {string} text */
  ended(text) {
    if (!get('read-game').hidden) this.pasted(text);
  }

  /** A text that came at once, also from a file.
   * @param {string} text */
  async pasted(text) {
    const own = /#line=\S+/.exec(text)?.[0];
    const found = own ? await this.readText(START) : await this.readText(text);
    get('pasted').replaceChildren();
    if (found instanceof Failure) {
      this.field.write(text.trim());
      this.refuse(text.trim(), found, true);
      return;
    }
    if (found.kind === 'game') await this.readGame(text);
    else if (found.kind === 'move') this.playText(found.move);
    else this.showText(text, own ? { ...found, link: own } : found, { isNew: true });
    if (this.found && !own) this.field.left(text, found.used);
    // On a phone the board may be out of sight.
    get('board').scrollIntoView({ block: 'nearest' });
  }

  /** Says what is wrong with a text, and what to do.
   * @param {string} text @param {Failure} failure @param {boolean} isNew */
  refuse(text, failure, isNew) {
    this.set({ ...this.ownRules, ...fresh(text), move: '' }, { isNew, quietly: true, isTyped: true, failure });
  }

  /** An error in a position that nobody wrote, as in the editor or a link: the reader says more about
   * it, or finds a position.
   * @param {string} text */
  async rescue(text) {
    const found = await this.readText(text);
    if (this.found || this.fen !== text) return;
    if (found instanceof Failure) this.fail(found.message, found);
    else if (found.kind === 'position') this.showText(text, { ...found, move: this.state.move || found.move, notes: [...this.state.notes, ...found.notes] }, {});
    else this.fail('This is not a position');
  }

  /** Shows a position that was written or pasted.
   * @param {string} text @param {Pasted} found @param {How} how */
  showText(text, found, how) {
    const shown = found.link ? read(found.link) : null;
    if (shown) {
      this.areRulesChosen = true;
      this.set(this.placed(shown), how);
      this.fillForm();
      this.reopen(shown);
      return;
    }
    const { tree, numbers } = found.at ? Tree.played(this.wasm, found.start, found.moves) : { tree: new Tree(found.fen), numbers: [0] };
    const node = Math.max(0, numbers[found.at]);
    this.set({ ...how.isNew || how.isTyped ? this.ownRules : {}, tree, node, move: found.move, ply: 0, notes: found.notes }, how);
    if (how.isTyped && this.found) this.field.left(text, found.used);
  }

  /** Plays a move that was pasted on the board that was seen.
   * @param {string} uci */
  playText(uci) {
    this.set(this.seen.state);
    this.play(uci);
  }

  /** Lists the captures of a game, and shows the first of them, unless another position is shown.
   * @param {string} text */
  async readGame(text, isFirstShown = true) {
    const fail = (/** @type {string} */ error) => {
      if (isFirstShown) this.fail(error);
      else get('notes').append(make('li', {}, `${error}.`));
    };
    try {
      get('reading').textContent = 'Reading the game …';
      const [{ GameList }, wasm] = await Promise.all([import('./game.js'), this.large()]);
      this.game ??= new GameList(wasm, {
        choose: row => {
          this.choosing = this.placedRow(row).then(place => {
            this.set(place, { isNew: true, quietly: true });
            get('board').scrollIntoView({ block: 'nearest' });
          });
        },
        left: () => keepGame(''),
        closed: () => this.set(fresh(this.fen)),
      });
      if (isFirstShown) Object.assign(this.state, this.ownRules);
      const error = this.game.read(text, this.asked().rules, isFirstShown ? '' : this.found?.full_fen ?? this.fen, !!this.state.tree.text);
      this.field.isWritten = false;
      if (error) {
        fail(error);
      } else {
        keepGame(this.game.text);
        await this.choosing;
        if (!isFirstShown && !this.state.tree.text) await this.adopt(text);
      }
      this.address();
    } catch (error) {
      fail(error instanceof Failure ? error.message : unloaded('game.js').replace(/\.$/, ''));
    } finally {
      get('reading').textContent = '';
    }
  }

  /** The position of a link is one of a game: its moves are listed.
   * @param {string} text */
  async adopt(text) {
    const fen = this.found?.full_fen ?? this.fen;
    for (let game = 1; game <= (this.game?.found?.games ?? 0); game++) {
      const place = await this.placedRow({ fen, uci: this.state.move, game });
      if (!place.tree.isBare) {
        this.set({ ...place, ply: this.state.ply });
        return;
      }
    }
    this.state.tree.text = text;
  }

  /** Where a move of a game that was pasted is.
   * @param {{ fen: string, uci: string, game: number }} row */
  async placedRow({ fen, uci, game }) {
    const { text = '' } = this.game ?? {}, { state } = this;
    const tree = state.tree.text === text && state.tree.game === game ? state.tree : await this.treeOf(text, game);
    const node = tree?.find(fen) ?? -1;
    return tree && node >= 0 ? { tree, node, move: uci, ply: 0 } : { ...fresh(fen, text, game), move: uci };
  }

  /** @param {string} text @param {number} number */
  async treeOf(text, number) {
    const found = await this.readText(text, number - 1);
    return found instanceof Failure ? undefined : Tree.played(this.wasm, found.start, found.moves, text, number).tree;
  }

  // Playing on the board.

  /** A piece was moved on the board.
   * @param {string} from @param {string} to */
  async drop(from, to) {
    const { ply } = this.state, standing = this.stage.standing(ply);
    const step = this.stage.exchange()?.steps[ply];
    const all = standing?.moves.filter(one => one.from === from && one.to === to) ?? [];
    let [move] = all;
    if (all.length > 1 && standing) {
      const letters = [...PROMOTIONS].filter(letter => all.some(({ uci }) => uci[4] === letter));
      const role = await this.board.promotion(to, standing.turn, letters.map(letter => ROLES[/** @type {keyof typeof ROLES} */ (letter)]));
      const chosen = letters.find(letter => ROLES[/** @type {keyof typeof ROLES} */ (letter)] === role);
      const found = all.find(({ uci }) => uci[4] === chosen);
      if (!found) {
        this.glance({});
        return;
      }
      move = found;
    }
    const isNext = !!ply && step?.from === from && this.stage.exchange()?.to === to && (!move || (step.becomes ?? undefined) === ROLES[/** @type {keyof typeof ROLES} */ (move.uci[4])]);
    if (isNext) this.recapture(from);
    else if (move) this.play(move.uci, ply && move.is_noisy && to === this.stage.exchange()?.to ? atStart(this.stage.recapture(from, ply)) : '');
  }

  /** The best capture goes on in the exchange.
   * @param {string} from */
  recapture(from) {
    const { ply, tree } = this.state;
    const words = atStart(this.stage.recapture(from, ply));
    const isLegal = this.stage.recaptures(ply).some(one => one.from === from);
    if (isLegal && !tree.isBare) this.moveTo(ply + 1);
    this.set({ ply: ply + 1, beside: isLegal ? words : '' }, { isNew: isLegal && !tree.isBare });
  }

  /** The move of the list after so many captures of the exchange, which become moves of the game.
   * @param {number} ply */
  moveTo(ply) {
    const { tree } = this.state, exchange = this.stage.exchange();
    let at = this.state.node;
    for (const { from, becomes } of exchange?.steps.slice(0, ply) ?? []) {
      const letter = becomes ? Object.entries(ROLES).find(([, role]) => role === becomes)?.[0] : '';
      at = tree.add(this.wasm, at, at === this.state.node && exchange ? exchange.uci : `${from}${exchange?.to}${letter}`);
    }
    return at;
  }

  /** Plays a legal move on the board.
   * @param {string} uci */
  play(uci, beside = '') {
    const { ply, tree, node: before } = this.state;
    const node = this.moveTo(ply);
    tree.add(this.wasm, node, uci);
    this.set({ node, move: uci, ply: 1, isPlayed: node !== before, beside }, { isNew: true, quietly: true });
  }

  /** Plays the best recapture of a piece, and says what it is worth beside the best one.
   * @param {string} from */
  reply(from) {
    const { ply } = this.state, move = this.stage.recaptures(ply).find(one => one.from === from);
    if (move) this.play(move.uci, atStart(this.stage.recapture(from, ply)));
  }

  /** A square was touched: a piece that could recapture says so.
   * @param {string} square */
  pressed(square) {
    if (!this.found) return;
    const beside = this.stage.said(square);
    if (beside !== this.state.beside || this.state.refused) this.glance({ beside });
  }

  /** Looks at the captures in the position on the board; returns whether there is one.
   * @returns {boolean} */
  goOn() {
    const { ply } = this.state;
    if (!this.found || !ply || !this.stage.standing(ply)) return false;
    this.set({ node: this.moveTo(ply), move: '', ply: 0, isPlayed: true }, { isNew: true, quietly: true });
    return true;
  }

  /** Another board, side to move, castling right or en-passant square.
   * @param {import('./edit.js').Edit} what */
  edit(what) {
    const line = this.found?.full_fen ?? this.fen;
    /** @type {string} */
    const fen = this.wasm.json('edit', { line, placement: this.found?.placement ?? this.board.ground.getFen(), ...what });
    this.field.write(fen);
    this.set({ ...fresh(fen), move: this.state.move }, { isNew: true, quietly: true });
  }

  // Walking.

  /** Shows a move of the list.
   * @param {number} node */
  visit(node) {
    this.set(this.state.tree.visited(node), { quietly: true });
  }

  /** A move back or on in the game.
   * @param {number} by */
  walk(by) {
    const { tree } = this.state, at = this.reached;
    const to = by < 0 ? tree.nodes[at].parent : tree.nodes[at].children[0];
    if (to !== undefined && to >= 0) this.visit(Math.abs(by) > 1 ? by < 0 ? 0 : tree.mainLine.at(-1) ?? 0 : to);
  }

  /** @param {number} by */
  step(by) {
    const { steps, played } = this.stage.exchange() ?? { steps: [], played: 0 };
    const last = this.state.beyond ? steps.length : played;
    this.go(Math.max(0, Math.min(last, this.state.ply + by)));
  }

  /** Shows the board after some captures. @param {number} ply */
  go(ply) {
    if (this.found) this.set({ ply });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = /** @type {HTMLElement} */ (event.target);
    const typing = at.matches('input[type=text], select, textarea');
    if (get('explain').hidden || typing || document.querySelector('dialog[open]') || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === 'z' && !event.shiftKey) this.editor.undo();
      else if (event.key === 'y' || event.key.toLowerCase() === 'z') this.editor.redo();
      else return;
      event.preventDefault();
      return;
    }
    if (this.editor.isOpen && at.closest('#board-frame') && this.editor.key(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === 'f') this.board.turn();
    if (event.key === '?') get('key-list', HTMLDialogElement).showModal();
    /** @type {Record<string, number>} */
    const along = { ArrowLeft: -1, ArrowRight: 1, Home: -99, End: 99 };
    /** @type {Record<string, number>} */
    const across = { ArrowUp: -1, ArrowDown: 1 };
    // With a list of moves, the board's keys walk it, and the other two arrows the exchange.
    const isGame = !this.state.tree.isBare && !!at.closest('#board-frame, #line');
    const by = along[event.key] ?? (isGame ? across[event.key] : 0);
    if (!by || !at.closest('#board-frame, #exchange, #now, #line')) return;
    event.preventDefault();
    if (isGame && along[event.key]) this.walk(by);
    else this.step(by);
    if (at.closest('#strip')) /** @type {HTMLElement | null} */ (document.querySelector('#strip [aria-current]'))?.focus({ preventScroll: true });
  }

  /** For another part, which now lies ahead. */
  leave() {
    this.trail.reach = 0;
    this.board.left();
  }

  /** Plays the lanes of a first example, until somebody does something. */
  async playOnce() {
    if (!this.found?.exchanges.length) return;
    const { found } = this, { rules: own } = this.state;
    let isStopped = false;
    // What is seen then is what the address says, unless that is another one now.
    const stop = (/** @type {Event} */ { type }) => {
      if (!isStopped && this.found === found && type !== 'hashchange') this.set({});
      isStopped = true;
    };
    const signals = ['pointerdown', 'keydown', 'wheel', 'hashchange', 'focusin'];
    for (const signal of signals) addEventListener(signal, stop, { capture: true, once: true });
    const wait = () => new Promise(done => setTimeout(done, PLAY_MS));
    // The address stays.
    const go = (/** @type {Place} */ place) => {
      Object.assign(this.state, place, { beyond: false });
      this.stage.show(this.state, found);
    };
    const all = lanes(found.exchanges, PROFILES).sort((a, b) => Number(a.rules.includes(own)) - Number(b.rules.includes(own)));
    for (const { rules, exchange } of all) {
      for (let ply = 0; ply <= exchange.played; ply++) {
        await wait();
        if (isStopped || this.found !== found) return;
        go({ rules: rules[0], ply });
      }
    }
    await wait();
    for (const signal of signals) removeEventListener(signal, stop, { capture: true });
    if (!isStopped && this.found === found) go({ rules: own, ply: 0 });
  }
}

/** A position without moves before it.
 * @param {string} fen @param {string} [text] @param {number} [game] */
function fresh(fen, text, game) {
  return { tree: new Tree(fen, text, game), node: 0, ply: 0 };
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

/** The game that was listed before a reload. */
function keptGame() {
  const [entry] = performance.getEntriesByType('navigation');
  if (/** @type {PerformanceNavigationTiming | undefined} */ (entry)?.type === 'navigate') return '';
  try {
    return sessionStorage.getItem(KEPT) ?? '';
  } catch {
    return ''; // storage is denied
  }
}

/** Keeps a game for a reload.
 * @param {string} text */
function keepGame(text) {
  try {
    sessionStorage.removeItem(KEPT);
    if (text) sessionStorage.setItem(KEPT, text);
  } catch {
    // Storage is denied or full: a reload loses the game.
  }
}
