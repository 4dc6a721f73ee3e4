// Another engine's answers: what is found is what the command finds, and each step to its explanation.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fs from 'node:fs';
import path from 'node:path';

import { Swaplist } from '../page/wasm.js';
import { scrollToTop } from './board.mjs';
import { BROWSERS, DIST, launch, native, once, open, press, ready, ROOT, serve, shot } from './helpers.mjs';
import { temporary } from './inputs.mjs';

const wasm = await Swaplist.start(await WebAssembly.compile(fs.readFileSync(path.join(DIST, 'swaplist.wasm'))));

/** The sample's scores under some rules, one in 50 wrong, every third as a threshold. */
function answers(profile, count) {
  const moves = fs.readFileSync(path.join(ROOT, 'data/sample.fen'), 'utf8').split('\n').slice(0, count).join('\n');
  const table = native('score', temporary('answers.fen', moves), '--profile', profile, '--values', 'stockfish', '-o', '-').toString();
  return table.trimEnd().split('\n').slice(1).map((line, i) => {
    const [fen, move, see] = line.split('\t');
    const value = Number(see) + (i % 50 ? 0 : 31);
    return i % 3 ? `${fen};${move};${value}` : `${fen};${move};${value};1`;
  });
}

const check = (text, change = {}) => wasm.json('check', { text, profile: '', values: '', limit: 200, ...change });

test('the findings are the command’s', () => {
  for (const [profile, asked] of [['swap', {}], ['sf', {}], ['legal', { profile: 'swap', values: 'cpw' }]]) {
    const lines = answers(profile, 800);
    const flags = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]);
    let printed;
    try {
      printed = native('check', temporary('answers.txt', lines.join('\n')), '--json', '--limit', '200', ...flags);
    } catch ({ stdout }) {
      printed = stdout; // some disagree
    }
    const expected = JSON.parse(printed);
    const found = check(lines.join('\n'), asked);
    assert.equal(found.answers, expected.answers);
    assert.equal(found.best.agreed, expected.agreed);
    assert.equal(found.best.profile, expected.rules.profile);
    assert.equal(found.best.values, expected.rules.values.join());
    if (!asked.values) assert.deepEqual(found.evidence, expected.value_evidence);
    const options = { pins: 'pins', en_passant: 'en passant', first_promotion: 'promotions', recapture_promotion: 'promotions in recaptures' };
    const others = expected.equally_good_rules.map(rules => Object.keys(options).filter(name => rules[name] !== expected.rules[name]));
    const open = Object.keys(options).filter(name => others.some(other => other.join() === name));
    assert.deepEqual(found.open, open.map(name => options[name]).sort());
    assert.deepEqual(found.classes.map(({ seems, ...one }) => one), expected.deviations);
    for (const { disagree, seems } of found.classes) assert.ok(seems.reduce((sum, [, count]) => sum + count, 0) <= disagree);
    const row = ({ line, fen, move, see }) => ({ line, fen, move, see });
    assert.deepEqual(found.rows.map(row), expected.first_disagreements.map(row));
    assert.deepEqual(found.rows.map(({ under }) => under), expected.first_disagreements.map(one => one.as_under));
    const counted = {};
    for (const one of found.rows) counted[one.class] = (counted[one.class] ?? 0) + 1;
    if (found.rows.length < 200) assert.deepEqual(counted, Object.fromEntries(found.classes.map(one => [one.class, one.disagree])));
  }
});

test('a threshold may be written as a comparison', () => {
  const fen = '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1';
  for (const [said, agrees] of [['true >= 100', 1], ['false>=101', 1], ['true >= 101', 0], ['1 >= 100', 1], ['TRUE >= −100', 1], ['−100', 0]]) {
    assert.equal(check(`${fen}; exd5; ${said}`, { profile: 'swap', values: 'cpw' }).best.agreed, agrees, said);
  }
});

