// The page: its parts, each loaded when it is first shown, with the WebAssembly module that it needs.

import { get, isForBoard, make, visible } from './dom.js';
import { setTitle } from './title.js';
import { compile, Swaplist, unloaded } from './wasm.js';

/** What a part starts with.
 * @typedef {{ wasm: Swaplist, module: WebAssembly.Module }} Start */
/** `load` fetches its code; the query is set when that is fetched once more.
 * @typedef {{ title: string, needs: string, load: (query: string) => Promise<any>, make: (code: any, start: Start) => any,
 *   open: (part: any) => void, leave?: (part: any) => void }} Part */

/** Reads files and games, and compares answers. */
const LARGE = 'swaplist.wasm';

/** @type {Record<string, Part>} */
const PARTS = {
  explain: {
    title: 'What is this capture worth?',
    needs: 'explain.wasm',
    load: query => import(`./explain.js${query}`),
    make: ({ Explain }, { wasm }) => new Explain(wasm, async () => (await started(LARGE)).wasm),
    open: explain => {
      explain.board.appeared();
      if (location.hash || location.search || !explain.found) explain.open();
    },
    leave: explain => explain.leave(),
  },
  files: {
    title: 'Filter a file of positions',
    needs: LARGE,
    load: query => import(`./files.js${query}`),
    make: ({ Files }, { wasm, module }) => new Files(wasm, module),
    open: files => files.open(),
  },
  check: {
    title: 'Which rules does your SEE follow?',
    needs: LARGE,
    load: query => import(`./check.js${query}`),
    make: ({ Check }, { module }) => new Check(module),
    open: check => check.open(),
  },
  bench: {
    title: 'How fast is this machine?',
    needs: LARGE,
    load: query => import(`./bench.js${query}`),
    make: ({ Bench }, { wasm, module }) => new Bench(wasm, module),
    open: () => {},
  },
};

/** Seconds until what could not be loaded is asked for again. */
const WAITS = [2, 5, 10, 30];

/** Does it until it succeeds; between two tries it says what is wrong, with a button.
 * @template T @param {HTMLElement} place @param {(query: string) => Promise<T>} work */
async function insist(place, work) {
  for (let tries = 0; ; tries++) {
    try {
      // A module that failed to load is loaded anew only under another address.
      const done = await work(tries ? `?${tries}` : '');
      place.hidden = true;
      return done;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      // Browsers tell in their own words which module did not come.
      const module = /imported module\b.*?([\w.]+\.js)/.exec(words)?.[1];
      const isLoading = !!module || words.includes('could not be loaded');
      const again = make('button', { type: 'button' }, 'Try again');
      place.replaceChildren(module ? unloaded(module) : isLoading ? words : `This page does not work here: ${words}.`, ' ', again);
      place.hidden = false;
      await new Promise(done => {
        again.addEventListener('click', done);
        addEventListener('online', done, { once: true });
        if (isLoading) setTimeout(done, 1000 * WAITS[Math.min(tries, WAITS.length - 1)]);
      });
    }
  }
}

/** Where a part says that it is broken, and nothing else does.
 * @param {string} name */
function broken(name) {
  const place = make('p', { className: 'error broken', role: 'alert', hidden: true });
  get(name).prepend(place);
  return place;
}

/** Waits for a part. What was pressed, typed or chosen last before its code was there is told to it
 * then.
 * @template T @param {HTMLElement} place @param {Promise<T>} loading */
async function tellingEarly(place, loading) {
  let tell = () => {};
  const note = (/** @type {Event} */ { type, target }) => {
    const on = /** @type {HTMLElement} */ (target);
    if (type !== 'click') tell = () => on.dispatchEvent(new Event(type, { bubbles: true }));
    else if (on.closest('button')) tell = () => on.click();
  };
  const types = ['click', 'input', 'change'];
  for (const type of types) place.addEventListener(type, note);
  const part = await loading;
  for (const type of types) place.removeEventListener(type, note);
  // Only when the part shows what the address asks for.
  setTimeout(() => tell());
  return part;
}

/** The part that the address names. */
function asked() {
  const name = location.hash.slice(1).split('&')[0];
  return Object.hasOwn(PARTS, name) ? name : 'explain';
}

/** @type {Map<string, Promise<{ wasm: Swaplist, module: WebAssembly.Module }>>} */
const modules = new Map();

