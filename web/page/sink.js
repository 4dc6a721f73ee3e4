// Where the kept bytes go: the file that was chosen, or a file of the browser's own, or else memory
// that the browser may swap out.

const FOLDER = 'swaplist';
/** Smaller pieces would cost more than they hold. */
const PIECE = 4 << 20;

/** A browser that takes longer to open a file is not waited for. */
const PATIENCE_MS = 3000;

/** Bytes that may wait to be written. */
const WAITING = 64 << 20;

/** `write` says whether it is done with the bytes; `room` is to be waited for before there is more to
 * write, if it is not null.
 * @typedef {{ write(bytes: Uint8Array<ArrayBuffer>): boolean, room(): Promise<void> | null,
 *   end(): Promise<Blob>, drop(): void }} Sink */

/** @param {FileSystemFileHandle} [target] @returns {Promise<Sink>} */
export async function open(target) {
  if (target) return Chosen.open(target);
  const late = new Promise((_, fail) => setTimeout(fail, PATIENCE_MS));
  try {
    return await Promise.race([PrivateFile.open(), /** @type {Promise<never>} */ (late)]);
  } catch {
    return new Memory();
  }
}

/** A file on the disk. It appears with its content when that is complete. */
class Chosen {
  /** @param {FileSystemFileHandle} handle */
  static async open(handle) {
    return new Chosen(handle, await handle.createWritable());
  }

  /** @param {FileSystemFileHandle} handle @param {FileSystemWritableFileStream} stream */
  constructor(handle, stream) {
    this.handle = handle;
    this.stream = stream;
    this.waiting = 0;
    /** All that was written so far. @type {Promise<void>} */
    this.last = Promise.resolve();
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  write(bytes) {
    this.waiting += bytes.length;
    this.last = this.last.then(() => this.stream.write(bytes)).then(() => { this.waiting -= bytes.length; });
    this.last.catch(() => {}); // whoever waits for it is told
    return false;
  }

  room() {
    return this.waiting > WAITING ? this.last : null;
  }

  async end() {
    await this.last;
    await this.stream.close();
    return this.handle.getFile();
  }

  drop() {
    this.stream.abort().catch(() => {});
  }
}

/** A file that no other page sees. Those of pages that are closed are removed. */
class PrivateFile {
  static async open() {
    const folder = await folderOf();
    // Nobody waits for this.
    removeOld(folder).catch(() => {});
    const name = crypto.randomUUID();
    // Held as long as this worker lives, and with it the page.
    const held = new Promise(done => {
      navigator.locks.request(lockOf(name), () => {
        done(undefined);
        return new Promise(() => {});
      });
    });
    await held;
    const handle = await folder.getFileHandle(name, { create: true });
    return new PrivateFile(handle, await handle.createSyncAccessHandle());
  }

  /** @param {FileSystemFileHandle} handle @param {FileSystemSyncAccessHandle} access */
  constructor(handle, access) {
    this.handle = handle;
    this.access = access;
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  write(bytes) {
    for (let at = 0; at < bytes.length;) {
      at += this.part(bytes.subarray(at));
    }
    return true;
  }

  /** Writes what there is room for. @param {Uint8Array<ArrayBuffer>} bytes */
  part(bytes) {
    try {
      const written = this.access.write(bytes);
      if (written) return written;
    } catch {
      // It says so in its own words.
    }
    throw new Error('the browser has no more room for the kept records: filter to disk, or a smaller file');
  }

  room() {
    return null;
  }

  async end() {
    this.access.close();
    return this.handle.getFile();
  }

  drop() {
    this.access.close();
  }
}

async function folderOf() {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}

/** Removes the files that no page holds. */
export async function tidy() {
  await removeOld(await folderOf());
}

/** @param {string} name */
function lockOf(name) {
  return `swaplist/${name}`;
}

/** @param {FileSystemDirectoryHandle} folder */
async function removeOld(folder) {
  const names = folder.keys();
  for await (const name of names) {
    await navigator.locks.request(lockOf(name), { ifAvailable: true }, async lock => {
      if (lock) await folder.removeEntry(name);
    });
  }
}

/** Blobs in pieces. */
class Memory {
  constructor() {
    /** @type {Blob[]} */
    this.blobs = [];
    /** @type {Uint8Array<ArrayBuffer>[]} */
    this.pieces = [];
    this.bytes = 0;
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  write(bytes) {
    this.pieces.push(bytes);
    this.bytes += bytes.length;
    if (this.bytes >= PIECE) this.pack();
    return false;
  }

  pack() {
    this.blobs.push(new Blob(this.pieces));
    this.pieces = [];
    this.bytes = 0;
  }

  room() {
    return null;
  }

  async end() {
    this.pack();
    return new Blob(this.blobs);
  }

  drop() {
    this.blobs = [];
    this.pieces = [];
  }
}