test('of values that fit equally often the roundest are found', () => {
  // All gains are sums of 100,300,300,500,900; one value alone is in none.
  const lines = [
    '2r1r1k1/pp4p1/1n2p2p/2b5/8/5NB1/PP3PPP/R3R1K1 w - - 4 26; e1e6; -400',
    'rr4k1/5ppp/n3p3/p1PbN3/4p3/6P1/1P2PPBP/R1R3K1 w - - 1 20; g2e4; -200',
    'r1bq2k1/pp3ppp/5n2/3pr3/8/2PB4/PP1N1PPP/R2Q1RK1 w - - 0 14; d3h7; -200',
    'r6r/1B2bpk1/1pN1p3/3n2p1/5P2/3R2P1/6K1/5R2 w - - 0 32; b7a8; 200',
  ];
  const { best } = check(lines.join('\n'));
  assert.equal(best.agreed, 4);
  assert.equal(best.values, '100,300,300,500,1000');
});

test('a suite in EPD has each answer with its SEE', () => {
  const fen = '1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1';
  const asked = { text: `# one\n${fen};e1e5;0\n${JSON.stringify({ fen, move: 'Rxe5', value: 0 })}`, profile: 'swap', values: 'cpw', limit: 1 };
  const line = '1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - sm Rxe5; ce 100; c0 "SEE, profile swap, values 100,325,325,500,1000";\n';
  assert.equal(wasm.text('check_epd', asked), line.repeat(2));
});

const FORMS = {
  'spaces': '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 e4d5 100',
  'the suites of the field': '4k3/8/8/3p4/4P3/8/8/4K3 w - - | exd5 | 100 | P',
  'commas': '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1, e4d5, 100',
  'tabs': '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\te4d5\t100',
  'an initialiser': '  {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100},',
  'JSON': '{"fen": "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "move": "e4d5", "value": 100}',
  'pawns': '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; e4d5; 1.00',
  'a comment': '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; e4d5; 100 // pawn',
  'hexadecimal': '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; e4d5; 0x64',
};

test('what the command reads is read here', () => {
  for (const [form, line] of Object.entries(FORMS)) {
    const { answers, bad, best } = check(line, { profile: 'swap', values: 'cpw' });
    assert.deepEqual([answers, bad, best?.agreed], [1, [], 1], form);
    const printed = JSON.parse(native('check', temporary('one.txt', line), '--json', '--profile', 'swap', '--values', 'cpw'));
    assert.deepEqual([printed.answers, printed.agreed], [1, 1], form);
  }
});

test('values that the answers leave open are not determined', () => {
  const pawn = '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1';
  const all = kind => [kind, kind, kind, kind, kind];
  assert.deepEqual(check(`${pawn}; exd5; true >= 0`).evidence, all('none'));
  assert.deepEqual(check(`${pawn}; exd5; 100`).evidence, ['one_answer', ...all('none').slice(1)]);
  assert.deepEqual(check(answers('sf', 800).join('\n'), { profile: 'sf' }).evidence, all('several'));
});

test('the suite is there to download, and its values are answers', () => {
  const suite = fs.readFileSync(path.join(DIST, 'see-suite.txt'), 'utf8');
  assert.equal(suite, fs.readFileSync(path.join(ROOT, 'data/see-suite.txt'), 'utf8'));
  const worth = { P: 100, N: 325, B: 325, R: 500, Q: 1000 };
  const value = sum => [...sum.replaceAll(' ', '').matchAll(/([+-]?)([PNBRQ])/g)].reduce((all, [, sign, piece]) => all + (sign === '-' ? -1 : 1) * worth[piece], 0);
  const rows = suite.trim().split('\n').map(line => line.split(' | '));
  ['swap', 'sf8', 'sf', 'legal'].forEach((profile, i) => {
    const { answers, bad, best } = check(rows.map(([fen, move, ...values]) => `${fen} | ${move} | ${value(values[i])}`).join('\n'), { values: 'cpw' });
    assert.deepEqual([answers, bad, best.agreed, best.profile], [rows.length, [], rows.length, profile]);
  });
  assert.ok(fs.readFileSync(path.join(DIST, 'index.html'), 'utf8').includes(`<a href="see-suite.txt" download>The suite</a> has ${rows.length} exchanges`));
});

