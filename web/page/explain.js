// One position: its moves under four rule sets, and one exchange step by step.

import { PROFILES, read, written } from './address.js';
import { Board } from './board.js';
import { miniature } from './cards.js';
import { copy, differsMark, fill, get, make, quoted, signClass, signed } from './dom.js';
import { Editor } from './edit.js';
import { EXAMPLES } from './examples.js';
import { isGame, pasted } from './paste.js';
import { ABOUT, listed, SHORT, UNITS, VALUES } from './rules.js';
import { Strip } from './strip.js';
import { Failure, unloaded } from './wasm.js';
import { atStart, beside, lanes, reason, sentence, sideAt, sideName, stepWords } from './words.js';

/** @import { Shown } from './address.js' */
/** @import { Exchange, Explained, LegalMove } from './answers.js' */
/** @import { GameList } from './game.js' */
/** @import { Place } from './strip.js' */
/** @import { Swaplist } from './wasm.js' */

/** Browsers refuse to write the address too often; then it is written when typing rests. */
const REST_MS = 500;

/** How long each capture is shown when the page opens. */
const PLAY_MS = 1100;
/** The key of the game that a reload brings back. */
const KEPT = 'game';

export class Explain {
  /** @param {Swaplist} wasm @param {() => Promise<Swaplist>} large the module that reads games */
  constructor(wasm, large) {
    this.wasm = wasm;
    this.large = large;
    /** The captures of a game that was pasted.
     * @type {GameList | null} */
    this.game = null;
    /** What a recapture that was played is worth beside the best one, or why it cannot be played. */
    this.beside = '';
    /** The recaptures after the shown step, and of which question they are. */
    this.after = { key: '', moves: /** @type {LegalMove[]} */ ([]) };
    /** @type {Shown} */
    this.shown = EXAMPLES[0].shown;
    /** How many captures the board shows.
     * @type {Place} */
    this.at = { rules: this.shown.rules, ply: 0 };
    /** Whether steps go on after the flag. */
    this.beyond = false;
    /** @type {Place | null} */
    this.lit = null;
    this.timer = 0;
    /** The depth of the last change: up to it, what was undone can be done again. */
    this.reach = 0;
    this.failed = false;
    this.isWritten = false;
    this.hasPlayed = false;
    /** @type {Explained | null} */
    this.found = null;
    this.fen = get('fen', HTMLInputElement);
    this.mark = get('fen-mark');
    this.values = get('values', HTMLSelectElement);
    this.own = get('own-values', HTMLInputElement);
    this.quiet = get('quiet-moves', HTMLSelectElement);
    this.threshold = /** @type {HTMLInputElement} */ (make('input', { type: 'text', inputmode: 'numeric', id: 'at-least', 'aria-label': 'Threshold of see_ge', autocomplete: 'off' }));
    this.board = new Board({
      chosen: (from, to) => this.drop(from, to),
      rewind: () => this.go({ rules: this.shown.rules, ply: 0 }),
      replied: from => this.reply(from),
      edited: placement => this.edit({ placement }),
    });
    this.editor = new Editor(this.board, {
      toggled: () => { this.go({ ...this.at, ply: 0 }); },
      edit: what => this.edit(what),
      replace: fen => {
        this.change({ fen, move: '' }, { isNew: true, quietly: true });
        this.fen.value = this.shown.fen;
      },
    });
    this.strip = new Strip({
      go: ({ rules, ply }) => {
        // The trunk is of all rule sets.
        if (rules && !this.lane().includes(rules)) this.change({ rules });
        this.go({ rules: this.shown.rules, ply });
      },
      light: place => {
        this.lit = place && { ...place, rules: place.rules || this.shown.rules };
        this.drawBoard();
      },
    });
    fill(this.values, [...VALUES, ['own', 'Own values …']]);
    this.fillExamples();
    this.listen();
  }

  get link() {
    return written({ ...this.shown, game: this.game?.link });
  }

  /** The rules of an example do not stay for a position of one's own.
   * @returns {Partial<Shown>} */
  get ownRules() {
    return EXAMPLES.some(({ shown }) => written(shown) === written(this.shown)) ? { rules: 'swap' } : {};
  }

