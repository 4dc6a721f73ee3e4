// The moves of a game with their variations, and as a short text for a link.

import { START } from './address.js';

/** @import { PlayedMove } from './answers.js' */
/** @import { Swaplist } from './wasm.js' */
/** A move, and the position after it; the first one is the position where the game begins.
 * @typedef {{ parent: number, uci: string, san: string, fen: string, children: number[] }} Node */
/** A move after another, by its number: 0 for the beginning.
 * @typedef {[number, string]} Asked */

/** A letter for each square. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const OPEN = '*', CLOSE = '.', BECOMES = '~';

export class Tree {
  /** @param {string} fen where the game begins @param {string} [text] the game that was pasted
   * @param {number} [game] which of its games */
  constructor(fen, text = '', game = 0) {
    this.text = text;
    this.game = game;
    /** @type {Node[]} */
    this.nodes = [{ parent: -1, uci: '', san: '', fen, children: [] }];
  }

  /** Plays moves from a position; those that are not legal are left out.
   * @param {Swaplist} wasm @param {string} fen @param {Asked[]} moves @param {string} [text] @param {number} [game]
   * @returns {{ tree: Tree, numbers: number[], lost: number }} the tree, each move's number in it, and
   *   how many moves are left out */
  static played(wasm, fen, moves, text, game) {
    const tree = new Tree(fen, text, game);
    /** @type {(PlayedMove | null)[]} */
    const answers = wasm.json('play', { fen, moves });
    const numbers = [0];
    answers.forEach((played, i) => numbers.push(played ? tree.put(numbers[moves[i][0]], played) : -1));
    return { tree, numbers, lost: answers.filter(played => !played).length };
  }

  /** Whether nothing has been played. */
  get isBare() {
    return this.nodes.length === 1;
  }

  /** The move that is played after another, or -1.
   * @param {number} node @param {string} uci */
  child(node, uci) {
    return this.nodes[node].children.find(one => this.nodes[one].uci === uci) ?? -1;
  }

  /** @param {number} parent @param {PlayedMove} played */
  put(parent, { uci, san, fen }) {
    const found = this.child(parent, uci);
    if (found >= 0) return found;
    const node = this.nodes.push({ parent, uci, san, fen, children: [] }) - 1;
    this.nodes[parent].children.push(node);
    return node;
  }

  /** Plays a legal move; one that was played before is found again.
   * @param {Swaplist} wasm @param {number} node @param {string} uci */
  add(wasm, node, uci) {
    const found = this.child(node, uci);
    if (found >= 0) return found;
    /** @type {(PlayedMove | null)[]} */
    const [played] = wasm.json('play', { fen: this.nodes[node].fen, moves: [[0, uci]] });
    return played ? this.put(node, played) : node;
  }

  /** The move that leads to a position; that of the main line if there are several.
   * @param {string} fen */
  find(fen) {
    // Counters and en-passant squares are written in more than one way.
    const key = (/** @type {string} */ fen) => [0, 1, 5].map(field => fen.split(' ')[field]).join();
    const wanted = key(fen), isIt = (/** @type {number} */ node) => key(this.nodes[node].fen) === wanted;
    return [0, ...this.mainLine].find(isIt) ?? this.nodes.findIndex((_, node) => isIt(node));
  }

  /** What is shown of a move: its exchange, from the position before it, with the move played.
   * @param {number} node */
  visited(node) {
    const { parent, uci } = this.nodes[node];
    return node ? { tree: this, node: parent, move: uci, ply: 1 } : { tree: this, node, move: '', ply: 0 };
  }

  /** As PGN.
   * @param {string} players as `White – Black` */
  written(players) {
    const [white, black] = players.split(' – ');
    const names = black ? `[White "${white}"]\n[Black "${black}"]\n` : '';
    const start = this.nodes[0].fen === START ? '' : `[FEN "${this.nodes[0].fen}"]\n`;
    let text = '';
    this.walk({
      move: (node, isStart) => { text += `${numbered(this, node, isStart)}${this.nodes[node].san} `; },
      open: () => { text += '('; },
      close: () => { text = `${text.trimEnd()}) `; },
    });
    return `${names}${start}\n${text}*`;
  }

  /** The moves of the main line, without those of variations. */
  get mainLine() {
    const line = [];
    for (let [node] = this.nodes[0].children; node !== undefined; [node] = this.nodes[node].children) line.push(node);
    return line;
  }

  /** Tells the moves as a game is written: a move, what else could be played there, and how it goes on.
   * `move` is also told whether its line begins with it, or goes on after a variation.
   * @param {{ move: (node: number, isStart: boolean) => void, open: () => void, close: () => void }} calls */
  walk(calls, parent = 0, isStart = true) {
    const { move, open, close } = calls;
    for (let [main, ...others] = this.nodes[parent].children; main !== undefined; [main, ...others] = this.nodes[main].children) {
      move(main, isStart);
      isStart = others.length > 0;
      for (const other of others) {
        open();
        move(other, true);
        this.walk(calls, other, false);
        close();
      }
    }
  }

  /** The moves for a link, and the number of each move in it. */
  packed() {
    let text = '', count = 0;
    const numbers = [0];
    this.walk({
      move: node => {
        text += packed(this.nodes[node].uci);
        numbers[node] = ++count;
      },
      open: () => { text += OPEN; },
      close: () => { text += CLOSE; },
    });
    return { text: text.replace(/\.+$/, ''), numbers };
  }
}

/** A position without moves before it.
 * @param {string} fen @param {string} [text] @param {number} [game] */
export function fresh(fen, text, game) {
  return { tree: new Tree(fen, text, game), node: 0, ply: 0 };
}

/** A move's number, as in `12.` or `12...`, where one is written.
 * @param {Tree} tree @param {number} node @param {boolean} isStart */
export function numbered({ nodes }, node, isStart) {
  const [, turn, , , , number] = nodes[nodes[node].parent].fen.split(' ');
  return turn === 'w' ? `${number}. ` : isStart ? `${number}... ` : '';
}

/** @param {string} uci */
function packed(uci) {
  const squares = [uci.slice(0, 2), uci.slice(2, 4)].map(square => LETTERS[square.charCodeAt(0) - 97 + 8 * (Number(square[1]) - 1)]);
  return squares.join('') + (uci[4] ? BECOMES + uci[4] : '');
}

/** The moves of a link, in UCI.
 * @param {string} text */
export function unpacked(text) {
  const square = (/** @type {string} */ letter) => {
    const at = LETTERS.indexOf(letter);
    return 'abcdefgh'[at % 8] + (Math.floor(at / 8) + 1);
  };
  /** @type {Asked[]} */
  const moves = [];
  /** The last move of each line, and the one before it.
   * @type {[number, number][]} */
  const lines = [[0, 0]];
  for (const [token, from, to, becomes = ''] of text.matchAll(/[*.]|([\w-])([\w-])(?:~([nbrq]))?/g)) {
    const line = lines[lines.length - 1];
    if (token === OPEN) {
      lines.push([line[1], line[1]]);
    } else if (token === CLOSE) {
      if (lines.length > 1) lines.pop();
    } else {
      moves.push([line[0], square(from) + square(to) + becomes]);
      lines[lines.length - 1] = [moves.length, line[0]];
    }
  }
  return moves;
}
