// Breaks the built page in ways that only a person would see, one at a time, and says which tests
// turn red: node tests/mutations.mjs after a build. Fails if one of them turns none. An argument is a
// part of the names of those to try.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ROOT } from './helpers.mjs';

const TESTS = path.join(ROOT, 'web/tests');
const SEEN = ['--test-name-pattern=^(?!.*nothing sticks out)', 'seen.test.mjs'];
const TIME = ['--test-name-pattern=the time that is left', 'files.test.mjs'];
const RESULTS = ['--test-name-pattern=results are numbered', 'files.test.mjs'];
const HEADLINE = ['--test-name-pattern=the headline states only', 'check.test.mjs'];
const PHONE = ['--test-name-pattern=on a phone of 390 x 664', 'play.test.mjs'];
const MOVES = ['--test-name-pattern=a promotion is chosen|says why|variations of a game', 'moves.test.mjs'];
const PLAY = ['--test-name-pattern=a piece that may recapture|pieces do not come from|what is shown is shared|a game: its captures', 'play.test.mjs'];

/** What is broken, in which file, what it replaces there by what, and the tests. */
const MUTATIONS = [
  ['a wrong board label', 'board.js', /side\('white'\)/, "side('black')", SEEN],
  ['no rings', 'board.js', /brush: 'red'/, "brush: 'none'", SEEN],
  ['red and green exchanged', 'dom.js', /'plus' : number < 0 \? 'minus'/, "'minus' : number < 0 ? 'plus'", SEEN],
  ['no policy', 'index.html', /<meta http-equiv="Content-Security-Policy"[^>]*>/, '', SEEN],
  ['Turn does nothing', 'board.js', /this\.ground\.toggleOrientation\(\)/, 'undefined', SEEN],
  ['a nonsensical time left', 'files.js', /seconds \/ share - seconds/, 'seconds * share', TIME],
  ['bars of one length', 'plots.js', /count \/ most \* room/, 'room', SEEN],
  ['doubled figures', 'bench.js', /rate: answers \/ ms/, 'rate: 2 * answers / ms', SEEN],
  ['the step’s words out of view', 'explain.css', /#now\{position:fixed;/, '#now{', PHONE],
  ['recaptures say nothing', 'board.js', /else if \(square\)\s+pressed\(square\)/, '', PLAY],
  ['variations are not listed', 'tree.js', /this\.walk\(calls, other, false\)/, 'undefined', MOVES],
  ['the line of a refusal is not drawn', 'board.js', /by && on && by !== on/, 'false', MOVES],
  ['every pawn becomes a queen', 'playing.js', /uci\[4\] === chosen/, "uci[4] === 'q'", MOVES],
  ['pieces of another position first', 'board.js', /fen: '8\/8\/8\/8\/8\/8\/8\/8',/, '', PLAY],
  ['a picture without an address', 'share.js', /text\(where \|\| 'swaplist',/, "text('',", PLAY],
  ['a game’s rows show another position', 'game.js', /this\.choose\(row\)/, 'this.choose(rows[0])', PLAY],
  ['values that nothing determines in the headline', 'check.js', /evidence\.every\(one => one === 'several'\)/, 'true', HEADLINE],
  ['the last result below', 'files.js', /(this\.files\.length > 1\)\s*)get\('results'\)\.prepend\(row\)/, "$1get('results').append(row)", RESULTS],
];

/** The names of the tests that fail on a page.
 * @param {string} dist @param {string[]} tests */
function failing(dist, tests) {
  const files = tests.map(test => (test.startsWith('--') ? test : path.join(TESTS, test)));
  const { stdout } = spawnSync(process.execPath, ['--test', ...files], { env: { ...process.env, DIST: dist, BROWSER: 'chromium' }, encoding: 'utf8' });
  if (!/^# (pass|fail) [1-9]/m.test(stdout)) throw new Error('no test ran');
  // Of tests in tests, the innermost.
  return stdout.split('\n').filter(line => /^ {4,}not ok/.test(line) && !/, \d+ wide$/.test(line)).map(line => line.replace(/^ *not ok \d+ - /, ''));
}

const asked = MUTATIONS.filter(([name]) => name.includes(process.argv[2] ?? ''));
const clean = [...new Set(asked.map(([, , , , tests]) => tests))].flatMap(tests => failing(path.join(ROOT, 'web/dist'), tests));
if (clean.length) throw new Error(`the page fails without a mutation: ${clean.join('; ')}`);
let survived = 0;
for (const [name, file, from, to, tests] of asked) {
  const dist = fs.mkdtempSync(path.join(os.tmpdir(), 'swaplist-mutation-'));
  fs.cpSync(path.join(ROOT, 'web/dist'), dist, { recursive: true });
  const text = fs.readFileSync(path.join(dist, file), 'utf8');
  if (!from.test(text)) throw new Error(`${file} has no ${from}`);
  fs.writeFileSync(path.join(dist, file), text.replace(from, to));
  const red = [...new Set(failing(dist, tests))];
  fs.rmSync(dist, { recursive: true });
  console.log(`${name}: ${red.length ? red.join('; ') : 'NOTHING TURNED RED'}`);
  if (!red.length) survived++;
}
process.exitCode = survived ? 1 : 0;
