// The address of what is shown, and the command: everything that is needed to see the same again.

import { clipped, grouped, quoted } from './dom.js';
import { VALUES } from './rules.js';

/** @import { Explained } from './answers.js' */

/** A position, or the moves of a game (tree.js) and the place in it; and how many steps of the move's
 * exchange are played. With moves, `game` has the names of the players, or else a game as text.
 * @typedef {{ fen: string, move: string, rules: string, values: string, at_least?: number, step?: number,
 *   line?: string, at?: number, game?: string, notes?: string[] }} Shown */

export const PROFILES = ['swap', 'sf8', 'sf', 'legal'];

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** What an address may say. */
const NAMES = ['fen', 'move', 'step', 'rules', 'values', 'ge', 'line', 'at', 'game'];

/** Longer links are cut by those who send them on. */
export const LONGEST = 8000;

/** The shortest link: without what is so anyway.
 * @param {Shown} shown */
export function written({ fen, move, rules, values, at_least, step, line, at, game }) {
  // Underscores for spaces keep links readable.
  const plain = (/** @type {string} */ text) => encodeURIComponent(text.trim().replaceAll(' ', '_')).replaceAll('%2F', '/').replaceAll('%2C', ',');
  /** @type {[string, string | undefined][]} */
  const parts = [
    ['fen', line && fen === START ? undefined : plain(fen)],
    ['line', line],
    ['at', at?.toString()],
    ['move', move && plain(move)],
    // Without moves, no step is what is shown anyway.
    ['step', step === undefined || !line && !step ? undefined : String(step)],
    ['rules', rules === PROFILES[0] ? undefined : plain(rules)],
    ['values', values === 'cpw' ? undefined : plain(values)],
    ['ge', at_least ? String(at_least) : undefined],
    // Players' names may have underscores.
    ['game', game && encodeURIComponent(game).replaceAll('%20', '+').replaceAll('%2F', '/')],
  ];
  return `#${parts.filter(([, text]) => text).map(([name, text]) => `${name}=${text}`).join('&')}`;
}

/** What an address has that is not known, or has twice, a sentence each.
 * @param {URLSearchParams} parts @param {string[]} known */
export function surplus(parts, known) {
  return [...new Set(parts.keys())].flatMap(name => {
    if (!known.includes(name)) return [`The link’s “${clipped(name)}” is not known here, and is left out`];
    return parts.getAll(name).length > 1 ? [`The link names ${clipped(name)} more than once: the first one is taken`] : [];
  });
}

/** @param {string} hash @returns {Shown | null} */
export function read(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const line = parts.get('line') || undefined;
  const fen = parts.get('fen')?.replace(/[_\s]/g, ' ') || line && START;
  if (!fen) return null;
  /** @type {string[]} */
  const notes = [];
  const rules = (parts.get('rules') || 'swap').toLowerCase();
  if (!PROFILES.includes(rules)) notes.push(`The link names rules that do not exist: swap is shown, of ${PROFILES.join(', ')}`);
  notes.push(...surplus(parts, NAMES));
  const whole = (/** @type {string} */ name, /** @type {string} */ about) => {
    const text = parts.get(name);
    const isWhole = !text || /^-?\d{1,8}$/.test(text);
    if (!isWhole) notes.push(`The link’s ${name}, ${about}, is not a whole number of up to 8 digits: 0 is taken`);
    return text ? isWhole ? Number(text) : 0 : undefined;
  };
  const at_least = whole('ge', 'a threshold'), step = whole('step', 'the steps of an exchange'), at = whole('at', 'a place in the game');
  const game = parts.get('game') ?? undefined, isLong = !!game && game.length > LONGEST;
  if (isLong) notes.push(`The link’s game has more than ${grouped(LONGEST)} characters, and is left out`);
  return {
    fen,
    move: parts.get('move') ?? '',
    rules: PROFILES.includes(rules) ? rules : 'swap',
    values: (parts.get('values') ?? 'cpw').replaceAll('_', ' '),
    at_least: at_least || undefined,
    step,
    ...(line ? { line, at } : {}),
    ...(game !== undefined && !isLong ? { game } : {}),
    ...(notes.length ? { notes } : {}),
  };
}

/** The command that explains the same: of what was parsed alone, as a link may hold anything.
 * @param {Shown} shown @param {Explained} found */
export function command({ rules, values: asked }, found) {
  const values = VALUES.find(([name]) => name === asked)?.[0] ?? found.values.join(',');
  const words = ['swaplist', 'explain', found.fen, found.chosen ?? '', ...(rules === 'swap' ? [] : ['--profile', rules]), ...(values === 'cpw' ? [] : ['--values', values])];
  return words.filter(Boolean).map(quoted).join(' ');
}
