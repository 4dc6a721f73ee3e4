// What a person sees: places, sizes and colours of what is drawn, on two widths and in both themes;
// and small pictures of each part beside those that are kept in tests/seen. SNAPSHOTS=overwrite
// writes those that differ anew: look at them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { scrollToTop } from './board.mjs';
import { launch, measured, open, press, rest, ROOT, serve, shot } from './helpers.mjs';

const FEN = '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48';
const LINK = `#fen=${FEN.replaceAll(' ', '_')}&move=e7f6&rules=sf&values=cpw`;
const WIDTHS = [390, 1440];
const THEMES = ['light', 'dark'];

/** The pixels of what is seen: a function that tells the colour at a point, as [r, g, b]. */
async function pixels(page, eye) {
  const picture = await page.screenshot({ encoding: 'base64' });
  const { width, data } = await eye.evaluate(async picture => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const draw = canvas.getContext('2d');
    draw.drawImage(image, 0, 0);
    const { data } = draw.getImageData(0, 0, image.width, image.height);
    let text = '';
    for (let i = 0; i < data.length; i += 30_000) text += String.fromCharCode(...data.subarray(i, i + 30_000));
    return { width: image.width, data: btoa(text) };
  }, picture);
  const bytes = Buffer.from(data, 'base64');
  return (x, y) => [...bytes.subarray(4 * (Math.round(y) * width + Math.round(x)), 4 * (Math.round(y) * width + Math.round(x)) + 3)];
}

/** Of small pictures: how much smaller, which difference of a colour is one, and how many of a
 * hundred pixels may differ: other figures do, and a strip that is gone is 0.3. */
const SMALLER = 10, DIFFERENCE = 60, MOST = 0.2;

/** Another font moves everything: how wide the kept pictures' is. */
const FONT = 606.93;
const fontWidth = () => {
  const draw = new OffscreenCanvas(1, 1).getContext('2d');
  draw.font = '100px system-ui, sans-serif';
  return draw.measureText('Test my SEE').width;
};

/** How many of a hundred pixels of a small picture of the first screen differ from the kept one. */
async function differing(page, eye, name) {
  const file = path.join(ROOT, 'web/tests/seen', `${name}.png`);
  const kept = fs.existsSync(file) ? fs.readFileSync(file, 'base64') : '';
  await scrollToTop(page);
  const { share, small } = await eye.evaluate(async (seen, kept, smaller, difference) => {
    const read = async (png, scale) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const canvas = new OffscreenCanvas(Math.round(image.width / scale), Math.round(image.height / scale));
      const draw = canvas.getContext('2d');
      draw.imageSmoothingQuality = 'high';
      draw.drawImage(image, 0, 0, canvas.width, canvas.height);
      return { canvas, data: draw.getImageData(0, 0, canvas.width, canvas.height).data };
    };
    const now = await read(seen, smaller), before = kept && await read(kept, 1);
    let differ = 0;
    if (before) now.data.forEach((value, i) => { differ += Math.abs(value - before.data[i]) > difference ? 1 / 3 : 0; });
    const bytes = new Uint8Array(await (await now.canvas.convertToBlob()).arrayBuffer());
    const isAlike = before && before.data.length === now.data.length;
    return { share: isAlike ? 400 * differ / now.data.length : 100, small: btoa(String.fromCharCode(...bytes)) };
  }, await page.screenshot({ encoding: 'base64' }), kept, SMALLER, DIFFERENCE);
  if (share <= MOST || process.env.SNAPSHOTS !== 'overwrite') return share;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, small, 'base64');
  return 0;
}

const light = ([r, g, b]) => (r + g + b) / 765;
const isRed = ([r, g, b]) => r > g + 25 && r > b + 25;
const isGreen = ([r, g, b]) => g > r + 12 && g > b + 12;
const color = text => text.match(/[\d.]+/g).slice(0, 3).map(Number);

/** The pieces of a FEN by square: `wQ` on `e7`. */
function placed(fen) {
  const all = {};
  fen.split(' ')[0].split('/').forEach((rank, i) => {
    let file = 0;
    for (const letter of rank) {
      if (/\d/.test(letter)) file += Number(letter);
      else all['abcdefgh'[file++] + (8 - i)] = (letter < 'a' ? 'w' : 'b') + letter.toUpperCase();
    }
  });
  return all;
}

