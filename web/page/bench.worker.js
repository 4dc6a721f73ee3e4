// One share of the benchmark: on this thread, or on the GPU.

import { Gpu } from './gpu.js';
import { Swaplist } from './wasm.js';

/** @type {Swaplist} */
let wasm;
/** @type {Gpu | undefined} */
let gpu;

onmessage = async ({ data }) => {
  try {
    postMessage({ answer: await answer(data) });
  } catch (error) {
    postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};

/** @param {any} asked */
async function answer(asked) {
  switch (asked.what) {
    case 'start':
      wasm = await Swaplist.start(asked.module);
      await wasm.readSample();
      if (!asked.gpu) return wasm.text('cpu_rules', asked.rules);
      gpu = await Gpu.open(wasm);
      await gpu.tune(asked.rules);
      return { name: gpu.name, isSoftware: gpu.isSoftware, chunk: gpu.chunk, hasTimes: gpu.hasTimes };
    case 'fill':
      return wasm.call('fill', asked.first, asked.count, asked.scores ? 1 : 0);
    case 'compare':
      return wasm.call('compare', 0, asked.scores ? 1 : 0);
    default:
      return gpu ? onGpu(gpu, asked) : onCpu(asked);
  }
}

/** @param {{ scores: boolean }} asked */
function onCpu({ scores }) {
  const begin = performance.now();
  const answers = wasm.call('run_on_cpu', scores ? 1 : 0);
  const ms = performance.now() - begin;
  return { answers, ms, kernelMs: ms };
}

/** From memory to memory: results are read and checked as they come.
 * @param {Gpu} gpu @param {{ scores: boolean, rules: import('./gpu.js').Rules }} asked */
async function onGpu(gpu, { scores, rules }) {
  let answers = 0;
  const times = await gpu.run({ rules, scores, with_threat: false }, (bytes, first, count) => {
    wasm.put(bytes);
    answers += wasm.call('read_results', first, count);
  });
  return { answers, ...times };
}
