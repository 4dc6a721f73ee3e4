// The WebAssembly module in node: its answers are the native command's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { read, START, written } from '../page/address.js';
import { EXAMPLES } from '../page/examples.js';
import { percent } from '../page/plots.js';
import { Failure, Swaplist } from '../page/wasm.js';
import { DIST, native, ROOT, SWAPLIST } from './helpers.mjs';
import { cases, filtered, inputs, temporary } from './inputs.mjs';

const [explaining, module] = await Promise.all(['explain.wasm', 'swaplist.wasm'].map(name => WebAssembly.compile(fs.readFileSync(path.join(DIST, name)))));
const PROFILES = ['swap', 'sf8', 'sf', 'legal'];
const JOB = {
  counts: false, histograms: false, from: null, to: null, mode: null, preset: 'quiet', keys: {}, skip_invalid: false,
  workers: 2, on_gpu: false, rules: { profile: 'swap', values: 'cpw' },
};

/** A job as the page's workers do it, block by block, the later ones first. */
export async function run(file, settings = {}) {
  const content = fs.readFileSync(file);
  const wasm = await Swaplist.start(module, (at, into) => {
    const piece = content.subarray(at, at + Math.min(into.length, 70_001));
    into.set(piece);
    return piece.length;
  });
  const job = { ...JOB, ...settings, name: path.basename(file) };
  const { from } = wasm.json('open', { ...job, bytes: content.length });
  const blocks = [];
  for (let block; (block = wasm.bytes('next_block')).length;) blocks.push(block);
  const workers = await Promise.all([0, 1].map(() => Swaplist.start(module)));
  for (const worker of workers) worker.json('open', { ...job, bytes: null, from });
  const done = [];
  for (let i = blocks.length - 1; i >= 0; i--) {
    const worker = workers[i % 2];
    worker.put(blocks[i]);
    worker.call('begin_block');
    while (worker.call('decode_part')) worker.call('work_on_part', 0);
    done[i] = worker.bytes('end_block', blocks[i]);
  }
  const kept = done.map(bytes => {
    const end = bytes.length - 8;
    const about = Number(new DataView(bytes.buffer).getBigUint64(end, true));
    wasm.put(bytes.subarray(end - about, end));
    wasm.call('add_block');
    return bytes.subarray(0, end - about);
  });
  const summary = wasm.json('summary', { output: 'x', seconds: 1, workers: 2, backend: 'CPU', fallback: null });
  return { kept: Buffer.concat(kept), summary };
}

test('explain prints what the command prints', async () => {
  const wasm = await Swaplist.start(explaining);
  let texts = 0;
  for (const { shown } of EXAMPLES) {
    for (const profile of PROFILES) {
      for (const values of ['cpw', 'stockfish', '1-3-3-5-9', '-5,10,20,30,4000']) {
        const text = wasm.text('explain_text', { line: shown.fen, name: shown.move, rules: { profile, values } });
        const expected = native('explain', shown.fen, shown.move, '--profile', profile, `--values=${values}`);
        assert.equal(text, expected.toString());
        texts++;
      }
    }
  }
  assert.equal(texts, 96);
});

test('explain gives each rule set its values', async () => {
  const wasm = await Swaplist.start(explaining);
  const { fen, move } = EXAMPLES[1].shown;
  const asked = { line: fen, name: move, rules: { profile: 'swap', values: 'cpw' } };
  const found = wasm.json('explain', asked);
  assert.deepEqual(found.exchanges.map(one => one.see), [-900, -900, 100, -800]);
  assert.deepEqual(found.moves.find(one => one.uci === move).see, [-900, -900, 100, -800]);
  const illegal = wasm.json('explain', { ...asked, name: 'e2e4' });
  assert.match(illegal.notes[0], /‘e2e4’ is not a legal move here/);
  assert.equal(illegal.is_named, false);
  const wrong = [[{ line: 'x' }, 'fen'], [{ rules: { profile: 'swap', values: '1,2' } }, 'values'], [{ line: '' }, 'fen']];
  for (const [change, field] of wrong) {
    assert.throws(() => wasm.json('explain', { ...asked, ...change }), error => error instanceof Failure && error.field === field);
  }
});

