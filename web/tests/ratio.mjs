// The time that a filter takes in WebAssembly, on one thread, and the command's with one thread:
// node tests/ratio.mjs COMMAND FILE..., both in turn, each several times. --histograms: both count.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { Swaplist } from '../page/wasm.js';
import { DIST } from './helpers.mjs';
import { temporary } from './inputs.mjs';

const ROUNDS = 5;
const histograms = process.argv.includes('--histograms');
const [command, ...files] = process.argv.slice(2).filter(word => !word.startsWith('--'));
const module = await WebAssembly.compile(fs.readFileSync(path.join(DIST, 'swaplist.wasm')));

/** One instance reads, another works, as the page's workers do in turn. */
async function inWasm(file, out) {
  const input = fs.openSync(file, 'r'), output = fs.openSync(out, 'w');
  const reader = await Swaplist.start(module, (at, into) => fs.readSync(input, into, 0, into.length, at));
  const worker = await Swaplist.start(module);
  const job = {
    name: path.basename(file), counts: false, histograms, preset: 'quiet', keys: {}, skip_invalid: true,
    workers: 1, on_gpu: false, rules: { profile: 'swap', values: 'cpw' },
  };
  const { from } = reader.json('open', { ...job, bytes: fs.statSync(file).size });
  worker.json('open', { ...job, bytes: null, from });
  for (let block, room; (block = reader.bytes('next_block', room)).length;) {
    worker.put(block);
    worker.call('begin_block');
    while (worker.call('decode_part')) worker.call('work_on_part', 0);
    const done = worker.bytes('end_block', block), end = done.length - 8;
    const about = Number(new DataView(done.buffer).getBigUint64(end, true));
    fs.writeSync(output, done.subarray(0, end - about));
    reader.put(done.subarray(end - about, end));
    reader.call('add_block');
    room = done;
  }
  for (const file of [input, output]) fs.closeSync(file);
}

const median = seconds => seconds.sort((a, b) => a - b)[seconds.length >> 1];

for (const file of files) {
  const native = temporary('native'), wasm = temporary('wasm');
  const stats = histograms ? ['--stats', temporary('stats.json')] : [];
  const work = [
    () => execFileSync(command, ['filter', file, '-o', native, '--force', '-q', '--threads', '1', '--backend', 'cpu', '--skip-invalid', ...stats], { stdio: 'ignore' }),
    () => inWasm(file, wasm),
  ];
  const seconds = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [which, run] of work.entries()) {
      const begin = performance.now();
      await run();
      seconds[which].push((performance.now() - begin) / 1000);
    }
  }
  const [theirs, ours] = seconds.map(median);
  const same = fs.readFileSync(native).equals(fs.readFileSync(wasm)) ? 'same bytes' : 'OTHER BYTES';
  console.log(`${path.basename(file)}: command ${theirs.toFixed(2)} s, wasm ${ours.toFixed(2)} s, ratio ${(ours / theirs).toFixed(2)}, ${same}`);
}