  /** Shows what the address says, or the first example. */
  open() {
    if (!history.state) this.reach = 0;
    // Back from a position that was played on from, the step is the one before.
    const { at, hasGame } = history.state ?? {};
    const { game = '', ...linked } = read(location.hash) ?? read(location.search) ?? {};
    const asked = 'fen' in linked ? linked : null;
    const notes = location.hash || location.search ? [`The link names no position: this is ${this.found ? 'the one from before' : 'an example'}`] : undefined;
    this.shown = asked ?? { ...this.shown, notes };
    this.fen.value = this.shown.fen;
    this.fillForm();
    this.at = { rules: this.shown.rules, ply: 0 };
    this.beyond = false;
    this.beside = '';
    this.found = null;
    this.update();
    if (at && this.found) this.go({ rules: this.shown.rules, ply: Math.min(at, this.exchange(this.shown.rules)?.steps.length ?? 0) });
    // Back from another position, a game that is too long for a link is listed again.
    const left = hasGame && !this.game?.isListed ? this.game?.text ?? '' : '';
    const kept = this.hasPlayed ? left : keptGame();
    if (game ? game !== this.game?.link : kept) this.readGame(game || kept, false);
    if (!asked && !this.hasPlayed && !matchMedia('(prefers-reduced-motion: reduce)').matches) this.playOnce();
    this.hasPlayed = true;
  }

  /** The fields of what is shown beside the position. */
  fillForm() {
    const { values, at_least } = this.shown;
    const named = VALUES.some(([name]) => name === values);
    this.values.value = named ? values : 'own';
    this.own.hidden = named;
    this.own.value = named ? '' : values;
    this.threshold.value = String(at_least ?? 0);
    this.threshold.setAttribute('aria-invalid', 'false');
    get('threshold-error').textContent = '';
  }

  /** For another part, which now lies ahead. */
  leave() {
    this.reach = 0;
    this.board.left();
  }

  listen() {
    this.fen.addEventListener('input', event => this.typed(/** @type {InputEvent} */ (event).inputType));
    this.fen.addEventListener('change', () => {
      this.isWritten = false;
      if (isGame(this.fen.value)) this.readGame(this.fen.value);
    });
    get('read-game').addEventListener('click', () => this.readGame(this.fen.value));
    // The field has one line, a game has several.
    this.fen.addEventListener('paste', event => {
      const text = event.clipboardData?.getData('text') ?? '';
      if (!isGame(text)) return;
      event.preventDefault();
      this.readGame(text);
    });
    this.fen.addEventListener('scroll', () => { this.mark.scrollLeft = this.fen.scrollLeft; });
    this.values.addEventListener('change', () => {
      const isOwn = this.values.value === 'own';
      this.own.hidden = !isOwn;
      if (isOwn) {
        this.own.value = (this.found?.values ?? [100, 325, 325, 500, 1000]).join(',');
        this.own.focus();
      }
      this.change({ values: isOwn ? listed(this.own.value) : this.values.value });
    });
    this.own.addEventListener('input', () => this.change({ values: listed(this.own.value) }));
    this.threshold.addEventListener('input', () => this.compare());
    this.quiet.addEventListener('change', () => { if (this.quiet.value) this.change({ move: this.quiet.value }); });
    const steps = { first: -99, back: -1, next: 1, last: 99 };
    for (const [id, by] of Object.entries(steps)) get(id).addEventListener('click', () => this.step(by));
    addEventListener('keydown', event => this.pressed(event));
    addEventListener('popstate', () => clearTimeout(this.timer));
    const keys = get('key-list', HTMLDialogElement);
    get('show-keys').addEventListener('click', () => keys.showModal());
    get('close-keys').addEventListener('click', () => keys.close());
    get('from-here').addEventListener('click', () => this.goOn());
    get('return').addEventListener('click', () => history.back());
    const copied = get('copied');
    get('to-share').addEventListener('click', async () => {
      try {
        const { share } = await import('./share.js');
        if (this.found?.exchanges.length) share({ ...this.shown, game: this.game?.link }, this.found, this.at.rules);
      } catch {
        copied.textContent = unloaded('share.js');
      }
    });
    get('copy-link').addEventListener('click', () => {
      const isWhole = !this.game?.link || new URLSearchParams(this.link.slice(1)).has('game');
      const said = isWhole ? 'Copied.' : 'Copied: this position alone. The game is too long for a link.';
      copy(new URL(this.link, location.href).href, copied, said);
    });
    get('copy-text').addEventListener('click', () => {
      if (this.found) copy(this.wasm.text('explain_text', { ...this.asked(), line: this.found.fen, name: this.found.chosen ?? '' }), copied);
    });
    get('copy-command').addEventListener('click', () => { if (this.found) copy(this.command(this.found), copied); });
  }

