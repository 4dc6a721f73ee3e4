// Files of positions: counted or filtered by workers, one after the other.

import { Crew } from './crew.js';
import { copy, fill, get, grouped, isForBoard, make, visible } from './dom.js';
import { adapter, described } from './gpu.js';
import { Preview } from './preview.js';
import { Report } from './report.js';
import { PACKED, Settings } from './settings.js';
import { tidy } from './sink.js';
import { setProgress } from './title.js';
import { failedBy, sample } from './wasm.js';

/** @import { Job } from './settings.js' */
/** @import { Done, Outcome, Progress } from './crew.js' */
/** @import { Failed, Swaplist } from './wasm.js' */

/** Browsers refuse to write the address too often. */
const REST_MS = 500;
/** Whoever has waited so long for a file is asked before it is lost. */
const DEAR_SECONDS = 5;

export class Files {
  /** @param {Swaplist} wasm @param {WebAssembly.Module} module */
  constructor(wasm, module) {
    this.wasm = wasm;
    /** @type {File[]} */
    this.files = [];
    this.crew = new Crew(module);
    this.isBusy = false;
    /** Files that nobody has saved, for which one had to wait. */
    this.unsaved = new Set();
    /** What was begun last, to be tried again. */
    this.again = () => {};
    this.workers = Math.max(1, navigator.hardwareConcurrency || 1);
    this.isOpen = false;
    this.timer = 0;
    /** How the file is read for the first look.
     * @type {string | null} */
    this.from = null;
    /** Whether what is said is about the first look. */
    this.isOfLook = false;
    /** What was last said of a format that cannot be written. */
    this.note = '';
    /** Of how many: of several files. */
    this.nth = '';
    /** Files that the running job has ended. */
    this.finished = 0;
    /** The number of the last result. */
    this.results = 0;
    /** A file on the disk is complete. */
    this.written = (/** @type {FileSystemFileHandle} */ _) => {};
    this.report = new Report();
    this.settings = new Settings(wasm.json('choices'), () => this.changed());
    this.preview = new Preview(module, format => this.settings.opened(format), failed => this.looked(failed));
    fill(get('judge', HTMLSelectElement), [['cpu', `the CPU, ${this.workers} worker${this.workers > 1 ? 's' : ''}`]]);
    this.listen();
  }

  /** When its part is shown. */
  open() {
    if (location.hash.includes('&') && location.hash !== this.settings.link) {
      const unknown = this.settings.read(location.hash);
      this.shown();
      get('link-error').textContent = unknown;
    }
    if (this.isOpen) return;
    this.isOpen = true;
    this.lookForGpu();
    this.tidy();
  }

  /** What nobody can save any more goes, once the browser has ended the workers that held it. */
  tidy() {
    setTimeout(() => tidy().catch(() => {}), 500);
  }

  listen() {
    const drop = get('drop'), file = get('file', HTMLInputElement);
    file.addEventListener('change', () => {
      const chosen = [...file.files ?? []];
      file.value = ''; // so that the same file, changed, can be chosen again
      if (chosen.length && this.mayEnd()) this.choose(chosen);
    });
    for (const type of ['dragover', 'dragleave', 'drop']) addEventListener(type, () => drop.classList.toggle('over', type === 'dragover'));
    get('sample').addEventListener('click', () => { if (this.mayEnd()) this.chooseSample(); });
    get('filter').addEventListener('click', () => this.run(false));
    get('settings').addEventListener('submit', event => {
      event.preventDefault();
      this.run(false);
    });
    get('count').addEventListener('click', () => this.run(true));
    get('to-disk').hidden = !('showSaveFilePicker' in window);
    get('to-disk').addEventListener('click', () => this.runToDisk());
    get('cancel').addEventListener('click', () => this.stop(this.finished
      ? `Cancelled; ${this.finished} of ${this.files.length} files done.`
      : 'Cancelled; nothing was kept.'));
    get('again').addEventListener('click', () => this.again());
    get('skip-and-filter').addEventListener('click', () => {
      this.settings.skips = true;
      get('chosen').append('. Its invalid records are skipped');
      this.shown();
      this.again();
    });
    const copied = get('files-copied');
    get('files-link').addEventListener('click', () => copy(new URL(`files.html${this.settings.link}`, location.href).href, copied));
    get('files-command').addEventListener('click', () => this.copyCommand(copied));
    addEventListener('beforeunload', event => { if (this.isBusy || this.unsaved.size) event.preventDefault(); });
  }

