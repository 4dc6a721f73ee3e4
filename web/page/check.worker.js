// Compares answers with the rules, beside the page.

import { failedBy, Swaplist } from './wasm.js';

onmessage = async ({ data: { module, asked, saves } }) => {
  try {
    const wasm = await Swaplist.start(module);
    postMessage(saves ? { suite: wasm.text('check_epd', asked) } : { found: wasm.json('check', asked) });
  } catch (error) {
    postMessage({ failed: failedBy(error) });
  }
};
