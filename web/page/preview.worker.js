// The first records of a file: read once, judged anew for each change of the settings.

import { reader } from './reader.js';
import { failedBy, Swaplist } from './wasm.js';

const MOST_RECORDS = 100_000;
const MOST_MS = 800;

/** What fails now fails for each judgement.
 * @type {Promise<{ wasm: Swaplist, opened: import('./answers.js').Looked }>} */
let reading;

onmessage = async ({ data: { file, module, job } }) => {
  try {
    if (file) {
      reading = Swaplist.start(module, reader(file)).then(wasm => ({ wasm, opened: read(wasm, { ...job, bytes: file.size }) }));
      postMessage({ opened: (await reading).opened });
    } else {
      postMessage({ judged: (await reading).wasm.json('preview_judge', { ...job, bytes: null }) });
    }
  } catch (error) {
    postMessage({ failed: failedBy(error) });
  }
};

/** @param {Swaplist} wasm @param {import('./settings.js').Job} job
 * @returns {import('./answers.js').Looked} */
function read(wasm, job) {
  const opened = wasm.json('preview_open', job);
  const begin = performance.now();
  while (wasm.exports.preview_len() < MOST_RECORDS && performance.now() - begin < MOST_MS) {
    if (!wasm.call('preview_more')) break;
  }
  return opened;
}
