// An exchange in words: one sentence, and why rule sets part.

/** @import { Barred, Color, Exchange } from './answers.js' */

/** Rule sets under which an exchange goes alike.
 * @typedef {{ rules: string[], exchange: Exchange }} Lane */

const LETTERS = /** @type {const} */ ({ pawn: '', knight: 'N', bishop: 'B', rook: 'R', queen: 'Q', king: 'K' });

/** @param {Color} color */
export function sideName(color) {
  return color === 'white' ? 'White' : 'Black';
}

/** The side whose turn a step would be.
 * @param {Exchange} exchange @param {number} step */
export function sideAt({ steps }, step) {
  const first = steps[0].color;
  return step % 2 === 0 ? first : first === 'white' ? 'black' : 'white';
}

/** Why a piece may not capture; `it` stands for the piece.
 * @param {Barred} barred @param {string} it */
function why({ reason, by, on, words }, it) {
  const other = by ? `${LETTERS[by.role]}${by.square}` : '';
  /** @type {Record<string, string>} */
  const known = {
    pinned: `${other} pins ${it} to ${on}`,
    'pin stays': `${it === 'it' ? 'its pin' : `the pin of ${it}`} to ${on} by ${other} still counts`,
    check: `${other} gives check on ${on}`,
    guarded: `${other} guards ${on}`,
  };
  return known[reason] ?? words;
}

/** @param {Barred} barred */
function pieceName({ role, square }) {
  return role === 'king' ? `the king on ${square}` : `${LETTERS[role]}${square}`;
}

/** The piece that may not capture, and why.
 * @param {Barred} barred */
export function reason(barred) {
  return `${pieceName(barred)} may not capture: ${why(barred, 'it')}`;
}

/** @param {Exchange} exchange */
function verdict({ san, see, steps }) {
  if (see > 0) return `${san} wins ${see}`;
  if (see < 0) return `${san} loses ${-see}`;
  return steps[0].takes ? `${san} comes out even` : `${san} loses nothing`;
}

/** @param {string} san */
function special(san) {
  return san.includes('=') ? 'a promotion' : 'en passant';
}

/** @param {Barred[]} all */
function barredAll(all) {
  if (all.length === 1) return why(all[0], pieceName(all[0]));
  const names = all.map(pieceName);
  const are = !all.every(({ reason }) => /pin/.test(reason)) ? 'are barred'
    : all.every(({ reason }) => reason === 'pinned') ? 'are pinned' : 'count as pinned';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} ${are}`;
}

/** Says an exchange whole.
 * @param {Exchange} exchange */
export function sentence(exchange) {
  const { steps, played, stop, settled, barred, san } = exchange;
  if (/^O-O/.test(san)) return `${san} is worth 0: castling captures nothing and starts no exchange.`;
  if (settled && settled !== 'Nobody may recapture') {
    if (steps[0].role === 'king') return `${verdict(exchange)}: a king that moves legally is never recaptured.`;
    return `${san} is worth 0: under these rules ${special(san)} counts as 0.`;
  }
  const recapture = steps[0].takes || played > 1 ? 'recapture' : 'capture there';
  const side = sideName(sideAt(exchange, played));
  const kept = barred.filter(one => one.step === played && one.is_passed_over);
  const ends = {
    worse: `${side} does better not to ${recapture}`,
    same: `${side} gains nothing if it ${recapture === 'recapture' ? 'recaptures' : 'captures there'}`,
    cannot: kept.length ? `${side} may not ${recapture}, as ${barredAll(kept)}` : `${side} cannot ${recapture}`,
  };
  const taken = steps.slice(1, played).map(({ color, takes, becomes }) => `${sideName(color)} takes the ${takes}${becomes ? ` and gets a ${becomes}` : ''}`);
  const told = taken.length > 3 ? `${taken.length} recaptures pay, and then ` : taken.length ? `${taken.join(', ')}, and ` : '';
  return `${verdict(exchange)}: ${told}${ends[stop]}.`;
}

/** The rule sets with the same exchange together.
 * @param {Exchange[]} exchanges @param {string[]} profiles @returns {Lane[]} */
export function lanes(exchanges, profiles) {
  /** @type {Map<string, Lane>} */
  const all = new Map();
  exchanges.forEach((exchange, i) => {
    const { see, played, steps } = exchange;
    const key = JSON.stringify([see, played, steps.map(({ from, balance }) => [from, balance])]);
    const lane = all.get(key);
    if (lane) lane.rules.push(profiles[i]);
    else all.set(key, { rules: [profiles[i]], exchange });
  });
  return [...all.values()];
}

/** How many captures are played alike in all lanes.
 * @param {Lane[]} lanes */
export function common(lanes) {
  const [{ exchange: { steps } }, ...others] = lanes;
  const most = Math.min(...lanes.map(({ exchange }) => exchange.played));
  const isAlike = (/** @type {number} */ at) => others.every(({ exchange }) =>
    exchange.steps[at].from === steps[at].from && exchange.steps[at].balance === steps[at].balance);
  let at = 0;
  while (at < most && isAlike(at)) at++;
  return at;
}

/** Why a lane leaves the others after so many captures.
 * @param {Lane} lane @param {number} fork @param {Lane[]} all */
export function forkReason({ rules, exchange }, fork, all) {
  const { settled, steps } = exchange;
  const isSettled = settled && settled !== 'Nobody may recapture';
  if (isSettled) return `${special(exchange.san)} counts as 0`;
  if (fork === 0 && /=/.test(exchange.san) && rules.includes('sf8')) return 'the pawn counts as a pawn';
  const first = (/** @type {Exchange} */ { barred }) => barred.find(one => one.is_passed_over && one.step >= fork);
  const own = first(exchange);
  const becomes = steps.findIndex((step, at) => at >= fork && step.becomes);
  if (becomes > 0 && (!own || becomes <= own.step)) return `the pawn on ${steps[becomes].from} becomes a queen`;
  if (own) return reason(own);
  if (!all.some(({ exchange }) => first(exchange))) return '';
  return rules.join() === 'swap' ? 'pins are ignored' : 'no pin counts';
}