test('an address comes back as it was', () => {
  for (const { shown } of EXAMPLES) assert.deepEqual(read(written(shown)), { at_least: undefined, step: undefined, ...shown });
  const own = { fen: '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5 Kd2', move: 'e8=Q+', rules: 'sf', values: '1, 2,3,4,-5', at_least: -300, step: 2 };
  assert.deepEqual(read(written(own)), own);
  // Short: what is so anyway is left out.
  const plain = { fen: START, move: '', rules: 'swap', values: 'cpw', line: 'Mc0k', step: undefined, at: undefined };
  assert.equal(written(plain), '#line=Mc0k');
  assert.deepEqual(read('#line=Mc0k'), { at_least: undefined, ...plain });
  assert.equal(written({ ...plain, line: undefined }), `#fen=${START.replaceAll(' ', '_')}`);
  assert.equal(written({ ...plain, at: 1, step: 0, game: 'A – B' }), '#line=Mc0k&at=1&step=0&game=A+%E2%80%93+B');
});

test('an EPD names its move, whatever its strings hold and however it is quoted', async () => {
  const wasm = await Swaplist.start(module);
  const fen = '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - -';
  const epd = `${fen} c0 "a; e7f6"; bm Qxg7; id "it\u2019s x";`;
  for (const line of [
    epd, `"${epd}"`, `'${epd.replace('’', '')}'`, `“${epd}”`, `"${epd.replaceAll('"', '\\"')}",`, `"${epd.replaceAll('"', '""')}"`,
    `${fen} c1 "comment"; bm Qxg7; c7 "e7f6"; c9 "Qxf6 Qxg7";`, `${fen} am Qxf6; bm Qxg7;`, `${fen} c0 "a; bm Qxg7;`, `${fen} bm "Qxg7";`,
    `"${fen}", "Qxg7"`, `"${fen} ", "Qxg7"`, `"${fen}"; e7g7`,
  ]) {
    const { move, notes } = wasm.json('paste', { text: line });
    assert.equal(move, 'e7g7', line);
    if (!line.endsWith('c0 "a; bm Qxg7;')) assert.deepEqual(notes, [], line);
  }
});

test('a pawn becomes a queen where the rules value all promotions alike', async () => {
  const wasm = await Swaplist.start(explaining);
  for (const profile of PROFILES) {
    const { chosen } = wasm.json('explain', { line: '3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1', name: '', rules: { profile, values: 'cpw' } });
    assert.equal(chosen, 'e7d8q', profile);
  }
});

test('a share is rounded as in the command’s summary', () => {
  for (const [count, of] of [[1, 2000], [3, 2000], [1, 80], [1, 400], [1, 16], [2, 3]]) {
    const lines = [...Array(count).fill('4k3/8/8/8/4R3/8/8/4K3 b - - 0 1'), ...Array(of - count).fill('4k3/8/8/8/8/8/8/4K3 w - - 0 1')];
    const { stderr } = spawnSync(SWAPLIST, ['filter', temporary('share.fen', lines.join('\n')), '-o', temporary('kept.fen'), '--force']);
    assert.match(stderr.toString(), new RegExp(`dropped +${count} \\(${percent(count, of)}\\), in check`));
  }
});

test('an edited board keeps what still fits', async () => {
  const wasm = await Swaplist.start(explaining);
  const cases = [
    ['r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9', 'r3k2r/8/8/8/8/8/4K3/R6R', 'kq - 3 9'],
    ['r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9', 'r3k2r/8/8/8/8/8/8/1R2K2R', 'Kkq - 3 9'],
    ['r3k3/8/8/8/8/8/4P3/1R2K3 w Bq - 3 9', 'r3k3/8/8/8/8/4P3/8/1R2K3', 'Qq - 3 9'],
    ['4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9', '3k4/8/8/3pP3/8/8/8/4K3', '- d6 0 9'],
    ['4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9', '4k3/8/3p4/4P3/8/8/8/4K3', '- - 0 9'],
    ['4k3/8/8/8/8/8/8/R3K3 w Q - 0 9', '8/8/8/8/8/8/8/8', '- - 0 9'],
  ];
  for (const [line, placement, rest] of cases) assert.equal(wasm.json('edit', { line, placement }), `${placement} w ${rest}`);
  assert.equal(wasm.json('edit', { line: cases[3][0], turn: 'black' }), '4k3/8/8/3pP3/8/8/8/4K3 b - - 0 9');
  assert.equal(wasm.json('edit', { line: 'no FEN', placement: '8/8/8/8/8/8/8/K1k5' }), '8/8/8/8/8/8/8/K1k5 w - - 0 1');
});

