// The table of a position's moves under the four rule sets, and the threshold below it.

import { PROFILES } from './address.js';
import { differsMark, fill, get, make, signClass, signed } from './dom.js';
import { ABOUT } from './rules.js';

/** @import { Explained } from './answers.js' */

export class Table {
  /** @param {(what: { move?: string, rules?: string, at_least?: number }) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.rules = '';
    this.quiet = get('quiet-moves', HTMLSelectElement);
    this.quiet.addEventListener('change', () => { if (this.quiet.value) choose({ move: this.quiet.value }); });
    this.threshold = /** @type {HTMLInputElement} */ (make('input', { type: 'text', inputmode: 'numeric', id: 'at-least', 'aria-label': 'Threshold of see_ge', autocomplete: 'off' }));
    this.threshold.addEventListener('input', () => this.compare());
  }

  /** @param {Explained} found @param {string} rules the rule set that is shown */
  show(found, rules) {
    this.rules = rules;
    const table = get('moves');
    const focused = document.activeElement?.getAttribute('data-focus');
    const heads = PROFILES.map(profile => {
      const button = make('button', { type: 'button', title: ABOUT[profile], 'aria-pressed': String(profile === rules), 'data-focus': profile, onclick: () => this.choose({ rules: profile }) }, profile);
      return make('th', { scope: 'col' }, button);
    });
    table.querySelector('thead')?.replaceChildren(make('tr', {}, make('th', { scope: 'col' }, 'Move'), ...heads));
    const listed = found.moves.filter(move => move.is_noisy || move.uci === found.chosen);
    const rows = listed.map(move => {
      const differs = move.see.some(see => see !== move.see[0]);
      const isOn = move.uci === found.chosen;
      const name = make('button', { type: 'button', 'aria-pressed': String(isOn), 'data-focus': move.uci }, move.san);
      const cells = move.see.map((see, i) => this.cell(signClass(see), i, signed(see)));
      const row = make('tr', { className: isOn ? 'on' : '' }, make('th', { scope: 'row' }, name, make('span', { className: 'quiet uci' }, ` ${move.uci}`), differs ? differsMark() : ''), ...cells);
      row.addEventListener('click', event => {
        const rules = /** @type {HTMLElement} */ (event.target).dataset.rules;
        this.choose({ move: move.uci, ...rules && { rules } });
      });
      return row;
    });
    table.querySelector('tbody')?.replaceChildren(...rows);
    const calm = found.moves.filter(move => !move.is_noisy), profile = PROFILES.indexOf(rules);
    fill(this.quiet, [['', 'choose …'], ...calm.map(({ uci, san, see }) => /** @type {[string, string]} */ ([uci, `${san}  ${signed(see[profile])}`]))]);
    this.quiet.value = calm.some(({ uci }) => uci === found.chosen) ? found.chosen ?? '' : '';
    get('quiet-box').hidden = !calm.length;
    get('none').hidden = found.moves.some(move => move.is_noisy);
    get('legend').hidden = !listed.some(({ see }) => see.some(one => one !== see[0]));
    this.showThreshold(found);
    if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-focus="${focused}"]`))?.focus();
  }

  /** @param {string} className @param {number} i @param {string} text */
  cell(className, i, text) {
    return make('td', { className: `${className}${PROFILES[i] === this.rules ? ' rules' : ''}`, 'data-rules': PROFILES[i] }, text);
  }

  /** Without a position. */
  clear() {
    get('moves').querySelector('tbody')?.replaceChildren();
    for (const id of ['none', 'legend', 'quiet-box', 'threshold']) get(id).hidden = true;
  }

  /** @param {number} threshold as it is in the state */
  fillIn(threshold) {
    this.threshold.value = String(threshold);
    this.threshold.setAttribute('aria-invalid', 'false');
    get('threshold-error').textContent = '';
  }

  /** @param {Explained} found */
  showThreshold({ chosen, moves, reaches }) {
    const move = moves.find(({ uci }) => uci === chosen);
    const foot = get('threshold');
    foot.hidden = !move;
    if (!move) return;
    const cells = reaches.map((reached, i) => this.cell(reached ? 'plus' : 'minus', i, reached ? 'yes' : 'no'));
    const name = foot.querySelector('.name');
    // The field stays, with its focus.
    if (name?.firstChild) name.firstChild.textContent = `Is ${move.san} worth at least `;
    else foot.replaceChildren(make('tr', {}, make('th', { scope: 'row', title: `see_ge(${move.san}, t)` }, make('span', { className: 'name' }, `Is ${move.san} worth at least `), this.threshold, ' ?')));
    foot.querySelectorAll('td').forEach(cell => cell.remove());
    foot.querySelector('tr')?.append(...cells);
  }

  /** `see_ge` with the threshold in the field. */
  compare() {
    const text = this.threshold.value.trim().replace('−', '-');
    const isWhole = /^[+-]?\d{1,8}$/.test(text);
    this.threshold.setAttribute('aria-invalid', String(!isWhole));
    get('threshold-error').textContent = isWhole ? '' : 'Threshold: write a whole number of up to 8 digits, such as 0 or -50.';
    if (isWhole) this.choose({ at_least: Number(text) || undefined });
  }
}
