// The exchange that plays when the page opens.

import { PROFILES } from './address.js';
import { lanes } from './words.js';

/** @import { Explain } from './explain.js' */
/** @import { Place } from './strip.js' */

/** How long each capture is shown. */
const PLAY_MS = 1100;

/** Plays the lanes of a first example, until somebody does something.
 * @param {Explain} explain */
export async function tour(explain) {
  if (!explain.found?.exchanges.length) return;
  const { found } = explain, { rules: own } = explain.state;
  let isStopped = false;
  // What is seen then is what the address says, unless that is another one now.
  const stop = (/** @type {Event} */ { type }) => {
    if (!isStopped && explain.found === found && type !== 'hashchange') explain.set({});
    isStopped = true;
  };
  const signals = ['pointerdown', 'keydown', 'wheel', 'hashchange', 'focusin'];
  for (const signal of signals) addEventListener(signal, stop, { capture: true, once: true });
  const wait = () => new Promise(done => setTimeout(done, PLAY_MS));
  // The address stays.
  const go = (/** @type {Place} */ place) => {
    Object.assign(explain.state, place, { beyond: false });
    explain.stage.show(explain.state, found);
  };
  const all = lanes(found.exchanges, PROFILES).sort((a, b) => Number(a.rules.includes(own)) - Number(b.rules.includes(own)));
  for (const { rules, exchange } of all) {
    for (let ply = 0; ply <= exchange.played; ply++) {
      await wait();
      if (isStopped || explain.found !== found) return;
      go({ rules: rules[0], ply });
    }
  }
  await wait();
  for (const signal of signals) removeEventListener(signal, stop, { capture: true });
  if (!isStopped && explain.found === found) go({ rules: own, ply: 0 });
}
