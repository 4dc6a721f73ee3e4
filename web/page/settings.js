// The form of a job on files: its settings, also as an address and as a command.

import { PROFILES, surplus } from './address.js';
import { clipped, fill, get, make, quoted } from './dom.js';
import { ABOUT, VALUES } from './rules.js';

/** @import { Choices, KeyChoice, Looked, PresetChoice } from './answers.js' */
/** @typedef {ReturnType<Settings['job']>} Job */

export const PACKED = /\.(zst|gz)$/i;
/** What a format that can only be read is written as. */
const READABLE = 'text';
/** Names of formats in a sentence, where they are written in another way.
 * @type {Record<string, string>} */
const NAMES = { pgn: 'PGN', csv: 'A table', jsonl: 'JSON' };
/** The slider's steps, if there are so many centipawns. */
const STEPS = 40;
/** Sliders of other rules: least, most and step; the queen's value for 0.
 * @type {Record<string, [number, number, number]>} */
const RANGES = {
  min_ply: [0, 100, 1], min_pieces: [2, 32, 1], max_pieces: [2, 32, 1], max_score: [0, 4000, 50],
  keep_fraction: [0, 1, 0.01], quiescence: [0, 3, 1], max_threat: [0, 0, 0],
};
/** @type {Looked} */
const UNKNOWN = { from: '', can_mark: true, prefers_mark: false };
const FIELDS = ['preset', 'from', 'to', 'mode'];

export class Settings {
  /** @param {Choices} choices @param {() => void} changed */
  constructor(choices, changed) {
    this.choices = choices;
    this.changed = changed;
    /** The bound on the best SEE; empty for the preset's. */
    this.bound = '';
    /** @type {Record<string, HTMLInputElement>} */
    this.keys = {};
    /** Of the file that is chosen, once it is known. */
    this.format = UNKNOWN;
    /** Whether its invalid records are skipped, also if the form says otherwise. */
    this.skips = false;
    this.fill();
    const form = get('settings');
    form.addEventListener('input', event => {
      const { id } = /** @type {HTMLElement} */ (event.target);
      if (id === 'preset') this.showPreset();
      if (id === 'key') return;
      for (const input of Object.values(this.keys)) input.removeAttribute('aria-invalid');
      if (id === 'see-bound') this.slide();
      if (id === 'file-values') this.showBound();
      this.changed();
    });
    get('key').addEventListener('change', () => this.addKey());
  }

  fill() {
    const { formats, presets, keys } = this.choices;
    fill(get('preset', HTMLSelectElement), presets.map(({ name }) => name));
    fill(get('file-rules', HTMLSelectElement), PROFILES);
    fill(get('file-values', HTMLSelectElement), VALUES);
    const names = formats.map(({ name }) => name);
    const written = formats.filter(({ is_convertible_to }) => is_convertible_to);
    fill(get('from', HTMLSelectElement), [['', 'detect from the content'], ...names]);
    fill(get('to', HTMLSelectElement), [['', 'the input’s format'], ...written.map(({ name }) => name)]);
    const rules = keys.filter(({ name }) => !['preset', 'max_see'].includes(name));
    fill(get('key', HTMLSelectElement), [['', 'choose …'], ...rules.map(({ name, help }) => /** @type {[string, string]} */ ([name, `${name.replaceAll('_', '-')}: ${help}`.slice(0, 110)]))]);
    this.showMode();
    this.showPreset();
  }

  /** Another file is chosen. */
  closed() {
    this.skips = false;
    this.opened(UNKNOWN);
  }

  /** The format of the file that is chosen.
   * @param {Looked} format */
  opened(format) {
    this.format = format;
    this.showMode();
  }

  /** The format that is read: the chosen one, or the one that the first look found. Empty: it is not
   * known.
   * @param {boolean} [isLooked] whether the first look is of this file */
  source(isLooked = true) {
    return get('from', HTMLSelectElement).value || (isLooked ? this.format.from : '');
  }

