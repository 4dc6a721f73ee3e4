// swaplist in WebAssembly: calls with bytes or JSON on both sides.

/** A call that failed: what went wrong, and in which field. */
export class Failure extends Error {
  /** @param {{ error: string, field: string, formats?: string[], placement?: string, turn?: string,
   *   at?: [number, number] }} what */
  constructor({ error, field, formats, placement, turn, at }) {
    super(error);
    this.field = field;
    this.formats = formats ?? [];
    this.placement = placement;
    this.turn = turn;
    /** Of a text: where the fault begins and ends. */
    this.at = at;
  }
}

/** @typedef {{ error: string, field: string, formats: string[] }} Failed */

/** What went wrong, to be sent or shown.
 * @param {unknown} error @returns {Failed} */
export function failedBy(error) {
  const { field, formats } = error instanceof Failure ? error : { field: '', formats: [] };
  return { error: error instanceof Error ? error.message : String(error), field, formats };
}

/** Compiles a module, also where the server does not name its type.
 * @param {string} name @returns {Promise<WebAssembly.Module>} */
export async function compile(name) {
  const response = await fetched(name);
  if (response.headers.get('content-type') === 'application/wasm') {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/** The binpack that comes with the page.
 * @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function sample() {
  return new Uint8Array(await (await fetched('sample.binpack')).arrayBuffer());
}

/** @param {string} name */
export function unloaded(name) {
  return `${name} could not be loaded: are you offline?`;
}

/** A file beside this one. @param {string} name */
async function fetched(name) {
  const response = await fetch(new URL(name, import.meta.url)).catch(() => {
    throw new Error(unloaded(name));
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

export class Swaplist {
  /**
   * @param {WebAssembly.Module} module
   * @param {(at: number, into: Uint8Array) => number} [readFile]
   */
  static async start(module, readFile = () => -1) {
    /** @type {WebAssembly.Exports & Record<string, any>} */
    let exports = {};
    const page = {
      /** @type {(at: number, into: number, bytes: number) => number} */
      read_file: (at, into, bytes) => {
        try {
          return readFile(at, new Uint8Array(exports.memory.buffer, into, bytes));
        } catch {
          return -1;
        }
      },
    };
    exports = (await WebAssembly.instantiate(module, { page })).exports;
    return new Swaplist(exports);
  }

  /** @param {Record<string, any>} exports */
  constructor(exports) {
    this.exports = exports;
  }

  /** Memory moves when it grows: a view is good until the next call.
   * @param {number} at @param {number} length */
  view(at, length) {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }

  /** @param {Uint8Array} bytes */
  put(bytes) {
    this.view(this.exports.input(bytes.length), bytes.length).set(bytes);
  }

  /** The last answer, until the next call. */
  answer() {
    return this.view(this.exports.output(), this.exports.output_len());
  }

  /** @param {string} name @param {number[]} numbers */
  call(name, ...numbers) {
    const result = this.exports[name](...numbers);
    if (result < 0) throw new Failure(JSON.parse(new TextDecoder().decode(this.answer())));
    return /** @type {number} */ (result);
  }

  /** Reads the sample, to be repeated for measurements. */
  async readSample() {
    this.put(await sample());
    this.call('read_sample');
  }

  /** A copy of the answer, in memory that is no longer needed if there is enough.
   * @param {string} name @param {Uint8Array<ArrayBuffer>} [room] */
  bytes(name, room) {
    this.call(name);
    const answer = this.answer();
    if (!room || room.buffer.byteLength < answer.length) return answer.slice();
    const bytes = new Uint8Array(room.buffer, 0, answer.length);
    bytes.set(answer);
    return bytes;
  }

  /** @param {string} name @param {unknown} asked */
  text(name, asked = {}) {
    // Half a surrogate pair would be refused as JSON.
    const whole = (/** @type {string} */ _, /** @type {any} */ value) => value?.toWellFormed?.() ?? value;
    this.put(new TextEncoder().encode(JSON.stringify(asked, whole)));
    this.call(name);
    return new TextDecoder().decode(this.answer());
  }

  /** @template T
   * @param {string} name @param {unknown} asked @returns {T} */
  json(name, asked = {}) {
    return JSON.parse(this.text(name, asked));
  }
}
