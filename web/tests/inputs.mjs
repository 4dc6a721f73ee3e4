// Files in every format, made by the native command from the sample, and real ones.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';

import { native, real, ROOT } from './helpers.mjs';

const FOLDER = fs.mkdtempSync(path.join(os.tmpdir(), 'swaplist-page-'));
process.on('exit', () => fs.rmSync(FOLDER, { recursive: true, force: true }));

const GAME = '[Event "one"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.3] } e5 2. Nf3 { [%eval 0.2] } Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. Nxe5 Qd4 1-0\n\n';

/** @param {string} name @param {Uint8Array | string} [content] */
export function temporary(name, content) {
  const file = path.join(FOLDER, name);
  if (content !== undefined) fs.writeFileSync(file, content);
  return file;
}

/** Each with the options that `swaplist filter` needs. */
export function inputs() {
  const binpack = path.join(ROOT, 'data/sample.binpack');
  const fen = path.join(ROOT, 'data/sample.fen');
  const all = [{ file: fen }, { file: binpack }];
  for (const format of ['bulletformat', 'marlinformat', 'viriformat', 'sfbin', 'plain']) {
    const extension = { bulletformat: 'bf', sfbin: 'bin' }[format] ?? format;
    const file = temporary(`sample.${extension}`);
    native('convert', binpack, '-o', file, '--to', format, '--skip-invalid', '--force');
    all.push({ file, from: format });
  }
  const text = fs.readFileSync(fen);
  all.push({ file: temporary('members.fen.gz', Buffer.concat([zlib.gzipSync(text), zlib.gzipSync(text)])) });
  const packed = temporary('sample.fen.zst');
  native('filter', fen, '--preset', 'none', '-o', packed, '--force');
  all.push({ file: packed });
  const rows = text.toString().trim().split('\n').map((line, id) => `${id};"${line}"\r\n`);
  all.push({ file: temporary('table.csv', `id;FEN\r\n${rows.join('')}`) });
  all.push({ file: temporary('games.pgn', GAME.repeat(200)), to: 'text' });
  const evals = [{ pvs: [{ cp: 12, line: 'e1e2' }], knodes: 1, depth: 9 }];
  const lichess = ['4k3/8/8/3p4/4P3/8/8/4K3 w - -', '4k3/8/8/8/4P3/8/8/4K3 w - -'].map(fen => `${JSON.stringify({ fen, evals })}\n`);
  all.push({ file: temporary('evals.jsonl', lichess.join('').repeat(100)) });
  return all;
}

/** The name of a test on a file, what it needs, and the file. */
export function cases() {
  const names = ['sf_small.binpack', 'sf_small.viriformat', 'sf_small.marlinformat.zst', 'bulletformat_batch.bf'];
  return [
    ...inputs().map(input => ({ name: path.basename(input.file), skip: false, input })),
    ...names.map(name => {
      const { file, skip } = real(`formats/${name}`);
      return { name: `real_data_${name}`, skip, input: { file } };
    }),
  ];
}

/** What `swaplist filter` writes.
 * @param {{ file: string, from?: string, to?: string }} input @param {string[]} options */
export function filtered({ file, from, to }, ...options) {
  const out = temporary('out');
  const formats = [...(from ? ['--from', from] : []), ...(to ? ['--to', to] : [])];
  native('filter', file, '-o', out, '--force', ...formats, ...options);
  return fs.readFileSync(out);
}
