// The board, as a person uses it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { address, drag, field, middle, paste, pause, pieceOn, scrollToTop, show, text, touch } from './board.mjs';
import { BROWSERS, launch, native, once, open, ready, rest, serve, shot } from './helpers.mjs';

const rows = page => page.$$eval('#moves tbody tr', all => all.map(row => [...row.children].map(cell => cell.textContent.trim())));

/** Keeps what is copied. */
const copies = () => {
  navigator.clipboard.writeText = async text => { window.copied = text; };
};

async function type(page, selector, value) {
  await page.click(selector, { count: 3 });
  await page.keyboard.press('Backspace');
  await page.type(selector, value);
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

    test('the second example differs under the rule sets', once(name), async () => {
      console.log(`# ${await browser.version()}`);
      // The page plays its first example by itself, until somebody does something.
      await page.click('#examples li:nth-child(2) a');
      await rest(page);
      const on = (await rows(page)).find(([move]) => move.startsWith('Qxf6'));
      assert.deepEqual(on.slice(1), ['−900', '−900', '+100', '−800']);
      assert.match(on[0], /≠/);
      assert.match(await text(page, '#sentence'), /^Under sf \(Stockfish since 2019\), Qxf6 wins 1 pawn: Black’s recapture is legal, but not under sf, as g7 and Ne4 count as pinned\.$/);
      assert.match(await address(page), /#fen=8\/4Q1pk\/.*&move=e7f6&rules=sf$/);
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
      await rest(page);
      await page.click('#moves tbody tr:first-child td[data-rules=legal]');
      assert.match(await address(page), /rules=legal/);
      await page.click('#moves tbody tr:has(button[data-focus=d3e5]) td[data-rules=legal]');
      assert.match(await address(page), /move=d3e5&rules=legal/);
      assert.deepEqual(await page.$$eval('#first, #back, #next, #last', all => all.map(one => one.disabled)), [true, true, false, false]);
      await page.click('#moves thead button[aria-pressed=false]');
      assert.doesNotMatch(await address(page), /rules=/, 'the usual rules need no word');
      // Only where the focus is on the board or the strip.
      await page.keyboard.press('ArrowRight');
      assert.match(await text(page, '#at'), /^0 of 2/);
      await page.focus('#board-frame');
      for (const [key, at] of [['ArrowRight', 1], ['ArrowRight', 2], ['ArrowLeft', 1], ['End', 2], ['ArrowRight', 2], ['Home', 0]]) {
        await page.keyboard.press(key);
        assert.match(await text(page, '#at'), new RegExp(`^${at} of 2`));
        assert.equal(await text(page, '#mover'), `${at % 2 ? 'Black' : 'White'} to move`);
      }
      await page.click('#next');
      await page.click('#next');
      assert.match(await text(page, '#step'), /Black’s knight on d7 takes the knight; White is 2\.25 pawns down/);
      // A captured piece fades.
      await page.waitForFunction(() => document.querySelectorAll('#board cg-board piece:not(.fading):not(.ghost)').length === 18);
      assert.deepEqual([await pieceOn(page, 'e5'), await pieceOn(page, 'd7')], ['black knight', undefined]);
      await shot(page, `${name}-step`);
      // What nobody would play, on request.
      assert.equal(await page.$eval('#next', one => one.disabled), true);
      await page.click('#strip button[data-ply="3"]');
      assert.match(await text(page, '#step'), /If they went on: White’s rook on e2 takes the knight; White is 1 pawn up/);
      assert.equal(await text(page, '#at'), '3 of 6');
      await page.click('#next');
      await pause(500);
      assert.equal(await pieceOn(page, 'e5'), 'black bishop');
      // A button that has nothing left to do leaves its keys to the board.
      await page.click('#first');
      await page.focus('#next');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowLeft');
      assert.match(await text(page, '#at'), /^1 of 2/);
      // A chip under the mouse goes with its exchange.
      await page.hover('#strip button[data-ply="6"]');
      await paste(page, '4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1');
      assert.match(await text(page, '#moves'), /dxe4/);
      await page.mouse.move(0, 0);
    });

    test('the strip has the balance of the first mover, a flag, and what is not played hatched', once(name), async () => {
      for (const [fen, rest, chips, flag, words] of [
        ['1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', '&move=d3e5', 'd3 +100, d7 −225, |e2 +100, |f6 −400, |e1 −75, |h8 −1075', '−225 White stops', 'Nxe5 loses 2.25 pawns: Black takes the knight, and White is better off not recapturing.'],
        ['8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1', '&move=f4e5', 'f4 +100', '+100 Black cannot', 'fxe5 wins 1 pawn: Black may not recapture, as'],
        ['4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1', '&move=d5e4', 'd5 +100', '+100 White cannot', 'dxe4 wins 1 pawn: White cannot recapture.'],
        ['4k3/8/2n5/8/8/5N2/8/4K3 w - - 0 1', '&move=f3d4', 'f3 0, c6 −325', '−325 White cannot', 'Nd4 loses 3.25 pawns: Black takes the knight, and White cannot recapture.'],
      ]) {
        await show(page, server.url, fen, `${rest}&rules=swap&values=cpw`);
        const shown = await page.$$eval('#strip .chip', all => all.map(one => `${one.classList.contains('hatched') ? '|' : ''}${one.querySelector('.face').textContent} ${one.querySelector('.number').textContent}`).join(', '));
        assert.equal(shown, chips);
        assert.equal(await page.$eval('#strip .flag', one => `${one.querySelector('.number').textContent} ${one.querySelector('.face').textContent.replace('⚑', '').trim()}`), flag);
        assert.ok((await text(page, '#sentence')).startsWith(words), await text(page, '#sentence'));
      }
      assert.equal(await text(page, '#unit'), 'White’s balance, in centipawns');
      // Steps of the curve go up where the first mover wins.
      await show(page, server.url, '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', '&move=d3e5');
      const heights = await page.$$eval('#strip .chip .level', all => all.map(one => one.getBoundingClientRect().y));
      assert.ok(heights[0] < heights[1] && heights[2] < heights[3] && heights[1] > heights[2], heights.join(' '));
    });

    test('a chip lights its pieces, its number and its line', once(name), async () => {
      await page.hover('#strip button[data-ply="4"]');
      await pause(100);
      assert.equal(await page.$$eval('#strip .chip[data-lit] .face', all => all.map(one => one.textContent).join()), 'f6');
      assert.match(await text(page, '#step'), /Black’s bishop on f6 takes the rook; White is 4 pawns down/);
      const arrow = await page.$$eval('#board svg line', all => all.map(one => ['x1', 'y1', 'x2'].map(at => Number(one.getAttribute(at)))));
      assert.equal(arrow.length, 1);
      assert.deepEqual(arrow[0].slice(0, 2), [1.5, -1.5], 'from f6');
      assert.ok(arrow[0][2] < 1, 'to e5');
      await page.mouse.move(0, 0);
      await pause(100);
      assert.equal(await page.$$eval('#strip [data-lit]', all => all.length), 0);
    });

    test('lanes show where the rule sets part, and why', once(name), async () => {
      await show(page, server.url, '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48', '&move=e7f6&rules=sf&values=cpw');
      assert.equal(await page.$$eval('.trunk .face', all => all.map(one => one.textContent).join()), 'e7');
      const lanes = await page.$$eval('.lane', all => all.map(one => [one.dataset.of, one.querySelector('.lane-name span')?.textContent ?? '', one.querySelector('.flag .number').textContent, one.hasAttribute('data-on')]));
      assert.deepEqual(lanes, [
        ['swap sf8', 'no pins apply', '−900', false],
        ['sf', 'g7’s capture is legal, but not under sf: its pin to h7 by Bc2 still counts', '+100', true],
        ['legal', 'Ne4 may not capture: Bc2 pins it to h7', '−800', false],
      ]);
      // Another lane's chip shows its rule set.
      await page.click('.lane[data-of=legal] button[data-ply="2"]');
      assert.match(await address(page), /rules=legal/);
      assert.match(await text(page, '#at'), /^2 of/);
      // The same four values need no lanes.
      await page.click('#moves tbody button[data-focus=e7g7]');
      assert.equal(await page.$$eval('.lane', all => all.length), 1);
    });

    test('a touched piece lights its moves by their SEE, and a move is explained where it is dropped', async () => {
      await show(page, server.url, '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', '&move=e2e5&rules=swap&values=cpw');
      await touch(page, 'd3');
      await page.waitForFunction(() => document.querySelectorAll('#board square:is(.noisy, .calm)').length === 5);
      const squares = await page.$$eval('#board square.noisy, #board square.calm', all => all.map(one => [one.cgKey, one.className.replace('square', '').trim()]).sort());
      assert.deepEqual(Object.fromEntries(squares), { b4: 'even calm', c5: 'bad calm', e5: 'bad noisy', f2: 'even calm', f4: 'bad calm' });
      const { moves } = await page.evaluate(() => { const labels = [...document.querySelectorAll('#board .value text')]; return { moves: labels.map(one => one.textContent).sort() }; });
      assert.deepEqual(moves, ['−225', '−225', '−325']);
      await touch(page, 'e5');
      assert.match(await address(page), /1R1BP\/2K1Q3_w_-_-_0_1&line=Tk$/);
      assert.match(await text(page, '#at'), /^1 of 2/);
      assert.equal(await pieceOn(page, 'e5'), 'white knight');
      const before = await field(page);
      // Another try starts where this one did.
      await page.click('#first');
      await rest(page); // the knight goes back
      await drag(page, 'd3f4');
      assert.match(await text(page, '#sentence'), /^Nf4 loses 2\.25 pawns: Black/);
      const row = (await rows(page)).find(([move]) => move.startsWith('Nf4'));
      assert.deepEqual(row.slice(1), ['−225', '−225', '−225', '−225']);
      assert.equal(await field(page), before, 'nothing is edited');
      // An impossible move changes nothing.
      await drag(page, 'g2g6');
      assert.match(await address(page), /&line=Tk\*Td$/);
      await drag(page, 'c1');
      assert.equal(await field(page), before);
    });

    test('the right button draws arrows and circles, without a menu; a left click removes them', async () => {
      await show(page, server.url, '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', '&move=d3e5&rules=swap&values=cpw');
      await page.evaluate(() => {
        scrollTo(0, 0);
        addEventListener('contextmenu', event => { window.menu = !event.defaultPrevented; }, { once: true });
      });
      const right = async (from, to) => {
        await page.mouse.move(...await middle(page, from));
        await page.mouse.down({ button: 'right' });
        await page.mouse.move(...await middle(page, to), { steps: 5 });
        await pause(100);
        await page.mouse.up({ button: 'right' });
        await rest(page);
      };
      const drawn = () => page.$eval('#board .cg-shapes', svg => [svg.querySelectorAll('line').length, svg.querySelectorAll('circle').length]);
      await page.click('#next'); // no piece is chosen then
      await page.click('#first');
      await rest(page);
      const [lines, circles] = await drawn();
      await page.click('#next');
      await rest(page);
      const [later] = await drawn();
      await right('a7', 'a4');
      await right('h8', 'h8');
      assert.deepEqual(await drawn(), [later + 1, circles + 1]);
      assert.match(await text(page, '#at'), /^1 of 2/, 'the step stays');
      assert.equal(await page.evaluate(() => window.menu), false, 'a menu is kept away');
      await page.hover('#strip button[data-ply="2"]');
      await page.mouse.move(0, 0);
      await rest(page);
      assert.deepEqual(await drawn(), [later + 1, circles + 1], 'they outlive a glance at the strip');
      await page.click('#first');
      await rest(page);
      assert.deepEqual(await drawn(), [lines, circles], 'they are of one board');
      await right('a3', 'a6');
      assert.deepEqual(await drawn(), [lines + 1, circles]);
      await drag(page, 'd3f4');
      assert.match(await text(page, '#sentence'), /^Nf4 loses 2\.25 pawns/);
      await page.click('#first');
      await right('a3', 'a6');
      const before = await drawn();
      await page.mouse.click(...await middle(page, 'a5'));
      await rest(page);
      assert.deepEqual(await drawn(), [before[0] - 1, before[1]]);
    });

    test('quiet moves are also in a list, and a threshold is compared', once(name), async () => {
      await page.select('#quiet-moves', 'd3c5');
      assert.match(await text(page, '#sentence'), /^Nc5 loses 3\.25 pawns/);
      await type(page, '#at-least', '-325');
      assert.deepEqual(await page.$$eval('#threshold td', all => all.map(one => one.textContent)), ['yes', 'yes', 'yes', 'yes']);
      assert.match(await address(page), /&ge=-325$/);
      await type(page, '#at-least', '-324');
      assert.deepEqual(await page.$$eval('#threshold td', all => all.map(one => one.textContent)), ['no', 'no', 'no', 'no']);
      await type(page, '#at-least', 'x');
      assert.match(await text(page, '#threshold-error'), /Threshold: write a whole number/);
    });

    test('what programmers paste is read', once(name), async () => {
      const fen = '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48';
      const joined = fen.replaceAll(' ', '_');
      for (const [pasted, move = ''] of [
        [`position fen ${fen}`], [`"${fen}",`], [`fen '${fen}'`], [joined], [`[FEN "${fen}"]`],
        [`https://lichess.org/editor/${joined}?color=white`], [`https://lichess.org/analysis/standard/${joined}`],
        [`lichess.org/analysis/${encodeURI(joined)}#3`], [`https://www.chess.com/analysis?fen=${encodeURIComponent(fen)}`],
        [`https://example.org/swaplist/#fen=${joined}&move=e7g7&rules=legal&values=cpw`, 'e7g7'],
        [`${fen} e7g7`, 'e7g7'], [`${fen};e7g7`, 'e7g7'], [`"${fen}", "Qxg7"`, 'e7g7'],
        [`${fen.replace(' 0 48', '')} bm Qxg7; id "x";`, 'e7g7'],
      ]) {
        await show(page, server.url, '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1');
        await paste(page, pasted);
        assert.equal(await text(page, '#fen-error'), '', pasted);
        assert.equal(await field(page), pasted.includes('bm') ? fen.replace(' 0 48', '') : fen, pasted);
        assert.equal(new URLSearchParams((await address(page)).split('#')[1]).get('move') ?? '', move, `${pasted}: ${await address(page)}`);
        assert.equal(await text(page, '#notes'), '', pasted);
      }
      await paste(page, 'position startpos moves e2e4 d7d5');
      assert.equal(await field(page), 'rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2');
      assert.match(await text(page, '#notes'), /after 2 moves/);
      assert.match(await text(page, '#moves tbody'), /exd5/);
    });

    test('what cannot be is dropped with a note, what is wrong gets advice of this page', once(name), async () => {
      for (const [line, note, left = ''] of [
        ['4k3/8/8/3pP3/8/8/8/4K3 w - e6 0 1', /En passant on e6 is left out: no pawn has just passed there/],
        ['4k3/8/8/3pP3/8/8/8/4K3 w KQ - 0 1', /Castling with a rook on a1 is left out.*rook on h1/],
        ['4k3/8/8/3pP3/8/8/8/4K3 w X - 0 1', /Castling ‘X’ is left out: write letters of KQkq, or -/],
        ['4k3/8/8/3pP3/8/8/8/4K3', /does not say: White to move, no castling and no en passant assumed/],
        ['4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1 | 12 | 0.5', /^$/, '| 12 | 0.5'],
        ['4k3/8/8/3pP3/8/8/8/4K3 w - - 9999999 1', /^$/, '9999999 1'],
        ['4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1 some words', /^$/, 'some words'],
        ['4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1 e6 e5', /^$/, 'e5'],
        ['\u200b4k3/8/8/3pP3/8/8/8/4K3', /White to move, no castling/],
        ['4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1;e1e5', /‘e1e5’ is not a legal move here/],
      ]) {
        await type(page, '#fen', line);
        assert.match(await text(page, '#notes'), note);
        // What is left out is pale.
        assert.equal((await page.$$eval('#fen-mark i', all => all.map(one => one.textContent).join(''))).trim(), left);
        assert.equal(await text(page, '#fen-error'), '', line);
        assert.equal(await field(page), line, 'what is typed stays');
      }
      for (const [line, error, marked = ''] of [
        ['', /No position: paste a FEN/],
        ['e4 or e5', /is not a FEN/, 'e4'],
        ['4k3/8/8/3p4/4P3/8/4K3 w - -', /Board: 7 ranks/, '4k3/8/8/3p4/4P3/8/4K3'],
        ['4k3/8/8/3p5/4P3/8/8/4K3 w - -', /Board: rank 5, ‘3p5’, has 9 squares/, '3p5'],
        ['4k3/8/8/3x4/4P3/8/8/4K3 w - -', /‘x’ on rank 5 is not a piece/, 'x'],
        ['4k3/8/8/3p4/4P3/8/8/4K3 x - -', /Side to move: ‘x’ is not one; write w or b/, 'x'],
        ['8/8/8/3p4/4P3/8/8/4K3 w - -', /Black has no king; put one on the board/],
        ['P3k3/8/8/8/4P3/8/8/4K3 w - -', /a pawn on a8, where none can stand/],
        ['4k3/8/8/8/8/8/8/4RK2 w - -', /Black is in check, but it is White's turn/, 'w'],
        ['https://lichess.org/abcdefgh', /has no position in it \(game, study or puzzle\)/],
        ['https://example.org/x', /example\.org without a FEN/],
      ]) {
        await paste(page, line);
        assert.match(await text(page, '#fen-error'), error);
        assert.doesNotMatch(await text(page, '#fen-error'), /--/);
        assert.equal(await field(page), line, 'it can be corrected');
        // What is wrong is underlined, over the same letters of the field.
        assert.equal(await page.$$eval('#fen-mark mark', all => all.map(one => one.textContent).join()), marked);
        if (marked) assert.equal(await text(page, '#fen-mark'), line);
        // A position with a fault is shown; one that cannot be read leaves another, which is pale.
        const isShown = /king|pawn on|in check/.test(error);
        assert.equal(await page.$eval('#board', one => Number(getComputedStyle(one).opacity)), isShown ? 1 : 0.3, line);
        assert.equal(await text(page, '#sentence'), isShown ? '' : 'The board still shows another position: this one cannot be read yet.');
      }
      for (const odd of ['#nonsense', '#constructor']) {
        const { page: other } = await open(browser, server.url + odd);
        assert.match(await text(other, '#notes'), /The link names no position: this is an example/);
        await other.close();
      }
      await show(page, server.url, '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1', '&rules=stockfish&move=e9');
      assert.match(await text(page, '#notes'), /rules that do not exist: swap is shown.*‘e9’ is not a legal move here/);
      await show(page, server.url, '4k3/8/8/3p4/4P3/8/8/4K3 w ABC - 0 1', '&what=1&ge=x&ge=2');
      assert.match(await text(page, '#notes'), /“what” is not known.*names ge more than once.*ge, a threshold, is not a whole number.*Castling ‘ABC’ is left out/);
    });

    test('a board that is not of the FEN shows no exchange and takes no move', once(name), async () => {
      await show(page, server.url, '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1');
      await page.waitForSelector('#board svg line');
      await paste(page, '4k3/8/8/3p5/4P3/8/8/4K3 w - - 0 1');
      await rest(page);
      assert.equal(await page.$$eval('#board svg line', all => all.length), 0);
      await scrollToTop(page);
      await page.mouse.click(...await middle(page, 'e4'));
      await rest(page);
      assert.equal(await page.$$eval('#board square.noisy, #board square.calm, #board .value', all => all.length), 0);
      await drag(page, 'e4d5');
      assert.deepEqual([await pieceOn(page, 'e4'), await pieceOn(page, 'd5')], ['white pawn', 'black pawn']);
      await paste(page, '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1');
      await drag(page, 'e4d5');
      assert.match(await text(page, '#sentence'), /^exd5 wins 1 pawn/);
    });

    test('f turns the board and ? lists the keys', async () => {
      await page.focus('#board-frame');
      await page.keyboard.press('f');
      await rest(page);
      assert.ok(await page.$('#board.orientation-black'));
      await page.keyboard.press('f');
      await page.keyboard.type('?');
      assert.equal(await page.$eval('#key-list', one => one.open), true);
      await page.keyboard.press('Escape');
      assert.equal(await page.$eval('#key-list', one => one.open), false);
      await type(page, '#fen', '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;f?');
      assert.equal(await page.$eval('#key-list', one => one.open), false);
    });

    test('a link brings the same back', async () => {
      await show(page, server.url, '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', '&move=d3e5&rules=legal&values=cpw');
      const link = page.url();
      const seen = await text(page, '#strip');
      const other = await open(browser, link);
      assert.equal(await text(other.page, '#strip'), seen);
      assert.equal(other.page.url(), link);
      await other.page.close();
      await page.click('#examples li:nth-child(4) a');
      await rest(page);
      assert.equal(await page.evaluate(() => scrollY), 0, 'the board is seen');
      assert.match(await text(page, '#sentence'), /Black may not recapture, as Re1 pins Be7 to e8/);
      await page.goBack();
      await rest(page);
      assert.equal(page.url(), link);
    });

    test('in the editor pieces are dragged, put and removed, and each change can be undone', async () => {
      await show(page, server.url, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', '&move=e4c5&rules=legal&values=cpw');
      assert.match(await text(page, '#sentence'), /^Under legal \(legal moves only\), Nxc5 wins 1 pawn/);
      await page.click('#pencil');
      const states = ['4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', '4k3/4b3/8/2p5/4N3/8/8/3R3K w - - 0 1', '4k3/4b3/8/2p5/4N3/8/8/7K w - - 0 1', '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1'];
      await drag(page, 'e1d1');
      assert.equal(await field(page), states[1]);
      assert.match(await text(page, '#sentence'), /^Nxc5 loses 2\.25 pawns/);
      await drag(page, 'd1');
      assert.equal(await field(page), states[2]);
      const spare = await page.$eval('#spare .rook.white', one => { const { x, y } = one.getBoundingClientRect(); return [x + 9, y + 9]; });
      await page.mouse.move(...spare);
      await page.mouse.down();
      await page.mouse.move(...await middle(page, 'e1'), { steps: 5 });
      await page.mouse.up();
      await rest(page);
      assert.equal(await field(page), states[3]);
      await shot(page, `${name}-edit`);
      // The browser takes its time to go back.
      const becomes = fen => page.waitForFunction(fen => document.querySelector('#fen').value === fen, {}, fen);
      await page.click('#undo');
      await becomes(states[2]);
      await page.focus('#board-frame');
      await page.keyboard.down('Control');
      await page.keyboard.press('z');
      await page.keyboard.up('Control');
      await becomes(states[1]);
      await page.goBack();
      await becomes(states[0]);
      await page.click('#redo');
      await becomes(states[1]);
      // What lies ahead is only this page's own.
      await page.click('#to-files');
      await page.waitForSelector('#files:not([hidden])');
      await page.goBack();
      await page.waitForSelector('#explain:not([hidden])');
      await page.waitForSelector('#redo:disabled');
      await becomes(states[1]);
      // A tool puts and removes.
      await page.click('[aria-label="Put a black queen"]');
      await page.mouse.click(...await middle(page, 'a2'));
      await rest(page);
      assert.equal(await field(page), '4k3/4b3/8/2p5/4N3/8/q7/3R3K w - - 0 1');
      await page.click('[aria-label="Remove pieces"]');
      await page.mouse.click(...await middle(page, 'd1'));
      await rest(page);
      assert.equal(await field(page), '4k3/4b3/8/2p5/4N3/8/q7/7K w - - 0 1');
      await page.click('input[value=black]');
      assert.match(await text(page, '#mover'), /Black to move/);
      await page.click('#clear');
      assert.match(await text(page, '#fen-error'), /no king/);
      assert.equal(await page.$$eval('#board cg-board piece', all => all.filter(one => !one.classList.contains('ghost')).length), 0);
      await page.click('#start');
      await rest(page);
      assert.equal(await field(page), 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
      await page.click('#edit-done');
      await drag(page, 'e2e4');
      assert.match(await text(page, '#sentence'), /^e4 loses nothing/);
      assert.equal(await field(page), 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
    });

    test('a king that leaves home loses its castling rights', async () => {
      await show(page, server.url, 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1');
      await page.click('#pencil');
      await drag(page, 'e1e2');
      assert.equal(await field(page), 'r3k2r/8/8/8/8/8/4K3/R6R w kq - 0 1');
    });

    test('a board is dragged where it stands after an error came and went', async () => {
      await show(page, server.url, '4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1');
      await drag(page, 'e1');
      assert.match(await text(page, '#fen-error'), /king/);
      assert.equal(await page.$eval('#copy-command', one => one.disabled), true);
      await drag(page, 'e4e5');
      assert.match(await field(page), /^4k3\/8\/8\/3pP3\/8/);
      await type(page, '#fen', '4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1');
      await drag(page, 'e4e3');
      assert.match(await field(page), /^4k3\/8\/8\/3p4\/8\/4P3/);
      await page.click('#edit-done');
    });

    test('a finger that scrolls moves and removes nothing; a tap chooses', { skip: name === 'firefox' && 'the driver has no touch there' }, async t => {
      const touched = await open(browser, server.url, { width: 390, height: 700, hasTouch: true });
      const phone = touched.page;
      t.after(() => phone.close());
      for (const isEdited of [false, true]) {
        await show(phone, server.url, '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', '&move=e2e5');
        if (isEdited) {
          await scrollToTop(phone);
          await phone.tap('#pencil');
          await phone.waitForFunction(() => !document.querySelector('#editor').hidden);
        }
        await scrollToTop(phone);
        const before = await phone.evaluate(() => [location.href, document.querySelector('#fen').value, document.querySelector('#board').ariaLabel]);
        for (const square of ['c1', 'd3', 'e5', 'e3']) {
          const [x, y] = await middle(phone, square);
          const touch = await phone.touchscreen.touchStart(x, y);
          for (let i = 1; i <= 8; i++) await touch.move(x, y - 12 * i);
          await touch.end();
          await pause(150);
        }
        assert.deepEqual(await phone.evaluate(() => [location.href, document.querySelector('#fen').value, document.querySelector('#board').ariaLabel]), before);
        assert.ok(await phone.evaluate(() => scrollY) > 20, 'it scrolled');
      }
      await phone.evaluate(() => scrollTo(0, 300));
      // A tap on a page that still moves would only stop it.
      await rest(phone);
      await phone.tap('#edit-done');
      await phone.waitForSelector('#edit-done', { hidden: true });
      // The board moves as the page does: it is touched where it then stands.
      await scrollToTop(phone);
      await phone.touchscreen.tap(...await middle(phone, 'd3'));
      await phone.waitForFunction(() => document.querySelectorAll('#board square.noisy, #board square.calm').length === 5);
      await phone.touchscreen.tap(...await middle(phone, 'e5'));
      await pause(400);
      assert.match(await text(phone, '#sentence'), /^Nxe5 loses 2\.25 pawns/);
      // What is chosen is dragged.
      await show(phone, server.url, '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1');
      await phone.touchscreen.tap(...await middle(phone, 'e4'));
      await pause();
      const [[x, y], [toX, toY]] = [await middle(phone, 'e4'), await middle(phone, 'c5')];
      const finger = await phone.touchscreen.touchStart(x, y);
      for (let i = 1; i <= 8; i++) await finger.move(x + (toX - x) * i / 8, y + (toY - y) * i / 8);
      await finger.end();
      await pause(400);
      assert.match(await text(phone, '#sentence'), /Nxc5 loses/);
      assert.equal(await phone.evaluate(() => scrollY), 0);
      // In the editor, a tap puts a piece on the board that is seen.
      await phone.tap('#pencil');
      await phone.tap('[aria-label="Put a white pawn"]');
      await scrollToTop(phone);
      await phone.touchscreen.tap(...await middle(phone, 'h5'));
      await pause(400);
      assert.match(await field(phone), /\/2N4P\//);
      await phone.tap('#clear');
      await phone.waitForFunction(() => /has no king/.test(document.querySelector('#board-error').textContent));
      // Said where one looks: in the editor, or at the field that has the focus.
      const seen = () => phone.$$eval('#board-error, #fen-error', all => all.filter(one => one.checkVisibility() && one.getBoundingClientRect().bottom < innerHeight).map(({ id }) => id));
      assert.deepEqual(await seen(), ['board-error']);
      await phone.focus('#fen');
      assert.deepEqual(await seen(), ['fen-error']);
      assert.deepEqual(touched.errors, []);
    });

    test('on a phone the answer is in the first screen, and steps stay in view', async t => {
      const { page: phone } = await open(browser, `${server.url}#fen=1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3_w_-_-_0_1&move=d3e5`, { width: 390, height: 664 });
      t.after(() => phone.close());
      const bottom = selector => phone.$eval(selector, one => innerHeight - one.getBoundingClientRect().bottom);
      const [answer, bar] = await phone.$$eval('#sentence, #steps', all => all.map(one => one.getBoundingClientRect()).sort((a, b) => a.top - b.top).map(({ top, bottom }) => ({ top, bottom })));
      assert.ok(answer.bottom <= bar.top, `${answer.bottom} under ${bar.top}`);
      await phone.evaluate(() => scrollTo(0, 500));
      assert.ok(await bottom('#next') >= 0);
      for (const selector of ['#next', '#back', '#strip .face']) assert.ok(await phone.$eval(selector, one => one.getBoundingClientRect().height) >= 47.5, selector);
      assert.equal(await phone.$eval('#fen', one => getComputedStyle(one).fontSize), '16px');
    });

    test('the page opens with a capture whose value anybody believes, and plays it once, unless motion is unwanted', { skip: name === 'firefox' && 'the driver cannot set it' }, async () => {
      const { page } = await open(browser, server.url);
      assert.equal(await text(page, '#sentence'), 'Nxe5 loses 2.25 pawns: Black takes the knight, and White is better off not recapturing.');
      await page.waitForFunction(() => !document.querySelector('#at').textContent.startsWith('0'));
      await page.keyboard.press('Shift');
      await pause(1500);
      const at = await text(page, '#at');
      await pause(1500);
      assert.equal(await text(page, '#at'), at, 'a key stops it');
      await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
      await page.goto('about:blank');
      await page.goto(server.url);
      await ready(page);
      await pause(1600);
      assert.match(await text(page, '#at'), /^0 of/);
      await page.close();
    });

    test('arrows come back with the page', async () => {
      await page.goto(`${server.url}#fen=4k3/8/8/3p4/4P3/8/8/4K3_w_-_-_0_1`);
      const arrow = () => page.$eval('#board svg line', line => line.getAttribute('x1'));
      await rest(page);
      const before = await arrow();
      await page.click('#to-bench');
      await rest(page);
      await page.click('#to-explain');
      await rest(page);
      assert.equal(await arrow(), before);
    });

    test('a browser that refuses addresses does not keep answers back', async () => {
      await page.evaluate(() => {
        window.replace = history.replaceState;
        history.replaceState = () => { throw new DOMException('too often', 'SecurityError'); };
      });
      await type(page, '#fen', '4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1');
      assert.match(await text(page, '#moves tbody'), /exd5/);
      assert.match(await text(page, '#sentence'), /wins 10 pawns/);
      await page.evaluate(() => { history.replaceState = window.replace; });
      await pause(800);
      assert.match(await address(page), /3q4/);
    });

    test('castling and promotions inside are shown on the board', once(name), async () => {
      const on = square => pieceOn(page, square);
      await page.goto(`${server.url}#fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1&move=O-O`);
      await rest(page);
      await page.click('#last');
      await pause(600);
      assert.deepEqual([await on('g1'), await on('f1'), await on('h1')], ['white king', 'white rook', undefined]);
      await page.goto(`${server.url}#fen=k5Rr/1p5P/1P6/8/8/8/8/K7_b_-_-_0_1&move=h8g8&rules=legal`);
      await rest(page);
      await page.click('#last');
      await pause(600);
      assert.equal(await on('g8'), 'white queen');
      assert.match(await text(page, '#step'), /pawn on h7 takes the rook and becomes a queen/);
    });

    test('a copied command has the position alone, whatever the link holds', once(name), async () => {
      const fen = '4k3/8/8/3p4/4P3/8/8/4K3 w - -';
      const link = line => `${server.url}#fen=${encodeURIComponent(line)}`;
      const links = [
        link(`${fen} bm exd5; id "$(touch pwned) \`x\` 'y'";`),
        link(`${fen} bm exd5; id "\x15touch pwned\x0f";`),
        `${link(fen)}&move=${encodeURIComponent('\x0fexd5\t')}&values=${encodeURIComponent('\x0b100,325,325,500,1000 ')}`,
      ];
      for (const link of links) {
        await page.goto(link);
        await rest(page);
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

    test('own values, and what is copied is the command’s', once(name), async () => {
      const fen = '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48';
      await page.goto(`${server.url}#fen=${fen.replaceAll(' ', '_')}&move=e7f6&rules=sf8&values=cpw`);
      await rest(page);
      await page.select('#values', 'own');
      await type(page, '#own-values', '1,3,3,5');
      // The board follows the position all the same.
      await paste(page, '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1');
      assert.match(await page.$eval('#board', one => one.ariaLabel), /pawn e4.*Black: king e8, pawn d5/);
      await paste(page, `${fen} e7f6`);
      assert.match(await text(page, '#values-error'), /five whole numbers/);
      assert.match(await text(page, '#moves'), /Qxf6/, 'the table stays, pale');
      assert.ok(await page.$('.stale #moves'));
      await type(page, '#own-values', '1,3,3,5,10');
      assert.equal(await text(page, '#values-error'), '');
      assert.equal(await page.$('.stale'), null);
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
      // An address that is pasted fills the form, too.
      const form = () => page.$$eval('#values, #at-least', all => all.map(one => one.value));
      await paste(page, '#fen=4k3/8/8/3p4/4P3/8/8/4K3_w_-_-_0_1&move=e4d5&rules=legal&values=stockfish&ge=150');
      // What is pasted is read in the background.
      await page.waitForFunction(() => document.querySelector('#values').value === 'stockfish');
      assert.deepEqual(await form(), ['stockfish', '150']);
      await type(page, '#at-least', 'x');
      assert.match(await text(page, '#threshold-error'), /whole number/);
      await paste(page, '#fen=4k3/8/8/3p4/4P3/8/8/4K3_w_-_-_0_1&move=;id');
      await page.waitForFunction(() => document.querySelector('#values').value === 'cpw');
      assert.deepEqual(await form(), ['cpw', '0']);
      assert.equal(await text(page, '#threshold-error'), '');
      await page.click('#copy-link');
      assert.doesNotMatch(await page.evaluate(() => window.copied), /;/);
    });

    test('nothing failed unseen, and no other host was asked', () => assert.deepEqual(errors, []));
  });
}
