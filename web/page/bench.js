// Verdicts and scores a second, on the CPU and on the GPU.

import { drawCard, saveCard } from './card.js';
import { copy, failure, get, grouped, make } from './dom.js';
import { plot } from './plots.js';
import { Speeds } from './speeds.js';
import { setProgress } from './title.js';

/** @import { Swaplist } from './wasm.js' */
/** @typedef {'cpu' | 'gpu' | 'kernel'} Of */
/** @typedef {{ name: string, isSoftware: boolean, chunk: number, hasTimes: boolean }} Adapter */
/** @typedef {{ swaplist: string, date: string, browser: string, cores: number, adapter: Adapter | null,
 *   no_gpu: string | null, rules: import('./gpu.js').Rules, unit: string, rows: Row[] }} Result */
/** @typedef {{ what: string, batch: number, cpu: number | null, gpu: number | null,
 *   kernel: number | null, compared: number }} Row millions a second */

const RULES = { profile: 'swap', values: 'cpw' };
const SIZES = [1 << 16, 1 << 18, 1 << 20, 1 << 22];
/** The largest batch, for each GiB of the machine's memory. */
const MOST_PER_GIB = 1 << 20;
/** Each batch is run again for so long; the best run counts. */
const ENOUGH_MS = 400;
/** Batches that would take longer are left out. */
const TOO_LONG_MS = 4000;

export class Bench {
  /** @param {Swaplist} wasm @param {WebAssembly.Module} module */
  constructor(wasm, module) {
    this.module = module;
    this.version = wasm.text('version');
    /** @type {Lane[]} */
    this.lanes = [];
    this.running = 0;
    /** @type {Result} */
    this.result = { swaplist: this.version, date: '', browser: '', cores: 0, adapter: null, no_gpu: null, rules: RULES, unit: '', rows: [] };
    const speeds = new Speeds(module, () => { if (this.lanes.length) this.stop('Stopped.'); });
    get('run').addEventListener('click', () => {
      speeds.stop('');
      this.run();
    });
    get('stop').addEventListener('click', () => this.stop('Stopped.'));
    const copied = get('bench-copied');
    get('bench-text').addEventListener('click', () => copy(asText(this.result), copied));
    get('bench-json').addEventListener('click', () => copy(JSON.stringify(this.result, null, 2), copied));
    saveCard(copied);
  }

  async run() {
    if (this.lanes.length) return;
    const running = ++this.running;
    const say = (/** @type {string} */ text) => {
      get('bench-status').textContent = text;
      setProgress(text);
    };
    get('run').hidden = true;
    const stop = get('stop', HTMLButtonElement);
    stop.hidden = false;
    // It takes the place of Run: a double click must not press both.
    stop.disabled = true;
    setTimeout(() => { stop.disabled = false; }, 500);
    for (const id of ['headline', 'headline-more', 'adapter', 'bars']) get(id).replaceChildren();
    for (const id of ['bench-done', 'figures-frame']) get(id).hidden = true;
    try {
      say('Starting …');
      const cores = Math.max(1, navigator.hardwareConcurrency || 1);
      const cpu = Array.from({ length: cores }, () => new Lane());
      const gpu = new Lane();
      this.lanes = [...cpu, gpu];
      await Promise.all(cpu.map(lane => lane.ask({ what: 'start', module: this.module, rules: RULES })));
      /** @type {Adapter | null} */
      let adapter = null;
      let noGpu = '';
      try {
        adapter = await gpu.ask({ what: 'start', module: this.module, gpu: true, rules: RULES });
      } catch (error) {
        noGpu = error instanceof Error ? error.message : String(error);
      }
      get('adapter').textContent = adapter ? `GPU: ${adapter.name}${adapter.isSoftware ? '. This adapter is software: its figures say nothing about GPUs.' : ''}` : `No GPU: ${noGpu}.`;
      this.result = { swaplist: this.version, date: new Date().toISOString(), browser: navigator.userAgent, cores, adapter, no_gpu: noGpu || null, rules: RULES, unit: 'millions a second', rows: [] };
      await measure(cpu, adapter && gpu, (row, status) => {
        if (row) this.result.rows.push(row);
        draw(this.result);
        say(status);
      });
      if (running === this.running) this.finish();
    } catch (error) {
      if (running === this.running) this.stop(error instanceof Error ? error.message : String(error));
    }
  }