  fillExamples() {
    get('examples').replaceChildren(...EXAMPLES.map(({ shown, why }) => make('li', {}, make('a', { href: written(shown), className: 'card' }, miniature(shown.fen, { arrow: shown.move }), why))));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
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
    const keys = { ArrowLeft: -1, ArrowRight: 1, Home: -99, End: 99 };
    const by = keys[event.key];
    if (!by || !at.closest('#board-frame, #exchange, #now')) return;
    event.preventDefault();
    this.step(by);
    if (at.closest('#strip')) /** @type {HTMLElement | null} */ (document.querySelector('#strip [aria-current]'))?.focus({ preventScroll: true });
  }

  /** What is written or pasted into the field of the position.
   * @param {string} how */
  typed(how) {
    const isWhole = ['insertFromPaste', 'insertFromDrop', 'insertReplacementText'].includes(how);
    const isNew = !this.isWritten;
    this.isWritten = true;
    // What is not seen comes with what is copied.
    const text = this.fen.value.replace(/\p{Cf}/gu, '');
    const found = pasted(text);
    const isPosition = found && 'fen' in found, game = found && 'game' in found ? found.game : '';
    if (game && !isPosition || isWhole && isGame(text)) {
      this.readGame(game || text);
      return;
    }
    if (isPosition) {
      const { game: _, ...position } = found;
      this.change({ move: '', ...this.ownRules, ...position }, { isNew });
      this.fillForm();
      if (game) this.readGame(game, false);
    } else {
      this.change({ ...this.ownRules, fen: text, move: '' }, { isNew, quietly: true });
      if (found && 'error' in found) this.fail(found.error);
      else if (isGame(text)) {
        this.fail('These are the moves of a game');
        get('read-game').hidden = false;
      }
    }
    if ((found || isWhole) && this.found) {
      this.fen.value = this.found.fen;
      this.isWritten = false;
      // On a phone the board is above the field.
      get('board').scrollIntoView({ block: 'nearest' });
    }
  }

  /** Lists the captures of a game, and shows the first of them, unless another position is shown.
   * @param {string} text */
  async readGame(text, isFirstShown = true) {
    const fail = (/** @type {string} */ error) => {
      if (isFirstShown) this.fail(error);
      else get('notes').append(make('li', {}, `${error}.`));
    };
    try {
      const [{ GameList }, wasm] = await Promise.all([import('./game.js'), this.large()]);
      this.game ??= new GameList(wasm, {
        choose: ({ fen, uci }) => {
          this.change({ fen, move: uci }, { isNew: true, quietly: true });
          this.fen.value = this.shown.fen;
          get('board').scrollIntoView({ block: 'nearest' });
        },
        left: () => keepGame(''),
        closed: () => this.address(),
      });
      if (isFirstShown) Object.assign(this.shown, this.ownRules);
      const error = this.game.read(text, this.asked().rules, isFirstShown ? '' : this.found?.full_fen ?? this.shown.fen);
      this.isWritten = false;
      if (error) fail(error);
      else keepGame(this.game.text);
      this.address();
    } catch (error) {
      fail(error instanceof Failure ? error.message : unloaded('game.js').replace(/\.$/, ''));
    }
  }

  /** Of what was parsed alone: a link may hold anything.
   * @param {Explained} found */
  command(found) {
    const profile = this.shown.rules;
    const values = VALUES.find(([name]) => name === this.shown.values)?.[0] ?? found.values.join(',');
    const words = ['swaplist', 'explain', found.fen, found.chosen ?? '', ...(profile === 'swap' ? [] : ['--profile', profile]), ...(values === 'cpw' ? [] : ['--values', values])];
    return words.filter(Boolean).map(quoted).join(' ');
  }

  asked(quietly = false) {
    const { fen, rules, values, at_least } = this.shown;
    const name = this.shown.move || (quietly ? '' : this.found?.chosen) || '';
    return { line: fen, name, quietly, threshold: at_least ?? 0, rules: { profile: rules, values } };
  }

