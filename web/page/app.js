// The page: three parts, one WebAssembly module.

import { read } from './address.js';
import { get } from './dom.js';
import { Explain } from './explain.js';
import { compile, Swaplist } from './wasm.js';

/** @import { Files } from './files.js' */

const PARTS = ['explain', 'files', 'bench'];

/** Parts that are opened later are loaded later.
 * @type {Record<string, Promise<unknown>>} */
const later = {};

async function start() {
  const module = await compile();
  const wasm = await Swaplist.start(module);
  get('version').textContent = wasm.json('choices').version;
  const explain = new Explain(wasm);
  const show = () => {
    const asked = location.hash.slice(1);
    const part = PARTS.includes(asked) ? asked : 'explain';
    for (const other of PARTS) {
      get(other).hidden = other !== part;
      const link = get(`to-${other}`);
      if (other === part) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (part === 'explain') {
      if (read(location.hash) || !explain.found) explain.open();
      explain.board.moved(); // hidden, it had no size
    } else if (part === 'files') {
      later.files ??= import('./files.js').then(({ Files }) => new Files(wasm, module));
    } else {
      later.bench ??= import('./bench.js').then(({ Bench }) => new Bench(wasm, module));
    }
  };
  addEventListener('hashchange', show);
  // A dropped file goes to Files, and never replaces the page; text goes where it is dropped.
  const carriesFiles = (/** @type {DragEvent} */ { dataTransfer }) => !!dataTransfer?.types.includes('Files');
  addEventListener('dragover', event => { if (carriesFiles(event)) event.preventDefault(); });
  addEventListener('drop', async event => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    // The browser takes back what was dropped when this ends.
    const { files, items } = /** @type {DataTransfer} */ (event.dataTransfer);
    const dropped = { files: [...files], isFolder: !!items[0]?.webkitGetAsEntry?.()?.isDirectory };
    location.hash = '#files';
    show();
    const opened = /** @type {Files} */ (await later.files);
    opened.drop(dropped);
  });
  show();
  document.documentElement.dataset.ready = 'yes';
}

start().catch(error => {
  const broken = get('broken');
  broken.hidden = false;
  broken.textContent = `This page does not work here: ${error instanceof Error ? error.message : error}`;
});
