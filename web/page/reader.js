// Reads a file for swaplist, in a worker.

/** Reading in large pieces: each costs a trip to another process. */
export const PIECE = 4 << 20;

/** @param {File} file */
export function reader(file) {
  const sync = new FileReaderSync();
  let start = 0, piece = new Uint8Array();
  return (/** @type {number} */ at, /** @type {Uint8Array} */ into) => {
    if (at < start || at >= start + piece.length) {
      start = at;
      piece = new Uint8Array(sync.readAsArrayBuffer(file.slice(at, at + PIECE)));
    }
    const found = piece.subarray(at - start, at - start + into.length);
    into.set(found);
    return found.length;
  };
}