  /** Changes what is shown. What is new can be undone; a move that is no longer legal is left
   * quietly; what was played on from has Back.
   * @param {Partial<Shown>} what @param {{ isNew?: boolean, quietly?: boolean, isPlayed?: boolean }} [how] */
  change(what, { isNew = false, quietly = false, isPlayed = false } = {}) {
    this.beside = '';
    this.shown = { ...this.shown, notes: undefined, ...what };
    if (what.fen !== undefined) this.found = null;
    if (what.fen !== undefined || what.move !== undefined) this.at.ply = 0;
    this.at.rules = this.shown.rules;
    this.beyond = false;
    this.update({ isNew, quietly, isPlayed });
  }

  /** Another board, side to move, castling right or en-passant square.
   * @param {import('./edit.js').Edit} what */
  edit(what) {
    const line = this.found?.full_fen ?? this.shown.fen;
    /** @type {string} */
    const fen = this.wasm.json('edit', { line, placement: this.found?.placement ?? this.board.ground.getFen(), ...what });
    this.fen.value = fen;
    this.change({ fen }, { isNew: true, quietly: true });
  }

  /** A piece was moved on the board.
   * @param {string} from @param {string} to */
  drop(from, to) {
    const move = this.found?.moves.find(one => one.from === from && one.to === to);
    if (!move) return;
    this.change({ move: move.uci });
    this.go({ rules: this.shown.rules, ply: 1 });
  }

  /** The recaptures that are legal after a step, one of each piece, the best first. */
  recaptures(ply = this.at.ply) {
    const { found, at } = this;
    const exchange = this.exchange(at.rules), fen = exchange?.steps[ply - 1]?.fen;
    if (!found || !exchange || !fen) return [];
    const rules = { profile: at.rules, values: found.values.join(',') };
    const key = JSON.stringify([fen, exchange.to, rules]);
    if (this.after.key !== key) {
      /** @type {Explained} */
      const { moves } = this.wasm.json('explain', { line: fen, name: '', quietly: true, rules });
      const profile = PROFILES.indexOf(at.rules);
      const all = moves.filter(({ to, is_noisy }) => to === exchange.to && is_noisy).sort((a, b) => b.see[profile] - a.see[profile]);
      this.after = { key, moves: all.filter(({ from }, i) => all.findIndex(one => one.from === from) === i) };
    }
    return this.after.moves;
  }

  /** What a recapture after a step is worth beside the best one, or why it is not possible.
   * @param {Exchange} exchange @param {string} from @param {number} ply */
  recapture(exchange, from, ply) {
    const profile = PROFILES.indexOf(this.at.rules);
    const all = this.recaptures(ply).map(({ from, san, see }) => ({ from, san, see: see[profile] }));
    const move = all.find(one => one.from === from);
    if (move) return beside(move, all[0], this.found?.values[0] ?? 0);
    if (exchange.steps[ply]?.from === from) return `the piece on ${from} captures under ${this.at.rules}.`;
    const barred = exchange.barred.find(({ step, square }) => step === ply && square === from);
    return barred ? `${reason(barred)}.` : `the piece on ${from} has no legal capture on ${exchange.to}.`;
  }

  /** Plays a recapture after the shown step, and says what it is worth beside the best one. Before the
   * first step, only says so.
   * @param {string} from @returns {boolean} whether a recapture was played, or refused */
  reply(from) {
    const { at } = this;
    const exchange = this.exchange(at.rules);
    if (!exchange) return false;
    const mayReply = this.board.pieceOn(from)?.color === sideAt(exchange, at.ply || 1);
    if (!at.ply) {
      const words = mayReply ? `After ${exchange.san}, ${this.recapture(exchange, from, 1)}` : '';
      if (words !== this.beside) {
        this.beside = words;
        this.drawBoard();
      }
      return false;
    }
    if (!mayReply) return false;
    const move = this.recaptures().find(one => one.from === from), { fen } = exchange.steps[at.ply - 1];
    const isNext = exchange.steps[at.ply]?.from === from;
    const words = isNext && !move ? '' : this.recapture(exchange, from, at.ply);
    if (isNext) {
      this.go({ ...at, ply: at.ply + 1 });
    } else if (move && fen) {
      this.playOn(fen, move.uci);
      this.go({ rules: this.shown.rules, ply: 1 });
    }
    this.beside = atStart(words);
    this.drawBoard();
    return true;
  }

