// Makes page/preview.jpg and page/example-*.jpg, which those see to whom a link to the page or to an
// example is sent: node tests/preview.mjs after a build. SITE is the page's address in the pictures.

import fs from 'node:fs';
import path from 'node:path';

import { launch, open, ROOT, serve } from './helpers.mjs';

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
await browser.close();
server.close();
