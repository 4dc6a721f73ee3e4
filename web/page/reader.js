// Reads a file for swaplist, in a worker.

/** Reading in large pieces: each costs a trip to another process. */
export const PIECE = 4 << 20;

/** Reads from a file. While a piece is used, the browser reads the next one.
 * @param {File} file */
export function reader(file) {
  const sync = new FileReaderSync();
  let start = 0, piece = new Uint8Array();
  /** @type {{ at: number, bytes?: ArrayBuffer }} */
  let ahead = { at: -1 };
  const readAhead = async (/** @type {number} */ at) => {
    /** @type {typeof ahead} */
    const next = ahead = { at };
    // What fails is read again when it is asked for.
    next.bytes = await file.slice(at, at + PIECE).arrayBuffer().catch(() => undefined);
  };
  return (/** @type {number} */ at, /** @type {Uint8Array} */ into) => {
    if (at < start || at >= start + piece.length) {
      const bytes = at === ahead.at ? ahead.bytes : undefined;
      start = at;
      piece = new Uint8Array(bytes ?? sync.readAsArrayBuffer(file.slice(at, at + PIECE)));
      readAhead(at + piece.length);
    }
    const found = piece.subarray(at - start, at - start + into.length);
    into.set(found);
    return found.length;
  };
}
