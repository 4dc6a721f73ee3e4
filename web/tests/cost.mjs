// The CPU time that a filter takes in the page, of all its workers' threads, and the command's with as many
// threads: node tests/cost.mjs COMMAND FILE..., after a build, on Linux. WORKERS is their number, by
// default 1. Time that other work on the machine takes does not count.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { launch, open, press, serve } from './helpers.mjs';
import { temporary } from './inputs.mjs';

const ROUNDS = 3;
/** Clock ticks a second, in /proc. */
const TICKS = 100;
/** Threads that have ended are not listed any more. */
const POLL_MS = 60;

const workers = Number(process.env.WORKERS ?? 1);
const [command, ...files] = process.argv.slice(2);

/** Fields of a file of /proc, after the name in brackets. */
function stat(file) {
  const text = fs.readFileSync(file, 'utf8'), end = text.lastIndexOf(')');
  return { name: text.slice(text.indexOf('(') + 1, end), fields: text.slice(end + 2).split(' ') };
}

const list = folder => {
  try {
    return fs.readdirSync(folder).filter(name => /^\d+$/.test(name));
  } catch {
    return []; // it has ended
  }
};

/** A process and all below it. */
function family(root) {
  const parents = list('/proc').flatMap(id => {
    try {
      return [[id, stat(`/proc/${id}/stat`).fields[1]]];
    } catch {
      return [];
    }
  });
  const all = [String(root)];
  for (const one of all) all.push(...parents.filter(([, parent]) => parent === one).map(([id]) => id));
  return all;
}

/** Seconds of each thread that works for workers: their own, and those that compile and collect. */
function times(root) {
  return new Map(family(root).flatMap(id => list(`/proc/${id}/task`).flatMap(thread => {
    try {
      const { name, fields } = stat(`/proc/${id}/task/${thread}/stat`);
      return /Worker|ThreadPool/.test(name) ? [[thread, (Number(fields[11]) + Number(fields[12])) / TICKS]] : [];
    } catch {
      return [];
    }
  })));
}

/** Of the command. PGN cannot be written. */
function native(file) {
  const isGame = file.endsWith('.pgn'), out = temporary(isGame ? 'cost.fen' : `cost${path.extname(file)}`);
  const args = ['filter', file, '-o', out, '--force', '-q', '--threads', String(workers), '--backend', 'cpu', '--skip-invalid', ...(isGame ? ['--to', 'text'] : [])];
  const { status, stderr } = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@"', '-', command, ...args], { encoding: 'utf8' });
  if (status) throw new Error(stderr);
  const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return user + system;
}

/** Of the page; the threads that took longest come first. */
async function inPage(page, root) {
  await page.$$eval('#results button', all => all.forEach(one => one.textContent === 'Remove' && one.click()));
  await new Promise(done => setTimeout(done, 1000));
  const before = times(root), after = new Map(before);
  const poll = setInterval(() => times(root).forEach((seconds, id) => after.set(id, seconds)), POLL_MS);
  await page.$eval('#file-status', status => { status.textContent = ''; });
  await press(page, '#filter');
  await page.waitForFunction(() => / in [\d.]+ s/.test(document.querySelector('#file-status').textContent) || document.querySelector('#job-error').textContent, { timeout: 240_000 });
  clearInterval(poll);
  const error = await page.$eval('#job-error', one => one.textContent);
  if (error) throw new Error(error);
  times(root).forEach((seconds, id) => after.set(id, seconds));
  return [...after].map(([id, seconds]) => seconds - (before.get(id) ?? 0)).sort((a, b) => b - a);
}

const browser = await launch('chromium'), server = await serve();
const { page } = await open(browser, `${server.url}#files`);
// Before the part is loaded, which asks how many there are.
await page.evaluateOnNewDocument(workers => Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { value: workers }), workers);
await page.reload();
await page.waitForSelector('html[data-ready=yes]');
await page.evaluate(() => {
  window.confirm = () => true;
  document.querySelector('#skip-invalid').checked = true;
});
for (const file of files) {
  await (await page.$('#file')).uploadFile(file);
  await page.waitForFunction(name => document.querySelector('#chosen').textContent.startsWith(name) && !document.querySelector('#filter').disabled, {}, path.basename(file));
  await new Promise(done => setTimeout(done, 2000));
  let [theirs, ours, threads] = [Infinity, Infinity, []];
  for (let round = 0; round < ROUNDS; round++) {
    theirs = Math.min(theirs, native(file));
    const found = await inPage(page, browser.process().pid), sum = found.reduce((sum, one) => sum + one, 0);
    if (sum < ours) [ours, threads] = [sum, found];
  }
  console.log(`${path.basename(file)}: command ${theirs.toFixed(2)} s, page ${ours.toFixed(2)} s (${threads.slice(0, workers + 1).map(one => one.toFixed(2)).join(', ')}), ratio ${(ours / theirs).toFixed(2)}`);
}
await browser.close();
server.close();