  /** Makes the position after the shown step the start. */
  goOn() {
    const fen = this.exchange(this.at.rules)?.steps[this.at.ply - 1]?.fen;
    if (fen) this.playOn(fen, '');
  }

  /** Another start, from which Back leads to the step before.
   * @param {string} fen @param {string} move */
  playOn(fen, move) {
    history.replaceState({ ...history.state, at: this.at.ply }, '');
    this.change({ fen, move, rules: this.at.rules }, { isNew: true, quietly: true, isPlayed: true });
    this.fen.value = this.shown.fen;
  }

  /** @param {number} by */
  step(by) {
    const { steps, played } = this.exchange(this.at.rules) ?? { steps: [], played: 0 };
    const last = this.beyond ? steps.length : played;
    this.go({ ...this.at, ply: Math.max(0, Math.min(last, this.at.ply + by)) });
  }

  /** Shows the board after some captures. @param {Place} at */
  go(at) {
    const exchange = this.exchange(at.rules);
    this.at = at;
    this.beside = '';
    this.beyond = at.ply > (exchange?.played ?? 0) || this.beyond && at.ply === exchange?.played;
    this.drawPlay();
  }

  /** Plays the lanes of a first example, until somebody does something. */
  async playOnce() {
    if (!this.found?.exchanges.length) return;
    const { found } = this;
    let isStopped = false;
    const stop = () => { isStopped = true; };
    const signals = ['pointerdown', 'keydown', 'wheel', 'hashchange', 'focusin'];
    for (const signal of signals) addEventListener(signal, stop, { capture: true, once: true });
    const wait = () => new Promise(done => setTimeout(done, PLAY_MS));
    const all = lanes(found.exchanges, PROFILES).sort((a, b) => Number(a.rules.includes(this.shown.rules)) - Number(b.rules.includes(this.shown.rules)));
    for (const { rules, exchange } of all) {
      for (let ply = 0; ply <= exchange.played; ply++) {
        await wait();
        if (isStopped || this.found !== found) return;
        this.go({ rules: rules[0], ply });
      }
    }
    await wait();
    for (const signal of signals) removeEventListener(signal, stop, { capture: true });
    if (!isStopped && this.found === found) this.go({ rules: this.shown.rules, ply: 0 });
  }

  /** Asks swaplist once, and shows its answer or its error.
   * @param {{ isNew?: boolean, quietly?: boolean, isPlayed?: boolean }} [how] */
  update({ isNew = false, quietly = false, isPlayed = false } = {}) {
    this.lit = null; // a chip of what was shown before
    const asked = this.asked(quietly);
    let failed = this.answer(asked);
    // The position stays, its values pale, while others are written.
    if (failed?.field === 'values') failed = this.answer({ ...asked, rules: { ...asked.rules, values: 'cpw' } }, `Piece values: ${failed.message}.`);
    if (failed) this.fail(failed.message, failed);
    this.address(isNew, isPlayed);
  }

