// A file of positions: counted or filtered by workers.

import { failure, fill, get, grouped, make } from './dom.js';
import { ABOUT, VALUES } from './explain.js';
import { PROFILES } from './address.js';
import { adapter, described } from './gpu.js';
import { show } from './report.js';
import { tidy } from './sink.js';
import { sample } from './wasm.js';

/** @import { Swaplist } from './wasm.js' */

const PACKED = /\.(zst|gz)$/i;

export class Files {
  /** @param {Swaplist} wasm @param {WebAssembly.Module} module */
  constructor(wasm, module) {
    this.wasm = wasm;
    this.module = module;
    this.choices = wasm.json('choices');
    /** @type {File | null} */
    this.file = null;
    /** All of a running job; of one that is done, the one that holds the kept bytes.
     * @type {Worker[]} */
    this.running = [];
    /** Until the job is done. */
    this.isBusy = false;
    /** What was begun last, to be tried again. */
    this.again = () => {};
    /** @type {Record<string, HTMLInputElement>} */
    this.keys = {};
    this.workers = Math.max(1, navigator.hardwareConcurrency || 1);
    this.isOpen = false;
    this.fillChoices();
    this.listen();
  }

  /** When its part is first shown. */
  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    this.lookForGpu();
    this.tidy();
  }

  /** What nobody can save any more goes, once the browser has ended the workers that held it. */
  tidy() {
    setTimeout(() => tidy().catch(() => {}), 500);
  }

  fillChoices() {
    const { formats, presets, keys } = this.choices;
    fill(get('preset', HTMLSelectElement), presets.map((/** @type {any} */ { name }) => name));
    fill(get('file-rules', HTMLSelectElement), PROFILES);
    fill(get('file-values', HTMLSelectElement), VALUES);
    fill(get('judge', HTMLSelectElement), [['cpu', `the CPU, ${this.workers} worker${this.workers > 1 ? 's' : ''}`]]);
    const names = formats.map((/** @type {any} */ { name }) => name);
    const writable = formats.filter((/** @type {any} */ { is_writable }) => is_writable);
    fill(get('from', HTMLSelectElement), [['', 'what its content says'], ...names]);
    fill(get('to', HTMLSelectElement), [['', 'the input’s format'], ...writable.map((/** @type {any} */ { name }) => name)]);
    fill(get('mode', HTMLSelectElement), [['', 'as suits the format'], ['drop', 'dropped'], ['mark', 'marked with the score 32002']]);
    const rules = keys.filter((/** @type {any} */ { name }) => name !== 'preset');
    fill(get('key', HTMLSelectElement), [['', 'choose …'], ...rules.map((/** @type {any} */ { name, help }) => [name, `${name.replaceAll('_', '-')}: ${help}`.slice(0, 110)])]);
    this.showPreset();
  }

  listen() {
    const drop = get('drop'), file = get('file', HTMLInputElement);
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      file.value = ''; // so that the same file, changed, can be chosen again
      if (chosen && this.mayEnd()) this.choose(chosen);
    });
    for (const type of ['dragover', 'dragleave', 'drop']) addEventListener(type, () => drop.classList.toggle('over', type === 'dragover'));
    get('sample').addEventListener('click', () => { if (this.mayEnd()) this.chooseSample(); });
    get('preset').addEventListener('change', () => this.showPreset());
    get('key').addEventListener('change', () => this.addKey());
    get('filter').addEventListener('click', () => this.run(false));
    get('count').addEventListener('click', () => this.run(true));
    get('cancel').addEventListener('click', () => this.stop('Cancelled; nothing was kept.'));
    get('again').addEventListener('click', () => this.again());
    addEventListener('beforeunload', event => { if (this.isBusy) event.preventDefault(); });
  }

  /** Asks before a running job is lost. */
  mayEnd() {
    return !this.isBusy || confirm('A job is running. End it? What it has kept is lost.');
  }

  async lookForGpu() {
    const judge = get('judge', HTMLSelectElement), about = get('judge-about');
    try {
      const { name, isSoftware } = described(await adapter());
      judge.append(make('option', { value: 'gpu' }, `the GPU: ${name}${isSoftware ? ' (software)' : ''}`));
      if (isSoftware) about.textContent = 'The adapter is software: it runs on the CPU, more slowly than WebAssembly.';
    } catch (error) {
      about.textContent = `No GPU: ${error instanceof Error ? error.message : error}.`;
    }
    judge.dataset.ready = 'yes';
  }

  /** @param {File[]} dropped @param {number} folders */
  drop([file, ...others], folders) {
    if (!file && !folders || !this.mayEnd()) return;
    if (!file) return this.fail({ error: 'that is a folder; drop a file', field: '', formats: [] });
    this.choose(file);
    if (others.length) get('file-status').textContent = `The first of ${others.length + 1} files is taken: one at a time.`;
  }

  async chooseSample() {
    this.file = null;
    this.again = () => this.chooseSample();
    this.stop('Loading the sample …');
    try {
      const bytes = await sample();
      // Unless another file was chosen meanwhile.
      if (!this.file) this.choose(new File([bytes], 'sample.binpack'));
    } catch (error) {
      if (!this.file) this.fail({ error: error instanceof Error ? error.message : String(error), field: '', formats: [] }, true);
    }
  }

  /** @param {File} file */
  choose(file) {
    this.file = file;
    this.stop('');
    get('chosen').textContent = `${file.name}, ${grouped(file.size)} bytes`;
    get('report').hidden = true;
    this.idle();
  }

  showPreset() {
    const name = get('preset', HTMLSelectElement).value;
    const preset = this.choices.presets.find((/** @type {any} */ one) => one.name === name);
    get('preset-about').textContent = preset.about;
    get('file-rules', HTMLSelectElement).value = preset.rules?.profile ?? 'swap';
    const values = preset.rules?.values.join(',');
    get('file-values', HTMLSelectElement).value = VALUES.find(([, text]) => values && text.endsWith(values.replaceAll(',', ' ')))?.[0] ?? 'cpw';
    get('file-rules').title = Object.values(ABOUT).join('\n');
  }

  addKey() {
    const select = get('key', HTMLSelectElement);
    const key = this.choices.keys.find((/** @type {any} */ { name }) => name === select.value);
    select.value = '';
    if (!key || this.keys[key.name]) return;
    const input = /** @type {HTMLInputElement} */ (make('input', { type: 'text', id: `key-${key.name}`, value: key.is_switch ? 'true' : '', placeholder: key.value, spellcheck: false }));
    const label = make('label', { htmlFor: input.id }, key.name.replaceAll('_', '-'));
    const remove = make('button', { type: 'button', onclick: () => {
      delete this.keys[key.name];
      label.remove();
      row.remove();
    } }, 'Remove');
    const row = make('div', {}, make('div', { className: 'bar' }, input, remove), make('p', { className: 'quiet' }, key.help));
    this.keys[key.name] = input;
    get('keys').append(label, row);
    input.focus();
  }

  /** @param {boolean} counts */
  job(counts) {
    const chosen = (/** @type {string} */ id) => get(id, HTMLSelectElement).value;
    const keys = Object.entries(this.keys).map(([name, input]) => [name, input.value.trim()]);
    const { name } = /** @type {File} */ (this.file);
    return {
      name,
      output: counts ? '' : `quiet-${name.replace(PACKED, '')}`,
      counts,
      from: chosen('from') || null,
      to: chosen('to') || null,
      mode: chosen('mode') || null,
      preset: chosen('preset'),
      keys: Object.fromEntries(keys),
      skip_invalid: get('skip-invalid', HTMLInputElement).checked,
      histograms: get('histograms', HTMLInputElement).checked,
      rules: { profile: chosen('file-rules'), values: chosen('file-values') },
    };
  }

  /** @param {boolean} counts */
  run(counts) {
    if (!this.file) return;
    this.stop('');
    const job = this.job(counts);
    this.isBusy = true;
    this.again = () => this.run(counts);
    for (const id of ['filter', 'count']) get(id, HTMLButtonElement).disabled = true;
    get('cancel').hidden = false;
    get('report').hidden = true;
    get('progress').hidden = false;
    get('done', HTMLProgressElement).removeAttribute('value');
    this.start(job).catch(error => this.fail({ error: String(error?.message ?? error), field: '', formats: [] }));
  }

  /** Starts the workers. The page starts all of them: workers that start others may hang.
   * @param {any} job */
  async start(job) {
    const { file, module } = this;
    const begin = performance.now();
    const worker = this.startOne('job.worker.js');
    const blocks = Array.from({ length: this.workers }, () => this.startOne('block.worker.js'));
    worker.onmessage = ({ data }) => {
      if (data.progress) this.progress(data.progress, (performance.now() - begin) / 1000);
      else if (data.failed) this.fail(data.failed);
      else this.finish(job, data.done);
    };
    const judge = get('judge', HTMLSelectElement).value === 'gpu' ? this.startOne('gpu.worker.js') : null;
    const gpu = judge && await opened(judge, { module, rules: job.rules });
    if (!this.running.includes(worker)) return; // cancelled meanwhile
    const ports = blocks.map(block => {
      const { port1, port2 } = new MessageChannel();
      const port = judge && !gpu.error ? portTo(judge) : undefined;
      block.postMessage({ module, port: port1, gpu: port }, port ? [port1, port] : [port1]);
      return port2;
    });
    worker.postMessage({ file, module, job, ports, gpu }, ports);
  }

  /** @param {string} name */
  startOne(name) {
    const worker = new Worker(new URL(name, import.meta.url), { type: 'module' });
    worker.onerror = event => {
      if (!this.running.includes(worker)) return;
      this.fail({ error: failure(event, name), field: '', formats: [] }, true);
    };
    this.running.push(worker);
    return worker;
  }

  /** @param {{ records: number, bytes: number, total: number, note: string }} so @param {number} seconds */
  progress({ records, bytes, total, note }, seconds) {
    const share = bytes / Math.max(total, 1);
    get('done', HTMLProgressElement).value = share;
    const left = share > 0.02 && seconds > 2 ? `, about ${Math.ceil(seconds / share - seconds)} s left` : '';
    get('rate').textContent = `${grouped(records)} records, ${grouped(Math.round(records / seconds))} a second${left}${note ? `. ${note}; the CPU takes over` : ''}`;
  }

  /** @param {any} job @param {any} done */
  finish(job, done) {
    this.idle();
    // The first one stays: with it the browser keeps the file.
    for (const worker of this.running.splice(1)) worker.terminate();
    show(done);
    const { summary } = done;
    const said = job.counts ? `${grouped(summary.positions)} positions counted` : `${grouped(summary.kept)} of ${grouped(summary.records)} positions kept`;
    const fallback = summary.fallback ? ` The GPU failed (${summary.fallback}); the CPU took over, with the same results.` : '';
    const empty = this.file?.size ? '' : ' The file is empty.';
    get('file-status').textContent = `${said} in ${done.seconds.toFixed(2)} s.${empty}${fallback}`;
    if (!done.kept) return;
    const save = get('save', HTMLAnchorElement);
    if (save.href) URL.revokeObjectURL(save.href);
    save.href = URL.createObjectURL(done.kept);
    save.download = named(job.output, done.from, done.to);
    save.textContent = `Save ${save.download}`;
    save.hidden = false;
    get('in-file').textContent = inFile(summary, done.kept.size);
  }

  /** @param {{ error: string, field: string, formats: string[] }} failed
   * @param {boolean} [mayPass] whether another try may help */
  fail({ error, field, formats }, mayPass = false) {
    this.stop('');
    get('again').hidden = !mayPass;
    const hints = /** @type {Record<string, string>} */ ({
      from: formats.length ? 'choose how to read it' : 'if you know its format, choose it',
      to: 'choose what to write',
      skip_invalid: 'invalid records can be skipped',
      drop_unscored: 'add the rule drop-unscored to leave out such records',
      preset: 'another preset may fit, or rules without it',
    });
    const key = this.keys[field] ? `${field.replaceAll('_', '-')}: ` : '';
    const end = /[.?]$/.test(error) ? '' : '.';
    get('job-error').textContent = key + error + (hints[field] ? `: ${hints[field]} under “More rules and formats”.` : end);
    if (hints[field] || key) get('more', HTMLDetailsElement).open = true;
    this.keys[field]?.focus();
  }

  /** @param {string} said */
  stop(said) {
    const stopped = this.running.splice(0);
    for (const worker of stopped) worker.terminate();
    if (stopped.length) this.tidy();
    this.idle();
    get('file-status').textContent = said;
    for (const id of ['job-error', 'in-file']) get(id).textContent = '';
    for (const id of ['save', 'again']) get(id).hidden = true;
  }

  idle() {
    this.isBusy = false;
    for (const id of ['filter', 'count']) get(id, HTMLButtonElement).disabled = !this.file;
    const cancel = get('cancel');
    if (document.activeElement === cancel) get('filter').focus();
    cancel.hidden = true;
    get('progress').hidden = true;
    get('rate').textContent = '';
  }
}

/** The GPU's name, or why it cannot be used.
 * @param {Worker} worker @param {any} asked @returns {Promise<any>} */
function opened(worker, asked) {
  return new Promise(done => {
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = event => done({ error: failure(event, 'gpu.worker.js') });
    worker.postMessage(asked);
  });
}

/** @param {Worker} worker */
function portTo(worker) {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ port: port1 }, [port1]);
  return port2;
}

/** What is in the file that is saved.
 * @param {any} summary @param {number} bytes */
function inFile({ mode, kept, marked }, bytes) {
  const records = mode === 'mark'
    ? `all ${grouped(kept + marked)} records are in the file; those not kept have the score 32002, which means none`
    : `only the ${grouped(kept)} kept records are in the file`;
  return `Mode ${mode}: ${records}. ${grouped(bytes)} bytes.`;
}

/** The output's name has its format's extension.
 * @param {string} name @param {string} from @param {string} to */
function named(name, from, to) {
  if (from === to) return name;
  const extensions = /** @type {Record<string, string>} */ ({ text: 'fen', bulletformat: 'bf', sfbin: 'bin' });
  return name.replace(/\.[^.]*$/, '') + `.${extensions[to] ?? to}`;
}