  finish() {
    this.stop('Done.');
    const said = headline(this.result);
    get('headline').textContent = said.headline;
    get('headline-more').textContent = said.more;
    drawCard(this.result, said, bestOf(this.result));
    get('bench-done').hidden = false;
  }

  /** @param {string} said */
  stop(said) {
    this.running++;
    for (const lane of this.lanes) lane.worker.terminate();
    this.lanes = [];
    get('bench-status').textContent = said;
    setProgress('');
    get('run').hidden = false;
    get('stop').hidden = true;
  }
}

/** A worker that answers one question at a time. */
class Lane {
  constructor() {
    this.worker = new Worker(new URL('bench.worker.js', import.meta.url), { type: 'module' });
  }

  /** @template T
   * @param {Record<string, unknown>} asked @returns {Promise<T>} */
  ask(asked) {
    return new Promise((done, fail) => {
      this.worker.onmessage = ({ data }) => (data.error ? fail(new Error(data.error)) : done(data.answer));
      this.worker.onerror = event => fail(new Error(failure(event, 'bench.worker.js')));
      this.worker.postMessage(asked);
    });
  }
}

/** @param {Lane[]} cpu @param {Lane | null} gpu
 * @param {(row: Row | null, status: string) => void} tell */
async function measure(cpu, gpu, tell) {
  const memory = navigator.deviceMemory ?? 4;
  const sizes = SIZES.filter(batch => batch <= memory * MOST_PER_GIB);
  for (const scores of [false, true]) {
    const what = scores ? 'scores' : 'verdicts';
    /** @type {Row | null} */
    let last = null;
    for (const batch of sizes) {
      tell(null, `${grouped(batch)} ${what} …`);
      const fits = (/** @type {number | null} */ rate) => !last || rate !== null && batch / rate / 1000 < TOO_LONG_MS;
      /** @type {Row} */
      const row = { what, batch, cpu: null, gpu: null, kernel: null, compared: 0 };
      if (fits(last?.cpu ?? null)) row.cpu = (await best(cpu, batch, scores)).rate;
      if (gpu && fits(last?.gpu ?? null)) {
        const found = await best([gpu], batch, scores);
        row.gpu = found.rate;
        row.kernel = found.kernelRate;
        // Fails, and so ends the benchmark, if the GPU's answers are not the CPU's: the error says which.
        await gpu.ask({ what: 'compare', scores });
        row.compared = found.answers;
      }
      if (row.cpu === null && row.gpu === null) break;
      tell(row, '');
      last = row;
    }
  }
}

/** The best of several runs, each lane with its share.
 * @param {Lane[]} lanes @param {number} batch @param {boolean} scores */
async function best(lanes, batch, scores) {
  const count = Math.ceil(batch / lanes.length);
  await Promise.all(lanes.map((lane, i) => lane.ask({ what: 'fill', first: i * count, count, scores })));
  let ms = Infinity, kernelMs = Infinity, answers = 0, runs = 0;
  for (const begin = performance.now(); runs < 2 || performance.now() - begin < ENOUGH_MS;) {
    const start = performance.now();
    /** @type {{ answers: number, kernelMs: number | null }[]} */
    const found = await Promise.all(lanes.map(lane => lane.ask({ what: 'run', scores, rules: RULES })));
    ms = Math.min(ms, performance.now() - start);
    kernelMs = Math.min(kernelMs, Math.max(...found.map(one => one.kernelMs ?? Infinity)));
    answers = found.reduce((sum, one) => sum + one.answers, 0);
    runs++;
    if (ms > ENOUGH_MS) break;
  }
  return { answers, rate: answers / ms / 1000, kernelRate: Number.isFinite(kernelMs) && kernelMs > 0 ? answers / kernelMs / 1000 : null };
}

/** The best rates of each device: what to call it, its verdicts and its scores.
 * @param {Result} result @returns {{ name: string, color: string, verdicts: number, scores: number }[]} */
function bestOf({ rows, cores, adapter }) {
  const software = adapter?.isSoftware ? ' (software)' : '';
  /** @type {[Of, string, string][]} */
  const devices = [['cpu', `CPU, ${cores} worker${cores > 1 ? 's' : ''}`, 'kept'], ['gpu', `GPU, end to end${software}`, 'dropped'], ['kernel', `GPU, kernel alone${software}`, 'read']];
  const best = (/** @type {Of} */ of, /** @type {string} */ what) => Math.max(0, ...rows.filter(row => row.what === what).map(row => row[of] ?? 0));
  const all = devices.map(([of, name, color]) => ({ name, color, verdicts: best(of, 'verdicts'), scores: best(of, 'scores') }));
  return all.filter(({ verdicts, scores }) => verdicts || scores);
}

