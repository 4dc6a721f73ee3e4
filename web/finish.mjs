// The last step of build.sh: what depends on the whole page. Its arguments are the repository's
// address and the page's own, or nothing.

import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const [repository = '', site = ''] = process.argv.slice(2);
const DIST = new URL('dist/', import.meta.url).pathname;
const read = name => fs.readFileSync(path.join(DIST, name), 'utf8');
const write = (name, text) => fs.writeFileSync(path.join(DIST, name), text);
const all = fs.readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => path.relative(DIST, path.join(entry.parentPath, entry.name)))
  .sort();

// Modules are fetched at once, not as one names the next.
const modules = all.filter(name => name.endsWith('.js') && !/(\.worker|^service|^app)\.js$/.test(name));
const preloads = modules.map(name => `<link rel="modulepreload" href="${name}">`).join('\n');
let html = read('index.html').replace('<!-- modules -->', preloads).replaceAll('%SITE%', site);
// Without a repository there is no link to the source, and the documentation comes with the page.
html = repository ? html : html.replace(/<a[^>]*%REPOSITORY%"[^>]*>[^<]*<\/a>/g, '')
  .replaceAll('%REPOSITORY%#readme', 'docs/README.txt').replaceAll('%REPOSITORY%/blob/HEAD/docs/quiet.md', 'docs/quiet.txt');
write('index.html', html.replaceAll('%REPOSITORY%', repository));

// Our own styles are without comments, as modules are.
for (const name of all.filter(name => /^[^/]*\.css$/.test(name))) write(name, read(name).replace(/\/\*.*?\*\/\s*/gs, ''));

// Licences, documentation and the preview are for those who are online.
const kept = all.filter(name => name !== 'service.js' && !/\.(txt|jpg)$/.test(name));
const hash = crypto.createHash('sha256');
for (const name of kept) hash.update(name).update(fs.readFileSync(path.join(DIST, name)));
const version = hash.digest('hex').slice(0, 16);
write('service.js', `const VERSION = '${version}', FILES = ${JSON.stringify(['./', ...kept.filter(name => name !== 'index.html')])};\n${read('service.js')}`);
