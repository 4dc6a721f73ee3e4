// Reading what is typed, pasted or dropped: a position, a move on the board that stands, or a game.

import { PROFILES, read, START } from './address.js';
import { clipped, get, make } from './dom.js';
import { fresh, Tree } from './tree.js';
import { Failure, unloaded } from './wasm.js';

/** @import { Shown } from './address.js' */
/** @import { Pasted } from './answers.js' */
/** @import { Explain, How, State } from './explain.js' */
/** @import { GameList } from './game.js' */
/** @import { Swaplist } from './wasm.js' */

/** The key of the game that a reload brings back. */
const KEPT = 'game';
/** A FEN that needs no reader. */
const PLAIN = /^\s*([1-8pnbrqk]+\/){7}[1-8pnbrqk]+ [wb] (-|[KQkq]+) (-|[a-h][36])( \d{1,4} \d{1,4})?\s*$/i;
/** Reading that takes longer is told. */
const SLOW_MS = 250;

export class Reading {
  /** @param {Explain} explain @param {() => Promise<Swaplist>} large the module that reads games */
  constructor(explain, large) {
    this.explain = explain;
    this.large = large;
    /** Reads what people paste, once it is needed.
     * @type {Swaplist | undefined} */
    this.reader = undefined;
    /** The captures of a game that was pasted.
     * @type {GameList | null} */
    this.game = null;
    /** Until the row of it that was chosen last is shown. */
    this.choosing = Promise.resolve();
  }

  /** Lists the game of a link again, or one that is too long for it.
   * @param {Shown | null} asked @param {number} [number] which game of a pasted text it is */
  reopen(asked, number = 0) {
    const kept = this.explain.hasPlayed ? this.game?.text ?? '' : keptGame();
    const { tree } = this.explain.state;
    if (number && kept) this.relist(kept, number);
    else if (asked?.line && asked.game !== undefined) this.relist(this.explain.state.tree.written(asked.game), 1);
    else if (asked?.game && !asked.line) this.readGame(asked.game, false);
    else if (this.game?.isListed && tree.text !== this.game.text) this.game.leave();
  }

  /** @param {string} text @param {number} number which of its games is shown */
  relist(text, number) {
    Object.assign(this.explain.state.tree, { text, game: number });
    if (this.game?.isListed && this.game.text === text) this.explain.draw();
    else this.readGame(text, false);
  }

  /** The rules of an example, which nobody chose, do not stay for a position of one's own.
   * @returns {Partial<State>} */
  get ownRules() {
    return this.explain.areRulesChosen ? {} : { rules: PROFILES[0] };
  }

