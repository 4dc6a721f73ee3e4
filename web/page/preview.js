// A first look: what the filter keeps of the file's first records, and boards of what it drops.

import { written } from './address.js';
import { miniature } from './cards.js';
import { get, grouped, make, signClass, signed, visible } from './dom.js';
import { percent } from './plots.js';
import { unloaded } from './wasm.js';

/** @import { Example, Group, Looked, Preview as Judged } from './answers.js' */
/** @import { Job } from './settings.js' */
/** @import { Failed } from './wasm.js' */

/** The colours of the reasons for dropping, in the order of the reasons. */
const COLORS = ['#c85c3c', '#b58a1c', '#8a5bb0', '#3f8f8a', '#b04a7c', '#6b7a2a', '#7a6a5a'];

export class Preview {
  /** @param {WebAssembly.Module} module @param {(format: Looked) => void} opened
   * @param {(failed: Failed | null) => void} failed
   *   what is wrong with the file or the settings, or nothing any more */
  constructor(module, opened, failed) {
    this.module = module;
    this.opened = opened;
    this.failed = failed;
    /** @type {Worker | null} */
    this.worker = null;
    /** Whether an answer is awaited, and what is to be asked after it. */
    this.isAsked = false;
    /** @type {Job | null} */
    this.next = null;
    /** @type {Judged | null} */
    this.judged = null;
    /** The reason whose boards are shown. */
    this.shown = '';
    this.rules = { profile: 'swap', values: 'cpw' };
    /** Of several files, which one it is of. */
    this.name = '';
  }

  /** Reads the beginning of the first of these files. The panel is shown at once, so that what is
   * beside it does not move when the answer comes.
   * @param {File[]} files @param {Job} job */
  open([file, ...others], job) {
    this.worker?.terminate();
    this.name = others.length ? ` of ${visible(file.name)}` : '';
    this.shown = '';
    this.empty(`A first look${this.name} …`);
    const worker = new Worker(new URL('preview.worker.js', import.meta.url), { type: 'module' });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.take(data);
    worker.onerror = () => this.say(unloaded('preview.worker.js'));
    worker.postMessage({ file, module: this.module, job });
    this.isAsked = true;
    // The first answer is about the file alone; then it is judged.
    this.next = job;
  }

  /** Judges anew. While an answer is awaited, the latest settings wait; older ones are forgotten.
   * @param {Job} job */
  judge(job) {
    if (!this.worker) return;
    this.next = job;
    this.ask();
  }

  ask() {
    if (this.isAsked || !this.next) return;
    this.isAsked = true;
    this.rules = this.next.rules;
    this.worker?.postMessage({ job: this.next });
    this.next = null;
  }

  /** @param {{ opened?: Looked, judged?: Judged, failed?: Failed }} data */
  take({ opened, judged, failed }) {
    this.isAsked = false;
    if (opened) this.opened(opened);
    if (failed) this.say(failed.error);
    this.failed(failed ?? null);
    if (judged) {
      this.judged = judged;
      this.draw();
    }
    this.ask();
  }

  /** @param {string} words */
  say(words) {
    this.empty(`No first look${this.name}: ${words}.`);
  }

  /** Words instead of shares and boards.
   * @param {string} words */
  empty(words) {
    this.judged = null;
    get('preview').hidden = false;
    get('share').replaceChildren(words);
    for (const id of ['share-bar', 'reasons', 'boards']) get(id).replaceChildren();
  }

  draw() {
    const { judged } = this;
    if (!judged) return;
    const { records, invalid, unscored, stopped, is_all, kept, dropped } = judged;
    if (!records) return this.say(stopped ?? 'no position could be read; Filter says why');
    const faults = [
      unscored ? `; ${percent(unscored, records)} ${unscored === 1 ? 'has' : 'have'} no score` : '',
      invalid ? `; ${grouped(invalid)} invalid record${invalid === 1 ? ' is' : 's are'} left out` : '',
      stopped ? `; ${stopped}` : '',
    ].join('');
    const positions = `${is_all ? '' : 'first '}${grouped(records)} positions${this.name}`;
    get('share').replaceChildren(make('strong', {}, percent(kept.count, records)), ` of the ${positions} ${kept.count === 1 ? 'is' : 'are'} kept${faults}`);
    const groups = [kept, ...dropped];
    const color = (/** @type {number} */ i) => (i ? COLORS[(i - 1) % COLORS.length] : 'var(--kept)');
    const bar = get('share-bar');
    bar.setAttribute('aria-label', groups.map(({ label, count }) => `${label}: ${percent(count, records)}`).join('; '));
    bar.replaceChildren(...groups.map(({ count }, i) => make('i', { style: `flex-grow: ${count}; background: ${color(i)}` })));
    if (!groups.some(({ name }) => name === this.shown)) {
      const [largest] = dropped.toSorted((a, b) => b.count - a.count);
      this.shown = (largest ?? kept).name;
    }
    const focused = document.activeElement?.getAttribute('data-reason');
    get('reasons').replaceChildren(...groups.map(({ name, label, count }, i) => make('button', {
      type: 'button', 'aria-pressed': String(name === this.shown), 'data-reason': name, onclick: () => {
        this.shown = name;
        this.draw();
      },
    }, make('i', { style: `background: ${color(i)}` }), `${label} `, make('span', { className: 'quiet' }, percent(count, records)))));
    if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-reason="${focused}"]`))?.focus();
    const group = groups.find(({ name }) => name === this.shown) ?? kept;
    get('boards').replaceChildren(...group.examples.map(example => this.card(example, group)));
  }

  /** A board with the move that decides. It opens the position `of` in Explain, which is not the
   * one that is shown (`fen`) if the opponent's threat decides.
   * @param {Example} example @param {Group} group */
  card({ fen, of, move, is_threat, score, ply, pieces }, { name, label }) {
    const facts = /** @type {Record<string, string>} */ ({
      in_check: 'in check', ply: `half-move ${ply}`, pieces: `${pieces} pieces`, score: `score ${signed(score ?? 0)}`,
    });
    const said = move
      ? [is_threat ? 'threat ' : '', move.san, make('b', { className: signClass(move.see) }, ` ${signed(move.see)}`)]
      : [facts[name] ?? (name === 'kept' ? 'nothing to capture' : label)];
    const link = written({ fen: of, move: move?.uci ?? '', rules: this.rules.profile, values: this.rules.values });
    const board = miniature(fen, { arrow: move ? move.from + move.to : '', isThreat: is_threat, label: `${fen.split(' ')[1] === 'w' ? 'White' : 'Black'} to move` });
    return make('a', { href: link, className: 'card' }, board, make('span', {}, ...said));
  }
}