  /** A setting changed: so does the address, unless it is another by then. */
  changed() {
    get('link-error').textContent = '';
    this.shown();
    const { hash } = location;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (hash.startsWith('#files') && location.hash === hash) history.replaceState(null, '', this.settings.link);
    }, REST_MS);
  }

  /** The form shows other settings than before: what was copied is not about them. */
  shown() {
    get('files-copied').textContent = '';
    /** @type {HTMLAnchorElement} */ (get('to-files')).href = this.settings.link;
    this.look();
  }

  /** The first look follows the settings; another format is read anew. Without a file they are only
   * checked. */
  look() {
    // What a job said was about other settings, unless another try may help.
    if (get('again').hidden) this.isOfLook = true;
    const [file] = this.files;
    const job = this.lookJob(file?.name ?? '');
    if (!file) return this.looked(this.wrong(job));
    if (job.from === this.from) {
      this.preview.judge(job);
    } else {
      this.from = job.from;
      this.preview.open(this.files, job);
    }
  }

  /** What is wrong with the settings. @param {Job} job @returns {Failed | null} */
  wrong(job) {
    try {
      this.wasm.json('check_settings', job);
      return null;
    } catch (error) {
      return failedBy(error);
    }
  }

  /** A rule that was just added has no value yet: the first look goes on without it.
   * @param {string} name */
  lookJob(name) {
    const job = this.settings.job(name, false);
    for (const [name, value] of Object.entries(job.keys)) if (!value) delete job.keys[name];
    return job;
  }

  /** Names are pasted into a terminal.
   * @param {HTMLElement} copied */
  copyCommand(copied) {
    const odd = this.files.find(({ name }) => /\p{C}/u.test(name));
    if (odd) copied.textContent = `The name “${visible(odd.name)}” has characters that cannot be pasted: rename the file first.`;
    else copy(this.files.map(({ name }, i) => this.settings.command(name, !i)).join('\n'), copied);
  }

  /** Asks before a running job is lost. */
  mayEnd() {
    return !this.isBusy || confirm('A job is running. End it? The records that it has kept will be lost.');
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
  drop(dropped, folders) {
    if (!dropped.length && !folders || !this.mayEnd()) return;
    if (!dropped.length) return this.fail({ error: 'This is a folder: drop the files in it', field: '', formats: [] });
    this.choose(dropped);
    if (folders) get('file-status').textContent = 'Folders were left out: drop the files in them.';
  }

  async chooseSample() {
    this.files = [];
    this.again = () => this.chooseSample();
    this.stop('Loading the sample …');
    try {
      const bytes = await sample();
      // Unless another file was chosen meanwhile.
      if (!this.files.length) this.choose([new File([bytes], 'sample.binpack')]);
    } catch (error) {
      if (!this.files.length) this.fail(failedBy(error), true);
    }
  }

  /** @param {File[]} files */
  choose(files) {
    this.files = files;
    this.stop('');
    const bytes = grouped(files.reduce((sum, { size }) => sum + size, 0));
    const empty = files.filter(({ size }) => !size).map(({ name }) => visible(name));
    const said = files.length > 1
      ? `${files.length} files, ${bytes} bytes: ${files.map(({ name }) => visible(name)).join(', ')}${empty.length ? `. Empty: ${empty.join(', ')}` : ''}`
      : `${visible(files[0].name)}, ${bytes} bytes`;
    if (empty.length === files.length) {
      this.files = [];
      this.idle();
      get('chosen').textContent = said;
      get('preview').hidden = true;
      this.fail({ error: files.length > 1 ? 'All these files are empty' : `${empty[0]} is empty: there is nothing to filter`, field: '', formats: [] });
      return;
    }
    get('chosen').textContent = said;
    const [file] = files;
    get('on-board').hidden = files.length > 1 || !isForBoard(file);
    get('on-board').onclick = () => dispatchEvent(new CustomEvent('to-board', { detail: file }));
    get('to-disk').textContent = files.length > 1 ? 'Filter into a folder …' : 'Filter to disk …';
    get('report').hidden = true;
    get('files-copied').textContent = '';
    this.settings.closed();
    const job = this.lookJob(files[0].name);
    this.from = job.from;
    this.preview.open(files, job);
  }

  /** Asks where to write, and writes there as it goes. */
  async runToDisk() {
    const outputs = this.files.map(({ name }, i) => this.settings.output(name, !i));
    const twice = outputs.find((name, i) => outputs.indexOf(name) !== i);
    if (twice) return this.fail({ error: `Two files would be written as ${visible(twice)}: filter them one after the other`, field: '', formats: [] });
    try {
      if (outputs.length === 1) return this.runInto([await window.showSaveFilePicker({ suggestedName: outputs[0] })]);
      const folder = await window.showDirectoryPicker({ mode: 'readwrite' });
      const exists = (/** @type {string} */ name) => folder.getFileHandle(name).then(() => true, () => false);
      const old = [];
      for (const name of outputs) if (await exists(name)) old.push(name);
      if (old.length && !confirm(`The folder has ${visible(old.join(', '))}. Replace?`)) return;
      const targets = [];
      for (const name of outputs) targets.push(await folder.getFileHandle(name, { create: true }));
      await this.runInto(targets);
    } catch (error) {
      // Nothing was picked.
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.fail(failedBy(error));
    }
  }

  /** Files that got nothing, because their job did not end, go again.
   * @param {FileSystemFileHandle[]} targets */
  async runInto(targets) {
    const written = new Set();
    this.written = (/** @type {FileSystemFileHandle} */ target) => written.add(target);
    await this.run(false, targets);
    for (const target of targets) {
      if (!written.has(target) && !(await target.getFile()).size) await target.remove?.();
    }
  }

  /** @param {boolean} counts @param {FileSystemFileHandle[]} targets files on the disk */
  async run(counts, targets = []) {
    if (!this.files.length || this.isBusy) return;
    this.stop('');
    this.isBusy = true;
    this.finished = 0;
    this.again = () => (targets.length ? this.runInto(targets) : this.run(counts));
    for (const id of ['filter', 'to-disk', 'count']) get(id, HTMLButtonElement).disabled = true;
    get('cancel').hidden = false;
    get('report').hidden = true;
    get('progress').hidden = false;
    // As they are now: the form may change meanwhile. The first look is of the first file.
    const jobs = this.files.map(({ name }, i) => this.settings.job(name, counts, !i));
    for (const [i, file] of this.files.entries()) {
      get('done', HTMLProgressElement).removeAttribute('value');
      this.nth = this.files.length > 1 ? `${i + 1} of ${this.files.length}: ` : '';
      let job = jobs[i];
      let ended = await this.work(file, job, targets[i]);
      // This format, which no first look told, cannot be written.
      if (ended.failed?.field === 'to' && !job.to && !targets[i]) {
        this.crew.stop();
        job = { ...job, ...this.settings.asText(job.output) };
        ended = await this.work(file, job);
      }
      if (ended.isCancelled) return;
      if (ended.done) this.finish(file, job, ended.done, targets[i]);
      else if (this.files.length === 1) return this.fail(/** @type {Failed} */ (ended.failed), ended.mayPass);
      else this.skip(file, /** @type {Failed} */ (ended.failed));
    }
    this.idle();
    get('results').firstElementChild?.scrollIntoView({ block: 'nearest' });
  }

  /** One of several files failed.
   * @param {File} file @param {Failed} failed */
  skip(file, failed) {
    this.crew.stop();
    const error = failed.error.includes(file.name) ? failed.error : `${visible(file.name)}: ${failed.error}`;
    const row = make('li', {}, make('span', { className: 'error' }, withRemedy({ ...failed, error }), failed.field === 'skip_invalid' ? ' Invalid records can be skipped under “More rules and formats”.' : ''), ' ', remover(() => row.remove()));
    get('results').prepend(row);
  }

  /** @param {File} file @param {Job} job @param {FileSystemFileHandle} [target]
   * @returns {Promise<Outcome>} */
  work(file, job, target) {
    const onGpu = get('judge', HTMLSelectElement).value === 'gpu';
    return this.crew.run({ file, job, workers: this.workers, onGpu, target }, (so, seconds) => this.progress(so, seconds));
  }

  /** @param {Progress} so @param {number} seconds */
  progress({ records, bytes, total, note }, seconds) {
    const share = bytes / Math.max(total, 1);
    get('done', HTMLProgressElement).value = share;
    const left = share > 0.02 && seconds > 2 ? `, about ${Math.ceil(seconds / share - seconds)} s left` : '';
    get('rate').textContent = `${this.nth}${grouped(records)} records, ${grouped(Math.round(records / seconds))} a second${left}${note ? `. ${note}; the CPU takes over` : ''}`;
    setProgress(`${this.nth}${Math.floor(100 * share)} %`);
  }

  /** @param {File} file @param {Job} job @param {Done} done @param {FileSystemFileHandle} [target] */
  finish(file, job, done, target) {
    // The first one stays: with it the browser keeps the file.
    const holder = this.crew.dismiss();
    this.report.show(done);
    this.finished++;
    const { summary } = done;
    const said = job.counts ? `${grouped(summary.positions)} positions counted` : `${grouped(summary.kept)} of ${grouped(summary.records)} positions kept`;
    const fallback = summary.fallback ? ` The GPU failed (${summary.fallback}); the CPU took over, with the same results.` : '';
    const empty = !file.size ? ' The file is empty.' : summary.records ?? summary.positions ? '' : ' There is no position in it.';
    const status = `${said} in ${done.seconds.toFixed(2)} s.${empty}${fallback}`;
    get('file-status').textContent = this.files.length > 1 ? '' : status;
    if (!done.kept || target) holder?.terminate();
    const row = make('li');
    if (done.kept || this.files.length > 1) row.append(make('strong', { className: 'nth' }, `Result ${++this.results}. `));
    if (done.kept && !target) row.append(this.saver(job.output, done.kept, done.seconds, () => {
      holder?.terminate();
      this.tidy();
      row.remove();
    }));
    if (target) {
      this.written(target);
      row.append(make('strong', {}, `${visible(target.name)} is written. `));
    }
    const about = this.files.length > 1 ? `${visible(file.name)}: ${status} ` : '';
    row.append(make('p', {}, about, done.kept ? make('span', { className: 'in-file' }, inFile(job, summary, done.kept.size, this.settings.boundOf(job).words)) : ''));
    if (this.files.length > 1) row.append(make('button', { type: 'button', onclick: () => this.report.showAgain(done) }, 'Summary'), ' ');
    if (!done.kept || target) row.append(remover(() => row.remove()));
    if (done.kept || this.files.length > 1) get('results').prepend(row);
  }

  /** Saves a file, or forgets it.
   * @param {string} name @param {Blob} kept @param {number} seconds @param {() => void} forget */
  saver(name, kept, seconds, forget) {
    const href = URL.createObjectURL(kept);
    if (seconds > DEAR_SECONDS) this.unsaved.add(href);
    const save = make('a', { href, download: name, className: 'button main save', onclick: () => { this.unsaved.delete(href); } }, `Save ${visible(name)}`);
    const remove = remover(() => {
      if (this.unsaved.has(href) && !confirm(`${visible(name)} was not saved. Remove it?`)) return;
      this.unsaved.delete(href);
      URL.revokeObjectURL(href);
      forget();
    });
    return make('div', { className: 'bar' }, save, remove);
  }

  /** @param {Failed} failed @param {boolean} [mayPass] whether another try may help */
  fail(failed, mayPass = false) {
    this.stop('');
    get('again').hidden = !mayPass;
    get('skip-and-filter').hidden = failed.field !== 'skip_invalid';
    this.complain(failed);
  }

  /** The first look was taken, or the settings were checked. The error of a job stays until there is
   * another one.
   * @param {Failed | null} failed what is wrong with the file or the settings */
  looked(failed) {
    if (this.files.length && !this.isBusy) {
      const status = get('file-status'), { note } = this.settings;
      if (note || status.textContent === this.note) status.textContent = this.note = note;
    }
    if (this.isBusy || !failed && !this.isOfLook) return;
    this.complain(failed);
    this.isOfLook = !!failed;
  }

  /** Says what is wrong, in which field, and what to do.
   * @param {Failed | null} failed */
  complain(failed) {
    this.isOfLook = false;
    get('job-error').textContent = '';
    if (!failed) return;
    const { field } = failed;
    const input = this.settings.keys[field];
    const key = input ? `${field.replaceAll('_', '-')}: ` : '';
    get('job-error').textContent = key + withRemedy(failed);
    if (remedy(failed) || key) get('more', HTMLDetailsElement).open = true;
    input?.setAttribute('aria-invalid', 'true');
    input?.focus();
  }

  /** Ends a running job.
   * @param {string} said */
  stop(said) {
    if (this.crew.stop()) this.tidy();
    this.idle();
    get('file-status').textContent = said || (this.files.length ? '' : 'Choose a file first, or try the sample.');
    get('job-error').textContent = '';
    for (const id of ['again', 'skip-and-filter']) get(id).hidden = true;
  }

  idle() {
    this.isBusy = false;
    for (const id of ['filter', 'to-disk', 'count', 'files-command']) get(id, HTMLButtonElement).disabled = !this.files.length;
    const cancel = get('cancel');
    if (document.activeElement === cancel) get('filter').focus();
    cancel.hidden = true;
    get('progress').hidden = true;
    get('rate').textContent = '';
    setProgress('');
  }
}

