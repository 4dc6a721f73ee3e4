// Compares answers with the rules, beside the page.

import { Failure, Swaplist } from './wasm.js';

onmessage = async ({ data: { module, asked, saves } }) => {
  try {
    const wasm = await Swaplist.start(module);
    postMessage(saves ? { suite: wasm.text('check_epd', asked) } : { found: wasm.json('check', asked) });
  } catch (error) {
    const field = error instanceof Failure ? error.field : '';
    postMessage({ failed: error instanceof Error ? error.message : String(error), field });
  }
};