  /** The format that is written: the chosen one, or text if the input's can only be read. Empty: the
   * input's.
   * @param {boolean} [isLooked] whether the first look is of this file */
  written(isLooked = true) {
    const from = this.source(isLooked);
    return get('to', HTMLSelectElement).value || (this.isReadOnly(from) ? READABLE : '');
  }

  /** @param {string} from */
  isReadOnly(from) {
    return this.choices.formats.some(({ name, is_writable }) => name === from && !is_writable);
  }

  /** Said of a format that can only be read, if no other is chosen. */
  get note() {
    const from = this.source();
    return this.isReadOnly(from) && !get('to', HTMLSelectElement).value
      ? `${NAMES[from] ?? from} cannot be written. The result will be FEN; another format can be chosen under “More rules and formats”.` : '';
  }

  showMode() {
    const select = get('mode', HTMLSelectElement), { value } = select;
    const to = this.choices.formats.find(({ name }) => name === (this.written() || this.format.from));
    const usual = to ? `${to.prefers_mark ? 'marked' : 'dropped'} (default for ${to.name})` : 'default for the format';
    fill(select, [['', usual], ['drop', 'dropped: only kept records are in the file'], ['mark', 'marked: all records stay, the rejected ones get the score 32002 (“no score”)']]);
    select.value = value;
  }

  preset() {
    const { value } = get('preset', HTMLSelectElement);
    return /** @type {PresetChoice} */ (this.choices.presets.find(one => one.name === value));
  }

  /** Of a preset: the rules that it brings. */
  static rulesOf(/** @type {PresetChoice} */ { rules }) {
    const numbers = rules?.values.join(' ');
    return {
      profile: rules?.profile ?? 'swap',
      values: VALUES.find(([, text]) => text.startsWith(`${numbers}:`))?.[0] ?? 'cpw',
    };
  }

  showPreset() {
    const preset = this.preset(), { profile, values } = Settings.rulesOf(preset);
    const about = preset.about.replace(' (docs/quiet.md)', '');
    get('preset-about').textContent = about;
    get('preset-more').hidden = about === preset.about;
    get('file-rules', HTMLSelectElement).value = profile;
    get('file-values', HTMLSelectElement).value = values;
    get('file-rules').title = Object.values(ABOUT).join('\n');
    this.bound = '';
    this.showBound();
  }

  /** The queen's value, and the step of sliders. */
  unit() {
    const { value } = get('file-values', HTMLSelectElement);
    const queen = Number(VALUES.find(([name]) => name === value)?.[1].split(':')[0].split(' ').at(-1));
    return { queen, step: Math.max(1, Math.round(queen / STEPS)) };
  }

  /** The slider moved: its last step is no bound. */
  slide() {
    const at = get('see-bound', HTMLInputElement).valueAsNumber, { step } = this.unit();
    this.bound = at === Number(get('see-bound', HTMLInputElement).max) ? 'none' : String(at * step);
    this.showBound();
  }

  showBound() {
    const slider = get('see-bound', HTMLInputElement), { queen, step } = this.unit();
    const { bound, words } = this.boundOf({ preset: this.preset().name, keys: { max_see: this.bound } });
    slider.max = String(Math.ceil(queen / step) + 1);
    slider.value = bound === 'none' ? slider.max : String(Math.round(Number(bound) / step));
    slider.setAttribute('aria-valuetext', words);
    get('see-said').textContent = words + (this.bound ? '' : ' (preset)');
  }

  /** What captures may win in a job's result, also in words.
   * @param {{ preset: string, keys: Record<string, string> }} job */
  boundOf({ preset, keys }) {
    const own = this.choices.presets.find(({ name }) => name === preset)?.max_see;
    const bound = keys.max_see || String(own ?? 'none');
    return { bound, words: bound === 'none' ? 'anything' : bound };
  }

  /** A job's format and output, if the input's cannot be written.
   * @param {string} output */
  asText(output) {
    return { to: READABLE, output: output && named(output, '', READABLE) };
  }

  addKey() {
    const select = get('key', HTMLSelectElement);
    const { value } = select;
    select.value = '';
    if (value && this.key(value, null)) this.keys[value].focus();
    this.changed();
  }

