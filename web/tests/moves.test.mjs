// Free play: any legal move of either side, a list of moves with variations, promotion, and why a move
// is not legal.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Tree, unpacked } from '../page/tree.js';
import { address, drag, field, middle, moves, paste, pause, pieceOn, show, text, touch } from './board.mjs';
import { BROWSERS, findings, launch, open, press, ready, rest, serve, shot } from './helpers.mjs';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const PINNED = '4k3/4r3/8/3p4/8/4N3/8/4K3 w - - 0 1';
const PROMOTES = '3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1';
const VARIATIONS = `[White "Ann"]
[Black "Ben"]

1. e4 e5 (1... c5 2. Nf3 (2. c3 d5 3. exd5) 2... d6) (1... d5 2. exd5 Qxd5) 2. Nf3 Nc6 {why not} 3. Nxe5 $2 Nxe5 1-0`;

/** What the list shows before a move that is played next. */
const walked = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await rest(page);
};

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

    test('both sides move on, and all of it is kept by the link, a reload, Back and Forward', async () => {
      await show(page, server.url, START);
      assert.equal(await moves(page), '');
      await drag(page, 'e2e4', 'e7e5', 'g1f3', 'b8c6', 'f3e5');
      assert.equal(await moves(page), '1. e4 e5 2. Nf3 Nc6 >3. Nxe5');
      assert.match(await text(page, '#sentence'), /^Nxe5 loses 2\.25 pawns: Black takes the knight/);
      assert.equal(await text(page, '#mover'), 'Black to move');
      assert.equal(await address(page), `${server.url}#line=Mc0kGV5qVk`);
      // What is next in the exchange stays in it, and is a move of the game.
      await drag(page, 'c6e5');
      assert.equal(await moves(page), '1. e4 e5 2. Nf3 Nc6 3. Nxe5 >Nxe5');
      assert.match(await text(page, '#at'), /^2 of 2/);
      await drag(page, 'd2d4');
      assert.equal(await moves(page), '1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 >4. d4');
      assert.match(await text(page, '#sentence'), /^d4 loses nothing/);
      const whole = await address(page);
      const other = await open(browser, whole);
      assert.equal(await moves(other.page), '1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 >4. d4');
      assert.equal(await pieceOn(other.page, 'd4'), 'white pawn');
      assert.equal(await address(other.page), whole);
      await other.page.close();
      await page.reload();
      await ready(page);
      await rest(page);
      assert.equal(await moves(page), '1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 >4. d4');
      for (const [go, list, at] of [
        ['back', '1. e4 e5 2. Nf3 Nc6 3. Nxe5 >Nxe5', '2 of 2'], ['back', '1. e4 e5 2. Nf3 Nc6 >3. Nxe5', '1 of 2'],
        ['forward', '1. e4 e5 2. Nf3 Nc6 3. Nxe5 >Nxe5', '2 of 2'], ['forward', '1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 >4. d4', '1 of 1'],
      ]) {
        await page.evaluate(go => history[go](), go);
        await pause(500);
        assert.equal(await moves(page), list);
        assert.equal(await text(page, '#at'), at);
      }
      assert.equal(await address(page), whole);
    });

    test('the list is walked by keys, clicks and its buttons, and another move is a variation', async () => {
      await show(page, server.url, START);
      await drag(page, 'e2e4', 'e7e5', 'g1f3');
      await page.focus('#board-frame');
      await walked(page, 'ArrowLeft');
      assert.equal(await moves(page), '1. e4 >e5 2. Nf3');
      await walked(page, 'ArrowLeft', 'ArrowLeft');
      assert.equal(await moves(page), '1. e4 e5 2. Nf3');
      assert.equal(await pieceOn(page, 'e2'), 'white pawn');
      await walked(page, 'ArrowRight');
      await drag(page, 'c7c5', 'g1f3');
      assert.equal(await moves(page), '1. e4 e5 (1... c5 (>2. Nf3 2. Nf3');
      await page.click('#line-moves > span > .move:last-child button');
      await rest(page);
      assert.equal(await moves(page), '1. e4 e5 (1... c5 (2. Nf3 >2. Nf3');
      await page.focus('#line-moves [aria-current]');
      await walked(page, 'Home', 'ArrowRight', 'ArrowRight');
      assert.equal(await moves(page), '1. e4 >e5 (1... c5 (2. Nf3 2. Nf3');
      assert.equal(await page.evaluate(() => document.activeElement.textContent), 'e5', 'the focus walks along');
      await page.click('#line-back');
      await rest(page);
      assert.equal(await moves(page), '>1. e4 e5 (1... c5 (2. Nf3 2. Nf3');
      await page.click('#line-on');
      await page.click('#line-on');
      await rest(page);
      assert.equal(await moves(page), '1. e4 e5 (1... c5 (2. Nf3 >2. Nf3');
      assert.equal(await page.$eval('#line-on', one => one.disabled), true);
      // A move that was played before is not another one.
      await page.click('#line-back');
      await rest(page);
      await drag(page, 'g1f3');
      assert.equal(await moves(page), '1. e4 e5 (1... c5 (2. Nf3 >2. Nf3');
      // The exchange has the other two arrows.
      await page.focus('#board-frame');
      await walked(page, 'ArrowUp');
      assert.match(await text(page, '#at'), /^0 of/);
      assert.match(await text(page, '#mover'), /White/);
      assert.deepEqual(await findings(page), []);
      await shot(page, `${name}-moves`);
    });

    test('a promotion is chosen on the board', async () => {
      for (const [choose, becomes] of [
        [() => page.click('#promotion [aria-label=knight]'), 'knight'],
        [() => page.keyboard.press('Enter'), 'queen'],
        [() => page.keyboard.press('Escape'), ''],
        [() => touch(page, 'b4'), ''],
      ]) {
        await show(page, server.url, START);
        await show(page, server.url, PROMOTES);
        await drag(page, 'e7d8');
        const [x, y] = await middle(page, 'd8');
        assert.deepEqual(await page.$$eval('#promotion button', all => all.map(one => one.ariaLabel)), ['queen', 'knight', 'rook', 'bishop']);
        assert.equal(await page.evaluate((x, y) => document.elementFromPoint(x, y).closest('button')?.ariaLabel, x, y), 'queen', 'on its square');
        if (becomes === 'knight') {
          assert.deepEqual(await findings(page), []);
          await shot(page, `${name}-promotion`);
        }
        await choose();
        await rest(page);
        assert.equal(await page.$('#promotion'), null);
        assert.equal(await pieceOn(page, 'd8'), becomes ? `white ${becomes}` : 'black rook');
        assert.equal(await moves(page), becomes ? `>1. exd8=${becomes === 'queen' ? 'Q+' : 'N'}`.replace('+', '') : '');
      }
    });

    test('a move that is not legal says why, with the line drawn', async () => {
      const lines = () => page.$$eval('#board .cg-shapes line', all => all.length);
      for (const [fen, tried, words, drawn = 1] of [
        [PINNED, 'e3d5', 'Re7 pins Ne3 to e1.'],
        ['4k3/8/8/8/8/3n4/8/R3K3 w - - 0 1', 'a1a5', 'White is in check by Nd3.'],
        [PINNED, 'e7d7', 'It is White’s move.', 0],
        ['4k3/4r3/8/8/8/8/8/3K4 w - - 0 1', 'd1e1', 'The king may not go to e1, which Re7 attacks.'],
        [START, 'f1c4', 'Bf1 cannot go to c4: e2 is in its way.'],
        [START, 'b1b3', 'A knight does not move from b1 to b3.', 0],
      ]) {
        await show(page, server.url, fen);
        await touch(page, 'h5');
        const before = await address(page);
        await page.click('#flip');
        await page.click('#flip');
        await drag(page, tried);
        assert.equal(await text(page, '#step'), words);
        assert.ok(await lines() >= drawn, `${fen}: ${await lines()}`);
        assert.equal(await address(page), before);
        assert.equal(await moves(page), '');
      }
      // By two clicks, and after a move.
      await show(page, server.url, PINNED);
      await touch(page, 'e3');
      await touch(page, 'd5');
      assert.equal(await text(page, '#step'), 'Re7 pins Ne3 to e1.');
      await shot(page, `${name}-pinned`);
      await drag(page, 'e1d1');
      assert.equal(await moves(page), '>1. Kd1');
      await drag(page, 'e3d5');
      assert.equal(await text(page, '#step'), 'It is Black’s move.');
      await drag(page, 'd5e3');
      assert.equal(await text(page, '#step'), 'A pawn does not move from d5 to e3.');
    });

    test('variations of a game are listed, and reached', async () => {
      await show(page, server.url, PINNED);
      await paste(page, VARIATIONS);
      await page.waitForSelector('#game:not([hidden]) tbody');
      await rest(page);
      const list = '1. e4 e5 (1... c5 (2. Nf3 (2. c3 (d5 (3. exd5 (2... d6 (1... d5 (2. exd5 (Qxd5 2. Nf3 Nc6 3. Nxe5 Nxe5';
      assert.equal((await moves(page)).replace('>', ''), list);
      await page.evaluate(() => [...document.querySelectorAll('#line-moves button')].find(one => one.textContent === 'Qxd5').click());
      await rest(page);
      assert.match(await moves(page), /\(>Qxd5/);
      assert.match(await text(page, '#sentence'), /^Qxd5 wins 1 pawn/);
      assert.ok(await page.$('#game:not([hidden])'), 'the game stays listed');
      const link = await address(page);
      assert.match(link, /#line=[\w*.-]+&at=11&game=Ann\+%E2%80%93\+Ben$/);
      const other = await open(browser, link);
      await other.page.waitForSelector('#game:not([hidden]) tbody');
      assert.match(await text(other.page, '#game p'), /^Ann – Ben: /);
      assert.equal((await moves(other.page)).replace('>', ''), list);
      assert.match(await moves(other.page), /\(>Qxd5/);
      await other.page.close();
      // What is played in it stays in it.
      await drag(page, 'b1c3');
      assert.match(await moves(page), /\(Qxd5 \(>3\. Nc3/);
      assert.ok(await page.$('#game:not([hidden])'));
      // Another position is not of the game.
      await paste(page, PINNED);
      await rest(page);
      assert.equal(await moves(page), '');
      assert.doesNotMatch(await address(page), /line=|game=/);
    });

    test('From here keeps the game, and a link with moves that are not legal says so', async () => {
      await show(page, server.url, START);
      await drag(page, 'e2e4', 'd7d5', 'e4d5');
      await page.click('#last');
      await page.click('#from-here');
      await rest(page);
      assert.equal(await moves(page), '1. e4 d5 2. exd5 >Qxd5');
      assert.match(await field(page), /^rnb1kbnr\/ppp1pppp\/8\/3q4\/8\/8\/PPPP1PPP\/RNBQKBNR w KQkq - 0 3$/);
      assert.match(await address(page), /#line=[\w-]+&at=4&step=0$/);
      await page.reload();
      await ready(page);
      await rest(page);
      assert.equal(await moves(page), '1. e4 d5 2. exd5 >Qxd5');
      await page.click('#return');
      await pause(500);
      assert.match(await text(page, '#at'), /^3 of 3/);
      await page.goto(`${server.url}#line=McMc0k`);
      await rest(page);
      assert.equal(await moves(page), '>1. e4');
      assert.match(await text(page, '#notes'), /has 2 moves that are not legal, and left out/);
    });

    test('on a small phone the list shows whole rows', async () => {
      const phone = await open(browser, server.url, { width: 360, height: 640 });
      await paste(phone.page, '1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1');
      await phone.page.waitForSelector('#line:not([hidden])');
      for (let i = 0; i < 6; i++) {
        const cut = await phone.page.$$eval('#line-moves button', all => {
          const { top, bottom } = document.querySelector('#line-moves').getBoundingClientRect();
          const crosses = (one, edge) => one.top < edge - 3 && one.bottom > edge + 3;
          return all.filter(button => [top, bottom].some(edge => crosses(button.getBoundingClientRect(), edge))).map(one => one.textContent);
        });
        assert.deepEqual(cut, []);
        await press(phone.page, '#line-on');
        await rest(phone.page);
      }
      assert.deepEqual(phone.errors, []);
      await phone.page.close();
    });

    test('nothing failed unseen', () => assert.deepEqual(errors, []));
  });
}

test('a game packed for a link is the same after', () => {
  let seed = 7;
  const random = below => (seed = (seed * 48271) % 2147483647) % below;
  const square = () => 'abcdefgh'[random(8)] + (1 + random(8));
  for (let i = 0; i < 200; i++) {
    const tree = new Tree(START);
    for (let moves = random(40); moves > 0; moves--) {
      const uci = square() + square() + (random(5) ? '' : 'qrbn'[random(4)]);
      // Mostly at the end, sometimes as a variation.
      tree.put(random(3) ? tree.nodes.length - 1 : random(tree.nodes.length), { uci, san: uci, fen: '' });
    }
    const { text, numbers } = tree.packed(), again = new Tree(START), found = [0];
    assert.match(text, /^[\w*.~-]*$/, 'nothing that a chat program cuts');
    for (const [parent, uci] of unpacked(text)) found.push(again.put(found[parent], { uci, san: uci, fen: '' }));
    assert.equal(again.nodes.length, tree.nodes.length);
    tree.nodes.forEach(({ uci, parent, children }, node) => {
      const same = again.nodes[found[numbers[node]]];
      assert.equal(same.uci, uci);
      if (node) assert.equal(same.parent, found[numbers[parent]]);
      assert.deepEqual(same.children, children.map(child => found[numbers[child]]), 'in the same order');
    });
  }
});
