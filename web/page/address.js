// The address of a position: everything that is needed to see the same again.

/** @typedef {{ fen: string, move: string, rules: string, values: string }} Shown */

export const PROFILES = ['swap', 'sf8', 'sf', 'legal'];

/** @param {Shown} shown */
export function written({ fen, move, rules, values }) {
  // Underscores for spaces keep links readable.
  const plain = (/** @type {string} */ text) => encodeURIComponent(text.trim().replaceAll(' ', '_')).replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%3B', ';');
  return `#fen=${plain(fen)}&move=${plain(move)}&rules=${plain(rules)}&values=${plain(values)}`;
}

/** @param {string} hash @returns {Shown | null} */
export function read(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const fen = parts.get('fen')?.replace(/[_\s]/g, ' ');
  if (!fen) return null;
  const rules = (parts.get('rules') ?? '').toLowerCase();
  return {
    fen,
    move: parts.get('move') ?? '',
    rules: PROFILES.includes(rules) ? rules : 'swap',
    values: (parts.get('values') ?? 'cpw').replaceAll('_', ' '),
  };
}