test('steps have their boards, balances and what is played', async () => {
  const wasm = await Swaplist.start(explaining);
  const explain = (text, profile = 'swap') => {
    const [line, name] = text.split(';');
    const { exchanges, chosen } = wasm.json('explain', { line, name, rules: { profile, values: 'cpw' } });
    return { chosen, ...exchanges[PROFILES.indexOf(profile)] };
  };
  const known = explain('1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1;Nxe5');
  assert.deepEqual(known.steps.map(({ balance }) => balance), [100, -225, 100, -400, -75, -1075]);
  assert.deepEqual([known.played, known.stop, known.see], [2, 'worse', -225]);
  assert.equal(known.steps[5].placement, '1k1r4/1pp4p/p7/4q3/8/P5P1/1PP3BP/2K5');
  const boards = [
    ['4k3/8/8/8/8/8/8/4K2R w K - 0 1;O-O', 'swap', ['4k3/8/8/8/8/8/8/5RK1']],
    ['4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9;exd6', 'legal', ['4k3/8/3P4/8/8/8/8/4K3']],
    ['k5Rr/1p5P/1P6/8/8/8/8/K7 b - - 0 1;Rxg8', 'legal', ['k5r1/1p5P/1P6/8/8/8/8/K7', 'k5Q1/1p6/1P6/8/8/8/8/K7']],
    ['k5Rr/1p5P/1P6/8/8/8/8/K7 b - - 0 1;Rxg8', 'swap', ['k5r1/1p5P/1P6/8/8/8/8/K7', 'k5P1/1p6/1P6/8/8/8/8/K7']],
    ['8/1P6/8/8/8/8/8/K1k5 w - - 0 1;b8=N', 'swap', ['1N6/8/8/8/8/8/8/K1k5']],
  ];
  for (const [line, profile, expected] of boards) assert.deepEqual(explain(line, profile).steps.map(({ placement }) => placement), expected, line);
  // Where play stops, the balance is the value: by all rules, in all examples.
  for (const { shown } of EXAMPLES) {
    const { moves } = wasm.json('explain', { line: shown.fen, name: '', rules: { profile: 'swap', values: 'cpw' } });
    for (const { uci, see } of moves) {
      const { exchanges } = wasm.json('explain', { line: shown.fen, name: uci, rules: { profile: 'swap', values: 'cpw' } });
      assert.deepEqual(exchanges.map(({ steps, played }) => steps[played - 1].balance), see, uci);
    }
  }
});