  /** Shows what swaplist answers, or returns its error.
   * @param {ReturnType<Explain['asked']>} asked @param {string} [wrong] what is wrong with the values */
  answer(asked, wrong = '') {
    /** @type {Explained} */
    let found;
    try {
      found = this.wasm.json('explain', asked);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    const profile = PROFILES.indexOf(this.shown.rules);
    found.moves.sort((a, b) => b.see[profile] - a.see[profile]);
    this.found = found;
    this.shown.fen = found.fen;
    this.at.ply = Math.min(this.at.ply, this.exchange(this.at.rules)?.played ?? 0);
    if (found.is_named || asked.quietly) this.shown.move = found.is_named && found.chosen || '';
    this.game?.follow(asked.rules, found.full_fen);
    this.errors({ values: wrong });
    this.draw();
    return null;
  }

  /** @param {string} message
   * @param {{ placement?: string, turn?: string, at?: [string, string] }} [what] */
  fail(message, { placement, turn, at } = {}) {
    // A board that is being edited stays as it is, with the error beside it.
    this.found = null;
    this.game?.leave();
    const isOther = !placement;
    this.errors({ fen: /[.…?]$/.test(message) ? message : `${message}.` });
    if (at) this.underline(at);
    this.strip.show([], PROFILES, this.at);
    get('moves').querySelector('tbody')?.replaceChildren();
    for (const id of ['step', 'at', 'swap-list', 'mover']) get(id).textContent = '';
    get('others').hidden = true;
    this.editor.show(null);
    get('sentence').textContent = isOther && this.board.view ? 'The board still shows another position: this one cannot be read yet.' : '';
    get('play').classList.toggle('other', isOther);
    for (const id of ['none', 'legend', 'quiet-box', 'threshold', 'unit']) get(id).hidden = true;
    if (turn) this.drawTurn(turn === 'black' ? 'black' : 'white');
    // No move of what was there before can be made.
    const board = placement ?? this.board.view?.placement;
    if (board) this.board.show({ placement: board, turn: turn === 'black' ? 'black' : 'white', moves: [], profile: 0, ply: 0, beyond: false });
  }

  /** Underlines what is wrong with the position, in its field.
   * @param {[string, string]} at */
  underline([before, fault]) {
    const text = this.fen.value, start = text.replaceAll('_', ' ').indexOf(before + fault) + before.length;
    if (!fault || start < before.length) return;
    const end = start + fault.length;
    this.mark.replaceChildren(text.slice(0, start), make('mark', {}, text.slice(start, end)), text.slice(end));
    this.mark.scrollLeft = this.fen.scrollLeft;
  }

  /** @param {{ fen?: string, values?: string }} errors */
  errors({ fen = '', values = '' }) {
    this.mark.replaceChildren();
    for (const id of ['fen-error', 'board-error']) get(id).textContent = fen;
    get('values-error').textContent = values;
    get('asked').classList.toggle('stale', !!values);
    this.fen.setAttribute('aria-invalid', String(!!fen));
    this.own.setAttribute('aria-invalid', String(!!values));
    get('read-game').hidden = true;
    const notes = [...this.shown.notes ?? [], ...this.found?.notes ?? []];
    get('notes').replaceChildren(...notes.map(note => make('li', {}, `${note}.`)));
    const failed = !!(fen || values);
    for (const id of ['copy-text', 'copy-command', 'to-share', 'first', 'back', 'next', 'last', 'from-here']) get(id, HTMLButtonElement).disabled = failed;
    if (failed !== this.failed) this.board.moved();
    this.failed = failed;
  }

  /** Writes the address: what is new gets an entry of its own, to go back from.
   * @param {boolean} [isNew] @param {boolean} [isPlayed] whether it was played on from the one before */
  address(isNew = false, isPlayed = false) {
    get('to-explain', HTMLAnchorElement).href = this.link;
    if (get('explain').hidden) return;
    const depth = history.state?.depth ?? 0;
    clearTimeout(this.timer);
    try {
      // Without a question that was asked for a position, too.
      const link = location.pathname + this.link, hasGame = !!this.game?.isListed;
      if (isNew && new URL(link, location.href).hash !== location.hash) history.pushState({ depth: this.reach = depth + 1, isPlayed, hasGame }, '', link);
      else history.replaceState({ depth, isPlayed: !!history.state?.isPlayed, hasGame }, '', link);
    } catch {
      // Refused, as after very many: once more when they rest.
      this.timer = setTimeout(() => this.address(), REST_MS);
    }
    get('return').hidden = !history.state?.isPlayed;
    able('undo', !!history.state?.depth);
    able('redo', (history.state?.depth ?? 0) < this.reach);
  }

  /** @param {string} rules */
  exchange(rules) {
    return this.found?.exchanges[PROFILES.indexOf(rules)];
  }

  /** The rule sets that go as the shown one. */
  lane() {
    const all = lanes(this.found?.exchanges ?? [], PROFILES);
    return all.find(({ rules }) => rules.includes(this.at.rules))?.rules ?? [];
  }

  draw() {
    const { found } = this;
    if (!found) return;
    get('play').classList.remove('other');
    this.drawTurn(found.turn);
    this.drawPlay();
    this.editor.show(found);
    this.drawMoves(found);
    get('about-rules').textContent = ABOUT[this.shown.rules];
    able('to-share', found.exchanges.length > 0);
    get('unit').hidden = !found.exchanges.length;
    get('unit').textContent = `${sideName(found.turn)}’s balance, in ${UNITS[this.shown.values] ?? 'the units of your values'}`;
  }

  /** Whose move it is in the position.
   * @param {'white' | 'black'} turn */
  drawTurn(turn) {
    for (const radio of document.querySelectorAll('input[name=turn]')) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === turn;
    }
    this.drawMover(turn);
  }

