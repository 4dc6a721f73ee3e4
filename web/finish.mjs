// The last step of build.sh: what depends on the whole page. Its arguments are the repository's
// address and the page's own, or nothing.

import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const [repository = '', site = ''] = process.argv.slice(2);
const DIST = new URL('dist/', import.meta.url).pathname;
const read = name => fs.readFileSync(path.join(DIST, name), 'utf8');
const write = (name, text) => fs.writeFileSync(path.join(DIST, name), text);
const flat = text => text.replace(/^[ \t]+/gm, '');
const all = fs.readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => path.relative(DIST, path.join(entry.parentPath, entry.name)))
  .sort();

/** A module and all that it imports, in the order of need.
 * @param {string} name @param {Set<string>} found */
function imported(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, other] of read(name).matchAll(/^import [^;]*?from '\.\/([^']+)';$|^import '\.\/([^']+)';$/gm)) imported(other, found);
  return found;
}

// What the asked part needs is fetched at once, not as one module names the next, and nothing else.
const PARTS = { explain: 'explain.wasm', files: 'swaplist.wasm', check: 'swaplist.wasm', bench: 'swaplist.wasm' };
const common = imported('app.js');
const needs = Object.fromEntries(Object.entries(PARTS).map(([part, wasm]) => [part, [wasm, ...[...imported(`${part}.js`)].filter(name => !common.has(name))]]));
const preload = flat(`const needs = ${JSON.stringify(needs)}, part = location.hash.slice(1).split('&')[0];
for (const href of needs[Object.hasOwn(needs, part) ? part : 'explain']) {
  const link = document.createElement('link');
  Object.assign(link, href.endsWith('.js') ? { rel: 'modulepreload', href } : { rel: 'preload', as: 'fetch', crossOrigin: '', href });
  document.head.append(link);
}`);
const links = [...common].map(name => `<link rel="modulepreload" href="${name}">`).join('\n');
const hash = text => crypto.createHash('sha256').update(text).digest('base64');
let html = read('index.html').replace('<!-- modules -->', () => `${links}\n<script>${preload}</script>`).replaceAll('%SITE%', site)
  .replace('%HASH%', `'sha256-${hash(preload)}'`);
// Without a repository there is no link to the source, and the documentation comes with the page.
html = repository ? html : html.replace(/<a[^>]*%REPOSITORY%"[^>]*>[^<]*<\/a>/g, '')
  .replaceAll('%REPOSITORY%#readme', 'docs/README.txt').replaceAll('%REPOSITORY%/blob/HEAD/docs/quiet.md', 'docs/quiet.txt');
write('index.html', html.replaceAll('%REPOSITORY%', repository));

// A page for each example and for each other part, with a preview image of its own (whoever makes a
// preview does not see what follows a #). It leads there, and what follows its # goes along.
const { EXAMPLES, pageOf } = await import('./dist/examples.js');
const { written } = await import('./dist/address.js');
const escaped = text => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const CARDS = {
  'files.html': ['#files', 'Filter training data in the browser', 'Binpacks, bulletformat, PGN and more, filtered for quiet positions by exact SEE. Nothing leaves the machine.', 'The page that filters files, with a result'],
  'check.html': ['#check', 'Which rules does your SEE follow?', 'Paste another engine’s answers: the rule set and piece values that fit, and what each fault seems to be.', 'Answers of an engine, and what is wrong with them'],
  'bench.html': ['#bench', 'How fast does this machine judge captures?', 'Positions a second on the CPU and on the GPU, in the browser.', 'Positions a second, as bars'],
  ...Object.fromEntries(EXAMPLES.map(({ shown, why }, i) => [pageOf(i), [written(shown), 'What is this capture worth?', why, 'The board, and what the capture is worth under each rule set']])),
};
for (const [name, [hash, title, about, alt]] of Object.entries(CARDS)) {
  const link = escaped(`./${hash}`);
  write(name, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<script>location.replace('./' + (location.hash || ${JSON.stringify(hash)}))</script>
<link rel="icon" href="icon.svg">
<meta http-equiv="refresh" content="0; url=${link}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="swaplist">
<meta property="og:title" content="${escaped(title)}">
<meta property="og:description" content="${escaped(about)}">
<meta property="og:image" content="${site}${name.replace('.html', '.jpg')}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">
<title>${escaped(title)} · swaplist</title>
</head>
<body><p><a href="${link}">${escaped(about)}</a></p></body>
</html>
`);
}

// Styles are without comments, as modules are, and without the blanks that mean nothing; the rest is
// without indentation. No text of several lines in a module is indented.
const dense = css => css.replace(/\/\*.*?\*\/\s*/gs, '').replace(/(?<=[:;,{}])\s+|\s+(?=[{}])|;(?=\s*\})/g, '');
for (const name of all.filter(name => name.endsWith('.css'))) write(name, dense(read(name)));
for (const name of all.filter(name => /^[^/]*\.(html|js)$/.test(name))) write(name, flat(read(name)));

// Licences, documentation and the preview are for those who are online.
const kept = [...all, ...Object.keys(CARDS)].filter(name => name !== 'service.js' && !/\.(txt|jpg)$/.test(name)).sort();
const content = crypto.createHash('sha256');
for (const name of kept) content.update(name).update(fs.readFileSync(path.join(DIST, name)));
const version = content.digest('hex').slice(0, 16);
write('service.js', `const VERSION = '${version}', FILES = ${JSON.stringify(['./', ...kept.filter(name => name !== 'index.html')])};\n${read('service.js')}`);