  /** The first position, game or move in a text, or why there is none.
   * @param {string} text @param {number} [game] which of several games
   * @returns {Promise<Pasted | Failure>} */
  async readText(text, game = 0) {
    // Most texts need no reader.
    if (PLAIN.test(text) && this.isLegal(text)) return { kind: 'position', fen: text.trim(), move: '', start: text.trim(), moves: [], at: 0, variations: 0, games: 0, white: '', black: '', link: '', used: [[0, text.length]], notes: [] };
    const { fen } = this.explain.seen, slow = setTimeout(() => { get('reading').textContent = 'Reading …'; }, SLOW_MS);
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
      return !!this.explain.wasm.json('play', { fen, moves: [] });
    } catch {
      return false;
    }
  }

  /** What is being written into the field of the position.
   * @param {string} text @param {boolean} isNew */
  async typed(text, isNew) {
    const found = await this.readText(text);
    // Typing went on meanwhile.
    if (this.explain.field.value !== text) return;
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
    this.explain.fail(isGame ? 'These are the moves of a game' : 'This is a move of the position before');
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
      this.explain.field.write(text.trim());
      this.refuse(text.trim(), found, true);
      return;
    }
    if (found.kind === 'game') await this.readGame(text);
    else if (found.kind === 'move') this.playText(found.move);
    else this.showText(text, own ? { ...found, link: own } : found, { isNew: true });
    if (this.explain.found && !own) this.explain.field.left(text, found.used);
    // On a phone the board may be out of sight.
    get('board').scrollIntoView({ block: 'nearest' });
  }

  /** Says what is wrong with a text, and what to do.
   * @param {string} text @param {Failure} failure @param {boolean} isNew */
  refuse(text, failure, isNew) {
    this.explain.set({ ...this.ownRules, ...fresh(text), move: '' }, { isNew, quietly: true, isTyped: true, failure });
  }

  /** An error in a position that nobody wrote, as in the editor or a link: the reader says more about
   * it, or finds a position.
   * @param {string} text */
  async rescue(text) {
    const found = await this.readText(text);
    if (this.explain.found || this.explain.fen !== text) return;
    if (found instanceof Failure) this.explain.fail(found.message, found);
    else if (found.kind === 'position') this.showText(text, { ...found, move: this.explain.state.move || found.move, notes: [...this.explain.state.notes, ...found.notes] }, {});
    else this.explain.fail('This is not a position');
  }

  /** Shows a position that was written or pasted.
   * @param {string} text @param {Pasted} found @param {How} how */
  showText(text, found, how) {
    const shown = found.link ? read(found.link) : null;
    if (shown) {
      this.explain.areRulesChosen = true;
      this.explain.set(this.explain.placed(shown), how);
      this.explain.fillForm();
      this.reopen(shown);
      return;
    }
    const { tree, numbers } = found.at ? Tree.played(this.explain.wasm, found.start, found.moves) : { tree: new Tree(found.fen), numbers: [0] };
    const node = Math.max(0, numbers[found.at]);
    const command = commanded(text);
    if (command) this.explain.areRulesChosen = true;
    this.explain.set({ ...how.isNew || how.isTyped ? this.ownRules : {}, ...command, tree, node, move: found.move, ply: 0, notes: found.notes }, how);
    if (command) this.explain.fillForm();
    if (how.isTyped && this.explain.found) this.explain.field.left(text, found.used);
  }

  /** Plays a move that was pasted on the board that was seen.
   * @param {string} uci */
  playText(uci) {
    this.explain.set(this.explain.seen.state);
    this.explain.playing.play(uci);
  }

  /** Lists the captures of a game, and shows the first of them, unless another position is shown.
   * @param {string} text */
  async readGame(text, isFirstShown = true) {
    const fail = (/** @type {string} */ error) => {
      if (isFirstShown) this.explain.fail(error);
      else get('notes').append(make('li', {}, `${error}.`));
    };
    try {
      get('reading').textContent = 'Reading the game …';
      const [{ GameList }, wasm] = await Promise.all([import('./game.js'), this.large()]);
      this.game ??= new GameList(wasm, {
        choose: row => {
          this.choosing = this.placedRow(row).then(place => {
            this.explain.set(place, { isNew: true, quietly: true });
            get('board').scrollIntoView({ block: 'nearest' });
          });
        },
        left: () => keepGame(''),
        closed: () => this.explain.set(fresh(this.explain.fen)),
      });
      if (isFirstShown) Object.assign(this.explain.state, this.ownRules);
      const error = this.game.read(text, this.explain.asked().rules, isFirstShown ? '' : this.explain.found?.full_fen ?? this.explain.fen, !!this.explain.state.tree.text);
      this.explain.field.isWritten = false;
      if (error) {
        fail(error);
      } else {
        keepGame(this.game.text);
        await this.choosing;
        if (!isFirstShown && !this.explain.state.tree.text) await this.adopt(text);
      }
      this.explain.trail.address();
    } catch (error) {
      fail(error instanceof Failure ? error.message : unloaded('game.js').replace(/\.$/, ''));
    } finally {
      get('reading').textContent = '';
    }
  }

  /** The position of a link is one of a game: its moves are listed.
   * @param {string} text */
  async adopt(text) {
    const fen = this.explain.found?.full_fen ?? this.explain.fen;
    for (let game = 1; game <= (this.game?.found?.games ?? 0); game++) {
      const place = await this.placedRow({ fen, uci: this.explain.state.move, game });
      if (!place.tree.isBare) {
        this.explain.set({ ...place, ply: this.explain.state.ply });
        return;
      }
    }
    this.explain.state.tree.text = text;
  }

  /** Where a move of a game that was pasted is.
   * @param {{ fen: string, uci: string, game: number }} row */
  async placedRow({ fen, uci, game }) {
    const { text = '' } = this.game ?? {}, { state } = this.explain;
    const tree = state.tree.text === text && state.tree.game === game ? state.tree : await this.treeOf(text, game);
    const node = tree?.find(fen) ?? -1;
    return tree && node >= 0 ? { tree, node, move: uci, ply: 0 } : { ...fresh(fen, text, game), move: uci };
  }

  /** @param {string} text @param {number} number */
  async treeOf(text, number) {
    const found = await this.readText(text, number - 1);
    return found instanceof Failure ? undefined : Tree.played(this.explain.wasm, found.start, found.moves, text, number).tree;
  }
}

/** The rules and values that a command names, or goes without.
 * @param {string} text */
function commanded(text) {
  if (!/\bswaplist explain\b/.test(text)) return null;
  const [rules = PROFILES[0], values = 'cpw'] = ['profile', 'values'].map(name => new RegExp(`--${name}[ =]([\\w,]+)`).exec(text)?.[1]);
  return { rules: PROFILES.includes(rules) ? rules : PROFILES[0], values };
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
