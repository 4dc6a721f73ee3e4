// What is pasted anywhere, dropped, or written into the field.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { address, field, moves, paste, show, text } from './board.mjs';
import { BROWSERS, findings, launch, open, rest, serve, shot } from './helpers.mjs';

const TWO = '4k3/4q3/3p4/4p3/8/5N2/8/4R1K1 w - - 0 1';
const OTHER = '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1';
const GAME = '[White "Ann"]\n[Black "Ben"]\n\n1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 1-0\n';

/** Pastes where nothing is written. Firefox takes the text apart from the clipboard. */
const pasteAnywhere = (page, words) => page.evaluate(words => {
  const data = new DataTransfer();
  data.setData('text', words);
  document.activeElement.blur();
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, data: words, dataType: 'text/plain', bubbles: true, cancelable: true }));
}, words);

/** Drops a file on what is shown. */
const drop = (page, name, content) => page.evaluate((name, content) => {
  const data = new DataTransfer();
  data.items.add(new File([content], name));
  document.querySelector('main:not([hidden])').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}, name, content);

const shows = (page, fen) => page.waitForFunction(fen => document.querySelector('#fen').value === fen && !document.querySelector('#explain').hidden, {}, fen);

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page, errors;
    before(async () => {
      server = await serve();
      browser = await launch(name);
      ({ page, errors } = await open(browser, server.url));
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    test('what is left out of a text is shown in grey', async () => {
      await show(page, server.url, OTHER);
      await paste(page, `What about this one? ${TWO} Nxe5 (I would not)`);
      await shows(page, TWO);
      assert.match(await text(page, '#sentence'), /^Nxe5 loses 2\.25 pawns/);
      const read = await page.$$eval('#pasted :is(b, i)', all => all.map(one => [one.localName, one.textContent]));
      assert.deepEqual(read.filter(([tag]) => tag === 'i').map(([, words]) => words.trim()).filter(Boolean), ['What about this one?', '(I would not)']);
      assert.ok(read.some(([tag, words]) => tag === 'b' && words.startsWith('4k3/4q3/')));
      assert.deepEqual(await findings(page), []);
      await shot(page, `${name}-pasted`);
      // Nothing is left out of a FEN, and nothing is said then.
      await paste(page, OTHER);
      await shows(page, OTHER);
      assert.equal(await text(page, '#pasted'), '');
      // Typed, the text stays, with the rest of it pale.
      await page.click('#fen', { count: 3 });
      await page.type('#fen', `${TWO} really?`);
      await page.waitForSelector('#fen-mark i');
      assert.deepEqual(await page.$$eval('#fen-mark i', all => all.map(one => one.textContent.trim())), ['really?']);
      assert.equal(await field(page), `${TWO} really?`);
    });

    test('the command that was copied brings its rules and values along', async () => {
      await page.evaluate(() => { navigator.clipboard.writeText = async words => { window.copied = words; }; });
      await show(page, server.url, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', '&move=e4c5&rules=legal&values=stockfish');
      const said = await text(page, '#sentence');
      await page.$eval('#copy-command', one => one.click());
      const command = await page.waitForFunction(() => window.copied).then(found => found.jsonValue());
      assert.match(command, /--profile legal --values stockfish$/);
      await show(page, server.url, OTHER);
      await paste(page, command);
      await shows(page, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1');
      assert.equal(await text(page, '#sentence'), said);
      assert.equal(await page.$eval('#values', one => one.value), 'stockfish');
      // Without rules it is of those that need no name.
      await paste(page, `swaplist explain '${OTHER}' e4d5`);
      await shows(page, OTHER);
      assert.equal(new URL(await address(page)).hash, `#fen=${OTHER.replaceAll(' ', '_')}&move=e4d5`);
    });

    test('a move alone is played on the board that stands', async () => {
      await show(page, server.url, TWO);
      await paste(page, 'Nxe5');
      await page.waitForFunction(() => document.querySelector('#line-moves').textContent.includes('Nxe5'));
      assert.equal(await moves(page), '>1. Nxe5');
      await pasteAnywhere(page, 'Qxe5');
      await page.waitForFunction(() => document.querySelector('#line-moves').textContent.includes('Qxe5'));
      assert.equal(await moves(page), '1. Nxe5 >Qxe5');
      // Typed, it waits for Enter.
      await show(page, server.url, TWO);
      await page.click('#fen', { count: 3 });
      await page.type('#fen', 'f3e5');
      await page.waitForSelector('#read-game:not([hidden])');
      assert.equal(await text(page, '#fen-error'), 'This is a move of the position before.');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('#line-moves').textContent.includes('Nxe5'));
      assert.equal(await moves(page), '>1. Nxe5');
      assert.equal(await text(page, '#fen-error'), '');
    });

    test('Ctrl+V works anywhere on the page', async () => {
      await show(page, server.url, OTHER);
      await pasteAnywhere(page, `fen: ${TWO}`);
      await shows(page, TWO);
      await page.evaluate(() => { location.hash = '#bench'; });
      await page.waitForSelector('#bench:not([hidden])');
      await pasteAnywhere(page, GAME);
      await page.waitForSelector('#explain:not([hidden]) #game:not([hidden]) tbody');
      assert.match(await text(page, '#game p'), /^Ann – Ben: /);
      assert.equal(await text(page, '#notes'), '');
      await pasteAnywhere(page, 'nothing to see');
      await page.waitForFunction(() => document.querySelector('#fen-error').textContent);
      assert.equal(await field(page), 'nothing to see');
    });

    test('a dropped game or position opens on the board, a data set in Files, and each offers the other', async () => {
      await show(page, server.url, OTHER);
      await drop(page, 'two.fen', `${TWO}\n`);
      await shows(page, TWO);
      await drop(page, 'club.pgn', GAME);
      await page.waitForSelector('#game:not([hidden]) tbody');
      assert.equal((await text(page, '#pasted')).trim(), 'club.pgn is on the board. Open it in Files');
      await page.click('#pasted button');
      await page.waitForFunction(() => !document.querySelector('#files').hidden && document.querySelector('#chosen').textContent.startsWith('club.pgn'));
      await page.click('#on-board');
      await page.waitForSelector('#explain:not([hidden]) #game:not([hidden]) tbody');
      await drop(page, 'set.plain', `fen ${TWO}\nmove f3e5\nscore 1\nply 1\nresult 0\ne\n`);
      await page.waitForFunction(() => !document.querySelector('#files').hidden && document.querySelector('#chosen').textContent.startsWith('set.plain'));
      assert.ok(await page.$('#on-board[hidden]'));
      await page.waitForSelector('#preview:not([hidden]) .card');
    });

    test('an odd position of a link is read, and says what was understood', async () => {
      await page.goto(`${server.url}#fen=${encodeURIComponent('4k3/8/8/3pP3/8/8/8/4K3')}`);
      await page.waitForFunction(() => /does not say/.test(document.querySelector('#notes').textContent));
      assert.equal(await text(page, '#fen-error'), '');
      assert.equal(await field(page), '4k3/8/8/3pP3/8/8/8/4K3 w - -');
      assert.match(await address(page), /4K3_w_-_-$/);
      await rest(page);
    });

    test('nothing failed unseen', () => assert.deepEqual(errors, []));
  });
}
