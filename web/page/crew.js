// The workers of a job on a file. The page starts all of them: workers that start others may hang.

import { failure } from './dom.js';
import { failedBy } from './wasm.js';

/** @import { Ended, Opened } from './answers.js' */
/** @import { Job } from './settings.js' */
/** @import { Failed } from './wasm.js' */
/** @typedef {import('./job.worker.js').Opened} Gpu */
/** What became of a job: what it found, why it failed, or that it was cancelled.
 * @typedef {{ done?: Done, failed?: Failed, mayPass?: boolean, isCancelled?: boolean }} Outcome */
/** @typedef {Opened & Ended & import('./job.worker.js').Spent & { seconds: number, kept: Blob | null }} Done */
/** How far a job is. @typedef {{ records: number, bytes: number, total: number, note: string }} Progress */

export class Crew {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    /** Of the running job; the first one holds the file that it made.
     * @type {Worker[]} */
    this.workers = [];
    this.end = (/** @type {Outcome} */ _) => {};
  }

  /** Runs a job until it ends or is stopped.
   * @param {{ file: File, job: Job, workers: number, onGpu: boolean, target?: FileSystemFileHandle }} asked
   * @param {(progress: Progress, seconds: number) => void} told
   * @returns {Promise<Outcome>} */
  run(asked, told) {
    return new Promise(ended => {
      this.end = ended;
      this.start(asked, told).catch(error => ended({ failed: failedBy(error) }));
    });
  }

  /** @param {Parameters<Crew['run']>[0]} asked @param {Parameters<Crew['run']>[1]} told */
  async start({ file, job, workers, onGpu, target }, told) {
    const { module } = this;
    const begin = performance.now();
    const worker = this.startOne('job.worker.js');
    const blocks = Array.from({ length: workers }, () => this.startOne('block.worker.js'));
    worker.onmessage = ({ data }) => {
      if (data.progress) told(data.progress, (performance.now() - begin) / 1000);
      else this.end(data);
    };
    const judge = onGpu ? this.startOne('gpu.worker.js') : null;
    const gpu = judge && await opened(judge, { module, rules: job.rules });
    if (!this.workers.includes(worker)) return; // cancelled meanwhile
    const ports = blocks.map(block => {
      const { port1, port2 } = new MessageChannel();
      const port = judge && !gpu?.error ? portTo(judge) : undefined;
      block.postMessage({ module, port: port1, gpu: port }, port ? [port1, port] : [port1]);
      return port2;
    });
    worker.postMessage({ file, module, job, ports, gpu, target }, ports);
  }

  /** @param {string} name */
  startOne(name) {
    const worker = new Worker(new URL(name, import.meta.url), { type: 'module' });
    worker.onerror = event => {
      if (this.workers.includes(worker)) this.end({ failed: { error: failure(event, name), field: '', formats: [] }, mayPass: true });
    };
    this.workers.push(worker);
    return worker;
  }

  /** Ends the workers of a job that is done, but for the one that holds its file.
   * @returns {Worker | undefined} */
  dismiss() {
    const [holder, ...others] = this.workers.splice(0);
    for (const worker of others) worker.terminate();
    return holder;
  }

  /** Ends all workers, and the job with them; returns whether there were any. */
  stop() {
    const holder = this.dismiss();
    holder?.terminate();
    this.end({ isCancelled: true });
    return !!holder;
  }
}

/** The GPU's name, or why it cannot be used.
 * @param {Worker} worker @param {import('./gpu.worker.js').Opening} asked
 * @returns {Promise<Gpu>} */
function opened(worker, asked) {
  return new Promise(done => {
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = event => done({ name: '', isSoftware: false, error: failure(event, 'gpu.worker.js') });
    worker.postMessage(asked);
  });
}

/** @param {Worker} worker */
function portTo(worker) {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ port: port1 }, [port1]);
  return port2;
}
