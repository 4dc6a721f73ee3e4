// Judges positions on the GPU for the workers that decode them.

import { Gpu } from './gpu.js';
import { Swaplist } from './wasm.js';

/** @typedef {{ module: WebAssembly.Module, rules: import('./gpu.js').Rules }} Opening */

/** @type {Swaplist} */
let wasm;
/** @type {Gpu} */
let gpu;
/** One request at a time. */
let last = Promise.resolve();

onmessage = async ({ data }) => {
  if (data.port) {
    serve(data.port);
    return;
  }
  if (data.lose) {
    gpu.close();
    return;
  }
  try {
    const { module, rules } = /** @type {Opening} */ (data);
    wasm = await Swaplist.start(module);
    await wasm.readSample();
    gpu = await Gpu.open(wasm);
    await gpu.tune(rules);
    postMessage({ name: gpu.name, isSoftware: gpu.isSoftware, chunk: gpu.chunk });
  } catch (error) {
    postMessage({ error: message(error) });
  }
};

/** @param {MessagePort} port */
function serve(port) {
  port.onmessage = ({ data }) => {
    last = last.then(async () => {
      try {
        const words = await judge(data);
        port.postMessage({ words }, [words.buffer]);
      } catch (error) {
        port.postMessage({ error: message(error) });
      }
    });
  };
}

/** @param {{ positions: Uint8Array, rules: import('./gpu.js').Rules, with_threat: boolean }} asked */
async function judge({ positions, rules, with_threat }) {
  const words = new Uint8Array(positions.length / 2);
  wasm.put(positions);
  wasm.call('take_positions');
  await gpu.run({ rules, scores: false, with_threat }, (bytes, first) => words.set(bytes, 16 * first));
  return words;
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}
