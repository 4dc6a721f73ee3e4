// The window's title: the part, and before it how far a job is.

let part = '', progress = '';

/** @param {string} words */
export function setTitle(words) {
  part = words;
  write();
}

/** @param {string} words none: no job runs */
export function setProgress(words) {
  progress = words;
  write();
}

function write() {
  document.title = [progress, part, 'swaplist'].filter(Boolean).join(' · ');
}
