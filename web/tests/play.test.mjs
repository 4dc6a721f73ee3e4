// What a player does: playing on, games, sharing, on a desktop and on phones.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { address, field, moves, paste, pause, scrollToTop, show, text, touch } from './board.mjs';
import { BROWSERS, DIST, findings, launch, once, open, press, ready, rest, serve, shot } from './helpers.mjs';

const CPW = '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1';
const PARTED = '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48';
/** A pawn and a queen may recapture; the queen should not. */
const TWO = '4k3/4q3/3p4/4p3/8/5N2/8/4R1K1 w - - 0 1';
const GAME = `[Event "club"]
[White "Ann"]
[Black "Ben"]
[Result "0-1"]

1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 4. d4 Ng6
5. Bc4 {a comment} d6 0-1
`;
/** Phones upright, with a browser's bars, on their side, and a small one. */
const PHONES = [[390, 844], [390, 664], [844, 390], [360, 640]];

const linkOf = (fen, rest = '') => `#fen=${fen.replaceAll(' ', '_')}${rest}`;

/** What of a phone's screen is not seen whole: the board, the step's words, its buttons. */
function unseen() {
  const places = ['#board', '#step', '#steps', '#next', '#from-here'].map(selector => [selector, document.querySelector(selector).getBoundingClientRect()]);
  const found = places.filter(([, { top, bottom, left, right, width }]) => !width || top < -1 || left < -1 || bottom > innerHeight + 1 || right > innerWidth + 1).map(([name]) => name);
  const [, board] = places[0];
  for (const [name, other] of places.slice(1)) {
    if (other.top < board.bottom - 1 && other.left < board.right - 1) found.push(`${name} over the board`);
  }
  const step = document.querySelector('#step');
  const said = document.querySelector('#said');
  if (said.scrollHeight > said.clientHeight + 1) found.push(`scrolled: ${step.textContent}`);
  return found;
}

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page, errors;
    before(async () => {
      server = await serve();
      browser = await launch(name);
      ({ page, errors } = await open(browser, server.url + linkOf(CPW), {
        before: () => {
          if (navigator.clipboard) navigator.clipboard.writeText = async text => { window.copied = text; };
          window.kept = {};
          const made = URL.createObjectURL;
          URL.createObjectURL = blob => {
            window.kept.saved = blob;
            return made.call(URL, blob);
          };
        },
      }));
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    test('a piece that may recapture says what it is worth, and plays it beside the best one', once(name), async () => {
      await show(page, server.url, TWO, '&move=f3e5&rules=swap&values=cpw');
      await page.click('#next');
      await rest(page);
      assert.deepEqual(await page.$$eval('#board square.recaptures', all => all.map(one => one.cgKey).sort()), ['d6', 'e7']);
      assert.equal(await text(page, '#others'), 'Instead: Qxe5 −175');
      await touch(page, 'e7');
      assert.match(await text(page, '#step'), /^1\. White’s knight on f3 takes the pawn; .* Qxe5 loses 1\.75 pawns; the best recapture, dxe5, wins 3\.25 pawns\.$/);
      assert.deepEqual(await page.$$eval('#board .value text', all => all.map(one => one.textContent).sort()), ['−175', '−675', '−675']);
      await touch(page, 'e5');
      assert.match(await text(page, '#step'), /^1\. Black’s queen on e7 takes the knight; counted from here, Black is 3\.25 pawns up\. Qxe5 loses 1\.75 pawns; the best recapture, dxe5, wins 3\.25 pawns\.$/);
      assert.match(await address(page), /&line=Vk0k$/);
      assert.equal(await moves(page), '1. Nxe5 >Qxe5');
      assert.match(await text(page, '#at'), /^1 of 3/);
      await page.click('#return');
      await page.waitForFunction(() => document.querySelector('#fen').value.startsWith('4k3/4q3/3p4/4p3'));
      await rest(page);
      assert.match(await text(page, '#at'), /^1 of 2/);
      // The piece that is next goes on in the exchange.
      await touch(page, 'd6');
      await touch(page, 'e5');
      assert.match(await text(page, '#at'), /^2 of 2/);
      assert.match(await text(page, '#step'), /dxe5 wins 3\.25 pawns: no recapture is better\.$/);
      await page.click('#back');
      assert.doesNotMatch(await text(page, '#step'), /no recapture/);
      // A piece that cannot capture there says so, and nothing moves.
      await touch(page, 'e8');
      assert.match(await text(page, '#step'), /The piece on e8 has no legal capture on e5\.$/);
      assert.match(await text(page, '#at'), /^1 of 2/);
      // By keyboard, each recapture is a button.
      await page.focus('#others button');
      await page.keyboard.press('Enter');
      await rest(page);
      assert.match(await text(page, '#step'), /Qxe5 loses 1\.75 pawns/);
    });

    test('a piece that is barred says why', once(name), async () => {
      await show(page, server.url, PARTED, '&move=e7f6&rules=legal&values=cpw');
      await page.click('#next');
      await rest(page);
      await touch(page, 'e4');
      assert.match(await text(page, '#step'), /Ne4 may not capture: Bc2 pins it to h7\.$/);
      assert.match(await text(page, '#at'), /^1 of/);
      // A recapture that these rules play is not refused, legal or not.
      await show(page, server.url, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', '&move=e4c5&rules=swap&values=cpw');
      await page.click('#next');
      await rest(page);
      await touch(page, 'e7');
      await touch(page, 'c5');
      assert.match(await text(page, '#at'), /^2 of/);
      assert.match(await text(page, '#step'), /^2\. Black’s bishop on e7 takes the knight/);
      assert.doesNotMatch(await text(page, '#step'), /no legal capture/);
    });

    test('before the first step, a piece that may recapture says what it will do', once(name), async () => {
      await show(page, server.url, TWO, '&move=f3e5&rules=swap&values=cpw');
      await touch(page, 'e7');
      assert.equal(await text(page, '#step'), 'After Nxe5, Qxe5 loses 1.75 pawns; the best recapture, dxe5, wins 3.25 pawns.');
      assert.match(await text(page, '#at'), /^0 of/);
      await touch(page, 'e8');
      assert.equal(await text(page, '#step'), 'After Nxe5, the piece on e8 has no legal capture on e5.');
      // One's own piece shows its moves, as ever.
      await touch(page, 'f3');
      assert.equal(await text(page, '#step'), 'Choose a piece to see what its moves are worth.');
      assert.ok(await page.$$eval('#board square.noisy', all => all.length));
      await touch(page, 'd6');
      await page.click('#next');
      assert.doesNotMatch(await text(page, '#step'), /After/);
      await show(page, server.url, PARTED, '&move=e7f6&rules=legal&values=cpw');
      await touch(page, 'e4');
      assert.equal(await text(page, '#step'), 'After Qxf6, Ne4 may not capture: Bc2 pins it to h7.');
      await show(page, server.url, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', '&move=e4c5&rules=swap&values=cpw');
      await touch(page, 'e7');
      assert.equal(await text(page, '#step'), 'After Nxc5, the piece on e7 captures under swap.');
    });

    test('From here makes the position after a step the start, and Back returns to it', async () => {
      await show(page, server.url, CPW, '&move=d3e5&rules=swap&values=cpw');
      assert.equal(await page.$eval('#from-here', one => one.getAttribute('aria-disabled') === 'true' || one.disabled), true);
      await page.click('#last');
      await page.click('#from-here');
      await rest(page);
      assert.equal(await field(page), '1k1r3q/1pp4p/p4b2/4n3/8/P5P1/1PP1R1BP/2K1Q3 w - - 0 2');
      assert.match(await text(page, '#moves'), /Rxe5/);
      await page.click('#return');
      await page.waitForFunction(fen => document.querySelector('#fen').value === fen, {}, CPW);
      await rest(page);
      assert.match(await text(page, '#at'), /^2 of 2/);
      assert.equal(await page.$eval('#return', one => one.hidden), true);
      // Not after a recapture that no game allows.
      await show(page, server.url, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', '&move=e4c5&rules=swap&values=cpw');
      await page.click('#last');
      assert.match(await page.$eval('#from-here', one => one.title), /not legal/);
    });

    test('castling rights and the en-passant square are switches', once(name), async () => {
      await show(page, server.url, 'r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1');
      await page.click('#pencil');
      await page.click('#castling label:first-of-type input');
      assert.equal(await field(page), 'r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq - 0 1');
      await page.select('#passing', 'd6');
      assert.equal(await field(page), 'r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq d6 0 1');
      assert.match(await text(page, '#moves'), /exd6/);
      await page.select('#passing', '');
      await page.click('#castling label:first-of-type input');
      assert.equal(await field(page), 'r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1');
      // Without its rook there is no right.
      await show(page, server.url, '4k3/8/8/8/8/8/8/R3K3 w Q - 0 1');
      assert.deepEqual(await page.$$eval('#castling input', all => all.map(({ disabled, checked }) => [disabled, checked])), [[true, false], [false, true], [true, false], [true, false]]);
      assert.equal(await page.$eval('#passing', one => one.disabled), true);
      await page.click('#edit-done');
    });

    test('the board is edited by keys', async () => {
      await show(page, server.url, '4k3/8/8/8/8/8/8/4K3 w - - 0 1');
      await page.click('#pencil');
      await page.focus('#board-frame');
      for (const key of ['ArrowUp', 'ArrowRight', 'ArrowUp', 'N']) await page.keyboard.press(key);
      assert.equal(await field(page), '4k3/8/8/8/8/8/1N6/4K3 w - - 0 1');
      assert.equal(await text(page, '#cursor-said'), 'b2: white knight');
      assert.equal(await page.$$eval('#board square.cursor', all => all.map(one => one.cgKey).join()), 'b2');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('q');
      assert.equal(await field(page), '4k3/8/8/8/8/8/1Nq5/4K3 w - - 0 1');
      await page.keyboard.press('Delete');
      assert.equal(await field(page), '4k3/8/8/8/8/8/1N6/4K3 w - - 0 1');
      assert.equal(await text(page, '#cursor-said'), 'c2: empty');
      await page.click('#edit-done');
    });

    test('a game: its captures, those first that lose or that the rule sets value differently', once(name), async () => {
      await show(page, server.url, CPW);
      await paste(page, GAME);
      await page.waitForSelector('#game:not([hidden]) tbody');
      assert.match(await text(page, '#game p'), /^Ann – Ben: 2 captures and promotions in 10 half-moves; the first one loses material, or/);
      const rows = await page.$$eval('#game tbody tr', all => all.map(row => [...row.children].map(cell => cell.textContent.trim())));
      assert.deepEqual(rows, [
        ['3. Nxe5', '−225', '−225', '−225', '−225'],
        ['3... Nxe5', '+325', '+325', '+325', '+325'],
      ]);
      assert.match(await text(page, '#sentence'), /^Nxe5 loses 2\.25 pawns: Black takes the knight/);
      await page.click('#game tbody tr:nth-child(2) button');
      assert.match(await text(page, '#sentence'), /^Nxe5 wins 3\.25 pawns/);
      assert.match(await field(page), / b KQkq - 0 3$/);
      assert.deepEqual(await page.$$eval('#game tr.on', all => all.map(row => row.textContent.slice(0, 9))), ['3... Nxe5']);
      await shot(page, `${name}-game`);
      assert.deepEqual(await findings(page), []);
      // Other values, other figures.
      await page.select('#values', '1-3-3-5-9');
      await page.waitForFunction(() => /−2/.test(document.querySelector('#game tbody').textContent));
      await page.select('#values', 'cpw');
      for (const [words, moves] of [
        ['1. e4 d5 2. exd5 Qxd5', 'exd5'], ['e4 d5 exd5', 'exd5'],
        ['https://lichess.org/analysis/pgn/e4_d5_exd5', 'exd5'], ['https://lichess.org/analysis/pgn/1.+e4+d5+2.+exd5', 'exd5'],
        ['https://www.chess.com/analysis?pgn=1.%20e4%20d5%202.%20exd5', 'exd5'],
        [`[FEN "${TWO}"]\n\n1. Nxe5 *`, 'Nxe5'],
      ]) {
        await page.$eval('#game button', one => one.click());
        await page.waitForSelector('#game[hidden]');
        await paste(page, words);
        await page.waitForSelector('#game:not([hidden]) tbody');
        assert.match(await text(page, '#game tbody'), new RegExp(moves), words);
        assert.equal(await text(page, '#fen-error'), '');
      }
      await paste(page, '1. e4 e5 2. Qxh8');
      await page.waitForFunction(() => /Not all was read: .*Qxh8/.test(document.querySelector('#game').textContent));
      await paste(page, '1. Qxh8');
      await page.waitForFunction(() => /^‘Qxh8’ is not legal in the start position/.test(document.querySelector('#fen-error').textContent));
      await paste(page, '1. e4 e5');
      await page.waitForFunction(() => document.querySelector('#game').textContent.includes('This game: no capture and no promotion in 2 half-moves.'));
      await paste(page, GAME);
      await page.waitForFunction(() => document.querySelector('#game').textContent.includes('Ann'));
    });

    test('a game stays after a reload, and is in the link if it is short', async () => {
      const list = () => page.$$eval('#game tbody tr', all => all.map(row => `${row.className} ${row.querySelector('button').textContent}`));
      const until = async count => {
        await page.waitForFunction(count => document.querySelectorAll('#game:not([hidden]) tbody tr').length === count, {}, count);
        await rest(page);
      };
      await show(page, server.url, CPW);
      await paste(page, GAME);
      await until(2);
      await page.click('#game tbody tr:nth-child(2) button');
      const rows = [' 3. Nxe5', 'on 3... Nxe5'], url = await address(page), fen = await field(page);
      assert.deepEqual(await list(), rows);
      assert.match(url, /#line=Mc0kGV5qVkqkLbkuFazr&at=5&move=c6e5&step=0&game=Ann\+%E2%80%93\+Ben$/);
      assert.doesNotMatch(url, /club|comment/);
      await page.reload();
      await ready(page);
      await until(2);
      assert.deepEqual(await list(), rows);
      assert.match(await text(page, '#game p'), /^Ann – Ben: /);
      assert.equal(await field(page), fen);
      assert.match(await text(page, '#sentence'), /^Nxe5 wins 3\.25 pawns/);
      assert.equal(await address(page), url);
      const other = await open(browser, url);
      await other.page.waitForSelector('#game:not([hidden]) tr.on');
      assert.equal(await other.page.$eval('#game tr.on button', one => one.textContent), '3... Nxe5');
      assert.equal(await other.page.$eval('#fen', one => one.value), fen);
      await other.page.close();
      // Pasted into the field, such a link does the same.
      await page.$eval('#game .link', one => one.click());
      assert.doesNotMatch(await address(page), /game=/);
      await paste(page, url);
      await until(2);
      assert.deepEqual(await list(), rows);
      // A closed one does not come back.
      await page.$eval('#game .link', one => one.click());
      await page.reload();
      await ready(page);
      await pause(1000);
      assert.ok(await page.$('#game[hidden]'));
      // Many games are too long for a link; a reload has them.
      await paste(page, `${GAME}\n`.repeat(80));
      await until(160);
      assert.match(await address(page), /#line=Mc0kGV5qVkqkLbkuFazr&at=4&move=f3e5&step=0&game=-$/);
      await press(page, '#copy-link');
      await page.waitForFunction(() => document.querySelector('#copied').textContent === 'Copied: this game alone. All games are too long for a link.');
      await page.reload();
      await ready(page);
      await until(160);
      await page.$eval('#game .link', one => one.click());
    });

    for (const [how, act] of [
      ['an example', () => page.evaluate(() => { location.hash = document.querySelector('#examples a').hash; })],
      ['a pasted FEN', () => paste(page, TWO)],
      ['a FEN that is being written', () => page.type('#fen', 'x')],
      ['a link', () => paste(page, `${server.url}${linkOf(TWO)}`)],
      ['the other side to move', () => page.$eval('input[name=turn]:not(:checked)', one => one.click())],
    ]) {
      test(`a game leaves the list, the link and Share when another position is shown: ${how}`, once(name), async () => {
        await show(page, server.url, CPW);
        await paste(page, GAME);
        await page.waitForFunction(() => location.hash.includes('&game='));
        await act();
        await page.waitForSelector('#game[hidden]');
        await rest(page);
        assert.doesNotMatch(await address(page), /game=|Ann/);
        assert.doesNotMatch(await page.$eval('#to-explain', one => one.href), /game=/);
        await press(page, '#copy-link');
        assert.doesNotMatch(await page.evaluate(() => window.copied), /game=/);
        if (await page.$('#to-share:not(:disabled)')) {
          await press(page, '#to-share');
          await page.waitForSelector('#sharing[open]');
          await page.click('#share-chat');
          assert.doesNotMatch(await page.evaluate(() => window.copied), /game=/);
          await page.click('#close-sharing');
        }
        await page.reload();
        await ready(page);
        await pause(600);
        assert.ok(await page.$('#game[hidden]'), 'not after a reload either');
      });
    }

    test('a game stays while one of its positions is shown, and Back lists it again', async () => {
      const rows = count => page.waitForFunction(count => document.querySelectorAll('#game:not([hidden]) tbody tr').length === count, {}, count);
      for (const [words, count] of [[GAME, 2], [`${GAME}\n`.repeat(80), 160]]) {
        await show(page, server.url, CPW);
        await paste(page, words);
        await rows(count);
        // The capture that was played leads to a position of the list.
        await press(page, '#next');
        await press(page, '#from-here');
        await rest(page);
        assert.match(await page.$eval('#game tr.on', row => row.textContent), /3\.\.\. Nxe5/);
        const fen = await field(page);
        await paste(page, TWO);
        await page.waitForSelector('#game[hidden]');
        await page.evaluate(() => history.back());
        await rows(count);
        assert.equal(await field(page), fen);
        assert.match(await page.$eval('#game tr.on', row => row.textContent), /3\.\.\. Nxe5/);
        await page.$eval('#game .link', one => one.click());
      }
      await paste(page, '[FEN "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"]\n\n1. exd5 *');
      await page.waitForFunction(() => document.querySelector('#game').textContent.includes('This game: 1 capture or promotion in 1 half-move.'));
      await page.$eval('#game .link', one => one.click());
      // Without a capture, all half-moves are listed, and stay after a reload.
      await paste(page, '1. e4 e5');
      await rows(2);
      assert.match(await text(page, '#game p'), /^This game: no capture and no promotion in 2 half-moves\./);
      await page.click('#game tbody tr:nth-child(2) button');
      assert.match(await field(page), / b KQkq - 0 1$/);
      await page.reload();
      await ready(page);
      await rows(2);
      assert.match(await page.$eval('#game tr.on', row => row.textContent), /^1\.\.\. e5/);
      // What is shown stays if it is no longer listed, also under other rules.
      await page.click('#game input');
      await press(page, '#moves thead button[data-focus=legal]');
      await rest(page);
      assert.ok(await page.$('#game:not([hidden])'));
      await page.$eval('#game .link', one => one.click());
    });

    test('a position of one’s own is not judged under the rules of an example', once(name), async () => {
      const example = () => page.evaluate(() => { location.hash = document.querySelector('#examples li:nth-child(2) a').hash; });
      for (const [words, move] of [['3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1', 'exd8=Q'], [GAME, 'Nxe5']]) {
        await example();
        await page.waitForFunction(() => location.hash.includes('rules=sf'));
        await paste(page, words);
        await page.waitForFunction(move => document.querySelector('#sentence').textContent.includes(`${move} `), {}, move);
        assert.doesNotMatch(await address(page), /rules=/);
        // Rules that were chosen stay.
        await example();
        await page.waitForFunction(() => location.hash.includes('rules=sf'));
        await press(page, '#moves thead button[data-focus=legal]');
        await paste(page, words);
        await page.waitForFunction(() => !location.hash.includes('fen=8/4Q1pk'));
        assert.match(await address(page), /&rules=legal/);
      }
      await page.$eval('#game .link', one => one.click());
    });

    test('a link’s game is left out if it is too long, or without the position', once(name), async () => {
      const opened = await open(browser, `${server.url}${linkOf(TWO, '&move=f3e5')}&game=${encodeURIComponent(GAME)}`);
      await opened.page.waitForFunction(() => document.querySelector('#notes').textContent === 'This position is not in the game, which is left out.');
      assert.doesNotMatch(await address(opened.page), /game=/);
      assert.ok(await opened.page.$('#game[hidden]'));
      await opened.page.close();
      server.asked.clear();
      const long = await open(browser, `${server.url}${linkOf(TWO, '&move=f3e5')}&game=${'1.e4+e5+'.repeat(100_000)}`);
      assert.equal(await text(long.page, '#notes'), 'The link’s game has more than 8,000 characters, and is left out.');
      assert.doesNotMatch(await address(long.page), /game=/);
      await pause();
      assert.ok(!server.asked.has(path.join(DIST, 'game.js')), 'nothing is loaded to read it');
      assert.match(await text(long.page, '#sentence'), /^Nxe5 loses 2\.25 pawns/);
      await long.page.close();
    });

    test('all half-moves of a game are listed, in their order, if asked for', once(name), async () => {
      await show(page, server.url, CPW);
      await paste(page, GAME);
      await page.waitForSelector('#game:not([hidden]) tbody');
      await page.click('#game tbody tr:nth-child(2) button');
      await page.click('#game input');
      const names = () => page.$$eval('#game tbody button', all => all.map(one => one.textContent));
      assert.deepEqual(await names(), ['1. e4', '1... e5', '2. Nf3', '2... Nc6', '3. Nxe5', '3... Nxe5', '4. d4', '4... Ng6', '5. Bc4', '5... d6']);
      assert.match(await text(page, '#game p'), /^Ann – Ben: 2 captures and promotions in 10 half-moves\. /);
      assert.equal(await page.$eval('#game tr.on button', one => one.textContent), '3... Nxe5');
      assert.equal(await page.evaluate(() => document.activeElement.type), 'checkbox');
      await page.$eval('#game tbody tr:nth-child(3) button', one => one.click());
      assert.match(await field(page), / w KQkq - 0 2$/);
      assert.match(await text(page, '#sentence'), /^Nf3 /);
      assert.equal(await page.$eval('#game tr.on button', one => one.textContent), '2. Nf3');
      assert.deepEqual(await findings(page), []);
      await page.click('#game input');
      assert.deepEqual(await names(), ['3. Nxe5', '3... Nxe5']);
      await page.$eval('#game .link', one => one.click());
    });

    test('a game that is typed has a button that lists it', once(name), async () => {
      await show(page, server.url, CPW);
      await page.$eval('#fen', one => one.select());
      await page.type('#fen', 'e4 d5 exd5');
      assert.match(await text(page, '#fen-error'), /^These are the moves of a game\.$/);
      await page.click('#read-game');
      await page.waitForSelector('#game:not([hidden]) tbody');
      assert.match(await text(page, '#game tbody'), /2\. exd5/);
      assert.equal(await text(page, '#fen-error'), '');
      assert.ok(await page.$('#read-game[hidden]'));
      await page.$eval('#game .link', one => one.click());
    });

    test('what is shown is shared: a picture, a link, words for a chat', async () => {
      await show(page, server.url, CPW, '&move=d3e5&rules=sf&values=cpw');
      await page.click('#to-share');
      await page.waitForSelector('#sharing[open]');
      await page.waitForSelector('#picture[data-drawn]');
      assert.equal(await text(page, '#share-words'), 'Nxe5 loses 2.25 pawns under all four rule sets.');
      assert.equal(await page.$eval('#picture', one => one.getAttribute('aria-label')), 'Nxe5 loses 2.25 pawns under all four rule sets.');
      await page.click('#share-chat');
      assert.equal(await page.evaluate(() => window.copied), `Nxe5 loses 2.25 pawns under all four rule sets.\n${await address(page)}`);
      await page.click('#picture-save');
      await page.waitForFunction(() => window.kept.saved);
      assert.deepEqual(await page.evaluate(async () => {
        const { width, height } = await createImageBitmap(window.kept.saved);
        return [window.kept.saved.type, width, height];
      }), ['image/png', 1200, 630]);
      // The picture has the pieces, White's and Black's, and words beside the board.
      const dark = await page.$eval('#picture', canvas => {
        const draw = canvas.getContext('2d');
        const share = (x, y, width, height, most = 200) => {
          const { data } = draw.getImageData(x, y, width, height);
          let dark = 0;
          for (let i = 0; i < data.length; i += 4) dark += data[i] + data[i + 1] + data[i + 2] < most ? 1 : 0;
          return 4 * dark / data.length;
        };
        const square = 510 / 8;
        return [share(60 + square, 60, square, square), share(60, 60, square, square), share(615, 60, 545, 120), share(615, 570, 200, 40, 500)];
      });
      const [king, empty, words, where] = dark;
      assert.ok(king > 0.2 && empty < 0.01 && words > 0.01, dark.join());
      assert.ok(where > 0.02, `the address: ${where}`);
      await shot(page, `${name}-share`);
      assert.deepEqual(await findings(page), []);
      await page.click('#close-sharing');
      // An example has a page of its own, whose preview shows it.
      await page.goto(server.url);
      await ready(page);
      await page.evaluate(() => { location.hash = document.querySelector('#examples li:nth-child(2) a').hash; });
      await rest(page);
      await page.click('#to-share');
      await page.waitForSelector('#sharing[open]');
      assert.equal(await text(page, '#share-words'), 'Qxf6 loses 9 pawns under swap and sf8, wins 1 pawn under sf, loses 8 pawns under legal.');
      await page.click('#share-link');
      const link = await page.evaluate(() => window.copied);
      assert.equal(link, `${server.url}example-2.html`);
      await page.click('#close-sharing');
      await page.goto(link);
      await page.waitForFunction(() => location.hash.startsWith('#fen='));
      await ready(page);
      assert.match(await text(page, '#sentence'), /Qxf6 wins 1 pawn/);
    });

    for (const [width, height] of PHONES) {
      test(`on a phone of ${width} x ${height} the board, the step's words and its buttons are seen together`, async t => {
        const opened = await open(browser, server.url + linkOf(PARTED, '&move=e7f6&rules=legal&values=cpw'), { width, height, hasTouch: name === 'chromium' });
        const phone = opened.page;
        t.after(() => phone.close());
        assert.equal(await phone.evaluate(() => innerWidth), width, 'the page is as wide as the screen');
        const states = [[PARTED, 'e7f6', 'legal'], [PARTED, 'e7f6', 'sf'], [CPW, 'd3e5', 'swap'], [TWO, 'f3e5', 'swap'], ['4k3/8/8/8/8/8/8/4K2R w K - 0 1', 'e1g1', 'swap']];
        for (const [fen, move, rules] of states) {
          await phone.goto(server.url + linkOf(fen, `&move=${move}&rules=${rules}&values=cpw`));
          await rest(phone);
          await scrollToTop(phone);
          for (let i = 0; i < 7; i++) {
            const at = await phone.$eval('#at', one => one.textContent);
            assert.deepEqual(await phone.evaluate(unseen), [], `${fen} ${rules} ${at}`);
            if (i === 1) await shot(phone, `${name}-phone-${width}-${height}-${move}-${rules}`);
            await phone.$eval('#next', one => one.click());
            await pause(50);
          }
        }
        assert.deepEqual(opened.errors, []);
      });
    }

    test('pieces do not come from outside the board', async t => {
      const { page: phone } = await open(browser, server.url + linkOf(CPW), {
        width: 390, height: 844, hasTouch: name === 'chromium', before: () => {
          window.outside = [];
          const look = () => {
            const board = document.querySelector('#board')?.getBoundingClientRect();
            for (const piece of document.querySelectorAll('#board piece')) {
              const { left, right, top, bottom, width } = piece.getBoundingClientRect();
              if (width && (left < board.left - 2 || right > board.right + 2 || top < board.top - 2 || bottom > board.bottom + 2)) window.outside.push(`${piece.className} ${left} ${top}`);
            }
            requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
      });
      t.after(() => phone.close());
      await pause(600);
      assert.deepEqual(await phone.evaluate(() => window.outside.slice(0, 5)), []);
    });

    test('a position may also be asked for by ?fen=', async () => {
      await page.goto(`${server.url}?fen=${encodeURIComponent(TWO)}&move=f3e5`);
      await ready(page);
      assert.equal(await field(page), TWO);
      assert.match(await text(page, '#sentence'), /^Nxe5 loses 2\.25 pawns/);
      await page.waitForFunction(() => !location.search && location.hash.startsWith('#fen='));
      await page.goto(`${server.url}?nonsense=1`);
      await ready(page);
      assert.match(await text(page, '#notes'), /The link names no position: this is an example/);
    });

    test('a part loads what it uses', async () => {
      const [explain, large] = ['explain.wasm', 'swaplist.wasm'].map(name => path.join(DIST, name));
      for (const [part, wasm, other] of [['', explain, large], ['#files', large, explain], ['#check', large, explain], ['#bench', large, explain]]) {
        server.asked.clear();
        const { page } = await open(browser, server.url + part);
        await pause();
        assert.ok(server.asked.has(wasm) && !server.asked.has(other), part);
        const code = [...server.asked].map(file => path.basename(file)).filter(file => ['explain.js', 'files.js', 'check.js', 'bench.js', 'chessground.min.js'].includes(file));
        assert.deepEqual(code.sort(), part ? [`${part.slice(1)}.js`] : ['chessground.min.js', 'explain.js'], part);
        await page.close();
      }
    });

    test('a link skips to the content, and a sign has a name', async () => {
      await show(page, server.url, PARTED, '&move=e7f6&rules=sf&values=cpw');
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'skip');
      assert.ok(await page.$eval('#skip', one => one.getBoundingClientRect().top >= 0));
      const before = await address(page);
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
      assert.equal(await address(page), before);
      assert.equal(await page.$eval('#moves .differs', one => one.getAttribute('aria-label')), ', the rule sets differ');
    });

    test('nothing failed unseen, and no other host was asked', () => assert.deepEqual(errors, []));
  });
}

test('each example and each other part has a page with a preview of its own', () => {
  const pages = fs.readdirSync(DIST).filter(name => /^(example-\d+|files|check|bench)\.html$/.test(name));
  assert.equal(pages.length, 9);
  const images = pages.map(page => {
    const html = fs.readFileSync(path.join(DIST, page), 'utf8');
    // Or a browser asks for one that is not there.
    assert.match(html, /<link rel="icon" href="icon.svg">/, page);
    const [, image] = /property="og:image" content="([^"]+)"/.exec(html);
    const bytes = fs.readFileSync(path.join(DIST, path.basename(image)));
    const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    assert.deepEqual([bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)], [1200, 630], page);
    return bytes.toString('base64');
  });
  assert.equal(new Set(images).size, 9);
});
