// The shader in real browsers: every rule set, every answer, three ways.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { BROWSERS, findings, launch, native, open, real, ROOT, serve, shot } from './helpers.mjs';
import { temporary } from './inputs.mjs';

// The sample, and a recapture that promotes, which is in no line of it.
const FILE = temporary('positions.fen', `${fs.readFileSync(path.join(ROOT, 'data/sample.fen'), 'utf8')}6R1/k3n2P/8/8/8/8/8/K7 b - - 0 1\n`);
const REAL = real('human_100k.fen');
const PROFILES = ['swap', 'sf8', 'sf', 'legal'];

/** In the page: the CPU's and the GPU's verdicts on a file. */
async function judge(file, profile, with_threat, broken) {
  const { compile, Swaplist } = await import('./wasm.js');
  const { Gpu } = await import('./gpu.js');
  const content = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const wasm = await Swaplist.start(await compile('swaplist.wasm'), (at, into) => {
    const piece = content.subarray(at, at + into.length);
    into.set(piece);
    return piece.length;
  });
  const rules = { profile, values: 'cpw' };
  const keys = with_threat ? { max_threat: '0' } : {};
  const job = { name: 'positions.fen', counts: false, preset: 'quiet', keys, skip_invalid: false, workers: 1, on_gpu: true, rules };
  const { from } = wasm.json('open', { ...job, bytes: content.length });
  const worker = await Swaplist.start(await compile('swaplist.wasm'));
  worker.json('open', { ...job, bytes: null, from });
  const positions = [], cpu = [];
  for (let block; (block = wasm.bytes('next_block')).length;) {
    worker.put(block);
    worker.call('begin_block');
    while (worker.call('decode_part')) {
      positions.push(worker.view(worker.exports.part_positions(), 32 * worker.exports.part_len()).slice());
      cpu.push(worker.bytes('judge_part'));
    }
  }
  const joined = parts => new Uint8Array(parts.flatMap(part => [...part]));
  wasm.put(joined(positions));
  const count = wasm.call('take_positions');
  if (broken) {
    const bytes = wasm.bytes.bind(wasm);
    const text = new TextDecoder().decode(bytes('shader'));
    const other = text.replace(broken[0], broken[1]);
    if (other === text) throw new Error('nothing was broken');
    wasm.bytes = (name, ...all) => (name === 'shader' ? new TextEncoder().encode(other) : bytes(name, ...all));
  }
  const gpu = await Gpu.open(wasm);
  const words = new Uint8Array(16 * count);
  await gpu.run({ rules, scores: false, with_threat }, (bytes, first) => words.set(bytes, 16 * first));
  gpu.close();
  const expected = joined(cpu);
  let different = words.length === expected.length ? 0 : Infinity;
  for (let i = 0; i < words.length; i += 16) {
    if (words.subarray(i, i + 16).some((byte, j) => byte !== expected[i + j])) different++;
  }
  let hash = 0;
  const found = new Uint32Array(words.buffer);
  for (const word of found) hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
  return { count, different, hash, adapter: `${gpu.name}, software: ${gpu.isSoftware}` };
}