/** Parts share a module. @param {string} name */
function started(name) {
  const found = modules.get(name) ?? compile(name).then(async module => ({ module, wasm: await Swaplist.start(module) }));
  modules.set(name, found);
  found.then(({ wasm }) => { get('version').textContent = wasm.text('version'); }, () => modules.delete(name));
  return found;
}

async function start() {
  /** @type {Map<string, Promise<any>>} */
  const loaded = new Map();
  const load = (/** @type {string} */ name) => {
    const part = PARTS[name];
    const found = loaded.get(name) ?? tellingEarly(get(name), insist(broken(name), async query => {
      const [code, start] = await Promise.all([part.load(query), started(part.needs)]);
      return part.make(code, start);
    }));
    loaded.set(name, found);
    return found;
  };
  const show = async () => {
    const name = asked();
    for (const other of Object.keys(PARTS)) {
      if (other !== name && !get(other).hidden) loaded.get(other)?.then(PARTS[other].leave);
      get(other).hidden = other !== name;
      const link = get(`to-${other}`);
      if (other === name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    setTitle(PARTS[name].title);
    const part = await load(name);
    if (asked() === name) PARTS[name].open(part);
    return part;
  };
  addEventListener('hashchange', show);
  // To the part that is shown: the address stays.
  get('skip').addEventListener('click', event => {
    event.preventDefault();
    const heading = /** @type {HTMLElement} */ (document.querySelector('main:not([hidden]) h1'));
    heading.tabIndex = -1;
    heading.focus();
  });
  // What a link shows begins at the top.
  addEventListener('click', ({ target }) => {
    if (/** @type {Element} */ (target).closest('a[href^="#"]:not(#skip)')) setTimeout(() => scrollTo(0, 0));
  });
  // A dropped file goes to Files, and never replaces the page; text goes where it is dropped.
  const carriesFiles = (/** @type {DragEvent} */ { dataTransfer }) => !!dataTransfer?.types.includes('Files');
  addEventListener('dragover', event => { if (carriesFiles(event)) event.preventDefault(); });
  addEventListener('drop', event => {
    // A part that takes files itself has said so.
    if (!carriesFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    // The browser takes back what was dropped when this ends.
    const items = [.../** @type {DataTransfer} */ (event.dataTransfer).items].filter(({ kind }) => kind === 'file');
    const dropped = items.filter(item => !item.webkitGetAsEntry?.()?.isDirectory).flatMap(item => item.getAsFile() ?? []);
    const folders = items.length - dropped.length;
    if (dropped.length === 1 && isForBoard(dropped[0]) && asked() !== 'files') toBoard(dropped[0]);
    else toFiles(dropped, folders);
  });
  /** @param {File[]} files @param {number} folders */
  const toFiles = async (files, folders) => {
    if (asked() !== 'files') location.hash = '#files';
    (await load('files')).drop(files, folders);
  };
  /** @param {File} file */
  const toBoard = async file => {
    // Where the address names no position, what was there before stays.
    if (asked() !== 'explain') location.hash = '#explain';
    const part = await load('explain');
    await part.reading.pasted(await file.text());
    const filter = make('button', { type: 'button', onclick: () => toFiles([file], 0) }, 'Open it in Files');
    get('pasted').replaceChildren(`${visible(file.name)} is on the board. `, filter);
  };
  // Files offers the board for such a file.
  addEventListener('to-board', event => toBoard(/** @type {CustomEvent<File>} */ (event).detail));
  // What is pasted where nothing is written is for the board.
  addEventListener('paste', async event => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (!text.trim() || /** @type {Element} */ (event.target).closest?.('input, textarea, select, dialog')) return;
    event.preventDefault();
    if (asked() !== 'explain') location.hash = '#explain';
    (await load('explain')).reading.pasted(text);
  });
  await show();
  document.documentElement.dataset.ready = 'yes';
}

/** The page without a network; a newer one waits until it is asked for. */
async function keep() {
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register('service.js');
  const note = get('newer');
  const look = () => { note.hidden = !registration.waiting || !serviceWorker.controller; };
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look));
  look();
  // Used in another window, the newer one has taken this one's files with it.
  const isFirst = !serviceWorker.controller;
  let isAsked = false;
  serviceWorker.addEventListener('controllerchange', () => {
    if (isAsked) location.reload();
    else note.hidden = isFirst;
  });
  get('use-newer').addEventListener('click', () => {
    isAsked = true;
    if (registration.waiting) registration.waiting.postMessage('use');
    else location.reload();
  });
}

await start();
// Without https, or in a private window, there is none. It loads all that the page may need.
if (navigator.serviceWorker) keep().catch(() => {});
