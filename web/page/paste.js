// Addresses that people paste instead of a FEN. The rest is read by swaplist.

import { read } from './address.js';

/** @import { Shown } from './address.js' */

const BOARD = /^([1-8pnbrqk~]+\/){7}[1-8pnbrqk~]+/i;

const MOVE = /^(?:\d+\.+)?(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|[O0]-[O0](?:-[O0])?)[+#!?]*$/;

/** Whether a text is a game: PGN, or moves alone.
 * @param {string} text */
export function isGame(text) {
  if (BOARD.test(text.trim())) return false;
  if (/(^|[\s\]}])1\.\s*(\.\.\s*)?[a-hKQRBNO]/.test(text)) return true;
  const words = text.trim().split(/\s+/);
  return words.length > 1 && words.every(word => MOVE.test(word));
}

/** What an address shows, or why it shows nothing; `null` if the text is not an address. It may
 * have the moves of a game.
 * @param {string} text @returns {Partial<Shown> | { error: string } | { game: string } | null} */
export function pasted(text) {
  const line = text.trim().replace(/^<(.*)>$/, '$1');
  const isBare = /^(www\.)?(lichess\.org|chess\.com)\//i.test(line);
  if (!isBare && !/^(https?|file):\/\/\S*$/i.test(line) && !/^#(fen|line)=/.test(line)) return null;
  const url = URL.parse?.(isBare ? `https://${line}` : line, 'https://page/') ?? null;
  if (!url) return { error: 'This address cannot be read: paste the FEN itself.' };
  const own = read(url.hash);
  if (own) return own;
  const fen = url.searchParams.get('fen');
  if (fen) return { fen: fen.replaceAll('_', ' '), move: '' };
  const moves = url.searchParams.get('pgn') ?? url.searchParams.get('moves');
  if (moves) return { game: moves.replace(/[_,]/g, ' ') };
  if (!/(^|\.)lichess\.org$/.test(url.hostname)) return { error: `An address of ${url.hostname} without a FEN in it: paste the FEN itself.` };
  let path = url.pathname;
  try {
    path = decodeURIComponent(path);
  } catch {
    // Read as it stands.
  }
  const [, game] = /^\/analysis\/pgn\/(.+)$/.exec(path) ?? [];
  if (game) return { game: game.replace(/[_+,]/g, ' ') };
  const [, part, rest = ''] = /^\/(editor|analysis)\/?(.*)$/.exec(path) ?? [];
  if (!part) return { error: 'This link has no position in it (game, study or puzzle). Paste the FEN, or the game as PGN.' };
  const board = rest.replace(/^(standard|chess960|fromPosition)\/?/, '').replaceAll('_', ' ');
  if (!board) return { fen: 'startpos', move: '' };
  if (!BOARD.test(board)) return { error: 'This address of lichess has no standard position in it: paste the FEN instead.' };
  // The editor writes the side to move beside the board.
  return { fen: board, move: '' };
}
