// How fast Files is here, from file to file: by one worker, half of them, all, and the GPU.

import { Crew } from './crew.js';
import { copy, get, grouped, make, visible } from './dom.js';
import { adapter, described } from './gpu.js';
import { setProgress } from './title.js';
import { failedBy, sample } from './wasm.js';

/** @import { Done } from './crew.js' */
/** @import { Job } from './settings.js' */
/** @typedef {{ name: string, workers: number, onGpu: boolean }} Way how the work is done */
/** @typedef {Way & { seconds: number, done: Done, bound: string, isSame: boolean }} Row */

/** So often the sample is repeated: 20 MB. */
const REPEATED = 1000;
/** The fastest of so many runs counts; of runs that take long, the first. */
const RUNS = 3, LONG_SECONDS = 4;
/** A file with fewer records says nothing: starting the workers would take most of the time. */
const FEWEST = 200_000;
/** Outputs are compared in such pieces. */
const PIECE = 4 << 20;
/** Whatever is busy for less of the time does not bound a run. */
const BOUND = 0.75;

export class Speeds {
  /** @param {WebAssembly.Module} module @param {() => void} begun ends other measurements */
  constructor(module, begun) {
    this.crew = new Crew(module);
    this.begun = begun;
    this.running = 0;
    /** The first output, to which others are compared, and the worker that holds it.
     * @type {Blob | null} */
    this.first = null;
    /** @type {Worker | undefined} */
    this.holder = undefined;
    /** @type {Row[]} */
    this.rows = [];
    /** What is measured, and its bytes. */
    this.about = '';
    this.size = 0;
    const input = get('speed-file', HTMLInputElement);
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      input.value = '';
      if (file) this.run(async () => file, visible(file.name));
    });
    get('speed-sample').addEventListener('click', () => this.run(async () => new File(Array(REPEATED).fill(await sample()), 'sample.binpack'), `the sample, ${grouped(REPEATED)} times`));
    get('speed-stop').addEventListener('click', () => this.stop('Stopped.'));
    get('speed-text').addEventListener('click', () => copy(this.text, get('speed-status')));
  }

  /** Filters a file in all ways.
   * @param {() => Promise<File>} chosen @param {string} name */
  async run(chosen, name) {
    this.begun();
    this.stop('Starting …');
    const running = this.running;
    get('speed-stop').hidden = false;
    this.rows = [];
    this.draw();
    try {
      const file = await chosen();
      this.size = file.size;
      this.about = `${name}, ${grouped(file.size)} bytes`;
      const [ways, note] = await waysHere();
      for (const way of ways) {
        const row = await this.best(file, way, running);
        if (running !== this.running) return;
        const { records } = row.done.summary;
        if (records < FEWEST) throw new Error(`This file has ${grouped(records)} records: choose one that has ${grouped(FEWEST)} at least`);
        this.rows.push(row);
        this.draw();
      }
      this.stop(`${this.words} ${note}`.trim());
    } catch (error) {
      if (running === this.running) this.stop(`${failedBy(error).error.replace(/\.$/, '')}.`);
    }
  }

  /** The fastest of several runs.
   * @param {File} file @param {Way} way @param {number} running @returns {Promise<Row>} */
  async best(file, way, running) {
    /** @type {Row | undefined} */
    let best;
    for (let i = 0; i < RUNS && !(best && best.seconds > LONG_SECONDS); i++) {
      this.say(`${this.about}: ${way.name}, run ${i + 1} of ${RUNS} …`);
      const done = await this.once(file, way);
      const isSame = await isSameAs(done.kept, this.first ?? done.kept);
      // The workers are another run's by then.
      if (running !== this.running) throw new Error('stopped');
      this.first ??= done.kept;
      const holder = this.crew.dismiss();
      if (this.holder) holder?.terminate();
      else this.holder = holder;
      const row = { ...way, seconds: done.seconds, done, bound: boundOf(done, way.workers), isSame: isSame && (best?.isSame ?? true) };
      if (!best || row.seconds < best.seconds || !isSame) best = row;
    }
    return /** @type {Row} */ (best);
  }

  /** @param {File} file @param {Way} way @returns {Promise<Done>} */
  async once(file, { workers, onGpu }) {
    // As the command's benchmark does it: the filter that nobody changed.
    /** @type {Job} */
    const job = {
      name: file.name, output: file.name, counts: false, from: null, to: null, mode: null, preset: 'quiet', keys: {}, skip_invalid: true,
      histograms: false, rules: { profile: 'swap', values: 'cpw' }, workers: 1, on_gpu: false,
    };
    const asked = { file, job, workers, onGpu };
    const told = () => {};
    let { done, failed } = await this.crew.run(asked, told);
    if (failed?.field === 'to') {
      this.crew.dismiss()?.terminate();
      ({ done, failed } = await this.crew.run({ ...asked, job: { ...job, to: 'text' } }, told));
    }
    if (done) return done;
    throw new Error(failed?.error ?? 'stopped');
  }

  /** What was found, in a sentence. */
  get words() {
    const { rows } = this, fastest = rows.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    const million = fastest.done.summary.records / fastest.seconds / 1e6;
    const same = rows.every(({ isSame }) => isSame) ? 'All outputs are the same bytes.' : 'THE OUTPUTS DIFFER: please report this.';
    return `Fastest: ${fastest.name}, ${million.toPrecision(2)} million records a second: a billion take ${Math.round(1000 / million)} s. Files uses all workers, unless you choose the GPU. ${same}`;
  }

  /** Of each row: its cells. */
  get cells() {
    const all = this.rows.findLast(({ onGpu }) => !onGpu)?.seconds ?? 1;
    return this.rows.map(({ name, seconds, done, bound }) => {
      const { summary: { records }, kept } = done;
      return [name, (records / seconds / 1e6).toPrecision(3), String(Math.round(this.size / seconds / 1e6)), String(Math.round((kept?.size ?? 0) / seconds / 1e6)), (all / seconds).toFixed(2), bound];
    });
  }

  get text() {
    return [this.about, HEAD.join('\t'), ...this.cells.map(row => row.join('\t')), get('speed-words').textContent, navigator.userAgent, ''].join('\n');
  }

  draw() {
    get('speed-done').hidden = !this.rows.length;
    get('speeds').replaceChildren(
      make('caption', { className: 'quiet' }, this.about),
      make('thead', {}, make('tr', {}, ...HEAD.map(name => make('th', { scope: 'col' }, name)))),
      make('tbody', {}, ...this.cells.map(([name, ...rest]) => make('tr', {}, make('th', { scope: 'row' }, name), ...rest.map(text => make('td', {}, text))))),
    );
  }

  /** @param {string} said */
  say(said) {
    get('speed-words').textContent = said;
  }

  /** @param {string} said */
  stop(said) {
    this.running++;
    this.crew.stop();
    this.holder?.terminate();
    this.holder = undefined;
    this.first = null;
    get('speed-stop').hidden = true;
    get('speed-status').textContent = '';
    setProgress('');
    this.say(said);
  }
}