for (const name of BROWSERS) {
  describe(name, () => {
    let browser, server, page, errors;
    const text = selector => page.$eval(selector, one => one.textContent);
    const shown = () => page.waitForSelector('#check-report:not([hidden])');
    before(async () => {
      server = await serve();
      browser = await launch(name);
      ({ page, errors } = await open(browser, `${server.url}#check`));
    });
    after(async () => {
      await browser.close();
      server.close();
    });

    test('the example: rules, classes, and a click to the explanation', async () => {
      await page.click('#answers-example');
      await shown();
      assert.match(await text('#check-report .answer'), /^6 of 8 answers follow profile sf\. .*Other values of .* may fit equally well\.$/);
      const rows = await page.$$eval('#check-report tbody tr', all => all.map(row => row.textContent));
      for (const words of [
        /^8f4e5 the king recaptures on a guarded square: the king recaptures on a guarded square.*0100$/,
        /^9d2d5 x-rays are missing: pieces behind others do not recapture.*less than 0100$/,
      ]) assert.ok(rows.some(row => words.test(row)), rows.join('\n'));
      const quiet = await text('#check-report .answer + .quiet');
      assert.match(quiet, /^If you know your piece values, enter them under Piece values\. These answers do not determine: en passant, promotions, promotions in recaptures\.$/);
      await page.click('#check-report a');
      await page.waitForSelector('#explain:not([hidden])');
      assert.match(page.url(), /#fen=8\/6b1.*&move=f4e5&rules=sf&values=/);
      await page.goBack(); // the board is hidden while it is drawn
      await shown();
    });

    test('a bad line is named, with what to do; the others count', once(name), async () => {
      await page.evaluate(() => {
        const box = document.querySelector('#answers');
        box.value = '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; exd5; 100\nwhat; e4; 1\n';
        box.dispatchEvent(new Event('input'));
      });
      await page.waitForSelector('#check-error li');
      assert.match(await text('#check-error'), /^A line is not an answer; it is left out. Correct .*Line 2: too few fields for a FEN/);
      await shot(page, `${name}-check-bad`);
      await page.click('#check-error button');
      const picked = await page.$eval('#answers', box => box.value.slice(box.selectionStart, box.selectionEnd));
      assert.equal(picked, 'what; e4; 1');
      assert.match(await text('#check-report .answer'), /^1 of 1 answer follows swap, sf8, sf and legal alike\. Pawn 100 rests on one answer: if that answer is wrong, so is the value\. Other values of knight, bishop, rook and queen may fit equally well\.$/);
    });

    /** As a paste does. */
    const paste = (on, words) => on.$eval('#answers', (box, words) => {
      box.value = words;
      box.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }));
    }, words);

    test('lines that all fail alike are one message, with the first as it should be', once(name), async () => {
      await paste(page, ['e4d5 100 4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1', 'e4d5 90 4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1', 'e4d5 80 4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1'].join('\n'));
      await page.waitForFunction(() => /^All 3 lines fail alike\. Line 1: .* Write it as /.test(document.querySelector('#check-error').textContent));
      assert.equal(await text('#check-error code'), '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100');
      assert.equal(await page.$$eval('#check-error li', all => all.length), 0);
      assert.ok(await page.$('#check-report[hidden]'));
      await page.click('#check-error button');
      assert.match(await page.$eval('#answers', box => box.value.slice(box.selectionStart, box.selectionEnd)), /^e4d5 100 /);
    });

    test('the headline states only values that the answers determine', once(name), async () => {
      const lines = answers('sf', 60).map(line => line.split(';').slice(0, 2).join(';'));
      await paste(page, lines.map(line => `${line}; true >= -9999`).join('\n'));
      await page.waitForFunction(() => /answers follow/.test(document.querySelector('#check-report .answer')?.textContent));
      assert.match(await text('#check-report .answer'), /^\d+ of \d+ answers follow swap, sf8, sf and legal alike\. No piece value is determined: others may fit equally well\.$/);
      await paste(page, answers('sf', 800).join('\n'));
      await page.waitForFunction(() => /values 208 781 825 1276 2538\.$/.test(document.querySelector('#check-report .answer')?.textContent));
      await paste(page, '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; exd5; 1.10');
      await page.waitForFunction(() => /Numbers are read as pawns: 1\.10 on line 1 as 110 centipawns\./.test(document.querySelector('#check-status').textContent));
    });

    test('a value that rests on one answer is doubted, in the words of the command', once(name), async () => {
      // The last answer is wrong: the rook takes a pawn and is taken.
      const lines = [
        '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; exd5; 100', '4k3/8/8/8/3p4/4P3/8/4K3 w - - 0 1; exd4; 100',
        '4k3/8/8/2p5/3P4/8/8/4K3 w - - 0 1; dxc5; 100', '1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1; Rxe5; 100',
        '4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1; Rxd6; -300',
      ].join('\n');
      await paste(page, lines);
      await page.waitForFunction(() => /^5 of 5 answers follow/.test(document.querySelector('#check-report .answer')?.textContent));
      const words = ['the answers determine pawn 100', 'rook 400 rests on one answer: if that answer is wrong, so is the value', 'other values of knight, bishop and queen may fit equally well'];
      const sentences = words.map(one => `${one[0].toUpperCase()}${one.slice(1)}.`);
      assert.equal(await text('#check-report .answer'), `5 of 5 answers follow swap, sf8, sf and legal alike. ${sentences.join(' ')}`);
      const printed = native('check', temporary('five.txt', lines)).toString();
      for (const one of words) assert.ok(printed.includes(`              ${one}\n`), printed);
    });

    test('for each class it says what the engine seems to do', once(name), async () => {
      const fen = '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1';
      await paste(page, [
        `${fen}; e4c5; 100`,
        `${fen}; e4c5; 225`,
        '4k3/4q3/3p4/4p3/8/5N2/8/4R1K1 w - - 0 1; f3e5; 100',
        '4k3/4q3/4r3/4p3/8/5N2/8/4R1K1 w - - 0 1; f3e5; 100',
        '8/8/5k2/4p3/8/8/1B6/7K w - - 0 1; b2e5; 100',
        '7k/8/8/3pP3/8/8/8/7K w - d6 0 1; exd6; 0',
        '4RQ2/p5K1/8/1p6/8/3bp3/2pk1r2/R7 b - - 0 51; c2c1q; 1350',
        // Right, and so would it be with each of these faults: it contradicts none.
        '4k3/8/8/8/8/8/8/4K2R w K - 0 1; O-O; 0',
      ].join('\n'));
      await page.select('#check-rules', 'swap');
      await page.select('#check-values', 'cpw');
      await page.waitForFunction(() => document.querySelectorAll('#check-report [aria-label=Classes] tbody tr').length === 4);
      const rows = Object.fromEntries(await page.$$eval('#check-report [aria-label=Classes] tbody tr', all => all.map(row => [row.children[0].textContent, row.children[3].textContent])));
      // What else would give the same answers follows.
      assert.match(rows['en passant'], /^en passant is always worth 0, or the victim of en passant is not counted, or /);
      delete rows['en passant'];
      assert.deepEqual(rows, {
        'recaptures are missing': 'nothing is ever recaptured, or the side that moved recaptures',
        'wrong signs': "every value has the wrong sign, or White's values have the wrong sign, or losses are told as gains",
        'promotions': 'no rule known here explains it',
      });
      assert.match(await text('#check-report [aria-label="Answers that differ"]'), /c2c1q promotions: no rule known here explains it/);
      for (const one of ['rules', 'values']) await page.select(`#check-${one}`, '');
    });

    test('on a phone the finding of a paste comes into view', async () => {
      const { page: phone } = await open(browser, `${server.url}#check`, { width: 390, height: 664 });
      await paste(phone, answers('sf', 100).join('\n'));
      await phone.waitForSelector('#check-report:not([hidden])');
      const { top, bottom } = await phone.$eval('#check-report .answer', one => one.getBoundingClientRect().toJSON());
      assert.ok(top >= 0 && bottom <= 665, `${top} to ${bottom} of 664`);
      await scrollToTop(phone);
      await paste(phone, 'no answer\nneither');
      await phone.waitForSelector('#check-error:not(:empty)');
      assert.ok(await phone.$eval('#check-error', one => one.getBoundingClientRect().top < innerHeight));
      await phone.close();
    });

    test('own values are entered, and a reload keeps the text', async () => {
      const line = '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; exd5; 110';
      await page.evaluate(line => {
        const box = document.querySelector('#answers');
        box.value = line;
        box.dispatchEvent(new Event('input'));
      }, line);
      await page.reload();
      await ready(page);
      assert.equal(await page.$eval('#answers', box => box.value), line);
      await shown();
      await page.select('#check-values', 'own');
      const set = values => page.$eval('#own-check-values', (field, values) => {
        field.value = values;
        field.dispatchEvent(new Event('input'));
      }, values);
      await set('110 300, 300 500');
      await page.waitForFunction(() => /^Piece values: expected .* five whole numbers .*\.$/.test(document.querySelector('#check-error').textContent));
      await set('110 300, 300 500 900');
      await page.waitForFunction(() => document.querySelector('#check-report .answer')?.textContent === '1 of 1 answer follows swap, sf8, sf and legal alike, values 110 300 300 500 900.');
      await shown();
      assert.equal(await text('#check-error'), '');
      assert.doesNotMatch(await text('#check-report'), /may fit equally well/);
      await page.select('#check-values', '');
    });

    test('a link brings answers, rules and values; text is not lost to one unasked', async () => {
      const set = (selector, value) => page.$eval(selector, (field, value) => {
        field.value = value;
        field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input'));
      }, value);
      const lines = '# 1+1, “ü” & more\n4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1; exd5; true >= 110';
      await set('#answers', lines);
      await page.select('#check-values', 'own');
      await set('#own-check-values', '110,300,300,500,900');
      await page.select('#check-rules', 'legal');
      await page.evaluate(() => { navigator.clipboard.writeText = async words => { window.copied = words; }; });
      await press(page, '#answers-link');
      const link = await page.waitForFunction(() => window.copied).then(found => found.jsonValue());
      assert.ok(link.startsWith(`${server.url}check.html#check&`), link);
      const of = () => page.$$eval('#answers, #check-rules, #check-values, #own-check-values', all => all.map(({ value }) => value));
      const asked = await of();
      const other = await open(browser, link, { width: 390, height: 664 });
      try {
        await other.page.waitForSelector('#check-report:not([hidden])');
        assert.deepEqual(await other.page.$$eval('#answers, #check-rules, #check-values, #own-check-values', all => all.map(({ value }) => value)), asked);
        assert.match(await other.page.$eval('#check-report .answer', one => one.textContent), /^1 of 1 answer follows profile legal, values 110 300 300 500 900.$/);
        assert.ok(await other.page.$eval('#check-report .answer', one => one.getBoundingClientRect().bottom <= innerHeight), 'the finding is in view');
        assert.deepEqual(other.errors, []);
      } finally {
        await other.page.close();
      }
      // Refused, nothing changes, and it can be asked again; taken, what is odd is told.
      let said = '';
      page.once('dialog', dialog => {
        said = dialog.message();
        dialog.dismiss();
      });
      await page.evaluate(() => { location.hash = '#check&answers=x'; });
      await page.waitForFunction(() => location.hash === '#check');
      assert.match(said, /^Replace the answers/);
      assert.deepEqual(await of(), asked);
      await page.reload();
      await ready(page);
      assert.deepEqual(await of(), asked);
      await shown();
      assert.equal(await text('#check-status'), '');
      await page.evaluate(() => { location.hash = '#check&rules=SF'; });
      await page.waitForFunction(() => document.querySelector('#check-rules').value === 'sf');
      assert.deepEqual((await of()).slice(0, 1), asked.slice(0, 1));
      page.once('dialog', dialog => dialog.accept());
      await page.evaluate(() => { location.hash = `#check&rules=nonsense&${'\u202ewhat'.repeat(9)}=1&values=x&values=y&answers=no+answer`; });
      await page.waitForFunction(() => /“�what�what�what�what…” is not known here.* names values more than once.* do not exist, “nonsense”/.test(document.querySelector('#check-status').textContent));
      await page.waitForFunction(() => /^Piece values: expected/.test(document.querySelector('#check-error').textContent));
      await page.select('#check-values', '');
      await page.evaluate(link => { location.hash = new URL(link).hash; }, link);
      await page.waitForFunction(line => document.querySelector('#answers').value === line, {}, lines);
      await set('#answers', `${lines}\ud800`);
      await page.waitForFunction(() => /A line is not an answer/.test(document.querySelector('#check-error').textContent));
      await set('#answers', `# ${'x'.repeat(8000)}`);
      assert.equal(new URL(page.url()).hash, '#check');
      await press(page, '#answers-link');
      await page.waitForFunction(() => /^Too long for a link/.test(document.querySelector('#answers-copied').textContent));
      for (const one of ['rules', 'values']) await page.select(`#check-${one}`, '');
      page.once('dialog', dialog => dialog.accept()); // the next test drops a file on it
    });

    test('a dropped file is read here, and saved as a suite', async () => {
      await page.evaluate(() => {
        const made = URL.createObjectURL;
        URL.createObjectURL = blob => {
          window.kept = blob;
          return made.call(URL, blob);
        };
        const data = new DataTransfer();
        data.items.add(new File(['4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100\n'], 'mine.txt'));
        document.querySelector('#answers').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      });
      await shown();
      assert.equal(new URL(page.url()).hash, '#check');
      await page.click('#check-report button');
      await page.waitForFunction(() => window.kept);
      assert.match(await page.evaluate(() => window.kept.text()), /^4k3\/8\/8\/3p4\/4P3\/8\/8\/4K3 w - - sm exd5; ce 100; c0 /);
    });

    test('of two files none is read in silence', async () => {
      await page.evaluate(() => {
        const data = new DataTransfer();
        for (const name of ['one.txt', 'two.txt']) data.items.add(new File(['4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100\n'], name));
        document.querySelector('#answers').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      });
      assert.equal(await text('#check-error'), 'Drop one file: answers are named by their lines.');
    });

    test('a file that is not text clears the findings, and is sent to Files', async () => {
      await page.evaluate(async () => {
        const data = new DataTransfer();
        data.items.add(new File([await (await fetch('sample.binpack')).arrayBuffer()], 'sample.binpack'));
        document.querySelector('#answers').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      });
      await page.waitForSelector('#check-error a[href="#files"]');
      assert.equal(await text('#check-error'), 'sample.binpack is not text. A data set is filtered in the part Files.');
      assert.equal(await text('#check-status'), '');
      assert.ok(await page.$('#check-report[hidden]'));
    });

    test('nothing failed unseen', () => assert.deepEqual(errors, []));
  });
}
