// Another engine's answers: which rules they follow, and where they differ.

import { LONGEST, PROFILES, surplus, written } from './address.js';
import { clipped, copy, failure, fill, get, grouped, make, visible } from './dom.js';
import { ABOUT, listed, VALUES } from './rules.js';
import { capital, enumerated } from './words.js';

/** @import { Checked, Class, Fit, Row } from './answers.js' */

/** Until typing rests. */
const REST_MS = 400;
/** Rows and bad lines that are listed. */
const LISTED = 200, BAD = 10;
/** A larger file is not shown as text. */
const SHOWN = 200_000;
/** How much of a file is looked at for NUL bytes, which no text has. */
const FIRST_BLOCK = 1 << 16;
/** The key of the address that a reload brings back. */
const KEPT = 'check';

/** What to do where piece values were fitted, and the answers do not determine them. */
const FITTED = 'If you know your piece values, enter them under Piece values.';

/** Said of an answer that no other rule explains. */
const UNEXPLAINED = 'no rule known here explains it';

const EXAMPLE = `# Stockfish's rules, with two faults.
8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48; e7f6; 100
8/4r1pk/1p3p1p/3P1R2/2p5/2P3qP/6P1/1Q2rRK1 w - - 4 33; Rxf6; -400
k5Rr/1p5P/pR6/P2pPB2/8/2P2N1K/5qP1/5b2 b - - 2 73; h8g8; 500
7k/2p5/8/3pP3/8/8/6B1/7K w - d6 0 1; exd6; 0
1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1; Nxe5; -225
4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1; Nxc5; -225
8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1; fxe5; 0
3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1; Rxd5; false >= 0
`;

