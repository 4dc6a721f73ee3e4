// A file server and browsers for the tests.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import puppeteer from 'puppeteer-core';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The page to test; tests/mutations.mjs names others. */
export const DIST = process.env.DIST ?? path.join(ROOT, 'web/dist');
export const SWAPLIST = process.env.SWAPLIST ?? path.join(ROOT, 'target/debug/swaplist');
/** A folder for pictures that tests take, to be looked at; without it they take none. */
const { SHOTS } = process.env;
if (SHOTS) fs.mkdirSync(SHOTS, { recursive: true });

const AXE = fs.readFileSync(path.join(ROOT, 'web/node_modules/axe-core/axe.min.js'), 'utf8');

const TYPES = {
  '.css': 'text/css', '.html': 'text/html', '.jpg': 'image/jpeg', '.js': 'text/javascript', '.svg': 'image/svg+xml',
  '.txt': 'text/plain', '.wasm': 'application/wasm',
};

/** A file of the real data (CONTRIBUTING.md), or why its test is left out.
 * @param {string} name */
export function real(name) {
  const folder = process.env.SWAPLIST_DATA;
  return folder ? { file: path.join(folder, name), skip: false } : { file: name, skip: 'SWAPLIST_DATA names no folder of real data' };
}

/** Serves the built page, and some other files by name. While it is down, it hangs up; what it
 * lacks, it does not find; what is held is answered when its promise is kept. It remembers which files were asked for.
 * @param {Record<string, string>} [others] */
export async function serve(others = {}) {
  /** @type {Set<string>} */
  const asked = new Set();
  /** @type {Map<string, Promise<void>>} */
  const held = new Map();
  const found = { url: '', isDown: false, lacks: '', held, asked, close: () => server.close() };
  const server = http.createServer(async (request, response) => {
    if (found.isDown) {
      request.socket.destroy();
      return;
    }
    const { pathname } = new URL(request.url, 'http://page');
    const name = decodeURIComponent(pathname);
    const file = others[name] ?? path.join(DIST, name.replace(/\/$/, '/index.html'));
    if (!others[name] && !file.startsWith(DIST) || !fs.existsSync(file) || name === found.lacks) {
      response.writeHead(404);
      response.end();
      return;
    }
    asked.add(file);
    await found.held.get(name);
    response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream');
    response.end(fs.readFileSync(file));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  found.url = `http://127.0.0.1:${server.address().port}/`;
  return found;
}

const CHROMIUM = {
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-webgpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
};

const FIREFOX = {
  browser: 'firefox',
  executablePath: '/usr/bin/firefox-esr',
  extraPrefsFirefox: {
    'dom.webgpu.enabled': true,
    'dom.webgpu.workers.enabled': true,
    'gfx.webgpu.ignore-blocklist': true,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    'app.update.enabled': false,
  },
  env: { ...process.env, MOZ_HEADLESS: '1', NODEVICE_SELECT: '1', HOME: process.env.FIREFOX_HOME ?? process.env.HOME },
};

/** BROWSER names one of them. */
export const BROWSERS = process.env.BROWSER ? [process.env.BROWSER] : ['chromium', 'firefox'];

/** For a test of what is the same in each browser, and takes neither the GPU, workers, files nor input
 * of its own way: Firefox runs it only if FIREFOX=all. What it leaves out, web/test.sh names.
 * @param {string} name */
export function once(name) {
  return { skip: name === 'firefox' && process.env.FIREFOX !== 'all' && 'the same in each browser' };
}

/** Where tests/profile.mjs leaves a profile that Firefox has used: with a copy of it, it starts in half
 * the time. */
const USED = process.env.FIREFOX_HOME && path.join(process.env.FIREFOX_HOME, 'used');

/** @param {'chromium' | 'firefox'} name @param {string[]} args */
export function launch(name, args = []) {
  const options = name === 'firefox' ? { ...FIREFOX } : { ...CHROMIUM, args: [...CHROMIUM.args, ...args] };
  if (name === 'firefox' && USED && fs.existsSync(USED)) {
    options.userDataDir = fs.mkdtempSync(path.join(process.env.FIREFOX_HOME, 'copy-'));
    fs.cpSync(USED, options.userDataDir, { recursive: true });
  }
  return puppeteer.launch({ headless: true, protocolTimeout: 300_000, ...options });
}

/** Has Firefox use a profile once. */
export async function useProfile() {
  const userDataDir = `${USED}.new`;
  const browser = await puppeteer.launch({ headless: true, ...FIREFOX, userDataDir });
  const page = await browser.newPage();
  await page.goto('about:blank');
  await browser.close();
  fs.renameSync(userDataDir, USED);
}

/** In a page: how many timers and frames it waits for; not for timers that are late. */
function watched() {
  const LATE_MS = 700;
  const due = new Set(), frames = new Set();
  const { setTimeout: set, clearTimeout: clear, requestAnimationFrame: ask, cancelAnimationFrame: cancel } = window;
  window.setTimeout = (what, ms = 0, ...all) => {
    const id = set(() => {
      due.delete(id);
      what(...all);
    }, ms);
    if (ms <= LATE_MS) due.add(id);
    return id;
  };
  window.clearTimeout = id => {
    due.delete(id);
    clear(id);
  };
  window.requestAnimationFrame = what => {
    const id = ask(now => {
      frames.delete(id);
      what(now);
    });
    frames.add(id);
    return id;
  };
  window.cancelAnimationFrame = id => {
    frames.delete(id);
    cancel(id);
  };
  const isMoving = () => document.getAnimations().some(one => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity);
  let scrolled = '';
  /** Once nothing has been due, moved or scrolled for some frames. */
  window.rest = async () => {
    for (let calm = 0; calm < 3;) {
      // A page that is not seen has no frames.
      await new Promise(done => {
        ask(() => done(undefined));
        set(done, 100);
      });
      const before = scrolled;
      scrolled = `${scrollX} ${scrollY}`;
      calm = due.size || frames.size || isMoving() || before !== scrolled ? 0 : calm + 1;
    }
  };
}

/** Until a page has come to rest: no timer, no animation, no frame is to come.
 * @param {import('puppeteer-core').Page} page */
export const rest = page => page.evaluate(() => window.rest());

/** A page whose errors, and requests to other hosts, are kept. It asks the server for all its
 * files, unless it may keep them.
 * @param {import('puppeteer-core').Browser} browser @param {string} url */
export async function open(browser, url, { width = 1120, height = 900, before = () => {}, keeps = false, hasTouch = false } = {}) {
  const page = await browser.newPage();
  if (!keeps) await page.evaluateOnNewDocument(() => Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined }));
  await page.evaluateOnNewDocument(watched);
  await page.evaluateOnNewDocument(before);
  const errors = [];
  page.on('console', message => { if (message.type() === 'error') errors.push([message.text(), message.location().url].filter(Boolean).join(' ')); });
  page.on('pageerror', error => errors.push(String(error)));
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && !['data:', 'blob:', 'about:', 'moz-extension:'].includes(protocol)) errors.push(`request to ${request.url()}`);
  });
  await page.setViewport({ width, height, hasTouch, isMobile: hasTouch });
  await page.goto(url);
  await ready(page);
  return { page, errors };
}

