// A job on a whole file: reads blocks, hands them to workers, writes in order, adds up.

import { PIECE, reader } from './reader.js';
import * as sink from './sink.js';
import { Failure, failedBy, Swaplist } from './wasm.js';

/** Of a GPU. @typedef {{ name: string, isSoftware: boolean, error?: string }} Opened */
/** Milliseconds of all workers together: computing, and waiting for the GPU; and of this one, reading and writing.
 * @typedef {{ computing: number, waiting: number, reading: number, writing: number }} Spent */
/** @typedef {{ file: File, module: WebAssembly.Module, job: import('./settings.js').Job, ports: MessagePort[],
 *   gpu: Opened | null, target?: FileSystemFileHandle }} Asked */
/** @typedef {{ port: MessagePort, waiting: number }} Lane */
/** @typedef {{ number: number, note?: string, computing?: number, waiting?: number }
 *   & ({ bytes: Uint8Array<ArrayBuffer>, error?: undefined } | { bytes?: undefined, error: import('./wasm.js').Failed })} Result */

/** Blocks that wait at each worker, at least. */
const AHEAD = 2;
const PROGRESS_MS = 100;

onmessage = async ({ data }) => {
  try {
    postMessage({ done: await run(data) });
  } catch (error) {
    postMessage({ failed: failedBy(error) });
  }
};

/** @param {Asked} asked */
async function run({ file, module, job, ports, gpu, target }) {
  const begin = performance.now();
  const wasm = await Swaplist.start(module, reader(file));
  const workers = ports.length;
  const onGpu = !!gpu && !gpu.error;
  const settings = { ...job, workers, on_gpu: onGpu };
  /** @type {import('./answers.js').Opened} */
  const opened = wasm.json('open', { ...settings, bytes: file.size });
  const judging = { rules: job.rules, with_threat: opened.with_threat };
  const part = { ...settings, bytes: null, from: opened.from };
  const lanes = ports.map(port => {
    port.postMessage({ asked: { job: part, judging } });
    return { port, waiting: 0 };
  });
  const output = job.counts ? null : await sink.open(target);
  const out = new Out(wasm, output, file.size);
  out.note = gpu?.error ?? '';
  try {
    await pump(wasm, lanes, out);
  } catch (error) {
    output?.drop();
    throw error;
  }
  const seconds = (performance.now() - begin) / 1000;
  const backend = onGpu
    ? `${gpu.name}${gpu.isSoftware ? ' (software)' : ''}, WebGPU`
    : `CPU (WebAssembly), ${workers} worker${workers > 1 ? 's' : ''}`;
  /** @type {import('./answers.js').Ended} */
  const summary = wasm.json('summary', { output: job.output, seconds, workers, backend, fallback: out.note || null });
  return { ...opened, ...summary, ...out.spent, seconds, kept: output && await output.end() };
}

/** Hands out blocks until all are written.
 * @param {Swaplist} wasm @param {Lane[]} lanes @param {Out} out */
function pump(wasm, lanes, out) {
  return new Promise((done, fail) => {
    let read = 0, ended = false, ahead = AHEAD * lanes.length;
    const next = () => {
      try {
        while (!ended && read - out.next < ahead) {
          const begin = performance.now();
          const block = wasm.bytes('next_block', out.spare());
          out.spent.reading += performance.now() - begin;
          ended = !block.length;
          if (ended) break;
          // Enough that no worker idles while the next piece of the file is read.
          ahead = Math.max(AHEAD * lanes.length, Math.ceil(PIECE / block.length));
          const least = lanes.reduce((a, b) => (b.waiting < a.waiting ? b : a));
          least.waiting++;
          least.port.postMessage({ number: read++, block }, [block.buffer]);
        }
        if (ended && out.next === read) done(undefined);
      } catch (error) {
        fail(error);
      }
    };
    for (const lane of lanes) {
      lane.port.onmessage = ({ data }) => {
        lane.waiting--;
        try {
          out.take(data);
          const room = out.sink?.room();
          if (room) room.then(next, fail);
          else next();
        } catch (error) {
          fail(error);
        }
      };
    }
    next();
  });
}

/** Puts results in order, writes them and adds them up. */
class Out {
  /** @param {Swaplist} wasm @param {sink.Sink | null} sink @param {number} total */
  constructor(wasm, sink, total) {
    this.wasm = wasm;
    this.sink = sink;
    this.total = total;
    /** @type {Map<number, Result>} */
    this.waiting = new Map();
    this.next = 0;
    this.note = '';
    this.told = 0;
    /** @type {Spent} */
    this.spent = { computing: 0, waiting: 0, reading: 0, writing: 0 };
    /** A block that is written, whose memory serves the next one. @type {Uint8Array<ArrayBuffer> | undefined} */
    this.written = undefined;
  }

  spare() {
    const { written } = this;
    this.written = undefined;
    return written;
  }

  /** @param {Result} result */
  take(result) {
    this.waiting.set(result.number, result);
    for (let now; (now = this.waiting.get(this.next)); this.next++) {
      this.waiting.delete(this.next);
      this.write(now);
    }
  }

  /** @param {Result} result */
  write({ bytes, note, error, computing = 0, waiting = 0 }) {
    if (error) throw new Failure(error);
    const { spent } = this, begin = performance.now();
    spent.computing += computing;
    spent.waiting += waiting;
    this.note ||= note ?? '';
    // The output, then its counts, then their length.
    const end = bytes.length - 8;
    const about = Number(new DataView(bytes.buffer, bytes.byteOffset + end).getBigUint64(0, true));
    const isDone = this.sink?.write(bytes.subarray(0, end - about)) ?? true;
    this.wasm.put(bytes.subarray(end - about, end));
    this.wasm.call('add_block');
    if (isDone) this.written = bytes;
    const now = performance.now();
    spent.writing += now - begin;
    if (now - this.told < PROGRESS_MS) return;
    this.told = now;
    /** @type {import('./answers.js').Progress} */
    const { records, bytes: read, fallback } = JSON.parse(new TextDecoder().decode(this.wasm.answer()));
    postMessage({ progress: { records, bytes: read, total: this.total, note: this.note || fallback } });
  }
}
