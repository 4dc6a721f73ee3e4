// Makes page/preview.jpg, page/example-*.jpg, and one for each other part, which those see to whom a link
// is sent: node tests/preview.mjs after a build. SITE is the page's address in the pictures.

import fs from 'node:fs';
import path from 'node:path';

import { launch, open, press, ROOT, serve } from './helpers.mjs';

const server = await serve();
const browser = await launch('chromium');
const { page } = await open(browser, server.url, { width: 1200, height: 630 });
await page.evaluate(() => document.activeElement?.blur());
await new Promise(done => setTimeout(done, 3000));
await page.screenshot({ path: path.join(ROOT, 'web/page/preview.jpg'), type: 'jpeg', quality: 70 });
const images = await page.evaluate(async where => {
  const [{ EXAMPLES }, { picture }, { compile, Swaplist }] = await Promise.all(['examples', 'share', 'wasm'].map(name => import(`./${name}.js`)));
  const wasm = await Swaplist.start(await compile('explain.wasm'));
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 1200, height: 630 });
  const all = [];
  for (const { shown: { fen, move, rules, values } } of EXAMPLES) {
    const found = wasm.json('explain', { line: fen, name: move, rules: { profile: rules, values } });
    await picture(canvas, found, rules, where);
    all.push(canvas.toDataURL('image/jpeg', 0.8).split(',')[1]);
  }
  return all;
}, (process.env.SITE ?? '').replace(/^https?:\/\//, ''));
images.forEach((image, i) => fs.writeFileSync(path.join(ROOT, `web/page/example-${i + 1}.jpg`), image, 'base64'));

/** What a part shows once somebody did something in it.
 * @param {string} part @param {() => Promise<void>} work */
async function seen(part, work) {
  await page.evaluate(part => { location.hash = part; }, part);
  await page.waitForSelector(`#${part}:not([hidden])`);
  await work();
  await page.evaluate(() => document.activeElement?.blur());
  await page.screenshot({ path: path.join(ROOT, `web/page/${part}.jpg`), type: 'jpeg', quality: 70 });
}

await seen('files', async () => {
  await press(page, '#sample');
  await page.waitForSelector('#preview:not([hidden]) .card');
});
await seen('check', async () => {
  await press(page, '#answers-example');
  await page.waitForSelector('#check-report:not([hidden])');
  await page.$eval('#check-report', report => scrollTo(0, report.getBoundingClientRect().top - 4));
});
// Without figures, which would be those of one machine.
const bench = await page.evaluate(async where => {
  const { begun, INK, SOFT } = await import('./picture.js');
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 1200, height: 630 });
  const { text } = begun(canvas);
  text('swaplist', 60, 84, 34, INK, 700);
  text('How fast does this machine', 60, 260, 76, INK, 700);
  text('judge captures?', 60, 350, 76, INK, 700);
  text('Positions a second on the CPU and on the GPU, and whole files: in the browser', 60, 430, 30, SOFT);
  text(where, 60, 596, 24, SOFT, 600);
  return canvas.toDataURL('image/jpeg', 0.8).split(',')[1];
}, (process.env.SITE ?? '').replace(/^https?:\/\//, ''));
fs.writeFileSync(path.join(ROOT, 'web/page/bench.jpg'), bench, 'base64');
await browser.close();
server.close();