  /** Whose move it is on the board.
   * @param {'white' | 'black'} turn */
  drawMover(turn) {
    get('mover').textContent = `${sideName(turn)} to move`;
    get('mover').className = turn;
  }

  /** What changes from step to step. */
  drawPlay() {
    const { found } = this;
    if (!found) return;
    const exchange = this.exchange(this.at.rules);
    const isOfAll = found.exchanges.every(({ see }) => see === exchange?.see);
    get('sentence').textContent = exchange ? `${isOfAll ? '' : `Under ${this.at.rules} (${SHORT[this.at.rules]}), `}${sentence(exchange, found.values[0], this.at.rules)}` : '';
    get('swap-list').textContent = exchange ? `Swap list: ${exchange.swap_list.map(gain => String(gain).replace('-', '−')).join(', ')}` : '';
    this.strip.show(found.exchanges, PROFILES, this.at);
    this.drawBoard();
  }

  drawBoard() {
    const { found, at, lit } = this;
    if (!found) return;
    const exchange = lit && this.exchange(lit.rules);
    this.board.show({
      placement: found.placement,
      turn: found.turn,
      inCheck: found.in_check,
      moves: found.moves,
      profile: PROFILES.indexOf(this.shown.rules),
      exchange: this.exchange(at.rules),
      ply: at.ply,
      beyond: this.beyond,
      lit: lit && exchange ? { exchange, ply: lit.ply } : null,
      recaptures: this.recaptures().map(({ from }) => from),
    });
    this.strip.mark('data-lit', lit);
    const shown = this.exchange(at.rules);
    this.drawMover(shown ? sideAt(shown, at.ply) : found.turn);
    this.drawStep(this.exchange((lit ?? at).rules));
  }