/** The hash of the same words from the native command's table. */
function expected(file, profile) {
  const out = temporary('verdicts.tsv');
  native('verdict', file, '--profile', profile, '-o', out, '--force');
  const [head, ...lines] = fs.readFileSync(out, 'utf8').trimEnd().split('\n');
  const names = head.split('\t');
  let hash = 0;
  const move = text => {
    const square = at => text.charCodeAt(at) - 97 + 8 * (text.charCodeAt(at + 1) - 49);
    return square(0) << 9 | square(2) << 3 | (text[4] ? 'nbrq'.indexOf(text[4]) + 2 : 0);
  };
  for (const line of lines) {
    const fields = line.split('\t');
    const of = name => fields[names.indexOf(name)] ?? '';
    const best = of('best_move'), threat = of('threat_move');
    const flags = (1 << 31 | Number(of('in_check')) << 30 | Number(!!best) << 29 | Number(!!threat) << 28 | Number(of('threats')) << 16 | Number(of('noisy'))) >>> 0;
    const words = [flags, Number(best && of('best_see')), (best ? move(best) : 0) | (threat ? move(threat) << 16 : 0), Number(threat && of('threat_see'))];
    for (const word of words) hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
  }
  return { hash, count: lines.length };
}

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page, errors;
    before(async () => {
      server = await serve({ '/positions.fen': FILE, '/real.fen': REAL.file });
      browser = await launch(name);
      // The benchmark's batches are as large as the memory lets them be.
      const before = () => Object.defineProperty(Navigator.prototype, 'deviceMemory', { value: 0.25, configurable: true });
      ({ page, errors } = await open(browser, server.url, { before }));
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    for (const profile of PROFILES) {
      const agree = async (served, file) => {
        const found = await page.evaluate(judge, served, profile, true, null);
        console.log(`# ${found.adapter}, ${found.count} positions`);
        assert.equal(found.different, 0);
        const { hash, count } = expected(file, profile);
        assert.equal(found.count, count);
        assert.equal(found.hash, hash);
      };
      test(`${profile}: CPU, WebGPU and the native command agree`, () => agree('positions.fen', FILE));
      test(`${profile}: real_data_human_100k`, { skip: REAL.skip }, () => agree('real.fen', REAL.file));
    }

    test('a broken shader is noticed', async () => {
      const found = await page.evaluate(judge, 'positions.fen', 'legal', false, ['win += of_code(QUEEN) - of_code(PAWN)', 'win += of_code(QUEEN)']);
      assert.ok(found.different > 0, 'the comparison sees a queen whose pawn is not subtracted');
    });

    test('the benchmark compares all answers and shows no headline for software', async () => {
      await page.evaluate(() => { location.hash = '#bench'; });
      await page.click('#run');
      await page.waitForSelector('#figures tbody tr', { timeout: 240_000 }).catch(async cause => {
        throw new Error(`the page shows no figures: ${await page.$eval('#bench', one => one.innerText)}`, { cause });
      });
      await page.waitForFunction(() => !document.querySelector('#run').hidden, { timeout: 240_000 });
      assert.match(await page.$eval('#bench-status', one => one.textContent), /Done/);
      await page.click('#figures-frame summary');
      const rows = await page.$$eval('#figures tbody tr', all => all.map(row => row.textContent));
      assert.ok(rows.filter(row => /equal/.test(row)).length >= 2, rows.join('\n'));
      assert.match(await page.$eval('#adapter', one => one.textContent), /software/);
      assert.match(await page.$eval('#headline', one => one.textContent), /million positions a second, on \d+ cores? of the CPU$/);
      assert.doesNotMatch(await page.$eval('#headline-more', one => one.textContent), /GPU/);
      await page.evaluate(() => { navigator.clipboard.writeText = async text => { window.copied = text; }; });
      await page.click('#bench-json');
      const result = JSON.parse(await page.evaluate(() => window.copied));
      assert.equal(result.rows.length, rows.length);
      assert.ok(result.browser && result.date && result.adapter.isSoftware);
      await shot(page, `${name}-bench`);
    });

    test('whole files are measured by one worker and by all, with the same bytes', async () => {
      const words = () => page.$eval('#speed-words', one => one.textContent);
      const ended = () => page.waitForFunction(() => document.querySelector('#speed-stop').hidden && document.querySelector('#speed-words').textContent, { timeout: 240_000 });
      await page.evaluate(() => { location.hash = '#bench'; });
      await page.waitForSelector('#speed-sample', { visible: true });
      const input = await page.$('#speed-file');
      await input.uploadFile(path.join(ROOT, 'data/sample.binpack'));
      await ended();
      assert.equal(await words(), 'This file has 11,344 records: choose one that has 200,000 at least.');
      await page.click('#speed-sample');
      await page.waitForSelector('#speeds tbody tr', { timeout: 120_000 });
      await page.click('#speed-stop');
      assert.equal(await words(), 'Stopped.');
      await page.click('#speed-sample');
      await ended();
      assert.match(await words(), /^Fastest: (1 worker|half, \d+ workers|all \d+ workers), [\d.]+ million records a second: a billion take \d+ s\. .*All outputs are the same bytes\. The GPU’s adapter is software, and not measured\.$/);
      const rows = await page.$$eval('#speeds tbody tr', all => all.map(row => [...row.children].map(cell => cell.textContent)));
      assert.equal(rows[0][0], '1 worker');
      assert.equal(rows.at(-1)[4], '1.00');
      for (const [, records, read, written, , bound] of rows) {
        // The sample has 2.7 bytes a record, of which some are left out.
        assert.ok(records > 0 && read > 0 && written > 0, `${records} ${read} ${written}`);
        assert.match(bound, /\d+ % busy/);
      }
      assert.deepEqual(await findings(page), []);
      await shot(page, `${name}-speeds`);
    });

    test('nothing failed unseen', () => assert.deepEqual(errors, []));
  });
}