const HEAD = ['judged by', 'M records/s', 'MB/s in', 'MB/s out', '× all workers', 'bound by'];

/** One worker, half of them, all, and a real GPU; and why there is none.
 * @returns {Promise<[Way[], string]>} */
async function waysHere() {
  const cores = Math.max(1, navigator.hardwareConcurrency || 1), half = cores >> 1;
  const ways = [{ name: '1 worker', workers: 1, onGpu: false }];
  if (half > 1) ways.push({ name: `half, ${half} workers`, workers: half, onGpu: false });
  if (cores > 1) ways.push({ name: `all ${cores} workers`, workers: cores, onGpu: false });
  try {
    const { name, isSoftware } = described(await adapter());
    if (isSoftware) return [ways, 'The GPU’s adapter is software, and not measured.'];
    return [[...ways, { name: `GPU: ${name}`, workers: cores, onGpu: true }], ''];
  } catch (error) {
    return [ways, `No GPU: ${failedBy(error).error}.`];
  }
}

/** What a run waits for: whatever is busy nearly all the time.
 * @param {Done} done @param {number} workers */
function boundOf({ computing, waiting, reading, writing, seconds }, workers) {
  const ms = 1000 * seconds;
  const shares = /** @type {[string, number][]} */ ([
    ['computing', computing / ms / workers], ['the GPU', waiting / ms / workers], ['reading and writing', (reading + writing) / ms],
  ]).sort((a, b) => b[1] - a[1]);
  const [[name, share]] = shares, percent = `${Math.round(100 * Math.min(1, share))} % busy`;
  return share >= BOUND ? `${name}, ${percent}` : `handing out blocks (${name}: ${percent})`;
}

/** Whether two files have the same bytes.
 * @param {Blob | null} one @param {Blob | null} other */
async function isSameAs(one, other) {
  if (one === other) return true;
  if (!one || !other || one.size !== other.size) return false;
  for (let at = 0; at < one.size; at += PIECE) {
    const [a, b] = await Promise.all([one, other].map(async blob => new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer())));
    if (a.some((byte, i) => byte !== b[i])) return false;
  }
  return true;
}
