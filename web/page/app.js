// The page: three parts, one WebAssembly module.

import { read } from './address.js';
import { get } from './dom.js';
import { Explain } from './explain.js';
import { compile, Swaplist } from './wasm.js';

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
    } else if (part === 'files') {
      later.files ??= import('./files.js').then(({ Files }) => new Files(wasm, module));
    } else {
      later.bench ??= import('./bench.js').then(({ Bench }) => new Bench(wasm, module));
    }
  };
  addEventListener('hashchange', show);
  show();
  document.documentElement.dataset.ready = 'yes';
}

start().catch(error => {
  const broken = get('broken');
  broken.hidden = false;
  broken.textContent = `This page does not work here: ${error instanceof Error ? error.message : error}`;
});
