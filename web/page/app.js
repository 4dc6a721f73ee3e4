// The page: three parts, one WebAssembly module.

import { read } from './address.js';
import { Bench } from './bench.js';
import { get } from './dom.js';
import { Explain } from './explain.js';
import { Files } from './files.js';
import { compile, Swaplist } from './wasm.js';

const PARTS = ['explain', 'files', 'bench'];

async function start() {
  const module = await compile();
  const wasm = await Swaplist.start(module);
  get('version').textContent = wasm.json('choices').version;
  const explain = new Explain(wasm);
  const files = new Files(wasm, module);
  new Bench(wasm, module);
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
      files.open();
    }
  };
  addEventListener('hashchange', show);
  // A dropped file goes to Files, and never replaces the page; text goes where it is dropped.
  const carriesFiles = (/** @type {DragEvent} */ { dataTransfer }) => !!dataTransfer?.types.includes('Files');
  addEventListener('dragover', event => { if (carriesFiles(event)) event.preventDefault(); });
  addEventListener('drop', event => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    location.hash = '#files';
    show();
    files.drop(/** @type {DataTransfer} */ (event.dataTransfer));
  });
  show();
  document.documentElement.dataset.ready = 'yes';
}

start().catch(error => {
  const broken = get('broken');
  broken.hidden = false;
  broken.textContent = `This page does not work here: ${error instanceof Error ? error.message : error}`;
});