  /** Adds a rule, or sets one; false if there is none of this name.
   * @param {string} name @param {string | null} value */
  key(name, value) {
    const key = this.choices.keys.find(one => one.name === name);
    if (!key || name === 'preset') return false;
    if (name === 'max_see') {
      if (value && !/^(none|-?\d{1,9})$/.test(value)) return false;
      this.bound = value ?? '';
      this.showBound();
      return true;
    }
    this.keys[name] ??= this.row(key);
    if (value !== null) this.keys[name].value = value;
    this.keys[name].dispatchEvent(new Event('shown'));
    return true;
  }

  /** @param {KeyChoice} key */
  row({ name, value, help, is_switch }) {
    const input = /** @type {HTMLInputElement} */ (make('input', { type: 'text', id: `key-${name}`, value: is_switch ? 'true' : '', placeholder: value, spellcheck: false, autocomplete: 'off' }));
    const label = make('label', { htmlFor: input.id }, name.replaceAll('_', '-'));
    const remove = make('button', { type: 'button', onclick: () => {
      this.remove(name);
      this.changed();
    } }, 'Remove');
    const row = make('div', {}, make('div', { className: 'bar' }, input, ...this.slider(name, input), remove), make('p', { className: 'quiet' }, help));
    get('added-rules').append(label, row);
    return input;
  }

  /** @param {string} name */
  remove(name) {
    const label = document.querySelector(`label[for=key-${name}]`);
    label?.nextElementSibling?.remove();
    label?.remove();
    delete this.keys[name];
  }

  /** @param {string} name @param {HTMLInputElement} input */
  slider(name, input) {
    if (!RANGES[name]) return [];
    let [min, max, step] = RANGES[name];
    if (!max) ({ queen: max, step } = this.unit());
    const slider = /** @type {HTMLInputElement} */ (make('input', { type: 'range', min: String(min), max: String(max), step: String(step), 'aria-label': name.replaceAll('_', ' ') }));
    slider.addEventListener('input', () => { input.value = slider.value; });
    const follow = () => { slider.value = input.value || String(name.startsWith('max') ? max : min); };
    input.addEventListener('input', follow);
    input.addEventListener('shown', follow);
    follow();
    return [slider];
  }

  /** @returns {[string, string][]} rules that were added, and their values */
  rules() {
    const added = Object.entries(this.keys).map(([name, input]) => /** @type {[string, string]} */ ([name, input.value.trim()]));
    return [...(this.bound ? [/** @type {[string, string]} */ (['max_see', this.bound])] : []), ...added];
  }

  /** The name of what is written: never compressed, with the extension of another format.
   * @param {string} name @param {boolean} isLooked whether the first look is of this file */
  output(name, isLooked) {
    const preset = get('preset', HTMLSelectElement).value;
    const from = this.source(isLooked);
    return `${preset === 'none' ? 'filtered' : preset}-${named(name.replace(PACKED, ''), from, this.written(isLooked) || from)}`;
  }

  /** What swaplist is asked to do with a file.
   * @param {string} name @param {boolean} counts
   * @param {boolean} [isLooked] whether the first look is of this file */
  job(name, counts, isLooked = true) {
    const chosen = (/** @type {string} */ id) => get(id, HTMLSelectElement).value;
    return {
      name,
      output: counts ? '' : this.output(name, isLooked),
      counts,
      from: chosen('from') || null,
      to: this.written(isLooked) || null,
      mode: chosen('mode') || null,
      preset: chosen('preset'),
      keys: Object.fromEntries(this.rules()),
      skip_invalid: this.skips || get('skip-invalid', HTMLInputElement).checked,
      histograms: get('histograms', HTMLInputElement).checked,
      rules: { profile: chosen('file-rules'), values: chosen('file-values') },
      workers: 1,
      on_gpu: false,
    };
  }