/** The pieces by the squares on which they are seen, White below or above. */
const drawn = (page, isTurned = false) => page.evaluate(isTurned => {
  const board = document.querySelector('#board cg-board').getBoundingClientRect();
  const letters = { king: 'K', queen: 'Q', rook: 'R', bishop: 'B', knight: 'N', pawn: 'P' };
  const all = {};
  for (const piece of document.querySelectorAll('#board cg-board piece:not(.ghost):not(.fading)')) {
    const { x, y, width } = piece.getBoundingClientRect();
    if (!width || getComputedStyle(piece).visibility === 'hidden') continue;
    let [file, rank] = [Math.round((x - board.x) / board.width * 8), Math.round((y - board.y) / board.height * 8)];
    if (isTurned) [file, rank] = [7 - file, 7 - rank];
    const names = [...piece.classList];
    const color = names.find(name => ['white', 'black'].includes(name)), role = names.find(name => letters[name]);
    all['abcdefgh'[file] + (8 - rank)] = color[0] + letters[role];
  }
  return all;
}, isTurned);

/** The board as its label tells it. */
function told(label) {
  const letters = { king: 'K', queen: 'Q', rook: 'R', bishop: 'B', knight: 'N', pawn: 'P' };
  const all = {};
  const [white, black] = label.split(/ ?Black: /);
  for (const [side, text] of [['w', white], ['b', black]]) {
    for (const [, role, square] of text.matchAll(/(king|queen|rook|bishop|knight|pawn) ([a-h][1-8])/g)) all[square] = side + letters[role];
  }
  return all;
}

/** In a page: what of it is not seen whole. */
function hidden() {
  const found = [];
  const says = (what, one) => found.push(`${what}: ${one.outerHTML.slice(0, 90)}`);
  if (document.documentElement.scrollWidth > innerWidth) found.push(`${document.documentElement.scrollWidth - innerWidth} pixels stick out`);
  for (const one of document.querySelectorAll('.scroll')) if (one.scrollWidth > one.clientWidth) says('must be scrolled', one);
  const texts = [...document.querySelectorAll('body *')].filter(one => one.checkVisibility({ visibilityProperty: true })
    // The field's text is in the field; over it is only what is underlined.
    && !one.closest('.hidden, svg, #board, cg-board, option, textarea, #fen-mark')
    && (one.matches('button, input, select') || [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())));
  for (const one of texts) {
    one.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const scrolls = one.closest('.chips, .scroll');
    if (!scrolls && (left < -1 || right > innerWidth + 1)) says('sticks out', one);
    if (!one.matches('input, select') && getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1) says('is cut off', one);
    // The first line of a text, as the middle of two lines may be of none.
    const [line] = one.getClientRects();
    const x = Math.min(right - 2, line.left + 4), y = Math.max(2, Math.min(innerHeight - 2, (line.top + line.bottom) / 2));
    const at = document.elementFromPoint(x, y);
    if (at && !at.contains(one) && !one.contains(at) && bottom > 0 && top < innerHeight) says(`lies under ${at.id || at.className}`, one);
  }
  return found;
}

