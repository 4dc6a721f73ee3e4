// Whole files in the browser: what is saved is what the command writes.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { BROWSERS, launch, native, once, open, press, real, ROOT, serve, shot, SWAPLIST } from './helpers.mjs';
import { cases, filtered, temporary } from './inputs.mjs';

const all = cases();
/** The code is the same in all browsers. */
const few = all.filter(({ name }) => /^sample\.(binpack|fen\.zst)$|pgn/.test(name));
const SAMPLE = path.join(ROOT, 'data/sample.fen');
const BINPACK = path.join(ROOT, 'data/sample.binpack');
const LARGE = temporary('large.fen', fs.readFileSync(SAMPLE, 'utf8').repeat(20));
const REAL = real('human_100k.fen');

/** Keeps what may be saved and what is copied, and the workers; they can be kept waiting. */
const spies = () => {
  navigator.clipboard.writeText = async text => { window.copied = text; };
  const made = URL.createObjectURL;
  URL.createObjectURL = blob => {
    window.kept = blob;
    return made.call(URL, blob);
  };
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...all) {
      super(...all);
      this.name = String(all[0]).split('/').at(-1);
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

/** Forgets earlier results, and with them their workers. */
const clear = page => page.$$eval('#results button', all => all.forEach(one => one.textContent === 'Remove' && one.click()));

async function choose(page, { file, from = '', to = '' }) {
  await clear(page);
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
  await press(page, '#filter');
  await ended(page);
}

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page;
    const unseen = [];
    before(async () => {
      server = await serve();
      browser = await launch(name);
    });
    after(async () => {
      await browser.close();
      server.close();
    });
    // A page for each test: none begins with what another left.
    let errors;
    beforeEach(async () => {
      ({ page, errors } = await open(browser, `${server.url}#files`, { before: spies }));
      await page.waitForSelector('#judge[data-ready=yes]');
    });
    afterEach(async () => {
      unseen.push(...errors);
      await page.close();
    });

    for (const { name: file, skip, input } of name === 'firefox' ? few : all) {
      test(`${file} on the CPU`, { skip }, async () => {
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
      await page.$eval('#more', one => { one.open = true; });
      await page.select('#key', 'max_threat');
      await page.type('#key-max_threat', '100');
      await page.select('#key', 'drop_double_threat');
      await page.select('#file-rules', 'legal');
      const input = { file: SAMPLE };
      await filter(page, input, 'gpu');
      const expected = filtered(input, '--max-threat', '100', '--drop-double-threat', '--profile', 'legal');
      assert.ok((await kept(page)).equals(expected));
      await shot(page, `${name}-files`);
    });

    test('a lost device: the CPU takes over with the same bytes', async () => {
      await choose(page, { file: LARGE });
      await page.select('#judge', 'gpu');
      await press(page, '#filter');
      await page.waitForFunction(() => document.querySelector('#rate').textContent, { timeout: 120_000, polling: 20 });
      await page.evaluate(() => window.workers.findLast(({ name }) => name === 'gpu.worker.js').postMessage({ lose: true }));
      await ended(page);
      assert.match(await said(page), /GPU failed.*the CPU took over/);
      assert.ok((await kept(page)).equals(filtered({ file: LARGE })));
    });

    test('the job is cancelled', async () => {
      await choose(page, { file: LARGE });
      await page.select('#judge', 'gpu');
      // In the middle of it.
      await page.evaluate(() => new Promise(done => {
        new MutationObserver((_, observer) => {
          observer.disconnect();
          document.querySelector('#cancel').click();
          done();
        }).observe(document.querySelector('#rate'), { childList: true });
        document.querySelector('#filter').click();
      }));
      assert.match(await said(page), /Cancelled/);
      // What it kept so far goes.
      const files = () => page.evaluate(async () => {
        try {
          const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('swaplist');
          return (await Array.fromAsync(folder.keys())).length;
        } catch { return 0; }
      });
      for (let i = 0; i < 300 && await files(); i++) await new Promise(done => setTimeout(done, 100));
      assert.equal(await files(), 0);
      assert.equal(await page.$('.save'), null);
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
      for (let i = 0; i < 300 && asked.length < 4; i++) await new Promise(done => setTimeout(done, 100));
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

    test('beside Save stands what is in the file', once(name), async () => {
      const records = JSON.parse(native('count', BINPACK, '--json')).positions.toLocaleString('en-US');
      const inFile = () => page.$eval('.in-file', one => one.textContent);
      for (const [mode, said] of [['mark', `Mode mark: all ${records} records are in the file`], ['drop', 'Mode drop: only the ']]) {
        await choose(page, { file: BINPACK });
        await page.select('#mode', mode);
        await press(page, '#filter');
        await ended(page);
        const bytes = filtered({ file: BINPACK }, '--mode', mode).length.toLocaleString('en-US');
        const found = await inFile();
        assert.ok(found.includes(said) && found.endsWith(` ${bytes} bytes.`), found);
        await shot(page, `${name}-${mode}`);
      }
    });

    test('unplugged, it says what did not load, and another try works', async () => {
      const { page } = await open(browser, `${server.url}#files`, { before: spies });
      server.isDown = true;
      await choose(page, { file: SAMPLE });
      await press(page, '#filter');
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

    test('what is thrown away is seen, and the share follows the bound', once(name), async () => {
      await choose(page, { file: BINPACK });
      const share = () => page.$eval('#share', one => one.textContent);
      const expected = (...options) => {
        const stats = temporary('stats.json');
        native('filter', BINPACK, '-o', temporary('out'), '--force', '--stats', stats, ...options);
        const { kept, records } = JSON.parse(fs.readFileSync(stats));
        return `${(100 * kept / records).toFixed(1)} % of the ${records.toLocaleString('en-US')} positions are kept`;
      };
      await page.waitForFunction(words => document.querySelector('#share').textContent === words, {}, expected());
      assert.equal(await page.$$eval('#boards .card', all => all.length), 12);
      // Each opens in Explain, with the move that decides and its value.
      const [said, href] = await page.$eval('#boards .card', one => [one.textContent, one.href]);
      const [, san, see] = /^(\S+) \+(\d+)$/.exec(said);
      const fen = new URLSearchParams(href.split('#')[1]).get('fen').replaceAll('_', ' ');
      assert.match(native('explain', fen, san).toString(), new RegExp(`SEE of .* = ${see}\n`));
      await page.$eval('#see-bound', slider => {
        slider.value = String(300 / 25);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await page.waitForFunction(words => document.querySelector('#share').textContent === words, {}, expected('--max-see', '300'));
      await page.waitForFunction(() => location.hash.includes('max_see=300'));
      await press(page, '#filter');
      await ended(page);
      assert.ok((await kept(page)).equals(filtered({ file: BINPACK }, '--max-see', '300')));
      await page.select('#preset', 'quiet');
      assert.match(await share(), /kept/);
    });

    test('without a file it says what to do first, and what is wrong with a link', once(name), async () => {
      const { page: other } = await open(browser, `${server.url}#files&seed=many&skip_invalid=maybe&seed=2`);
      assert.match(await other.$eval('#file-status', one => one.textContent), /^Choose a file first/);
      assert.match(await other.$eval('#link-error', one => one.textContent), /skip_invalid “maybe”.*names seed more than once/);
      await other.evaluate(() => { location.hash = '#files&seed=many'; });
      await other.waitForFunction(() => /^seed: expected a whole number/.test(document.querySelector('#job-error').textContent));
      await other.evaluate(() => { location.hash = '#files&seed=3'; });
      await other.waitForFunction(() => !document.querySelector('#job-error').textContent);
      await choose(other, { file: temporary('random.binpack', Buffer.alloc(500, 0xa5)) });
      await press(other, '#filter');
      await other.waitForFunction(() => /'BINP' is missing\. The file is damaged, or of another format: download it again, or choose the format under/.test(document.querySelector('#job-error').textContent));
      await other.close();
    });

    test('an address brings the settings back, and says what it does not know', once(name), async () => {
      await page.evaluate(() => { location.hash = '#files&preset=calm&mode=drop&max_threat=200&profile=legal'; });
      await page.waitForFunction(() => document.querySelector('#preset').value === 'calm');
      assert.deepEqual(await page.$$eval('#mode, #file-rules, #key-max_threat', all => all.map(one => one.value)), ['legal', 'drop', '200']);
      await page.evaluate(() => { location.hash = '#files&preset=<b>&max_threat=\x15many&what=1&max_see=much'; });
      await page.waitForSelector('#link-error:not(:empty)');
      assert.match(await page.$eval('#link-error', one => one.textContent), /^The link asks for preset “<b>”, what “1”, max_see “much”, which this page does not know/);
      await choose(page, { file: SAMPLE });
      await page.waitForFunction(() => /max-threat: /.test(document.querySelector('#job-error').textContent));
      await page.$eval('#key-max_threat', one => { one.value = '200'; });
      await page.focus('#key-max_threat');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => /positions kept/.test(document.querySelector('#file-status').textContent));
      await page.evaluate(() => { location.hash = '#files&preset=quiet'; });
      await page.waitForFunction(() => !document.querySelector('#key-max_threat'));
    });

    test('a link that is followed right after a change is what stays', async () => {
      await page.evaluate(() => {
        const preset = document.querySelector('#preset');
        preset.value = 'calm';
        preset.dispatchEvent(new Event('input', { bubbles: true }));
        location.hash = '#files&preset=none';
      });
      await page.waitForFunction(() => document.querySelector('#preset').value === 'none');
      // Longer than the address waits for further changes.
      await new Promise(done => setTimeout(done, 1000));
      const shown = () => page.evaluate(() => [document.querySelector('#preset').value, location.hash, new URL(document.querySelector('#to-files').href).hash]);
      assert.deepEqual(await shown(), ['none', '#files&preset=none', '#files&preset=none']);
      await page.select('#preset', 'calm');
      await page.waitForFunction(() => location.hash === '#files&preset=calm');
      assert.deepEqual(await shown(), ['calm', '#files&preset=calm', '#files&preset=calm']);
    });

    test('what stands beside the first look does not move when it comes', async () => {
      const places = () => page.$$eval('#filter, #files-command', all => all.map(one => JSON.stringify(one.getBoundingClientRect())));
      for (const file of ['a.fen', 'b.fen']) {
        await drop(page, file, fs.readFileSync(SAMPLE, 'utf8'));
        const before = await places();
        await page.waitForFunction(() => /positions are kept/.test(document.querySelector('#share').textContent));
        assert.deepEqual(await places(), before);
      }
    });

    test('what is copied is of the form as it stands', once(name), async () => {
      const copied = () => page.$eval('#files-copied', one => one.textContent);
      // What is said about a copy goes by itself after 4 seconds: not here.
      await page.evaluate(() => {
        const real = setTimeout;
        window.setTimeout = (what, ms) => (ms === 4000 ? 0 : real(what, ms));
      });
      await drop(page, 'a.fen', fs.readFileSync(SAMPLE, 'utf8'));
      for (const change of [
        () => page.select('#preset', 'calm'),
        () => page.evaluate(() => { location.hash = '#files&preset=none'; }),
        () => drop(page, 'b.fen', '4k3/8/8/8/8/8/8/4K3 w - - 0 1\n'),
      ]) {
        await press(page, '#files-command');
        await page.waitForFunction(() => document.querySelector('#files-copied').textContent === 'Copied.');
        await change();
        // Not that something was copied, which was about the form as it was.
        await page.waitForFunction(() => !document.querySelector('#files-copied').textContent);
      }
      assert.equal(await copied(), '');
      // The format of the file before has no part in the name of what is written.
      await page.select('#to', 'text');
      await page.waitForFunction(() => /positions? (is|are) kept/.test(document.querySelector('#share').textContent));
      const command = await page.evaluate(() => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(9)], 'c.binpack'));
        document.querySelector('#drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        // As soon as it is chosen.
        return new Promise(done => {
          new MutationObserver(() => {
            document.querySelector('#files-command').click();
            done(window.copied);
          }).observe(document.querySelector('#chosen'), { childList: true });
        });
      });
      assert.equal(command, 'swaplist filter c.binpack -o filtered-c.fen --preset none --to text');
    });

    test('a copied command does the same', once(name), async () => {
      const odd = temporary('-odd "$(name).fen', fs.readFileSync(SAMPLE));
      await choose(page, { file: odd });
      await page.select('#mode', 'drop');
      await page.select('#preset', 'calm');
      await press(page, '#files-command');
      const command = await page.evaluate(() => window.copied);
      assert.equal(command, `swaplist filter './-odd "$(name).fen' -o 'calm--odd "$(name).fen' --preset calm --mode drop`);
      fs.rmSync(temporary('calm--odd "$(name).fen'), { force: true }); // another browser's
      execFileSync('sh', ['-c', command.replace('swaplist', SWAPLIST)], { cwd: path.dirname(odd), stdio: 'ignore' });
      assert.ok(fs.readFileSync(temporary('calm--odd "$(name).fen')).equals(filtered({ file: SAMPLE }, '--preset', 'calm', '--mode', 'drop')));
      // What is saved has the same name, and says that it is not compressed.
      await page.evaluate(() => { location.hash = '#files&preset=none&max_see=300&keep_checks=false'; });
      await page.waitForFunction(() => document.querySelector('#preset').value === 'none');
      await choose(page, { file: path.join(path.dirname(odd), 'sample.fen.zst') });
      await press(page, '#files-command');
      assert.match(await page.evaluate(() => window.copied), / -o filtered-sample\.fen --.* --keep-checks=false/);
      await press(page, '#filter');
      await ended(page);
      assert.equal(await page.$eval('.save', one => one.download), 'filtered-sample.fen');
      assert.match(await page.$eval('.in-file', one => one.textContent), /^Preset none, captures win up to 300, keep-checks false\. .* bytes, not compressed\.$/);
    });

    test('a name with what turns a text round is shown without it, and not copied', once(name), async () => {
      await drop(page, '\u202enef.x.fen', '4k3/8/8/8/8/8/8/4K3 w - - 0 1');
      await page.waitForFunction(() => document.querySelector('#chosen').textContent === '�nef.x.fen, 29 bytes');
      await press(page, '#files-command');
      assert.match(await page.$eval('#files-copied', one => one.textContent), /^The name “�nef\.x\.fen” has characters/);
      await press(page, '#filter');
      await ended(page);
      assert.equal(await page.$eval('#results li:first-child .save', one => one.textContent), 'Save quiet-�nef.x.fen');
    });

    test('a format that can only be read: at once, and until another is chosen', once(name), async () => {
      const offered = await page.$$eval('#to option', all => all.map(one => one.value));
      assert.ok(offered.includes('text') && !['csv', 'jsonl', 'pgn'].some(name => offered.includes(name)), offered.join());
      await choose(page, { file: path.join(path.dirname(temporary('x')), 'games.pgn') });
      const note = 'PGN cannot be written. The result will be FEN; another format can be chosen under “More rules and formats”.';
      const says = words => page.waitForFunction(words => document.querySelector('#file-status').textContent === words, {}, words);
      await says(note);
      assert.equal(await page.$eval('#job-error', one => one.textContent), '');
      await press(page, '#files-command');
      assert.match(await page.evaluate(() => window.copied), / -o quiet-games\.fen --to text$/);
      await press(page, '#filter');
      await ended(page);
      assert.ok((await kept(page)).equals(filtered({ file: temporary('games.pgn'), to: 'text' })));
      await page.select('#to', '');
      await says(note);
      await page.select('#to', 'bulletformat');
      await says('');
      await page.select('#to', '');
      await says(note);
    });

    test('invalid records are skipped where a run stopped at one', once(name), async () => {
      const lines = fs.readFileSync(SAMPLE, 'utf8').split('\n').slice(0, 10);
      await choose(page, { file: temporary('faulty.fen', [...lines, 'none', ''].join('\n')) });
      await press(page, '#filter');
      await page.waitForSelector('#skip-and-filter:not([hidden])');
      assert.match(await page.$eval('#job-error', one => one.textContent), /^faulty\.fen, line 11: /);
      await page.click('#skip-and-filter');
      await ended(page);
      assert.equal(await page.$eval('#job-error', one => one.textContent), '');
      assert.equal(await page.$eval('#skip-and-filter', one => one.hidden), true);
      assert.throws(() => filtered({ file: temporary('faulty.fen') }, '--skip-invalid'), { status: 1 });
      assert.ok((await kept(page)).equals(fs.readFileSync(temporary('out'))));
      // Of this file alone, which is said, and not set for others.
      assert.match(await page.$eval('#chosen', one => one.textContent), /^faulty\.fen, \d+ bytes\. Its invalid records are skipped$/);
      assert.match(await page.$eval('#results .in-file', one => one.textContent), / Invalid records were skipped\.$/);
      assert.equal(await page.$eval('#skip-invalid', one => one.checked), false);
      await press(page, '#files-command');
      assert.match(await page.evaluate(() => window.copied), /^swaplist filter faulty\.fen .*--skip-invalid$/);
      await press(page, '#files-link');
      const link = await page.evaluate(() => window.copied);
      assert.ok(link.startsWith(`${server.url}files.html#files`) && !link.includes('skip'), link);
      await choose(page, { file: temporary('cut.fen', [...lines, 'cut', ''].join('\n')) });
      assert.doesNotMatch(await page.$eval('#chosen', one => one.textContent), /skipped/);
      await press(page, '#filter');
      await page.waitForSelector('#skip-and-filter:not([hidden])');
      assert.match(await page.$eval('#job-error', one => one.textContent), /^cut\.fen, line 11: /);
      await press(page, '#files-command');
      assert.doesNotMatch(await page.evaluate(() => window.copied), /skip/);
    });

    test('results are numbered, with their bounds, the last one first', once(name), async () => {
      await clear(page);
      await choose(page, { file: SAMPLE });
      await press(page, '#filter');
      await ended(page);
      await page.$eval('#see-bound', one => {
        one.value = String(Number(one.max));
        one.dispatchEvent(new Event('input', { bubbles: true }));
      });
      const place = () => page.$eval('#files-link', one => one.getBoundingClientRect().top + scrollY);
      const before = await place();
      await press(page, '#filter');
      await ended(page);
      const rows = await page.$$eval('#results li', all => all.map(one => one.textContent));
      const [last, first] = rows.map(row => Number(/^Result (\d+)\. /.exec(row)[1]));
      assert.equal(last, first + 1);
      assert.match(rows[0], /Preset quiet, captures win up to anything\./);
      assert.match(rows[1], /Preset quiet, captures win up to 0\./);
      assert.equal(await place(), before, 'buttons stay where they are');
      await page.select('#preset', 'quiet');
      await clear(page);
    });

    test('the first look tells what cannot be read, and of which file it is', once(name), async () => {
      const says = words => page.waitForFunction(words => new RegExp(words).test(document.querySelector('#share').textContent), {}, words.source);
      const lines = fs.readFileSync(SAMPLE, 'utf8').split('\n').slice(0, 10);
      await choose(page, { file: temporary('invalid.fen', [...lines, 'none', 'none'].join('\n')) });
      await says(/of the 10 positions are kept; 2 invalid records are left out$/);
      await choose(page, { file: temporary('cut.fen.gz', zlib.gzipSync(fs.readFileSync(LARGE)).subarray(0, -100_000)) });
      await says(/of the first [\d,]+ positions are kept; cannot read: gzip data, .*cut off/);
      await (await page.$('#file')).uploadFile(SAMPLE, BINPACK);
      await says(/of the 5,000 positions of sample\.fen are kept$/);
    });

    test('several files, one after the other; one that fails stops none', async () => {
      const broken = temporary('broken.fen', 'no position\n');
      await page.setViewport({ width: 390, height: 844 });
      await (await page.$('#file')).uploadFile(SAMPLE, broken, BINPACK);
      await page.waitForFunction(() => /^3 files/.test(document.querySelector('#chosen').textContent));
      await press(page, '#filter');
      await page.select('#preset', 'none'); // too late for this run
      await ended(page);
      const rows = await page.$$eval('#results li', all => all.map(one => one.textContent));
      assert.match(rows[2], /^Result \d+\. Save quiet-sample\.fen.*sample\.fen: .*positions kept/);
      assert.match(rows[1], /^broken\.fen, line 1: .*Invalid records can be skipped under “More rules and formats”\./);
      assert.match(rows[0], /^Result \d+\. Save quiet-sample\.binpack/);
      assert.ok((await kept(page)).equals(filtered({ file: BINPACK })));
      await page.click('#results li:last-child > button');
      assert.match(await page.$eval('#report dl', one => one.innerText), /sample\.fen/);
      // It may be far down.
      const heading = () => page.$eval('#report h2', one => [document.activeElement === one, one.getBoundingClientRect().top]);
      const [isFocused, top] = await heading();
      assert.ok(isFocused && top >= 0 && top < 800, `${top}`);
      await clear(page);
      assert.equal(await page.$$eval('#results li', all => all.length), 0, 'each row can be removed');
    });

    test('of several files, each has its own format', once(name), async () => {
      const games = temporary('games.pgn');
      const commands = async () => {
        await press(page, '#files-command');
        return (await page.evaluate(() => window.copied)).split('\n');
      };
      for (const [first, second, saved] of [[games, { file: BINPACK }, 'sample.binpack'], [SAMPLE, { file: games, to: 'text' }, 'games.fen']]) {
        await clear(page);
        await (await page.$('#file')).uploadFile(first, second.file);
        await page.waitForFunction(name => document.querySelector('#share').textContent.includes(` of ${name} `), {}, path.basename(first));
        await press(page, '#filter');
        await ended(page);
        const names = await page.$$eval('#results .save', all => all.map(one => one.textContent));
        assert.deepEqual(names, [`Save quiet-${saved}`, `Save quiet-${first === games ? 'games' : 'sample'}.fen`]);
        assert.ok((await kept(page)).equals(filtered(second)), saved);
        if (first === games) assert.deepEqual(await commands(), ['swaplist filter games.pgn -o quiet-games.fen --to text', 'swaplist filter sample.binpack -o quiet-sample.binpack']);
      }
      // A format that is chosen is that of all.
      await page.select('#to', 'bulletformat');
      assert.deepEqual((await commands()).map(command => command.replace(/.* -o /, '')), ['quiet-sample.bf --to bulletformat', 'quiet-games.bf --to bulletformat']);
    });

    test('how many positions have no score is told before, if the rules look at scores', once(name), async () => {
      const fen = '4k3/8/8/8/4P3/8/8/4K3 w - - 0 1';
      const file = temporary('scores.fen', `${fen} | 10 | 0.5\n${fen} [0.5]\n${fen} | 32002 | 0.5\n${fen} | 20 | 0.5\n`);
      const look = async hash => {
        await page.evaluate(hash => { location.hash = hash; }, hash);
        await page.waitForFunction(() => document.querySelector('#share').textContent && !/…$/.test(document.querySelector('#share').textContent));
        await new Promise(done => setTimeout(done, 500));
        return page.$eval('#share', one => one.textContent);
      };
      await choose(page, { file });
      assert.equal(await look('#files&preset=none'), '100.0 % of the 4 positions are kept');
      assert.equal(await look('#files&preset=none&drop_unscored=true'), '50.0 % of the 4 positions are kept; 50.0 % have no score');
      assert.match(await look('#files&preset=none&max_score=1000'), /^No first look: .*the filter asks for the score, which this record does not have; 2 of the first 4 have no score\.$/);
      assert.match(await failed(page), /2 of the first 4 have no score\. Add the rule drop-unscored to leave out such records/);
    });

    test('of several files, the files done before Cancel are told', async () => {
      await (await page.$('#file')).uploadFile(SAMPLE, LARGE, BINPACK);
      await page.waitForFunction(() => /^3 files/.test(document.querySelector('#chosen').textContent));
      await page.waitForSelector('#filter:not(:disabled)');
      // As soon as the first is done.
      await page.evaluate(() => new Promise(done => {
        const results = document.querySelector('#results');
        new MutationObserver((_, observer) => {
          observer.disconnect();
          document.querySelector('#cancel').click();
          done();
        }).observe(results, { childList: true });
        document.querySelector('#filter').click();
      }));
      assert.equal(await said(page), 'Cancelled; 1 of 3 files done.');
    });

    test('straight to the disk', async () => {
      await page.evaluate(() => {
        window.showSaveFilePicker = async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
        document.querySelector('#to-disk').hidden = false;
      });
      await choose(page, { file: LARGE });
      await press(page, '#to-disk');
      await page.waitForFunction(() => /quiet-large\.fen is written/.test(document.querySelector('#results').textContent), { timeout: 120_000 });
      await page.evaluate(async () => {
        window.kept = await (await (await navigator.storage.getDirectory()).getFileHandle('quiet-large.fen')).getFile();
      });
      assert.ok((await kept(page)).equals(filtered({ file: LARGE })));
      assert.equal(await page.$('.save'), null);
    });

    test('into a folder, which is asked about what is in it', async () => {
      await page.evaluate(() => {
        window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('picked', { create: true });
      });
      await (await page.$('#file')).uploadFile(SAMPLE, BINPACK);
      await page.waitForFunction(() => document.querySelector('#to-disk').textContent === 'Filter into a folder …');
      await press(page, '#to-disk');
      await page.waitForFunction(() => /sample\.binpack is written.*sample\.fen is written/.test(document.querySelector('#results').textContent));
      for (const file of [SAMPLE, BINPACK]) {
        await page.evaluate(async name => {
          window.kept = await (await (await window.showDirectoryPicker()).getFileHandle(name)).getFile();
        }, `quiet-${path.basename(file)}`);
        assert.ok((await kept(page)).equals(filtered({ file })), file);
      }
      const asked = new Promise(done => page.once('dialog', dialog => {
        dialog.dismiss();
        done(dialog.message());
      }));
      await press(page, '#to-disk');
      assert.equal(await asked, 'The folder has quiet-sample.fen, quiet-sample.binpack. Replace?');
      assert.equal(await page.$eval('#filter', one => one.disabled), false, 'nothing was begun');
      await (await page.$('#file')).uploadFile(SAMPLE, SAMPLE);
      await page.waitForFunction(() => /sample\.fen, sample\.fen/.test(document.querySelector('#chosen').textContent));
      await press(page, '#to-disk');
      assert.match(await failed(page), /^Two files would be written as quiet-sample\.fen/);
    });

    test('while it runs, the time that is left is told', once(name), async () => {
      await choose(page, { file: SAMPLE });
      await page.evaluate(() => {
        const start = performance.now();
        performance.now = () => window.later ?? start;
        window.held = [];
      });
      await press(page, '#filter');
      const [rate, title, value] = await page.evaluate(() => {
        window.later = performance.now() + 10_000;
        const job = window.workers.findLast(({ name }) => name === 'job.worker.js');
        job.onmessage({ data: { progress: { records: 123_000, bytes: 25, total: 100, note: '' } } });
        return [document.querySelector('#rate').textContent, document.title, document.querySelector('#done').value];
      });
      assert.equal(rate, '123,000 records, 12,300 a second, about 30 s left');
      assert.equal(title, '25 % · Filter a file of positions · swaplist');
      assert.equal(value, 0.25);
      await page.click('#cancel');
      assert.equal(await page.title(), 'Filter a file of positions · swaplist');
    });

    test('counted only', once(name), async () => {
      await choose(page, { file: SAMPLE });
      await press(page, '#count');
      await ended(page);
      assert.match(await said(page), /^5,000 positions counted/);
    });

    test('an empty file is named before anything is filtered', once(name), async () => {
      await (await page.$('#file')).uploadFile(temporary('empty.fen', ''));
      await page.waitForFunction(() => document.querySelector('#job-error').textContent === 'empty.fen is empty: there is nothing to filter.');
      assert.equal(await page.$eval('#filter', one => one.disabled), true);
      assert.equal(await page.$eval('#preview', one => one.hidden), true);
      await filter(page, { file: temporary('blank.fen', '\n\n') });
      assert.equal(await failed(page), '');
      assert.match(await said(page), /0 of 0 positions kept.*There is no position in it\.$/);
    });

    test('a broken file fails in words', once(name), async () => {
      const broken = temporary('broken.fen', '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n4k3/8/8/9/4P3/8/8/4K3 w - - 0 1\n');
      await filter(page, { file: broken });
      assert.match(await failed(page), /^broken.fen, line 2: [^.]*\.$/);
      await page.$eval('#skip-invalid', one => one.click());
      await filter(page, { file: broken });
      assert.equal(await failed(page), '');
      await page.$eval('#skip-invalid', one => one.click());
      const unknown = { file: temporary('some.data', Buffer.from([1, 2, 3, 0, 9, 9, 9])) };
      await choose(page, unknown);
      await page.waitForFunction(() => /^No first look: .*no known format/.test(document.querySelector('#share').textContent));
      assert.match(await failed(page), /no known format\. If you know its format, choose it/);
      await filter(page, unknown);
      assert.match(await failed(page), /no known format/);
      await shot(page, `${name}-broken`);
    });

    test('the file is saved under its name', { skip: name === 'firefox' && 'CDP only' }, async () => {
      const folder = path.dirname(temporary('x'));
      const session = await browser.target().createCDPSession();
      await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
      await page.click('#sample');
      await page.waitForSelector('#filter:not(:disabled)');
      await press(page, '#filter');
      await ended(page);
      await press(page, '.save');
      const saved = path.join(folder, 'quiet-sample.binpack');
      for (let i = 0; i < 300 && !fs.existsSync(saved); i++) await new Promise(done => setTimeout(done, 100));
      assert.ok(fs.readFileSync(saved).equals(filtered({ file: BINPACK })));
    });

    test('a file is dropped', async () => {
      await drop(page, 'dropped.fen', '4k3/8/8/8/8/8/8/4K3 w - - 0 1\n');
      assert.match(await page.$eval('#chosen', one => one.textContent), /^dropped.fen, 30 bytes/);
      await press(page, '#filter');
      await ended(page);
      assert.match(await said(page), /^1 of 1 positions kept/);
    });

    test('nothing failed unseen, and no other host was asked', () => assert.deepEqual(unseen, []));
  });
}
