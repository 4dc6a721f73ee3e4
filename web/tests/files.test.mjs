// Whole files in the browser: what is saved is what the command writes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { BROWSERS, launch, native, open, real, ROOT, serve, shot } from './helpers.mjs';
import { cases, filtered, temporary } from './inputs.mjs';

const all = cases();
const SAMPLE = path.join(ROOT, 'data/sample.fen');
const BINPACK = path.join(ROOT, 'data/sample.binpack');
const LARGE = temporary('large.fen', fs.readFileSync(SAMPLE, 'utf8').repeat(20));
const REAL = real('human_100k.fen');

/** Keeps what may be saved, and the workers; they can be kept waiting. */
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

    postMessage(...all) {
      if (window.held) window.held.push(() => super.postMessage(...all));
      else super.postMessage(...all);
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

function drop(page, name, content) {
  return page.evaluate((name, content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], name));
    document.querySelector('#drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, name, content);
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

    for (const { name, skip, input } of all) {
      test(`${name} on the CPU`, { skip }, async () => {
        await filter(page, input);
        assert.equal(await failed(page), '');
        assert.match(await said(page), /positions kept/);
        assert.ok((await kept(page)).equals(filtered(input)));
      });
    }

    const onGpu = [['sample.binpack', { file: BINPACK }], ['large.fen', { file: LARGE }], ['real_data_human_100k', REAL]];
    for (const [name, input] of onGpu) {
      test(`${name} on WebGPU`, { skip: input.skip ?? false }, async () => {
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
      const input = { file: SAMPLE };
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

    test('Enter twice starts one job, and what would end it asks', async () => {
      const asked = [];
      const dismiss = dialog => {
        asked.push(dialog.type());
        dialog.dismiss();
      };
      page.on('dialog', dismiss);
      await choose(page, { file: SAMPLE });
      await page.select('#judge', 'cpu');
      await page.evaluate(() => { window.held = []; });
      await page.focus('#filter');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      assert.equal(await page.$eval('#cancel', one => one.hidden), false);
      await (await page.$('#file')).uploadFile(BINPACK);
      await drop(page, 'dropped.fen', '');
      await page.click('#sample');
      await page.evaluate(() => { setTimeout(() => location.reload()); });
      for (let i = 0; i < 50 && asked.length < 4; i++) await new Promise(done => setTimeout(done, 100));
      assert.deepEqual(asked, ['confirm', 'confirm', 'confirm', 'beforeunload']);
      page.off('dialog', dismiss);
      await page.evaluate(() => {
        for (const go of window.held.splice(0)) go();
        window.held = null;
      });
      await ended(page);
      assert.ok((await kept(page)).equals(filtered({ file: SAMPLE })));
    });

    test('a file that changed can be chosen again', async () => {
      for (const lines of ['', '4k3/8/8/8/8/8/8/4K3 w - - 0 1\n']) {
        await choose(page, { file: temporary('changing.fen', lines) });
        assert.equal(await page.$eval('#file', one => one.value), '', 'the browser tells of the same name, too');
        assert.match(await page.$eval('#chosen', one => one.textContent), new RegExp(`, ${lines.length} bytes`));
      }
    });

    test('beside Save stands what is in the file', async () => {
      const records = JSON.parse(native('count', BINPACK, '--json')).positions.toLocaleString('en-US');
      const inFile = () => page.$eval('#in-file', one => one.textContent);
      for (const [mode, said] of [['mark', `Mode mark: all ${records} records are in the file`], ['drop', 'Mode drop: only the ']]) {
        await choose(page, { file: BINPACK });
        await page.select('#mode', mode);
        await page.click('#filter');
        await ended(page);
        const bytes = filtered({ file: BINPACK }, '--mode', mode).length.toLocaleString('en-US');
        const found = await inFile();
        assert.ok(found.includes(said) && found.endsWith(` ${bytes} bytes.`), found);
        await shot(page, `${name}-${mode}`);
      }
      await page.select('#mode', '');
      await choose(page, { file: SAMPLE });
      assert.equal(await inFile(), '');
    });

    test('unplugged, it says what did not load, and another try works', async () => {
      const { page } = await open(browser, server.url, { before: spies });
      server.isDown = true;
      await page.click('#to-files');
      await choose(page, { file: SAMPLE });
      await page.click('#filter');
      await page.waitForSelector('#again:not([hidden])');
      assert.match(await failed(page), /^\w+\.worker\.js could not be loaded: are you offline\?$/);
      await shot(page, `${name}-offline`);
      server.isDown = false;
      await page.click('#again');
      await ended(page);
      assert.ok((await kept(page)).equals(filtered({ file: SAMPLE })));
      server.isDown = true;
      await page.click('#sample');
      await page.waitForSelector('#again:not([hidden])');
      assert.match(await failed(page), /^sample.binpack could not be loaded: are you offline\?$/);
      server.isDown = false;
      await page.click('#again');
      await page.waitForSelector('#filter:not(:disabled)');
      assert.equal(await page.$eval('#again', one => one.hidden), true);
      await page.close();
    });

    test('counted only', async () => {
      await choose(page, { file: SAMPLE });
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
      assert.ok(fs.readFileSync(saved).equals(filtered({ file: BINPACK })));
    });

    test('a file is dropped', async () => {
      await drop(page, 'dropped.fen', '4k3/8/8/8/8/8/8/4K3 w - - 0 1\n');
      assert.match(await page.$eval('#chosen', one => one.textContent), /^dropped.fen, 30 bytes/);
      await page.click('#filter');
      await ended(page);
      assert.match(await said(page), /^1 of 1 positions kept/);
    });

    test('nothing failed unseen, and no other host was asked', () => assert.deepEqual(errors, []));
  });
}