describe('seen', () => {
  let browser, server, page, errors, eye;
  before(async () => {
    server = await serve();
    browser = await launch('chromium');
    eye = await browser.newPage();
    ({ page, errors } = await open(browser, server.url + LINK, { before: () => Object.defineProperty(Navigator.prototype, 'deviceMemory', { value: 0.25 }) }));
  });
  after(async () => {
    await browser.close();
    server.close();
  });

  const states = THEMES.flatMap(theme => WIDTHS.map(width => [theme, width]));
  for (const [theme, width] of states) {
    describe(`${theme}, ${width} wide`, () => {
      before(async () => {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
        await page.setViewport({ width, height: 900 });
        await page.goto(server.url + LINK);
        await page.reload();
        await page.waitForSelector('html[data-ready=yes]');
        await rest(page);
      });

      test('the board has the pieces of the FEN, in words too, and turns', async () => {
        assert.deepEqual(await drawn(page), placed(FEN));
        assert.deepEqual(told(await page.$eval('#board', one => one.getAttribute('aria-label'))), placed(FEN));
        await page.click('#flip');
        await rest(page);
        assert.deepEqual(await drawn(page, true), placed(FEN));
        await page.click('#flip');
        await rest(page);
      });

      test('the squares alternate, the arrow is green, the page is as bright as its theme', async () => {
        const board = await page.$eval('#board cg-board', one => {
          one.scrollIntoView({ block: 'start' });
          return one.getBoundingClientRect().toJSON();
        });
        const at = await pixels(page, eye);
        assert.ok(Math.abs(board.width - board.height) < 1 && board.right <= width);
        const size = board.width / 8;
        // Empty squares away from arrows, coordinates and labels.
        const bright = square => light(at(board.x + (square.charCodeAt(0) - 96.5) * size, board.y + (8.5 - Number(square[1])) * size));
        for (const [one, other] of [['a8', 'b8'], ['b8', 'c8'], ['a4', 'b4'], ['h1', 'g1'], ['f1', 'e1']]) {
          const isLight = (one.charCodeAt(0) + Number(one[1])) % 2 === 1;
          assert.ok(isLight ? bright(one) > bright(other) + 0.1 : bright(other) > bright(one) + 0.1, `${one} ${other}`);
        }
        const middle = [board.x + 5 * size, board.y + 2 * size]; // between e7 and f6
        assert.ok(isGreen(at(...middle)), String(at(...middle)));
        const back = light(at(2, 2));
        assert.ok(theme === 'light' ? back > 0.9 : back < 0.2, String(back));
        await shot(page, `seen-explain-${theme}-${width}`);
      });

      test('a win is green, a loss is red', async () => {
        const colors = await page.$$eval('#moves td', cells => cells.map(cell => [cell.textContent, getComputedStyle(cell).color]));
        assert.ok(colors.some(([text]) => text.startsWith('+')) && colors.some(([text]) => text.startsWith('−')));
        for (const [text, css] of colors) {
          if (text.startsWith('+')) assert.ok(isGreen(color(css)), `${text} ${css}`);
          if (text.startsWith('−')) assert.ok(isRed(color(css)), `${text} ${css}`);
        }
      });

      test('who may not recapture has a red ring', async () => {
        await page.click('#next');
        await rest(page);
        const board = await page.$eval('#board cg-board', one => {
          one.scrollIntoView({ block: 'start' });
          return one.getBoundingClientRect().toJSON();
        });
        const at = await pixels(page, eye), size = board.width / 8;
        for (const square of ['g7', 'e4']) {
          const [x, y] = [board.x + (square.charCodeAt(0) - 96.5) * size, board.y + (8.5 - Number(square[1])) * size];
          // On the right half of the square's edge, which no arrow of this exchange crosses.
          const around = [-45, -20, 0, 20, 45].map(angle => angle * Math.PI / 180);
          const seen = around.filter(angle => [0.43, 0.45, 0.47].some(r => isRed(at(x + r * size * Math.cos(angle), y + r * size * Math.sin(angle)))));
          assert.ok(seen.length >= 3, `${square}: ${seen.length}`);
        }
      });

      test('a report has bars as long as their figures say, and shares as wide', async () => {
        await page.click('#to-files');
        await page.waitForSelector('#judge[data-ready=yes]');
        await page.click('#sample');
        await page.waitForSelector('#preview:not([hidden]) .card');
        await page.$eval('#more', one => { one.open = true; });
        await page.click('#histograms');
        await press(page, '#filter');
        await page.waitForSelector('.save');
        // The address follows by itself, and would be taken for the next one.
        await page.waitForFunction(() => location.hash.includes('histograms'));
        const plots = await page.$$eval('#report svg', all => all.map(svg => {
          const rects = [...svg.querySelectorAll('rect')].map(one => [one.getBoundingClientRect().width, one.getAttribute('y'), one.getAttribute('fill')]);
          const figures = [...svg.querySelectorAll('.figure')].map(one => one.textContent);
          const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return { rects, figures, scale, letters: scale * parseFloat(getComputedStyle(svg.querySelector('text')).fontSize) };
        }));
        assert.ok(plots.length >= 4);
        for (const { rects, figures, scale, letters } of plots) {
          assert.ok(letters >= 11, `letters of ${letters} pixels`);
          const longest = new Map();
          for (const [width, y] of rects) longest.set(y, Math.max(longest.get(y) ?? 0, width));
          const counts = figures.map(text => Number(text.split(' ')[0].replaceAll(',', '')));
          const [widths, most] = [[...longest.values()], Math.max(...counts)];
          const whole = Math.max(...widths);
          assert.equal(widths.length, counts.length);
          // What is seen on one line is told on it; a small count stays visible.
          counts.forEach((count, i) => assert.ok(Math.abs(widths[i] - Math.max(count && 3 * scale, count / most * whole)) < 1, `${count} of ${most}: ${widths[i]} of ${whole}`));
        }
        const shares = await page.$$eval('#share-bar i', all => all.map(one => one.getBoundingClientRect().width));
        const said = await page.$$eval('#reasons .quiet', all => all.map(one => parseFloat(one.textContent)));
        const sum = shares.reduce((a, b) => a + b);
        said.forEach((percent, i) => assert.ok(Math.abs(100 * shares[i] / sum - percent) < 0.5, `${percent} %: ${shares[i]} of ${sum}`));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} pixels stick out`);
        const top = await page.$eval('#report', one => one.getBoundingClientRect().top + scrollY);
        if (width === 1440) assert.ok(top < 450, 'the summary is seen without scrolling');
        assert.match(await page.$eval('#preset-more:not([hidden])', one => one.href), /docs\/quiet\.(md|txt)$/);
        await shot(page, `seen-files-${theme}-${width}`);
      });
    });
  }

  // What a person meets in each part, with the first screen of a phone, a small window and a large.
  const VIEWS = {
    lanes: ['', () => {}],
    pale: ['', async page => {
      await page.$eval('#fen', (field, fen) => {
        field.value = fen.replace('8/4Q', '9/4Q');
        field.dispatchEvent(new InputEvent('input'));
      }, FEN);
    }],
    editor: ['', page => page.$eval('#pencil', one => one.click())],
    filtered: ['#files', async page => {
      await page.waitForSelector('#judge[data-ready=yes]');
      await page.$eval('#sample', one => one.click());
      await page.waitForSelector('#preview:not([hidden]) .card');
      await press(page, '#filter');
      await page.waitForSelector('.save');
    }],
    checked: ['#check', async page => {
      await page.$eval('#answers-example', one => one.click());
      await page.waitForSelector('#check-report:not([hidden])');
    }],
    measured: ['#bench', async page => {
      await page.$eval('#run', one => one.click());
      await page.waitForSelector('#bench-done:not([hidden])');
    }],
  };
  /** What of a view must be in its first screen. */
  const FIRST = { lanes: '#board, #sentence, .trunk .number', pale: '#board', editor: '#board, #spare', filtered: '#filter', checked: '#answers', measured: '#headline' };

  for (const [view, [part, act]] of Object.entries(VIEWS)) {
    for (const [width, height] of [[390, 844], [900, 800], [1440, 900]]) {
      test(`${view}, ${width} wide: nothing sticks out, is cut off, or lies on another`, async () => {
        const opened = await open(browser, server.url + (part || LINK), { width, height, hasTouch: width < 500, before: part === '#bench' ? measured : () => {} });
        const { page } = opened;
        await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
        await act(page);
        await rest(page);
        const below = await page.$$eval(FIRST[view], all => all.filter(one => {
          const { top, bottom } = one.getBoundingClientRect();
          return top < 0 || bottom > innerHeight;
        }).map(one => one.id || one.className));
        assert.deepEqual(below, [], 'below the first screen');
        assert.deepEqual(await page.evaluate(hidden), []);
        const isCompared = Math.abs(await page.evaluate(fontWidth) - FONT) < 1;
        if (!isCompared) console.log('# the font is another one: no picture is compared');
        for (const theme of THEMES) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
          await shot(page, `seen-${view}-${theme}-${width}`);
          if (!isCompared || !WIDTHS.includes(width)) continue;
          const share = await differing(page, eye, `${view}-${theme}-${width}`);
          assert.ok(share <= MOST, `${theme}: ${share.toFixed(1)} % of the picture differ`);
        }
        await page.close();
      });
    }
  }

  test('plots are drawn anew on a phone that is turned', async () => {
    const { page } = await open(browser, `${server.url}#files`, { width: 844, height: 390, hasTouch: true });
    await VIEWS.filtered[1](page);
    const drawn = () => page.$eval('#report svg', one => [one.viewBox.baseVal.width, one.getBoundingClientRect().width]);
    const [before] = await drawn();
    await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
    await page.waitForFunction(before => document.querySelector('#report svg').viewBox.baseVal.width < before, {}, before);
    const [inside, outside] = await drawn();
    assert.ok(Math.abs(inside - outside) < 1, `${inside} in ${outside}`);
    await page.close();
  });

  test('each mini board shows its position', async () => {
    const cards = await page.$$eval('#boards .card', all => all.map(card => {
      const board = card.querySelector('cg-board').getBoundingClientRect();
      return { href: card.href, pieces: [...card.querySelectorAll('piece')].map(piece => {
        const { x, y } = piece.getBoundingClientRect();
        return [piece.className, Math.round((x - board.x) / board.width * 8), Math.round((y - board.y) / board.height * 8)];
      }) };
    }));
    assert.equal(cards.length, 12);
    for (const { href, pieces } of cards) {
      const fen = new URLSearchParams(href.split('#')[1]).get('fen');
      const isTurned = fen.split('_')[1] === 'b';
      const expected = Object.entries(placed(fen.split('_')[0])).map(([square, piece]) => {
        let [x, y] = [square.charCodeAt(0) - 97, 8 - Number(square[1])];
        if (isTurned) [x, y] = [7 - x, 7 - y];
        return `${piece} ${x} ${y}`;
      });
      const letters = { king: 'K', queen: 'Q', rook: 'R', bishop: 'B', knight: 'N', pawn: 'P' };
      const seen = pieces.map(([name, x, y]) => `${name.split(' ')[1][0]}${letters[name.split(' ')[0]]} ${x} ${y}`);
      assert.deepEqual(seen.sort(), expected.sort());
    }
  });

  test('the policy holds: no script of others, no other host', async () => {
    const found = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.foreign = true';
      document.body.append(script);
      const host = await fetch('https://example.org/').then(() => 'reached', () => 'refused');
      const policies = [];
      addEventListener('securitypolicyviolation', event => policies.push(event.effectiveDirective));
      fetch('https://example.org/').catch(() => {});
      await new Promise(done => setTimeout(done, 100));
      return { foreign: window.foreign, host, policies };
    });
    assert.equal(found.foreign, undefined);
    assert.equal(found.host, 'refused');
    assert.ok(found.policies.includes('connect-src'), String(found.policies));
  });

  test('the benchmark shows what was measured, in figures, bars and the card’s words', async () => {
    const { page } = await open(browser, `${server.url}#bench`, { before: measured });
    await page.click('#run');
    await page.waitForFunction(() => document.querySelector('#bench-status').textContent === 'Done.');
    const text = id => page.$eval(`#${id}`, one => one.textContent);
    assert.equal(await text('headline'), '10 million positions a second, on 2 cores of the CPU');
    assert.equal(await text('headline-more'), 'Judging a billion positions would take 2 minutes, besides reading and writing their file.');
    assert.match(await page.$eval('#card', one => one.getAttribute('aria-label')), /^10 million positions a second/);
    assert.deepEqual(await page.$$eval('#bars text[text-anchor=start]', all => all.map(one => one.textContent)), ['10', '10']);
    assert.deepEqual(await page.$$eval('#figures tbody td:last-child', all => all.map(one => one.textContent)), ['10.0', '10.0', '10.0', '10.0']);
    for (const [button, kept] of [['share', 'shared'], ['copy', 'copied'], ['save', 'saved']]) {
      await page.click(`#card-${button}`);
      await page.waitForFunction(kept => window.kept[kept], {}, kept);
      const [text, size] = await page.evaluate(async kept => {
        const { files: [file], text } = window.kept[kept];
        const { width, height } = await createImageBitmap(file);
        return [text, [file.type, width, height]];
      }, kept);
      assert.deepEqual(size, ['image/png', 1200, 630], button);
      if (text) assert.equal(text, '10 million positions a second, on 2 cores of the CPU. Judging a billion positions would take 2 minutes, besides reading and writing their file.');
    }
    await page.close();
  });

  test('nothing failed unseen', () => assert.deepEqual(errors.filter(text => !/Content Security Policy|example\.org|violates/i.test(text)), []));
});
