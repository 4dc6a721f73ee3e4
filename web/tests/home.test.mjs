// What a visitor meets first: links, titles, the page without a network.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { DIST, launch, open, press, ready, ROOT, serve } from './helpers.mjs';
import { temporary } from './inputs.mjs';

describe('home', () => {
  const others = {};
  let browser, server;
  before(async () => {
    server = await serve(others);
    browser = await launch('chromium');
  });
  after(async () => {
    await browser.close();
    server.close();
  });

  test('each part has a title, all links lead somewhere, and a preview is there', async () => {
    const { page, errors } = await open(browser, server.url);
    assert.equal(await page.title(), 'What is this capture worth? · swaplist');
    // chessground's drawings have names of their own.
    const ids = await page.$$eval('[id]:not(svg *)', all => all.map(one => one.id));
    assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), [], 'parts share no names');
    const links = await page.$$eval('header a, footer a', all => all.map(one => one.href));
    assert.ok(links.length > 5, links.join(' '));
    for (const link of links.filter(link => link.startsWith(server.url))) {
      assert.equal((await fetch(link)).status, 200, link);
    }
    const [image, width, height] = await page.$$eval('meta[property^="og:image"]', all => all.map(one => one.content));
    const bytes = fs.readFileSync(path.join(DIST, new URL(image, server.url).pathname));
    assert.ok(bytes.length < 100_000, `${bytes.length} bytes`);
    // The frame header of a JPEG: height, then width.
    const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    assert.deepEqual([bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)], [Number(width), Number(height)]);
    for (const [part, title] of [['files', 'Filter a file of positions'], ['bench', 'How fast is this machine?']]) {
      await page.click(`#to-${part}`);
      await page.waitForFunction(title => document.title === `${title} · swaplist`, {}, title);
    }
    assert.deepEqual(errors, []);
    await page.close();
  });

  test('a link to a part opens at the top', async () => {
    for (const part of ['files', 'check', 'bench']) {
      const { page } = await open(browser, `${server.url}#${part}`, { width: 390, height: 500 });
      await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 100))));
      assert.equal(await page.evaluate(() => scrollY), 0, part);
      await page.close();
    }
  });

  test('a part that could not be loaded says so, and another try works', async () => {
    server.lacks = '/bench.js';
    const { page } = await open(browser, server.url);
    await page.click('#to-bench');
    await page.waitForSelector('main:not([hidden]) > .broken:not([hidden])');
    assert.match(await page.$eval('main:not([hidden]) > .broken', one => one.textContent), /^bench\.js could not be loaded: are you offline\?/);
    // Each part says it for itself.
    await page.click('#to-explain');
    await page.click('#to-bench');
    await page.waitForSelector('#bench:not([hidden]) > .broken:not([hidden])');
    server.lacks = '';
    await page.$eval('#bench > .broken button', one => one.click());
    await page.waitForSelector('#bench > .broken[hidden]');
    // Files is the first to need the large module. It asks for its code at the same time, and names
    // what failed first.
    await page.goto(`${server.url}?anew`);
    await ready(page);
    server.isDown = true;
    await page.click('#to-files');
    await page.waitForFunction(() => /^(files\.js|swaplist\.wasm) could not be loaded/.test(document.querySelector('#files > .broken').textContent));
    server.isDown = false;
    await page.$eval('#files > .broken button', one => one.click());
    await page.waitForSelector('#judge[data-ready=yes]');
    await page.close();
  });

  test('what is pressed or chosen before its code is there is not lost', async () => {
    const { page, errors } = await open(browser, server.url);
    let release = () => {};
    server.held.set('/bench.js', new Promise(done => { release = () => done(); }));
    await page.click('#to-bench');
    await page.click('#run');
    server.held.clear();
    release();
    await page.waitForFunction(() => document.querySelector('#run').hidden && document.querySelector('#bench-status').textContent);
    await page.waitForSelector('#stop:not(:disabled)');
    await page.click('#stop');
    assert.equal(await page.$eval('#bench-status', one => one.textContent), 'Stopped.');
    server.held.set('/files.js', new Promise(done => { release = () => done(); }));
    await page.click('#to-files');
    await (await page.$('#files input[type=file]')).uploadFile(path.join(ROOT, 'data/sample.fen'));
    server.held.clear();
    release();
    await page.waitForFunction(() => document.querySelector('#files').textContent.includes('sample.fen'));
    assert.deepEqual(errors, []);
    await page.close();
  });

  test('unplugged it works; a newer version waits until it is asked for', async () => {
    const { page, errors } = await open(browser, server.url, { keeps: true });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    server.isDown = true;
    await page.goto(`${server.url}index.html`);
    await ready(page);
    await page.goto(server.url);
    await ready(page);
    assert.match(await page.$eval('#moves tbody', one => one.textContent), /Nxe5/);
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 300))));
    await page.click('#to-files');
    await page.waitForSelector('#judge[data-ready=yes]');
    await page.click('#sample');
    await page.waitForSelector('#filter:not(:disabled)');
    await press(page, '#filter');
    await page.waitForFunction(() => /positions kept/.test(document.querySelector('#files').textContent));
    assert.deepEqual(errors, []);
    server.isDown = false;
    assert.equal(await page.$eval('#newer', one => one.hidden), true);
    const newer = fs.readFileSync(path.join(DIST, 'service.js'), 'utf8').replace(/VERSION = '\w+'/, 'VERSION = "newer"');
    others['/service.js'] = temporary('service.js', newer);
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await page.waitForSelector('#newer:not([hidden])');
    const names = () => page.evaluate(() => caches.keys());
    assert.equal((await names()).length, 2);
    const other = await browser.newPage();
    await other.goto(server.url);
    await ready(other);
    await other.$eval('#newer', one => { one.hidden = true; });
    const reloaded = page.waitForNavigation();
    await page.evaluate(() => { window.onbeforeunload = null; document.querySelector('#use-newer').click(); });
    await reloaded;
    await ready(page);
    assert.deepEqual((await names()).map(name => name.split(' ').at(-1)), ['newer']);
    await other.waitForSelector('#newer:not([hidden])'); // its files went, too
    await page.close();
  });
});
