// Works on one block after the other: decodes, judges, counts, and writes what is kept.

import { failedBy, Swaplist } from './wasm.js';

/** @typedef {{ words?: Uint8Array<ArrayBuffer>, error?: string }} Judged */

/** @type {Promise<Swaplist>} */
let started;
/** @type {MessagePort | undefined} */
let gpu;
/** @type {{ job: unknown, judging: { rules: import('./gpu.js').Rules, with_threat: boolean } }} */
let asked;
/** One block at a time. */
let last = Promise.resolve();

/** The page starts this worker; the job talks to it by a port. */
onmessage = ({ data: { module, port, gpu: judge } }) => {
  gpu = judge;
  port.onmessage = (/** @type {MessageEvent} */ { data }) => {
    if (data.asked) {
      asked = data.asked;
      started = Swaplist.start(module).then(wasm => {
        wasm.json('open', asked.job);
        return wasm;
      });
      started.catch(() => {}); // reported with the first block
      return;
    }
    last = last.then(() => answer(port, data));
  };
};

/** @param {MessagePort} port @param {{ number: number, block: Uint8Array<ArrayBuffer> }} asked */
async function answer(port, { number, block }) {
  try {
    const wasm = await started;
    const begin = performance.now();
    const { bytes, note, waiting } = await work(wasm, block);
    port.postMessage({ number, bytes, note, waiting, computing: performance.now() - begin - waiting }, [bytes.buffer]);
  } catch (error) {
    port.postMessage({ number, error: failedBy(error) });
  }
}

/** @param {Swaplist} wasm @param {Uint8Array<ArrayBuffer>} block */
async function work(wasm, block) {
  let note = '', waiting = 0;
  wasm.put(block);
  wasm.call('begin_block');
  while (wasm.call('decode_part')) {
    const begin = performance.now();
    const { words, error } = gpu ? await judge(wasm, gpu) : { words: undefined, error: undefined };
    waiting += performance.now() - begin;
    if (error) {
      note = error;
      gpu = undefined;
    }
    if (words) wasm.put(words);
    wasm.call('work_on_part', words ? 1 : 0);
  }
  return { bytes: wasm.bytes('end_block', block), note, waiting };
}

/** @param {Swaplist} wasm @param {MessagePort} port @returns {Promise<Judged>} */
function judge(wasm, port) {
  const count = wasm.exports.part_len();
  if (!count) return Promise.resolve({ words: new Uint8Array() });
  const positions = wasm.view(wasm.exports.part_positions(), 32 * count).slice();
  return new Promise(done => {
    port.onmessage = ({ data }) => done(data);
    port.postMessage({ positions, ...asked.judging }, [positions.buffer]);
  });
}
