// The address of a position: everything that is needed to see the same again.

import { clipped, grouped } from './dom.js';

/** @typedef {{ fen: string, move: string, rules: string, values: string, at_least?: number,
 *   game?: string, notes?: string[] }} Shown */

export const PROFILES = ['swap', 'sf8', 'sf', 'legal'];

/** What an address may say. */
const NAMES = ['fen', 'move', 'rules', 'values', 'ge', 'game'];

/** Longer links are cut by those who send them on. */
export const LONGEST = 8000;

/** A game that makes the address too long is left out.
 * @param {Shown} shown */
export function written({ fen, move, rules, values, at_least, game = '' }) {
  // Underscores for spaces keep links readable.
  const plain = (/** @type {string} */ text) => encodeURIComponent(text.trim().replaceAll(' ', '_')).replaceAll('%2F', '/').replaceAll('%2C', ',');
  const threshold = at_least ? `&ge=${at_least}` : '';
  const position = `#fen=${plain(fen)}&move=${plain(move)}&rules=${plain(rules)}&values=${plain(values)}${threshold}`;
  // Players' names may have underscores.
  const whole = game ? `${position}&game=${encodeURIComponent(game).replaceAll('%20', '+').replaceAll('%2F', '/')}` : position;
  return whole.length <= LONGEST ? whole : position;
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
  const fen = parts.get('fen')?.replace(/[_\s]/g, ' ');
  if (!fen) return null;
  const notes = [];
  const rules = (parts.get('rules') || 'swap').toLowerCase();
  if (!PROFILES.includes(rules)) notes.push(`The link names rules that do not exist: swap is shown, of ${PROFILES.join(', ')}`);
  notes.push(...surplus(parts, NAMES));
  const threshold = parts.get('ge');
  const isWhole = !threshold || /^-?\d{1,8}$/.test(threshold);
  if (!isWhole) notes.push('The link’s ge, a threshold, is not a whole number of up to 8 digits: 0 is taken');
  const game = parts.get('game'), isLong = !!game && game.length > LONGEST;
  if (isLong) notes.push(`The link’s game has more than ${grouped(LONGEST)} characters, and is left out`);
  return {
    fen,
    move: parts.get('move') ?? '',
    rules: PROFILES.includes(rules) ? rules : 'swap',
    values: (parts.get('values') ?? 'cpw').replaceAll('_', ' '),
    at_least: isWhole && Number(threshold) || undefined,
    ...(game && !isLong ? { game } : {}),
    ...(notes.length ? { notes } : {}),
  };
}