export class Check {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    /** @type {Worker | null} */
    this.worker = null;
    this.timer = 0;
    this.box = get('answers', HTMLTextAreaElement);
    /** A file too large for the box, and the line that stands for it there. */
    this.large = { text: '', line: '' };
    /** Whether somebody wrote in the box, and nothing else has it. */
    this.isWritten = false;
    /** Whether all answers came at once: their finding comes into view. */
    this.isNew = false;
    /** The best piece values of the last answers. */
    this.best = '';
    this.values = get('check-values', HTMLSelectElement);
    this.own = get('own-check-values', HTMLInputElement);
    this.rules = get('check-rules', HTMLSelectElement);
    /** The address that was taken. */
    this.taken = '';
    /** What an address says and is not taken. */
    this.note = '';
    fill(this.rules, [['', 'detect'], ...PROFILES]);
    fill(this.values, [['', 'detect'], ...VALUES, ['own', 'Own values …']]);
    this.rules.title = Object.values(ABOUT).join('\n');
    this.listen();
    this.restore();
  }

  /** Takes what an address brings. */
  open() {
    const { hash } = location;
    if (!hash.includes('&') || hash === this.taken) return;
    if (!this.read(hash)) history.replaceState(null, '', '#check');
    else this.taken = hash;
  }

  /** Takes answers, rules and values, unless it is refused.
   * @param {string} link */
  read(link) {
    const asked = new URLSearchParams(link.replace(/^#check&?/, ''));
    const text = asked.get('answers')?.replace(/\r\n?/g, '\n') ?? this.box.value;
    const rules = (asked.get('rules') ?? '').toLowerCase(), values = listed((asked.get('values') ?? '').replaceAll('_', ' '));
    if (!this.mayReplace(text)) return false;
    const isNamed = !values || VALUES.some(([name]) => name === values);
    this.rules.value = PROFILES.includes(rules) ? rules : '';
    this.values.value = isNamed ? values : 'own';
    this.own.hidden = isNamed;
    this.own.value = isNamed ? '' : values;
    this.take(text, 'the link');
    const notes = surplus(asked, ['answers', 'rules', 'values']);
    if (this.rules.value !== rules) notes.push(`The link names rules that do not exist, “${clipped(rules)}”: they will be detected`);
    this.note = notes.map(note => `${note}. `).join('');
    // Else the status stays, which says that the answers are looked at.
    if (this.note) this.fail('');
    return true;
  }

  /** The answers and what was chosen, as an address. */
  get link() {
    const { text, profile, values } = this.asked();
    const all = Object.entries({ answers: text, rules: profile, values }).filter(([, value]) => value);
    return ['#check', ...all.length ? [new URLSearchParams(all)] : []].join('&');
  }

  /** Asks before what somebody wrote is lost.
   * @param {string} text what comes in its place */
  mayReplace(text) {
    const { value } = this.box;
    return !this.isWritten || !value.trim() || value === text || confirm('Replace the answers that are written here?');
  }

  /** Shows what was there before a reload. */
  restore() {
    try {
      const kept = sessionStorage.getItem(KEPT);
      if (kept) this.read(kept);
    } catch {
      return; // storage is denied
    }
    // What a reload brings back may have been typed.
    this.isWritten = true;
  }

  /** The answers, the rules or the values changed: looks at the answers, now or when typing rests, and
   * keeps them for a reload, unless they are many. */
  changed(rest = 0) {
    this.note = '';
    if (this.taken && location.hash === this.taken) history.replaceState(null, '', '#check');
    this.taken = '';
    try {
      const { text } = this.asked();
      sessionStorage.setItem(KEPT, text.length > SHOWN ? '' : this.link);
    } catch {
      // Storage is denied or full.
    }
    clearTimeout(this.timer);
    if (rest) this.timer = setTimeout(() => this.run(), rest);
    else this.run();
  }

  listen() {
    this.box.addEventListener('input', event => {
      this.isWritten = true;
      this.isNew = /^insertFrom(Paste|Drop)/.test(/** @type {InputEvent} */ (event).inputType);
      this.changed(REST_MS);
    });
    this.rules.addEventListener('change', () => this.changed());
    this.values.addEventListener('change', () => {
      this.own.hidden = this.values.value !== 'own';
      if (!this.own.hidden) {
        this.own.value ||= this.best || '100,325,325,500,1000';
        this.own.focus();
      }
      this.changed();
    });
    this.own.addEventListener('input', () => this.changed(REST_MS));
    get('answers-example').addEventListener('click', () => { if (this.mayReplace(EXAMPLE)) this.take(EXAMPLE, ''); });
    get('answers-link').addEventListener('click', () => {
      const copied = get('answers-copied'), { href } = new URL(`check.html${this.link}`, location.href);
      if (href.length <= LONGEST) copy(href, copied);
      else copied.textContent = `Too long for a link, which holds some ${LONGEST / 100} answers: send the file.`;
    });
    const file = get('answers-file', HTMLInputElement);
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      file.value = ''; // so that the same file, changed, can be chosen again
      if (chosen) this.readFile(chosen);
    });
    const part = get('check');
    for (const type of ['dragover', 'dragleave', 'drop']) part.addEventListener(type, () => part.classList.toggle('over', type === 'dragover'));
    part.addEventListener('drop', event => {
      const [dropped, ...others] = event.dataTransfer?.files ?? [];
      if (!dropped) return;
      event.preventDefault();
      if (others.length) this.fail('Drop one file: answers are named by their lines.');
      else this.readFile(dropped);
    });
  }

  /** @param {File} file */
  async readFile(file) {
    this.clear();
    get('check-status').textContent = 'Reading …';
    try {
      const first = await file.slice(0, FIRST_BLOCK).arrayBuffer();
      const isText = !new Uint8Array(first).includes(0);
      if (!isText) this.fail(`${visible(file.name)} is not text. A data set is filtered in the part `, make('a', { href: '#files' }, 'Files'), '.');
      else if (this.mayReplace('')) this.take(await file.text(), file.name);
      else this.run();
    } catch {
      this.fail(`${visible(file.name)} cannot be read. If it is a folder, drop a file in it.`);
    }
  }

  /** @param {string} text @param {string} name */
  take(text, name) {
    const line = `# ${visible(name)}, ${grouped(text.length)} characters: the page checks them, but does not show them.`;
    this.large = { text: text.length > SHOWN ? text : '', line };
    this.isWritten &&= this.box.value === text;
    this.box.value = this.large.text ? `${line}\n` : text;
    this.isNew = true;
    this.changed();
  }

  /** Removes the findings, and stops looking for others. */
  clear() {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.fail('');
    get('check-report').hidden = true;
  }

  /** @param {boolean} [saves] the suite, instead of looking for rules */
  run(saves = false) {
    if (!saves) {
      this.clear();
      if (!this.box.value.trim()) return;
    }
    get('check-status').textContent = 'Looking …';
    const worker = new Worker(new URL('check.worker.js', import.meta.url), { type: 'module' });
    this.worker = worker;
    worker.onerror = event => this.fail(failure(event, 'check.worker.js'));
    worker.onmessage = ({ data: { found, suite, failed } }) => {
      get('check-status').textContent = this.note;
      if (failed) this.fail(failed.field === 'check-values' ? `Piece values: ${failed.error}.` : failed.error);
      else if (suite) this.save(suite);
      else this.show(found);
      worker.terminate();
    };
    worker.postMessage({ module: this.module, saves, asked: this.asked() });
  }

  asked() {
    // Own values that are empty are an error: without any, they would be detected.
    const values = this.values.value === 'own' ? listed(this.own.value) || '?' : this.values.value;
    const { large, box: { value } } = this;
    const text = large.text && value.startsWith(large.line) ? large.text + value.slice(large.line.length) : value;
    return { text, profile: this.rules.value, values, limit: LISTED };
  }

  /** @param {...(Node | string)} words */
  fail(...words) {
    get('check-status').textContent = this.note;
    get('check-error').replaceChildren(...words);
  }

  /** @param {Checked} found */
  show(found) {
    const { answers, bad, best, notes } = found;
    get('check-status').textContent = [this.note, ...notes.map(note => `${capital(note)}.`)].filter(Boolean).join(' ');
    if (bad.length) this.complain(found);
    else if (!answers) this.fail('There is no answer here: write lines FEN; move; value.');
    const report = get('check-report');
    report.hidden = !best;
    if (best) this.report(found, best);
    // Whoever pastes on a phone, or follows a link, sees that something was found.
    const finding = best ? report.querySelector('.answer') : get('check-error');
    if (this.isNew) finding?.scrollIntoView({ block: 'nearest' });
    this.isNew = false;
  }

  /** @param {Checked} found @param {Fit} best */
  report(found, best) {
    const { answers } = found;
    this.best = best.values;
    const wrong = answers - best.agreed;
    const isFitted = this.values.value === '';
    const [words, isOpen] = headline(found, best, isFitted);
    const open = found.open.length ? `These answers do not determine: ${found.open.join(', ')}.` : '';
    const report = get('check-report');
    report.replaceChildren(
      make('p', { className: 'answer' }, words),
      make('p', { className: 'quiet' }, best.agreed ? [isOpen ? FITTED : '', open].filter(Boolean).join(' ') : ''),
      table('Rule sets', ['rule set', isFitted ? 'values that fit' : 'values', 'agree'], found.profiles.map(({ profile, values, agreed }) => [profile ?? '', values.replaceAll(',', ' '), `${grouped(agreed)} of ${grouped(answers)}`])),
    );
    if (wrong) {
      report.append(
        make('h2', {}, `${grouped(wrong)} answer${wrong > 1 ? 's differ' : ' differs'}`),
        table('Classes', ['class', 'differ', 'of', 'what the engine seems to do'], found.classes.map(one => [one.class, grouped(one.disagree), grouped(one.answers), make('td', { className: 'text' }, seeming(one))])),
        table('Answers that differ', ['line', 'move', 'answer', 'SEE'], found.rows.map(row => this.row(row, best))),
      );
      if (wrong > found.rows.length) report.append(make('p', { className: 'quiet' }, `These are the first ${grouped(found.rows.length)}.`));
    }
    report.append(make('div', { className: 'bar' }, make('button', { type: 'button', onclick: () => this.run(true) }, 'Save as EPD'), make('span', { className: 'quiet' }, 'All answers as a suite, each with its SEE under these rules.')));
  }

  /** @param {Row} row @param {Fit} best */
  row(row, best) {
    const href = written({ fen: row.fen, move: row.move, rules: row.shown, values: best.values });
    const link = make('a', { href, title: `Explain this exchange under ${row.shown}` }, row.move);
    const under = row.under.length ? `, as under ${row.under.join(', ')}` : '';
    const cell = make('td', { className: 'text' }, link, ` ${row.class}${under}: ${row.seems ?? UNEXPLAINED}`, make('span', { className: 'fen quiet' }, row.fen));
    return [String(row.line), cell, ...[row.said, String(row.see)].map(said => said.replace('-', '−'))];
  }

  /** @param {Checked} found */
  complain({ bad, fail_alike, answers }) {
    const show = (/** @type {string} */ words) => {
      const line = Number(/\bline (\d+)/.exec(words)?.[1]);
      return this.large.text ? '' : make('button', { type: 'button', className: 'link', onclick: () => this.select(line) }, 'Show');
    };
    if (fail_alike) {
      const [, all, line, why, should] = /^(.*?); (line \d+): (.*); write it as '(.*)'$/s.exec(bad[0]) ?? [];
      const words = should ? `${capital(all)}. ${capital(line)}: ${why}. Write it as ` : `${capital(bad[0])} `;
      return this.fail(words, ...should ? [make('code', {}, should), ' '] : [], show(bad[0]));
    }
    const one = (/** @type {string} */ words) => make('li', {}, `${capital(words)} `, show(words));
    const rest = bad.length > BAD ? [make('li', {}, `and ${grouped(bad.length - BAD)} more`)] : [];
    const left = answers ? (bad.length > 1 ? '; they are left out' : '; it is left out') : '';
    get('check-error').replaceChildren(
      `${bad.length > 1 ? `${grouped(bad.length)} lines are not answers` : 'A line is not an answer'}${left}. Correct what is wrong, or begin the line with #.`,
      make('ul', {}, ...bad.slice(0, BAD).map(one), ...rest),
    );
  }

  /** @param {number} line */
  select(line) {
    const lines = this.box.value.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    this.box.focus();
    this.box.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  }

  /** @param {string} suite */
  save(suite) {
    const href = URL.createObjectURL(new Blob([suite], { type: 'text/plain' }));
    make('a', { href, download: 'see.epd' }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    const lines = suite.split('\n').length - 1;
    get('check-status').textContent = `see.epd has ${grouped(lines)} line${lines > 1 ? 's' : ''}.`;
  }
}

