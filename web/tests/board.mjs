// What tests do on the board and with the field of the position.

import { rest } from './helpers.mjs';

/** @import { Page } from 'puppeteer-core' */

export const pause = (ms = 300) => new Promise(done => setTimeout(done, ms));
/** @param {Page} page @param {string} selector */
export const text = (page, selector) => page.$eval(selector, element => element.textContent);
/** @param {Page} page */
export const field = page => page.$eval('#fen', one => one.value);
/** The page's own word: what the driver knows may be older. @param {Page} page */
export const address = page => page.evaluate(() => location.href);

/** Opens a position. @param {Page} page @param {string} url @param {string} fen */
export async function show(page, url, fen, more = '') {
  await page.goto(`${url}#fen=${fen.replaceAll(' ', '_')}${more}`);
  await page.waitForFunction(board => document.querySelector('#fen').value.startsWith(board), {}, fen.split(' ')[0]);
  await rest(page);
}

/** The middle of a square on the screen. @param {Page} page @param {string} square */
export async function middle(page, square) {
  const { x, y, width } = await page.$eval('cg-board', board => board.getBoundingClientRect().toJSON());
  return [x + (square.charCodeAt(0) - 96.5) * width / 8, y + (8.5 - Number(square[1])) * width / 8];
}

/** A place beside the board. @param {Page} page */
async function outside(page) {
  const { x, y, width } = await page.$eval('cg-board', board => board.getBoundingClientRect().toJSON());
  return [x + width + 25, y + 40];
}

/** Scrolls to the top, and waits until what is there stands still: a finger would miss it before.
 * @param {Page} page */
export async function scrollToTop(page) {
  await page.evaluate(() => scrollTo(0, 0));
  await rest(page);
}

/** Drags pieces, one after the other: `e2e4`, or off the board: `e2`.
 * @param {Page} page @param {string[]} moves */
export async function drag(page, ...moves) {
  for (const move of moves) {
    await scrollToTop(page);
    const [from, to] = [move.slice(0, 2), move.slice(2)];
    await page.mouse.move(...await middle(page, from));
    await page.mouse.down();
    await page.mouse.move(...await (to ? middle(page, to) : outside(page)), { steps: 5 });
    await page.mouse.up();
    await rest(page);
  }
}

/** Clicks a square of the board. @param {Page} page @param {string} square */
export async function touch(page, square) {
  await scrollToTop(page);
  await page.mouse.click(...await middle(page, square));
  await rest(page);
}

/** The moves that are listed: in brackets those of variations, the current one after `>`.
 * @param {Page} page */
export const moves = page => page.$$eval('#line:not([hidden]) .move', all => all.map(one => {
  const [isCurrent, isSide] = [one.querySelector('[aria-current]'), one.closest('.side')];
  return `${isSide ? '(' : ''}${isCurrent ? '>' : ''}${one.textContent}`;
}).join(' '));

/** Pastes as a person does: the field would lose the ends of lines.
 * @param {Page} page @param {string} words */
export function paste(page, words) {
  return page.$eval('#fen', (field, words) => {
    const event = new Event('paste', { bubbles: true, cancelable: true });
    event.clipboardData = { getData: () => words };
    if (!field.dispatchEvent(event)) return;
    field.value = words;
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', bubbles: true }));
  }, words);
}

/** What stands on a square. @param {Page} page @param {string} square */
export const pieceOn = (page, square) => page.evaluate(key => {
  const piece = [...document.querySelectorAll('#board cg-board piece')].find(one => one.cgKey === key && !one.classList.contains('fading'));
  return piece?.className.replace(' anim', '');
}, square);