/** The result in words, for everybody, with or without a GPU. An adapter that is software never makes
 * the headline.
 * @param {Result} result */
function headline(result) {
  const [cpu, gpu] = bestOf(result), { adapter, cores } = result;
  const hasGpu = adapter && !adapter.isSoftware && gpu?.verdicts > cpu.verdicts;
  const most = hasGpu ? gpu : cpu;
  const on = hasGpu ? 'on the GPU' : `on ${cores} core${cores > 1 ? 's' : ''} of the CPU`;
  const also = hasGpu ? ` The CPU alone judges ${figure(cpu.verdicts)} million.` : '';
  return {
    headline: `${figure(most.verdicts)} million positions a second, ${on}`,
    more: `Judging a billion positions would take ${lasting(1000 / most.verdicts)}, besides reading and writing their file.${also}`,
    number: figure(most.verdicts), on,
  };
}

/** @param {number} seconds */
function lasting(seconds) {
  if (seconds < 99.5) return `${figure(seconds)} seconds`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} minutes`;
  return `${figure(seconds / 3600)} hours`;
}

/** Two digits, or all before the point. From 99.5 on, two digits would be written 1.0e+2.
 * @param {number} rate */
function figure(rate) {
  return rate < 99.5 ? rate.toPrecision(2) : rate.toFixed(0);
}

/** @param {Result} result */
function draw(result) {
  const { rows, cores, adapter } = result;
  const best = bestOf(result);
  get('bars').replaceChildren(.../** @type {['verdicts' | 'scores', string][]} */ ([['verdicts', 'Positions judged, millions a second'], ['scores', 'Moves scored, millions a second']]).map(([what, title]) => {
    const bars = best.map(device => ({ ...device, rate: device[what] })).filter(({ rate }) => rate);
    return bars.length ? plot(get('bars'), title, [], bars.map(({ name, color, rate }) => ({ name, figure: figure(rate), parts: [[rate, color]] }))) : '';
  }));
  const head = ['answers', 'batch', `CPU, ${cores} worker${cores > 1 ? 's' : ''}`, ...(adapter ? ['GPU, end to end', 'GPU, kernel', 'compared'] : [])];
  const cells = (/** @type {Row} */ row) => [row.what, grouped(row.batch), rate(row.cpu), ...(adapter ? [rate(row.gpu), rate(row.kernel), row.compared ? `${grouped(row.compared)} equal` : ''] : [])];
  const table = get('figures');
  table.replaceChildren(
    make('caption', { className: 'quiet' }, 'Millions a second, by the size of the batch; batches that would take too long are left out'),
    make('thead', {}, make('tr', {}, ...head.map(name => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, ...rows.map(row => make('tr', {}, ...cells(row).map((text, i) => make(i ? 'td' : 'th', i ? {} : { scope: 'row' }, text))))),
  );
  get('figures-frame').hidden = !rows.length;
}

/** @param {number | null} rate */
function rate(rate) {
  return rate === null ? '' : rate < 1 ? rate.toPrecision(2) : rate < 100 ? rate.toFixed(1) : rate.toFixed(0);
}

/** @param {Result} result */
function asText({ swaplist, date, browser, cores, adapter, no_gpu, rules, rows }) {
  const gpu = adapter ? `${adapter.name}${adapter.isSoftware ? ' (software: says nothing about GPUs)' : ''}` : `none: ${no_gpu}`;
  const lines = rows.map(row => `${row.what.padEnd(9)}${grouped(row.batch).padStart(10)}${[row.cpu, row.gpu, row.kernel].map(one => rate(one).padStart(9)).join('')}  ${row.compared ? `${grouped(row.compared)} compared, all equal` : ''}`.trimEnd());
  return [`swaplist ${swaplist} in the browser, ${date}`, `browser   ${browser}`, `CPU       ${cores} workers, WebAssembly`, `GPU       ${gpu}`, `rules     profile ${rules.profile}, values ${rules.values}`, '', 'millions a second', `${''.padEnd(9)}${'batch'.padStart(10)}${'CPU'.padStart(9)}${'GPU'.padStart(9)}${'kernel'.padStart(9)}`, ...lines, ''].join('\n');
}
