// Four histograms of positions: all that were read, and those that were kept.

import { plot, share } from './plots.js';

/** @import { Bar } from './plots.js' */
/** @import { Bin, Counts, Summary } from './report.js' */
/** A bar's name, and the positions in it. @typedef {[string, number]} Counted */
/** A histogram: its bars, and whether empty ones at its ends are left out. There is none if `of` finds
 * none.
 * @typedef {{ title: string, trims: boolean, of: (counts: Counts, results: string[]) => Counted[] | null }} Histogram */

/** @type {Histogram[]} */
const HISTOGRAMS = [
  { title: 'SEE of the best noisy move', trims: true, of: ({ best_see }) => best_see.map(named) },
  { title: 'Score of the side to move, centipawns', trims: true, of: ({ scores, scored }) => (scored ? scores.map(named) : null) },
  {
    title: 'Result',
    trims: false,
    of: ({ results: found }, names) => found && [found.white, found.draw, found.black].map((count, i) => [names[i], count]),
  },
  { title: 'Pieces on the board', trims: true, of: ({ pieces }) => pairs(pieces) },
];

/** @param {HTMLElement} within @param {Summary} summary @param {string[]} results their names */
export function histograms(within, summary, results) {
  const { read, kept } = summary.counts ?? { read: summary, kept: null };
  return HISTOGRAMS.flatMap(({ title, trims, of }) => {
    const all = of(read, results), some = kept && (of(kept, results) ?? all?.map(([name]) => /** @type {Counted} */ ([name, 0])));
    if (!all) return [];
    const bars = barsOf(all, some ?? null);
    return plot(within, title, some ? [['read', 'read'], ['kept', 'kept']] : [], trims ? trimmed(bars) : bars);
  });
}

/** @param {Counted[]} all @param {Counted[] | null} some those of them that were kept @returns {Bar[]} */
function barsOf(all, some) {
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  return all.map(([name, count], i) => ({
    name,
    figure: share(count, total) + (some ? `, kept ${share(some[i][1], count)}` : ''),
    parts: some ? [[count, 'read'], [some[i][1], 'kept']] : [[count, 'kept']],
  }));
}

/** Without the empty bars at both ends.
 * @param {Bar[]} bars */
function trimmed(bars) {
  const isFilled = (/** @type {Bar} */ { parts: [[count]] }) => count > 0;
  return bars.slice(Math.max(0, bars.findIndex(isFilled)), bars.findLastIndex(isFilled) + 1);
}

/** @param {Bin} bin @returns {Counted} */
function named({ from, to, count }) {
  if (from === null) return [`${to} and below`, count];
  if (to === null) return [`${from} and up`, count];
  return [from === to ? String(from) : `${from} .. ${to}`, count];
}

/** Pieces are counted by two.
 * @param {number[]} pieces @returns {Counted[]} */
function pairs(pieces) {
  /** @type {Counted[]} */
  const bars = [];
  for (let n = 2; n < 32; n += 2) bars.push([`${n} .. ${n + 1}`, pieces[n] + pieces[n + 1]]);
  return [...bars, ['32', pieces[32]]];
}
