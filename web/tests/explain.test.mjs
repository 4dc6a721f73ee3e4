// The board, as a person uses it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { BROWSERS, launch, native, open, ready, serve, shot } from './helpers.mjs';

/** @param {import('puppeteer-core').Page} page @param {string} selector */
const text = (page, selector) => page.$eval(selector, element => element.textContent);
const rows = page => page.$$eval('#moves tbody tr', all => all.map(row => [...row.children].map(cell => cell.textContent.trim())));
// The page's own word: what the driver knows may be older.
const address = page => page.evaluate(() => location.href);
const pause = (ms = 300) => new Promise(done => setTimeout(done, ms));

/** Keeps what is copied. */
const copies = () => {
  navigator.clipboard.writeText = async text => { window.copied = text; };
};

async function type(page, selector, value) {
  await page.click(selector, { count: 3 });
  await page.keyboard.press('Backspace');
  await page.type(selector, value);
}

async function drag(page, from, to) {
  await page.evaluate(() => scrollTo(0, 0));
  const { x, y, width } = await page.$eval('cg-board', board => board.getBoundingClientRect().toJSON());
  const middle = square => [x + (square.charCodeAt(0) - 96.5) * width / 8, y + (8.5 - Number(square[1])) * width / 8];
  await page.mouse.move(...middle(from));
  await page.mouse.down();
  await page.mouse.move(...(to ? middle(to) : [x + width + 60, y + 40]), { steps: 5 });
  await page.mouse.up();
  await pause();
}

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page, errors;
    before(async () => {
      server = await serve();
      browser = await launch(name);
      ({ page, errors } = await open(browser, server.url, { before: copies }));
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    test('the first example differs under the rule sets', async () => {
      console.log(`# ${await browser.version()}`);
      const on = (await rows(page)).find(([move]) => move.startsWith('Qxf6'));
      assert.deepEqual(on.slice(1), ['−900', '−900', '+100', '−800']);
      assert.match(on[0], /≠/);
      assert.match(await text(page, '#exchange'), /Ne4 may not recapture: pinned to h7 by Bc2/);
      assert.match(await address(page), /#fen=8\/4Q1pk\/.*&move=e7f6&rules=sf&values=cpw$/);
      await shot(page, `${name}-explain`);
    });

    test('answers come while one types, errors in words beside the field', async () => {
      await type(page, '#fen', '4k3/8/8/3p4/4P3/8/8/4K3 w - -');
      assert.match(await text(page, '#moves tbody'), /exd5/);
      await type(page, '#fen', '4k3/8/8/3p4/4P3/8/8/8 w - -');
      assert.match(await text(page, '#fen-error'), /king/);
      assert.equal(await page.$eval('#fen', field => field.getAttribute('aria-invalid')), 'true');
      assert.deepEqual(await rows(page), []);
      await shot(page, `${name}-error`);
      await type(page, '#fen', '4k3/8/8/8/8/8/8/4K3 w - -');
      assert.equal(await text(page, '#fen-error'), '');
      assert.equal(await page.$eval('#none', one => one.hidden), false);
    });

    test('a move and a rule set are chosen by a click, steps by keys', async () => {
      await page.goto(`${server.url}#fen=1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3_w_-_-_0_1&move=d3e5&rules=swap&values=cpw`);
      await pause();
      await page.click('#moves tbody tr:first-child td[data-rules=legal]');
      assert.match(await address(page), /rules=legal/);
      await page.click('#moves tbody tr:has(button[data-focus=d3e5]) td[data-rules=legal]');
      assert.match(await address(page), /move=d3e5&rules=legal/);
      await page.click('#moves thead button[aria-pressed=false]');
      assert.match(await address(page), /rules=swap/);
      await page.evaluate(() => document.activeElement.blur());
      for (const [key, at] of [['ArrowRight', 1], ['ArrowRight', 2], ['ArrowLeft', 1], ['End', 6], ['ArrowRight', 6], ['Home', 0]]) {
        await page.keyboard.press(key);
        assert.match(await text(page, '#at'), new RegExp(`^${at} of 6`));
      }
      await page.click('#next');
      await page.click('#next');
      assert.match(await text(page, '#step'), /Black knight d7 x knight/);
      // A captured piece fades.
      await page.waitForFunction(() => document.querySelectorAll('cg-board piece').length === 19, { timeout: 5000 });
      await shot(page, `${name}-step`);
    });

    test('a link brings the same back', async () => {
      const link = page.url();
      const seen = await text(page, '#exchange');
      const other = await open(browser, link);
      assert.equal(await text(other.page, '#exchange'), seen);
      assert.equal(other.page.url(), link);
      await other.page.close();
      await page.click('#examples li:nth-child(3) a');
      await pause();
      assert.match(await text(page, '#exchange'), /Be7 may not recapture/);
      await page.goBack();
      await pause();
      assert.equal(page.url(), link);
    });

    test('pieces are dragged, added and removed', async () => {
      await page.goto(`${server.url}#fen=4k3/4b3/8/2p5/4N3/8/8/4R2K_w_-_-_0_1&move=e4c5&rules=legal&values=cpw`);
      await pause();
      assert.match(await text(page, '.answer'), /\+100/);
      await drag(page, 'e1', 'd1');
      assert.equal(await page.$eval('#fen', field => field.value), '4k3/4b3/8/2p5/4N3/8/8/3R3K w - - 0 1');
      assert.match(await text(page, '.answer'), /−225/);
      await drag(page, 'd1', null);
      assert.equal(await page.$eval('#fen', field => field.value), '4k3/4b3/8/2p5/4N3/8/8/7K w - - 0 1');
      await page.click('#edit summary');
      const spare = await page.$eval('#spare .rook.white', one => { const { x, y } = one.getBoundingClientRect(); return [x + 9, y + 9]; });
      const { x, y, width } = await page.$eval('cg-board', board => board.getBoundingClientRect().toJSON());
      await page.mouse.move(...spare);
      await page.mouse.down();
      await page.mouse.move(x + 4.5 * width / 8, y + 7.5 * width / 8, { steps: 5 });
      await page.mouse.up();
      await pause();
      assert.equal(await page.$eval('#fen', field => field.value), '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1');
      await page.click('input[value=black]');
      assert.match(await text(page, '#fen-error') + page.url(), /_b_-_-_0_1/);
      await shot(page, `${name}-edit`);
    });

    test('a king that leaves home loses its castling rights', async () => {
      await page.goto(`${server.url}#fen=r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq_-_0_1`);
      await pause();
      await drag(page, 'e1', 'e2');
      assert.equal(await page.$eval('#fen', field => field.value), 'r3k2r/8/8/8/8/8/4K3/R6R w kq - 0 1');
    });

    test('a board is dragged where it stands after an error came and went', async () => {
      await page.goto(`${server.url}#fen=4k3/8/8/3p4/4P3/8/8/4K3_b_-_-_0_1`);
      await pause();
      await drag(page, 'e1', null);
      assert.match(await text(page, '#fen-error'), /king/);
      assert.equal(await page.$eval('#copy-command', one => one.disabled), true);
      await drag(page, 'e4', 'e5');
      assert.match(await page.$eval('#fen', field => field.value), /^4k3\/8\/8\/3pP3\/8/);
      await type(page, '#fen', '4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1');
      await drag(page, 'e4', 'e3');
      assert.match(await page.$eval('#fen', field => field.value), /^4k3\/8\/8\/3p4\/8\/4P3/);
    });

    test('arrows come back with the page', async () => {
      await page.goto(`${server.url}#fen=4k3/8/8/3p4/4P3/8/8/4K3_w_-_-_0_1`);
      const arrow = () => page.$eval('#board svg line', line => line.getAttribute('x1'));
      await pause();
      const before = await arrow();
      await page.click('#to-bench');
      await pause();
      await page.click('#to-explain');
      await pause();
      assert.equal(await arrow(), before);
    });

    test('a browser that refuses addresses does not keep answers back', async () => {
      await page.evaluate(() => {
        window.replace = history.replaceState;
        history.replaceState = () => { throw new DOMException('too often', 'SecurityError'); };
      });
      await type(page, '#fen', '4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1');
      assert.match(await text(page, '#moves tbody'), /exd5/);
      assert.match(await text(page, '.answer'), /\+1000/);
      await page.evaluate(() => { history.replaceState = window.replace; });
      await pause(800);
      assert.match(await address(page), /3q4/);
    });

    test('castling and promotions inside are shown on the board', async () => {
      const on = square => page.evaluate(key => {
        const piece = [...document.querySelectorAll('cg-board piece')].find(one => one.cgKey === key);
        return piece?.className.replace(' anim', '');
      }, square);
      await page.goto(`${server.url}#fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&move=O-O`);
      await pause();
      await page.click('#last');
      await pause(600);
      assert.deepEqual([await on('g1'), await on('f1'), await on('h1')], ['white king', 'white rook', undefined]);
      await page.goto(`${server.url}#fen=k5Rr/1p5P/1P6/8/8/8/8/K7_b_-_-_0_1&move=h8g8&rules=legal`);
      await pause();
      await page.click('#last');
      await pause(600);
      assert.equal(await on('g8'), 'white queen');
      assert.match(await text(page, '#step'), /pawn h7 x rook = queen/);
    });

    test('a copied command has the position alone, whatever the link holds', async () => {
      const fen = '4k3/8/8/3p4/4P3/8/8/4K3 w - -';
      const link = line => `${server.url}#fen=${encodeURIComponent(line)}`;
      const links = [
        link(`${fen} bm exd5; id "$(touch pwned) \`x\` 'y'";`),
        link(`${fen} bm exd5; id "\x15touch pwned\x0f";`),
        `${link(fen)}&move=${encodeURIComponent('\x0fexd5\t')}&values=${encodeURIComponent('\x0b100,325,325,500,1000 ')}`,
      ];
      for (const link of links) {
        await page.goto(link);
        await pause();
        await page.evaluate(() => { window.copied = null; });
        await page.click('#copy-command');
        const copied = await page.evaluate(() => window.copied);
        // What was not parsed is an error: then there is nothing to copy.
        if (copied === null) assert.notEqual(await text(page, '#fen-error') + await text(page, '#values-error'), '');
        else assert.match(copied, /^swaplist explain "4k3\/8\/8\/3p4\/4P3\/8\/8\/4K3 w - -" e4d5( --values 100,325,325,500,1000)?$/);
      }
      assert.equal(await page.evaluate(async () => {
        const { copy } = await import('./dom.js');
        await copy('a\x15b\u202e\nc', document.createElement('p'));
        return window.copied;
      }), 'ab\nc');
    });

    test('own values, and what is copied is the command’s', async () => {
      const fen = '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48';
      await page.goto(`${server.url}#fen=${fen.replaceAll(' ', '_')}&move=e7f6&rules=sf8&values=cpw`);
      await pause();
      await page.select('#values', 'own');
      await type(page, '#own-values', '1,3,3,5');
      assert.match(await text(page, '#values-error'), /five whole numbers/);
      await type(page, '#own-values', '1,3,3,5,10');
      assert.equal(await text(page, '#values-error'), '');
      await page.click('#copy-text');
      const expected = native('explain', fen, 'e7f6', '--profile', 'sf8', '--values', '1,3,3,5,10').toString();
      assert.equal(await page.evaluate(() => window.copied), expected);
      await page.click('#copy-command');
      assert.equal(await page.evaluate(() => window.copied), `swaplist explain "${fen}" e7f6 --profile sf8 --values 1,3,3,5,10`);
      await page.click('#copy-link');
      assert.equal(await page.evaluate(() => window.copied), page.url());
      await page.reload();
      await ready(page);
      assert.equal(await page.$eval('#own-values', field => field.value), '1,3,3,5,10');
    });

    test('nothing failed unseen, and no other host was asked', () => assert.deepEqual(errors, []));
  });
}