/** What to do, if that is known.
 * @param {Failed} failed */
function remedy({ field, formats }) {
  return /** @type {Record<string, string>} */ ({
    from: formats.length ? 'Choose how to read it' : 'If you know its format, choose it',
    broken: 'The file is damaged, or of another format: download it again, or choose the format',
    to: 'Choose another format',
    drop_unscored: 'Add the rule drop-unscored to leave out such records',
    preset: 'Another preset may fit, or rules without it',
    rules: 'Change one of the rules',
  })[field];
}

/** @param {Failed} failed */
function withRemedy(failed) {
  const { error } = failed, todo = remedy(failed);
  return `${error.replace(/^line /, 'Line ')}${/[.?]$/.test(error) ? '' : '.'}${todo ? ` ${todo} under “More rules and formats”.` : ''}`;
}

/** @param {() => void} remove */
function remover(remove) {
  return make('button', { type: 'button', onclick: remove }, 'Remove');
}

/** By which settings, and what is in the file that is saved.
 * @param {Job} job @param {import('./report.js').Summary} summary @param {number} bytes
 * @param {string} bound on what captures win */
function inFile({ name, preset, keys, skip_invalid }, { mode, kept, marked }, bytes, bound) {
  const records = mode === 'mark'
    ? `all ${grouped(kept + marked)} records are in the file; the rejected ones have the score 32002 (“no score”)`
    : `only the ${grouped(kept)} kept records are in the file`;
  const rules = Object.entries(keys).filter(([key]) => key !== 'max_see').map(([key, value]) => `, ${key.replaceAll('_', '-')} ${value}`).join('');
  return `Preset ${preset}, captures win up to ${bound}${rules}. Mode ${mode}: ${records}. ${grouped(bytes)} bytes${PACKED.test(name) ? ', not compressed' : ''}.${skip_invalid ? ' Invalid records were skipped.' : ''}`;
}
