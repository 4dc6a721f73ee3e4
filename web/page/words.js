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
 * @param {Barred} barred @param {string} rules under which it may not */
export function reason(barred, rules) {
  const owner = barred.role === 'king' ? 'the king' : pieceName(barred);
  const fact = barred.is_legal ? `${owner}’s capture is legal, but not under ${rules}` : `${pieceName(barred)} may not capture`;
  return `${fact}: ${why(barred, 'it')}`;
}

/** An amount in pawns, as players speak; as it is where a pawn is worth nothing.
 * @param {number} amount @param {number} pawn what a pawn is worth */
function pawns(amount, pawn) {
  const rounded = Math.round(100 * amount / pawn) / 100;
  if (pawn <= 0 || !rounded) return String(amount);
  const words = `${rounded} pawn${rounded === 1 ? '' : 's'}`;
  return Math.abs(rounded * pawn - amount) < 1e-6 ? words : `about ${words}`;
}

/** What a move comes to, without its subject.
 * @param {number} see @param {number} pawn */
function outcome(see, pawn) {
  if (see > 0) return `wins ${pawns(see, pawn)}`;
  if (see < 0) return `loses ${pawns(-see, pawn)}`;
  return 'comes out even';
}

/** @param {Exchange} exchange @param {number} pawn */
function verdict({ san, see, steps }, pawn) {
  return see || steps[0].takes ? `${san} ${outcome(see, pawn)}` : `${san} loses nothing`;
}

/** The words as the beginning of a sentence; moves and squares keep their letters.
 * @param {string} words */
export function atStart(words) {
  return words.replace(/^the /, 'The ');
}

/** @param {string} words */
export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A list in a sentence.
 * @param {string[]} words */
export function enumerated(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join();
}

/** A move under all rule sets, for a chat: without the why.
 * @param {Exchange[]} exchanges @param {string[]} profiles @param {number} pawn */
export function inShort(exchanges, profiles, pawn) {
  /** @type {Map<number, string[]>} */
  const bySee = new Map();
  exchanges.forEach(({ see }, i) => bySee.set(see, [...bySee.get(see) ?? [], profiles[i]]));
  const parts = [...bySee].map(([see, rules], i) => `${i ? outcome(see, pawn) : verdict({ ...exchanges[0], see }, pawn)} under ${bySee.size > 1 ? enumerated(rules) : 'all four rule sets'}`);
  return `${parts.join(', ')}.`;
}

/** One recapture beside the best one.
 * @param {{ san: string, see: number }} played @param {{ san: string, see: number }} best @param {number} pawn */
export function beside(played, best, pawn) {
  const own = `${played.san} ${outcome(played.see, pawn)}`;
  if (best.see < 0) return `${own}: it is better not to recapture.`;
  if (played.see === best.see) return `${own}: no recapture is better.`;
  return `${own}; the best recapture, ${best.san}, ${outcome(best.see, pawn)}.`;
}

/** A step, and how the first mover stands after it. After a position that was played on from, the
 * first step says that the count begins anew.
 * @param {Exchange} exchange @param {number} i @param {number} pawn @param {boolean} isPlayed */
export function stepWords({ steps, played }, i, pawn, isPlayed) {
  const { color, role, from, takes, becomes, words, balance } = steps[i];
  const move = takes ? `${sideName(color)}’s ${role} on ${from} takes the ${takes}${becomes ? ` and becomes a ${becomes}` : ''}` : words;
  const side = sideName(steps[0].color);
  const stands = balance ? `${side} is ${pawns(Math.abs(balance), pawn)} ${balance > 0 ? 'up' : 'down'}` : 'it is even';
  return `${i + 1}. ${i < played ? '' : 'If they went on: '}${move}; ${isPlayed && !i ? 'counted from here, ' : ''}${stands}`;
}

/** @param {string} san */
function special(san) {
  return san.includes('=') ? 'promotions' : 'en passant';
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
 * @param {Exchange} exchange @param {number} pawn what a pawn is worth @param {string} rules */
export function sentence(exchange, pawn, rules) {
  const { steps, played, stop, settled, barred, san } = exchange;
  if (/^O-O/.test(san)) return `${san} is worth 0: castling captures nothing and starts no exchange.`;
  if (settled && settled !== 'Nobody may recapture') {
    if (steps[0].role === 'king') return `${verdict(exchange, pawn)}: a king that moves legally is never recaptured.`;
    return `${san} is worth 0: ${rules} does not value ${special(san)}.`;
  }
  const recapture = steps[0].takes || played > 1 ? 'recapture' : 'capture there';
  const side = sideName(sideAt(exchange, played));
  const kept = barred.filter(one => one.step === played && one.is_passed_over);
  const ends = {
    worse: `${side} is better off not ${recapture === 'recapture' ? 'recapturing' : 'capturing there'}`,
    same: `${side} gains nothing if it ${recapture === 'recapture' ? 'recaptures' : 'captures there'}`,
    cannot: !kept.length ? `${side} cannot ${recapture}`
      : kept.some(one => one.is_legal) ? `${side}’s recapture is legal, but not under ${rules}, as ${barredAll(kept)}`
        : `${side} may not ${recapture}, as ${barredAll(kept)}`,
  };
  const taken = steps.slice(1, played).map(({ color, takes, becomes }) => `${sideName(color)} takes the ${takes}${becomes ? ` and gets a ${becomes}` : ''}`);
  const told = taken.length > 3 ? `${taken.length} recaptures pay, and then ` : taken.length ? `${taken.join(', ')}, and ` : '';
  return `${verdict(exchange, pawn)}: ${told}${ends[stop]}.`;
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
  if (isSettled) return `${special(exchange.san)} count${exchange.san.includes('=') ? '' : 's'} as 0`;
  if (fork === 0 && /=/.test(exchange.san) && rules.includes('sf8')) return 'the pawn counts as a pawn';
  const first = (/** @type {Exchange} */ { barred }) => barred.find(one => one.is_passed_over && one.step >= fork);
  const own = first(exchange);
  const becomes = steps.findIndex((step, at) => at >= fork && step.becomes);
  if (becomes > 0 && (!own || becomes <= own.step)) return `the pawn on ${steps[becomes].from} becomes a queen`;
  if (own) return reason(own, enumerated(rules));
  if (!all.some(({ exchange }) => first(exchange))) return '';
  return rules.join() === 'swap' ? 'pins are ignored' : 'no pins apply';
}
