// The summary of a job and its plots.

import { get, make } from './dom.js';
import { histograms } from './histograms.js';
import { plot, share } from './plots.js';

/** @typedef {{ from: number | null, to: number | null, count: number }} Bin */
/** @typedef {{ best_see: Bin[], scores: Bin[], pieces: number[], scored: number, positions: number,
 *   results: { white: number, draw: number, black: number } | null }} Counts */
/** What a job found, as the command's `--json` writes it: of a filter, and of counts.
 * @typedef {{ mode: string, records: number, kept: number, dropped: number, marked: number,
 *   positions: number, fallback?: string, counts?: { read: Counts, kept: Counts } } & Counts} Summary */
/** @import { Ended } from './answers.js' */

export class Report {
  constructor() {
    this.section = get('report');
    /** @type {Ended | undefined} */
    this.found = undefined;
    /** Plots are drawn for a width: a phone that is turned gets others. */
    this.width = 0;
    new ResizeObserver(() => {
      const { clientWidth } = this.section;
      if (this.found && clientWidth && clientWidth !== this.width) this.show(this.found);
    }).observe(this.section);
  }

  /** @param {Ended} found */
  show(found) {
    const { section } = this, { summary, lines, results } = found;
    section.hidden = false;
    this.found = found;
    this.width = section.clientWidth;
    section.replaceChildren(
      make('h2', { tabIndex: -1 }, 'Summary'),
      make('dl', {}, ...lines.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
      ...summary.dropped && summary.records ? [fates(section, found)] : [],
      ...summary.counts || summary.best_see ? histograms(section, summary, results) : [],
    );
  }

  /** Shows it when asked for: it may be far down.
   * @param {Ended} found */
  showAgain(found) {
    this.show(found);
    this.section.querySelector('h2')?.focus({ preventScroll: true });
    this.section.scrollIntoView({ block: 'nearest' });
  }
}

/** How many were kept, and how many not, by reason.
 * @param {HTMLElement} within @param {Ended} found */
function fates(within, { summary: { kept, records }, reasons, fate }) {
  return plot(within, 'What became of the positions', [['kept', 'kept'], [fate, 'dropped']], [
    { name: 'kept', figure: share(kept, records), parts: [[kept, 'kept']] },
    ...reasons.map(([name, count]) => ({ name, figure: share(count, records), parts: /** @type {[number, string][]} */ ([[count, 'dropped']]) })),
  ]);
}