test('a move that is not legal has its reason, and the line that prevents it', async () => {
  const wasm = await Swaplist.start(explaining);
  for (const [fen, tried, words, line = ''] of [
    ['4k3/4r3/8/3p4/8/4N3/8/4K3 w - - 0 1', 'e3d5', 'Re7 pins Ne3 to e1', 'e7e1'],
    ['4k3/4r3/8/3p4/8/4N3/8/4K3 w - - 0 1', 'e8d8', 'it is White’s move'],
    ['4k3/4r3/8/3p4/8/4N3/8/4K3 w - - 0 1', 'a1a2', ''],
    ['4k3/4r3/8/3p4/8/4N3/8/4K3 w - - 0 1', 'e1d1', ''],
    ['4k3/8/8/8/8/3n4/8/R3K3 w - - 0 1', 'a1a5', 'White is in check by Nd3', 'd3e1'],
    ['4k3/4r3/8/8/8/8/8/3K4 w - - 0 1', 'd1e1', 'the king may not go to e1, which Re7 attacks', 'e7e1'],
    // Away from a rook, along its line.
    ['4k3/8/8/8/8/8/3K4/3r4 w - - 0 1', 'd2d3', 'the king may not go to d3, which Rd1 attacks', 'd1d3'],
    ['4k3/8/8/KPp4r/8/8/8/8 w - c6 0 1', 'b5c6', 'Rh5 pins b5 to a5', 'h5a5'],
    ['4k3/8/8/8/8/5p2/4P3/4K3 w - - 0 1', 'e2d3', 'a pawn leaves its file only to capture, and d3 is empty'],
    ['4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1', 'e2e3', 'a pawn captures diagonally, not straight on e3'],
    ['4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1', 'e2e4', 'the pawn on e2 is blocked on e3'],
    ['4k3/8/8/8/4P3/8/8/4K3 w - - 0 1', 'e4e6', 'a pawn does not move from e4 to e6'],
    ['4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1', 'e1c1', 'b1 is between king and rook'],
    ['4k3/8/8/8/8/8/8/R3K3 w - - 0 1', 'e1c1', 'White has no right to castle there'],
    ['3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1', 'e1c1', 'the king does not pass d1, which Rd8 attacks', 'd8d1'],
    ['4r1k1/8/8/8/8/8/8/R3K3 w Q - 0 1', 'e1c1', 'a king in check by Re8 does not castle', 'e8e1'],
    ['4k3/8/8/8/8/8/8/RB2K3 w - - 0 1', 'a1c1', 'Ra1 cannot go to c1: b1 is in its way', 'a1b1'],
    ['4k3/8/8/8/8/8/8/RB2K3 w - - 0 1', 'a1b1', 'a bishop of its own side stands on b1'],
    ['4k3/8/8/8/8/8/8/RB2K3 w - - 0 1', 'a1b2', 'a rook does not move from a1 to b2'],
  ]) {
    const found = wasm.json('why_not', { fen, from: tried.slice(0, 2), to: tried.slice(2) });
    assert.deepEqual([found.words, (found.by ?? '') + (found.on ?? '')], [words, line], `${fen} ${tried}`);
  }
});

