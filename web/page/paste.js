// Addresses that people paste instead of a FEN. The rest is read by swaplist.

import { read } from './address.js';

/** @import { Shown } from './address.js' */

const BOARD = /^([1-8pnbrqk~]+\/){7}[1-8pnbrqk~]+/i;

/** What an address shows, or why it shows nothing; `null` if the text is not an address.
 * @param {string} text @returns {Partial<Shown> | { error: string } | null} */
export function pasted(text) {
  const line = text.trim().replace(/^<(.*)>$/, '$1');
  const isBare = /^(www\.)?(lichess\.org|chess\.com)\//i.test(line);
  if (!isBare && !/^(https?|file):\/\/\S*$/i.test(line) && !line.startsWith('#fen=')) return null;
  const url = URL.parse?.(isBare ? `https://${line}` : line, 'https://page/') ?? null;
  if (!url) return { error: 'This address cannot be read: paste the FEN itself.' };
  const own = read(url.hash);
  if (own) return own;
  const fen = url.searchParams.get('fen');
  if (fen) return { fen: fen.replaceAll('_', ' '), move: '' };
  if (!/(^|\.)lichess\.org$/.test(url.hostname)) return { error: `An address of ${url.hostname} without a FEN in it: paste the FEN itself.` };
  let path = url.pathname;
  try {
    path = decodeURIComponent(path);
  } catch {
    // Read as it stands.
  }
  const [, part, rest = ''] = /^\/(editor|analysis)\/?(.*)$/.exec(path) ?? [];
  if (!part) return { error: 'This address of lichess names a game or a study, and not a position: paste the FEN instead.' };
  const board = rest.replace(/^(standard|chess960|fromPosition)\/?/, '').replaceAll('_', ' ');
  if (!board) return { fen: 'startpos', move: '' };
  if (!BOARD.test(board)) return { error: 'This address of lichess has no standard position in it: paste the FEN instead.' };
  // The editor writes the side to move beside the board.
  return { fen: board, move: '' };
}