  /** What differs from a form that nobody touched, by name. */
  different() {
    const job = this.job('', false), { profile, values } = Settings.rulesOf(this.preset());
    /** @type {Record<string, string>} */
    const all = {};
    if (job.preset !== this.choices.presets[0].name) all.preset = job.preset;
    if (job.rules.profile !== profile) all.profile = job.rules.profile;
    if (job.rules.values !== values) all.values = job.rules.values;
    if (job.from) all.from = job.from;
    const to = get('to', HTMLSelectElement).value;
    if (to) all.to = to;
    if (job.mode) all.mode = job.mode;
    if (get('skip-invalid', HTMLInputElement).checked) all.skip_invalid = 'true';
    return { ...all, ...job.keys };
  }

  get link() {
    const words = new URLSearchParams(this.different());
    // Not of the command, which makes them for its report alone.
    if (get('histograms', HTMLInputElement).checked) words.set('histograms', 'true');
    const all = words.toString();
    return all ? `#files&${all}` : '#files';
  }

  /** Sets what an address says; returns what is not set, in a sentence.
   * @param {string} hash */
  read(hash) {
    const asked = new URLSearchParams(hash.replace(/^#files&?/, ''));
    /** @type {string[]} */
    const unknown = [];
    const refuse = (/** @type {string} */ name, /** @type {string} */ value) => unknown.push(`${clipped(name)} “${clipped(value)}”`);
    for (const name of Object.keys(this.keys)) this.remove(name);
    const set = (/** @type {string} */ id, /** @type {string} */ value) => {
      const select = get(id, HTMLSelectElement), before = select.value;
      select.value = value;
      if (select.value === value) return true;
      select.value = before;
      return false;
    };
    get('preset', HTMLSelectElement).selectedIndex = 0;
    for (const name of FIELDS) {
      const value = asked.get(name);
      if (name !== 'preset') get(name, HTMLSelectElement).selectedIndex = 0;
      if (value && !set(name, value)) refuse(name, value);
    }
    this.showPreset();
    for (const [name, id] of [['profile', 'file-rules'], ['values', 'file-values']]) {
      const value = asked.get(name);
      if (value && !set(id, value)) refuse(name, value);
    }
    for (const [name, id] of [['histograms', 'histograms'], ['skip_invalid', 'skip-invalid']]) {
      const value = asked.get(name);
      get(id, HTMLInputElement).checked = value === 'true';
      if (value && !['true', 'false'].includes(value)) refuse(name, value);
    }
    const known = [...FIELDS, 'profile', 'values', 'skip_invalid', 'histograms'];
    for (const name of new Set(asked.keys())) {
      const value = asked.get(name) ?? '';
      if (!known.includes(name) && !this.key(name, value)) refuse(name, value);
    }
    const twice = surplus(asked, [...asked.keys()]);
    this.showMode();
    this.showBound();
    if (asked.size) get('more', HTMLDetailsElement).open ||= Object.keys(this.keys).length > 0;
    return [
      unknown.length ? `The link asks for ${unknown.join(', ')}, which this page does not know; the rest is set.` : '',
      ...twice.map(words => `${words}.`),
    ].filter(Boolean).join(' ');
  }

  /** The command that does the same with a file.
   * @param {string} name @param {boolean} isLooked whether the first look is of this file */
  command(name, isLooked) {
    const path = (/** @type {string} */ text) => (text.startsWith('-') ? `./${text}` : text);
    const to = this.written(isLooked);
    const flags = Object.entries({ ...this.different(), ...to ? { to } : {}, ...this.skips ? { skip_invalid: 'true' } : {} }).map(([key, value]) => {
      const flag = `--${key.replaceAll('_', '-')}`;
      if (value === 'true') return flag;
      return value !== 'false' && /^[\d.]|^\w/.test(value) ? `${flag} ${quoted(value)}` : quoted(`${flag}=${value}`);
    });
    return ['swaplist filter', quoted(path(name)), '-o', quoted(path(this.output(name, isLooked))), ...flags].join(' ');
  }
}

/** The output's name has its format's extension.
 * @param {string} name @param {string} from @param {string} to */
function named(name, from, to) {
  if (from === to) return name;
  const extensions = /** @type {Record<string, string>} */ ({ text: 'fen', bulletformat: 'bf', sfbin: 'bin' });
  return name.replace(/\.[^.]*$/, '') + `.${extensions[to] ?? to}`;
}