test('moves are played with their variations, and those after an illegal one are left out', async () => {
  const wasm = await Swaplist.start(explaining);
  const moves = [[0, 'e2e4'], [1, 'e5'], [1, 'c7c5'], [2, 'e4e5'], [4, 'd7d6'], [3, 'Nf3'], [7, 'x'], [9, 'e2e4']];
  const found = wasm.json('play', { fen: START, moves });
  assert.deepEqual(found.map(one => one?.san ?? ''), ['e4', 'e5', 'c5', '', '', 'Nf3', '', '']);
  assert.deepEqual(found[2], { uci: 'c7c5', san: 'c5', fen: 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2' });
});

for (const { name, skip, input } of cases()) {
  test(`filter writes the same bytes: ${name}`, { skip }, async () => {
    const { kept, summary } = await run(input.file, { from: input.from ?? null, to: input.to ?? null });
    const expected = filtered(input);
    assert.ok(expected.length > 0);
    assert.ok(kept.equals(expected), `${kept.length} bytes, not ${expected.length}`);
    assert.equal(summary.summary.kept + Object.values(summary.summary.dropped).reduce((a, b) => a + b), summary.summary.records);
  });
}

test('the summary and the counts are the command’s', async () => {
  const file = path.join(ROOT, 'data/sample.binpack');
  const stats = temporary('stats.json');
  native('filter', file, '-o', temporary('out'), '--force', '--stats', stats, '--preset', 'none', '--max-threat', '100');
  const expected = JSON.parse(fs.readFileSync(stats));
  const { summary } = await run(file, { preset: 'none', keys: { max_threat: '100' }, histograms: true });
  for (const key of ['records', 'kept', 'dropped', 'marked', 'filter', 'mode', 'counts', 'results', 'rules', 'invalid', 'bytes']) {
    assert.deepEqual(summary.summary[key], expected[key], key);
  }
  const counted = JSON.parse(native('count', file, '--json'));
  const { summary: { summary: found } } = await run(file, { counts: true });
  for (const key of ['positions', 'in_check', 'noisy_moves', 'winning', 'results', 'pieces', 'best_see', 'scores', 'units', 'format']) {
    assert.deepEqual(found[key], counted[key], key);
  }
});

/** The chains of a binpack, without the headers of its chunks. */
function chains(binpack) {
  const parts = [];
  for (let at = 0; at < binpack.length;) {
    assert.equal(binpack.toString('latin1', at, at + 4), 'BINP');
    const end = at + 8 + binpack.readUInt32LE(at + 4);
    assert.ok(end <= binpack.length);
    parts.push(binpack.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(parts);
}

test('a binpack has the chains that the command writes', async () => {
  const file = temporary('many.pgn', fs.readFileSync(inputs().find(one => one.file.endsWith('games.pgn')).file, 'utf8').repeat(30));
  for (const workers of [1, 2, 7]) {
    // Their chunks differ: here each block of the input is one.
    const expected = chains(filtered({ file, to: 'binpack' }));
    const { kept } = await run(file, { to: 'binpack', workers });
    const found = chains(Buffer.from(kept));
    assert.ok(expected.length > 100_000);
    assert.ok(found.equals(expected), `${workers} workers: ${found.length} bytes, not ${expected.length}`);
  }
});

test('presets, other rules and modes', async () => {
  const file = path.join(ROOT, 'data/sample.binpack');
  const cases = [
    [{ preset: 'bullet' }, ['--preset', 'bullet']],
    [{ preset: 'see-ge0', rules: { profile: 'sf', values: '1-3-3-5-9' } }, ['--preset', 'see-ge0']],
    [{ mode: 'drop' }, ['--mode', 'drop']],
    [{ keys: { max_see: '100', min_pieces: '12' } }, ['--max-see', '100', '--min-pieces', '12']],
    [{ keys: { keep_fraction: '0.3', seed: '7' } }, ['--keep-fraction', '0.3', '--seed', '7']],
    [{ to: 'viriformat' }, ['--to', 'viriformat']],
    ...PROFILES.map(profile => [
      { keys: { max_see: '50', max_threat: '100', drop_double_threat: 'true' }, rules: { profile, values: 'stockfish' } },
      ['--max-see', '50', '--max-threat', '100', '--drop-double-threat', '--profile', profile, '--values', 'stockfish'],
    ]),
    [{ histograms: true }, []],
  ];
  for (const [settings, options] of cases) {
    const { kept } = await run(file, settings);
    assert.ok(kept.equals(filtered({ file }, ...options)), options.join(' '));
  }
});

test('a broken file fails with the command’s words', async () => {
  const broken = temporary('broken.fen', '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n4k3/8/8/9/4P3/8/8/4K3 w - - 0 1\n');
  await assert.rejects(run(broken), /broken.fen, line 2: /);
  const { summary } = await run(broken, { skip_invalid: true });
  assert.equal(summary.summary.invalid, 1);
  const packed = fs.readFileSync(inputs().find(({ file }) => file.endsWith('.fen.zst')).file);
  const cut = temporary('cut.fen.zst', packed.subarray(0, packed.length / 2));
  await assert.rejects(run(cut), /cut off/);
  await assert.rejects(run(temporary('a.bin', Buffer.from([1, 2, 3, 0, 0, 0, 9]))), error => error.field === 'from');
  await assert.rejects(run(temporary('a.fen.zip', Buffer.from('PK\x03\x04xxxxxxxxxxxxxxxxxxxx'))), /compressed as .zip, which swaplist does not read; decompress it first$/);
  await assert.rejects(run(path.join(ROOT, 'data/sample.fen'), { preset: 'bullet' }), error => error.field === 'preset');
});

test('errors say nothing of the command, and which field helps', async () => {
  const fen = '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n';
  const unscored = temporary('unscored.fen', `${fen.trimEnd()} | 10 | 1.0\n${fen.trimEnd()} c9 "1-0";\n`);
  await assert.rejects(run(unscored, { to: 'bulletformat', preset: 'none' }), error => error.field === 'drop_unscored' && !/--/.test(error.message));
  const { summary } = await run(unscored, { to: 'bulletformat', preset: 'none', keys: { drop_unscored: 'true' } });
  assert.equal(summary.summary.dropped.unscored, 1);
});
