// Whole files in the browser: what is saved is what the command writes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { BROWSERS, launch, open, ROOT, serve, SHARED, shot } from './helpers.mjs';
import { filtered, inputs, temporary } from './inputs.mjs';

const all = inputs();
const REAL = path.join(SHARED, 'human_100k.fen');
const LARGE = fs.existsSync(REAL) ? REAL : temporary('large.fen', fs.readFileSync(path.join(ROOT, 'data/sample.fen'), 'utf8').repeat(20));

/** Keeps what may be saved, and the workers. */
const spies = () => {
  const made = URL.createObjectURL;
  URL.createObjectURL = blob => {
    window.kept = blob;
    return made.call(URL, blob);
  };
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...all) {
      super(...all);
      window.workers.push(this);
    }
  };
};

/** The saved bytes. */
async function kept(page) {
  const text = await page.evaluate(() => new Promise(done => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.split(',')[1]);
    reader.readAsDataURL(window.kept);
  }));
  return Buffer.from(text, 'base64');
}

const said = page => page.$eval('#file-status', one => one.textContent);
const failed = page => page.$eval('#job-error', one => one.textContent);
const ended = page => page.waitForFunction(() => !document.querySelector('#filter').disabled, { timeout: 240_000 });

async function choose(page, { file, from = '', to = '' }) {
  await (await page.$('#file')).uploadFile(file);
  await page.waitForFunction(name => document.querySelector('#chosen').textContent.startsWith(name), {}, path.basename(file));
  await page.evaluate((from, to) => {
    document.querySelector('#from').value = from;
    document.querySelector('#to').value = to;
  }, from, to);
}

async function filter(page, input, judge = 'cpu') {
  await choose(page, input);
  await page.select('#judge', judge);
  await page.click('#filter');
  await ended(page);
}

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page, errors;
    before(async () => {
      server = await serve();
      browser = await launch(name);
      ({ page, errors } = await open(browser, `${server.url}#files`, { before: spies }));
      await page.waitForSelector('#judge[data-ready=yes]');
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    for (const input of all) {
      test(`${path.basename(input.file)} on the CPU`, async () => {
        await filter(page, input);
        assert.equal(await failed(page), '');
        assert.match(await said(page), /positions kept/);
        assert.ok((await kept(page)).equals(filtered(input)));
      });
    }

    for (const input of [{ file: path.join(ROOT, 'data/sample.binpack') }, { file: LARGE }]) {
      test(`${path.basename(input.file)} on WebGPU`, async () => {
        await filter(page, input, 'gpu');
        assert.equal(await failed(page), '');
        assert.doesNotMatch(await said(page), /GPU failed/);
        assert.ok((await kept(page)).equals(filtered(input)));
        assert.match(await page.$eval('#report dl', one => one.innerText), /software[^]*answers on the CPU, all equal/);
      });
    }

    test('a threat bound on WebGPU, and another rule set', async () => {
      await page.click('#more summary');
      await page.select('#key', 'max_threat');
      await page.type('#key-max_threat', '100');
      await page.select('#key', 'drop_double_threat');
      await page.select('#file-rules', 'legal');
      const input = { file: path.join(ROOT, 'data/sample.fen') };
      await filter(page, input, 'gpu');
      const expected = filtered(input, '--max-threat', '100', '--drop-double-threat', '--profile', 'legal');
      assert.ok((await kept(page)).equals(expected));
      for (let i = 0; i < 2; i++) await page.click('#keys button');
      await page.select('#file-rules', 'swap');
      await shot(page, `${name}-files`);
    });

    test('a lost device: the CPU takes over with the same bytes', async () => {
      await choose(page, { file: LARGE });
      await page.select('#judge', 'gpu');
      await page.click('#filter');
      await page.waitForFunction(() => document.querySelector('#rate').textContent, { timeout: 120_000, polling: 20 });
      await page.evaluate(() => window.workers.at(-1).postMessage({ lose: true }));
      await ended(page);
      assert.match(await said(page), /GPU failed.*the CPU took over/);
      assert.ok((await kept(page)).equals(filtered({ file: LARGE })));
    });

    test('the job is cancelled', async () => {
      await choose(page, { file: LARGE });
      await page.click('#filter');
      await page.click('#cancel');
      assert.match(await said(page), /Cancelled/);
      // What it kept so far goes.
      const files = () => page.evaluate(async () => {
        try {
          const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('swaplist');
          return (await Array.fromAsync(folder.keys())).length;
        } catch { return 0; }
      });
      for (let i = 0; i < 50 && await files(); i++) await new Promise(done => setTimeout(done, 100));
      assert.equal(await files(), 0);
      assert.equal(await page.$eval('#save', one => one.hidden), true);
    });

    test('counted only', async () => {
      await choose(page, { file: path.join(ROOT, 'data/sample.fen') });
      await page.click('#count');
      await ended(page);
      assert.match(await said(page), /^5,000 positions counted/);
    });

    test('an empty file is said to be empty', async () => {
      await filter(page, { file: temporary('empty.fen', '') });
      assert.equal(await failed(page), '');
      assert.match(await said(page), /0 of 0 positions kept.*empty/);
    });

    test('a broken file fails in words', async () => {
      const broken = temporary('broken.fen', '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n4k3/8/8/9/4P3/8/8/4K3 w - - 0 1\n');
      await filter(page, { file: broken });
      assert.match(await failed(page), /broken.fen, line 2: .*invalid records can be skipped/);
      await page.click('#skip-invalid');
      await filter(page, { file: broken });
      assert.equal(await failed(page), '');
      await page.click('#skip-invalid');
      await filter(page, { file: temporary('some.data', Buffer.from([1, 2, 3, 0, 9, 9, 9])) });
      assert.match(await failed(page), /no known format/);
      await shot(page, `${name}-broken`);
    });

    test('the file is saved under its name', { skip: name === 'firefox' && 'CDP only' }, async () => {
      const folder = path.dirname(temporary('x'));
      const session = await browser.target().createCDPSession();
      await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
      await page.click('#sample');
      await page.waitForSelector('#filter:not(:disabled)');
      await page.click('#filter');
      await ended(page);
      await page.click('#save');
      const saved = path.join(folder, 'quiet-sample.binpack');
      for (let i = 0; i < 50 && !fs.existsSync(saved); i++) await new Promise(done => setTimeout(done, 100));
      assert.ok(fs.readFileSync(saved).equals(filtered({ file: path.join(ROOT, 'data/sample.binpack') })));
    });

    test('a file is dropped', async () => {
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.items.add(new File(['4k3/8/8/8/8/8/8/4K3 w - - 0 1\n'], 'dropped.fen'));
        document.querySelector('#drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      });
      assert.match(await page.$eval('#chosen', one => one.textContent), /^dropped.fen, 30 bytes/);
      await page.click('#filter');
      await ended(page);
      assert.match(await said(page), /^1 of 1 positions kept/);
    });

    test('nothing failed unseen, and no other host was asked', () => assert.deepEqual(errors, []));
  });
}