/** The finding in a sentence, and whether other piece values fit as well. Only values that several
 * answers determine are stated as facts.
 * @param {Checked} found @param {Fit} best @param {boolean} isFitted
 * @returns {[string, boolean]} */
function headline({ answers, profiles, evidence, about_values }, best, isFitted) {
  if (!best.agreed) return ['No rule set agrees with any answer.', false];
  const alike = best.profile ? profiles.filter(({ agreed }) => agreed === best.agreed) : [];
  const rules = alike.length > 1 ? `${enumerated(alike.map(({ profile }) => profile ?? ''))} alike`
    : best.profile ? `profile ${best.profile}` : best.words.replace(/, values .*$/, '');
  const follow = `${grouped(best.agreed)} of ${grouped(answers)} ${answers > 1 ? 'answers follow' : 'answer follows'} ${rules}`;
  if (!isFitted || evidence.every(one => one === 'several')) return [`${follow}, values ${best.values.replaceAll(',', ' ')}.`, false];
  return [`${follow}. ${about_values.map(words => `${capital(words)}.`).join(' ')}`, true];
}

/** What an engine seems to do in a class of answers.
 * @param {Class} of */
function seeming({ disagree, seems }) {
  const left = disagree - seems.reduce((sum, [, count]) => sum + count, 0);
  const all = left ? [...seems, /** @type {[string, number]} */ ([UNEXPLAINED, left])] : seems;
  return all.map(([words, count]) => (all.length > 1 ? `${grouped(count)}: ${words}` : words)).join('; ');
}

/** @param {string} title @param {string[]} heads @param {(string | HTMLElement)[][]} rows */
function table(title, heads, rows) {
  const cell = (/** @type {string | HTMLElement} */ content) => (typeof content === 'string' ? make('td', {}, content) : content);
  return make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': title }, make('table', {},
    make('thead', {}, make('tr', {}, ...heads.map(head => make('th', { scope: 'col' }, head)))),
    make('tbody', {}, ...rows.map(row => make('tr', {}, ...row.map(cell)))),
  ));
}
