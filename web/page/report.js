// The summary of a job and its plots.

import { get, make } from './dom.js';
import { plot, share } from './plots.js';

/** @typedef {{ from: number | null, to: number | null, count: number }} Bin */
/** @typedef {{ best_see: Bin[], scores: Bin[], pieces: number[], scored: number, positions: number,
 *   results: { white: number, draw: number, black: number } | null }} Counts */
/** What a job found, as the command's `--json` writes it: of a filter, and of counts.
 * @typedef {{ mode: string, records: number, kept: number, dropped: number, marked: number,
 *   positions: number, fallback?: string, counts?: { read: Counts, kept: Counts } } & Counts} Summary */
/** @import { Ended } from './answers.js' */

/** @type {Ended | undefined} */
let shown;
let width = 0;

// Plots are drawn for a width: a phone that is turned gets others.
new ResizeObserver(([{ target }]) => { if (shown && target.clientWidth && target.clientWidth !== width) show(shown); }).observe(get('report'));

/** @param {Ended} found */
export function show(found) {
  const { summary, lines, reasons, fate, results } = found;
  const list = make('dl', {}, ...lines.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  const section = get('report');
  section.hidden = false;
  [shown, width] = [found, section.clientWidth];
  const plots = [];
  if (summary.dropped && summary.records) {
    const all = summary.records;
    plots.push(plot(section, 'What became of the positions', [['kept', 'kept'], [fate, 'dropped']], [
      { name: 'kept', figure: share(summary.kept, all), parts: [[summary.kept, 'kept']] },
      ...reasons.map(([name, count]) => ({ name, figure: share(count, all), parts: /** @type {[number, string][]} */ ([[count, 'dropped']]) })),
    ]));
  }
  section.replaceChildren(make('h2', { tabIndex: -1 }, 'Summary'), list, ...plots, ...(summary.counts || summary.best_see ? histograms(summary, results) : []));
}

/** Shows it when asked for: it may be far down.
 * @param {Ended} found */
export function showAgain(found) {
  show(found);
  const section = get('report');
  section.querySelector('h2')?.focus({ preventScroll: true });
  section.scrollIntoView({ block: 'nearest' });
}

/** @param {Summary} summary @param {string[]} results */
function histograms(summary, results) {
  const counted = summary.counts ?? { read: summary, kept: null };
  const plots = [];
  const { read } = counted;
  plots.push(both('SEE of the best noisy move', counted, counts => bins(counts.best_see)));
  if (read.scored) plots.push(both('Score of the side to move, centipawns', counted, counts => bins(counts.scores)));
  if (read.results) {
    plots.push(both('Result', counted, ({ results: found }) => {
      const { white, draw, black } = found ?? { white: 0, draw: 0, black: 0 };
      return [white, draw, black].map((count, i) => [results[i], count]);
    }, false));
  }
  plots.push(both('Pieces on the board', counted, counts => pairs(counts.pieces)));
  return plots;
}

/** @param {string} title @param {{ read: Counts, kept: Counts | null }} counted
 * @param {(counts: Counts) => [string, number][]} counts @param {boolean} trims */
function both(title, { read, kept }, counts, trims = true) {
  const all = counts(read), some = kept && counts(kept);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const filled = all.map(([, count]) => count > 0);
  const range = trims ? [filled.indexOf(true), filled.lastIndexOf(true) + 1] : [0, all.length];
  const bars = all.map(([name, count], i) => ({
    name,
    figure: share(count, total) + (some ? `, kept ${share(some[i][1], count)}` : ''),
    parts: /** @type {[number, string][]} */ (some ? [[count, 'read'], [some[i][1], 'kept']] : [[count, 'kept']]),
  }));
  return plot(get('report'), title, some ? [['read', 'read'], ['kept', 'kept']] : [], bars.slice(Math.max(0, range[0]), range[1]));
}

/** @param {Bin[]} bins @returns {[string, number][]} */
function bins(bins) {
  const name = (/** @type {Bin} */ { from, to }) => {
    if (from === null) return `${to} and below`;
    if (to === null) return `${from} and up`;
    return from === to ? String(from) : `${from} .. ${to}`;
  };
  return bins.map(bin => [name(bin), bin.count]);
}

/** @param {number[]} pieces @returns {[string, number][]} */
function pairs(pieces) {
  /** @type {[string, number][]} */
  const bars = [];
  for (let n = 2; n < 32; n += 2) bars.push([`${n} .. ${n + 1}`, pieces[n] + pieces[n + 1]]);
  return [...bars, ['32', pieces[32]]];
}