  /** @param {Explained} found */
  drawMoves(found) {
    const table = get('moves');
    const focused = document.activeElement?.getAttribute('data-focus');
    const heads = PROFILES.map(profile => {
      const pressed = String(profile === this.shown.rules);
      const button = make('button', { type: 'button', title: ABOUT[profile], 'aria-pressed': pressed, 'data-focus': profile, onclick: () => this.change({ rules: profile }) }, profile);
      return make('th', { scope: 'col' }, button);
    });
    table.querySelector('thead')?.replaceChildren(make('tr', {}, make('th', { scope: 'col' }, 'Move'), ...heads));
    const listed = found.moves.filter(move => move.is_noisy || move.uci === found.chosen);
    const rows = listed.map(move => {
      const differs = move.see.some(see => see !== move.see[0]);
      const isOn = move.uci === found.chosen;
      const name = make('button', { type: 'button', 'aria-pressed': String(isOn), 'data-focus': move.uci }, move.san);
      const mark = differs ? differsMark() : '';
      const cells = move.see.map((see, i) => make('td', { className: `${signClass(see)}${PROFILES[i] === this.shown.rules ? ' rules' : ''}`, 'data-rules': PROFILES[i] }, signed(see)));
      const row = make('tr', { className: isOn ? 'on' : '' }, make('th', { scope: 'row' }, name, make('span', { className: 'quiet uci' }, ` ${move.uci}`), mark), ...cells);
      row.addEventListener('click', event => {
        const rules = /** @type {HTMLElement} */ (event.target).dataset.rules ?? this.shown.rules;
        this.change({ move: move.uci, rules });
      });
      return row;
    });
    table.querySelector('tbody')?.replaceChildren(...rows);
    const calm = found.moves.filter(move => !move.is_noisy);
    fill(this.quiet, [['', 'choose …'], ...calm.map(({ uci, san, see }) => /** @type {[string, string]} */ ([uci, `${san}  ${signed(see[PROFILES.indexOf(this.shown.rules)])}`]))]);
    this.quiet.value = calm.some(({ uci }) => uci === found.chosen) ? found.chosen ?? '' : '';
    get('quiet-box').hidden = !calm.length;
    get('none').hidden = found.moves.some(move => move.is_noisy);
    get('legend').hidden = !listed.some(({ see }) => see.some(one => one !== see[0]));
    this.drawThreshold(found);
    if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-focus="${focused}"]`))?.focus();
  }

  /** @param {Explained} found */
  drawThreshold({ chosen, moves, reaches }) {
    const move = moves.find(({ uci }) => uci === chosen);
    get('threshold').hidden = !move;
    if (!move) return;
    const cells = reaches.map((reached, i) => make('td', { className: `${reached ? 'plus' : 'minus'}${PROFILES[i] === this.shown.rules ? ' rules' : ''}` }, reached ? 'yes' : 'no'));
    const foot = get('threshold');
    const name = foot.querySelector('.name');
    // The field stays, with its focus.
    if (name?.firstChild) name.firstChild.textContent = `Is ${move.san} worth at least `;
    else foot.replaceChildren(make('tr', {}, make('th', { scope: 'row', title: `see_ge(${move.san}, t)` }, make('span', { className: 'name' }, `Is ${move.san} worth at least `), this.threshold, ' ?')));
    foot.querySelectorAll('td').forEach(cell => cell.remove());
    foot.querySelector('tr')?.append(...cells);
  }

  /** `see_ge` with the threshold in the field. */
  compare() {
    const text = this.threshold.value.trim().replace('−', '-');
    const isWhole = /^[+-]?\d{1,8}$/.test(text);
    this.threshold.setAttribute('aria-invalid', String(!isWhole));
    get('threshold-error').textContent = isWhole ? '' : 'Threshold: write a whole number of up to 8 digits, such as 0 or -50.';
    if (isWhole) this.change({ at_least: Number(text) || undefined });
  }

  /** @param {Exchange | undefined} exchange */
  drawStep(exchange) {
    const { at, lit } = this;
    const { steps = [], played = 0, barred = [] } = exchange ?? {};
    const ply = lit?.ply ?? at.ply;
    const step = steps[ply - 1];
    get('at').textContent = exchange ? `${at.ply} of ${at.ply > played ? steps.length : played}` : '';
    const pawn = this.found?.values[0] ?? 0;
    const now = step && exchange ? stepWords(exchange, ply - 1, pawn, !!history.state?.isPlayed) : 'Choose a piece to see what its moves are worth';
    const first = lit ? ply - 1 : ply;
    const why = step || at.ply ? barred.filter(one => one.step === first).map(one => atStart(reason(one))) : [];
    const also = lit ? '' : this.beside;
    // Before the first step, what is said of a piece that was touched is all.
    const said = [...!step && also ? [] : [now], ...why].map(words => `${words}.`);
    get('step').textContent = exchange ? [...said, also].join(' ').trim() : '';
    if (!lit) this.drawOthers(exchange);
    const last = this.beyond ? steps.length : played;
    for (const id of ['first', 'back']) able(id, at.ply > 0);
    for (const id of ['next', 'last']) able(id, at.ply < last);
    const from = get('from-here', HTMLButtonElement), fen = steps[at.ply - 1]?.fen;
    from.title = !at.ply ? 'Play a step first' : fen ? 'Goes on from this position' : 'This position is not legal: a king could be captured';
    able('from-here', !!fen);
  }

  /** The recaptures besides the one that is next.
   * @param {Exchange | undefined} exchange */
  drawOthers(exchange) {
    const next = exchange?.steps[this.at.ply]?.from, profile = PROFILES.indexOf(this.at.rules);
    const others = this.recaptures().filter(({ from }) => from !== next);
    const buttons = others.map(({ from, san, see }) => make('button', { type: 'button', onclick: () => this.reply(from) }, `${san} `, make('b', { className: signClass(see[profile]) }, signed(see[profile]))));
    get('others').hidden = !others.length;
    get('others').replaceChildren('Instead: ', ...buttons);
  }
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

/** Keys go to the board where a button with the focus has nothing left to do.
 * @param {string} id @param {boolean} isAble */
function able(id, isAble) {
  const button = get(id, HTMLButtonElement);
  if (!isAble && document.activeElement === button) get('board-frame').focus({ preventScroll: true });
  button.disabled = !isAble;
}
