// Makes page/preview.jpg, which those see to whom a link to the page is sent: node tests/preview.mjs
// after a build.

import path from 'node:path';

import { launch, open, ROOT, serve } from './helpers.mjs';

const server = await serve();
const browser = await launch('chromium');
const { page } = await open(browser, server.url, { width: 1200, height: 630 });
await page.evaluate(() => document.activeElement?.blur());
await new Promise(done => setTimeout(done, 3000));
await page.screenshot({ path: path.join(ROOT, 'web/page/preview.jpg'), type: 'jpeg', quality: 70 });
await browser.close();
server.close();