/** @param {import('puppeteer-core').Page} page */
export function ready(page) {
  return page.waitForSelector('html[data-ready=yes]', { timeout: 60_000 });
}

/** @param {import('puppeteer-core').Page} page @param {string} name */
export async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });
}

/** What axe-core finds on a page as it stands.
 * @param {import('puppeteer-core').Page} page */
export async function findings(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** What the command prints.
 * @param {string[]} args */
export function native(...args) {
  return execFileSync(SWAPLIST, args, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Presses a button when it may be: what appears meanwhile moves it away from the pointer. */
export async function press(page, selector) {
  await page.waitForSelector(`${selector}:not(:disabled)`);
  await page.$eval(selector, one => one.click());
}

/** In a page: two workers for the benchmark, each with a million answers in a fifth of a second; no
 * GPU. What is shared, copied and saved is kept. */
export function measured() {
  Object.defineProperty(Navigator.prototype, 'deviceMemory', { value: 0.25 });
  Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { value: 2 });
  let now = 0, runs = 0;
  performance.now = () => now;
  window.Worker = class {
    postMessage({ what, gpu }) {
      if (what === 'run' && runs++ % 2 === 0) now += 200;
      setTimeout(() => this.onmessage({ data: gpu ? { error: 'there is none' } : { answer: what === 'run' ? { answers: 1e6, ms: 200, kernelMs: 200 } : {} } }));
    }

    terminate() {}
  };
  window.kept = {};
  navigator.canShare = () => true;
  navigator.share = async what => { window.kept.shared = what; };
  navigator.clipboard.write = async ([item]) => { window.kept.copied = { files: [await item.getType('image/png')] }; };
  const made = URL.createObjectURL;
  URL.createObjectURL = blob => {
    window.kept.saved = { files: [blob] };
    return made.call(URL, blob);
  };
}
