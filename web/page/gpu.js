// The shader on WebGPU. swaplist says what to bind, upload and dispatch; this sends it.

/** @import { BindingSize, Layout } from './answers.js' */
/** @import { Swaplist } from './wasm.js' */
/** @typedef {{ profile: string, values: string }} Rules */
/** @typedef {{ params: GPUBuffer, positions: GPUBuffer, requests: GPUBuffer, results: GPUBuffer,
 *   readback: GPUBuffer, times?: GPUBuffer, set?: GPUQuerySet, group: GPUBindGroup }} Slot */
/** @typedef {{ slot: Slot, first: number, count: number, size: number, serial: number,
 *   mapped: Promise<undefined> }} Sent */

const SLOTS = 3;
const MOST = 1 << 18;
const PATIENCE_MS = 20_000;

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|software/i;

/** What an adapter is called, and whether it is software.
 * @param {GPUAdapter} adapter */
export function described(adapter) {
  const { vendor, architecture, device, description } = adapter.info;
  const words = [description || device || vendor, architecture].filter(Boolean);
  const name = words.join(', ') || 'an unnamed adapter';
  const isSoftware = adapter.info.isFallbackAdapter === true || SOFTWARE.test(`${vendor} ${name}`);
  return { name, isSoftware };
}

/** The best adapter, or why there is none.
 * @returns {Promise<GPUAdapter>} */
export async function adapter() {
  if (!globalThis.isSecureContext) {
    throw new Error('WebGPU needs https, or a page from localhost');
  }
  if (!navigator.gpu) throw new Error('this browser has no WebGPU, or it is off');
  const found = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!found) throw new Error('this browser offers no adapter for WebGPU');
  return found;
}

/** Fails when a driver hangs.
 * @template T @param {Promise<T>} answer @returns {Promise<T>} */
function patient(answer) {
  let timer = 0;
  const late = /** @type {Promise<never>} */ (new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error('the GPU does not answer')), PATIENCE_MS);
  }));
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

export class Gpu {
  /** @param {Swaplist} wasm */
  static async open(wasm) {
    const found = await patient(adapter());
    const wanted = /** @type {const} */ (['maxBufferSize', 'maxStorageBufferBindingSize']);
    const device = await patient(found.requestDevice({
      requiredFeatures: found.features.has('timestamp-query') ? ['timestamp-query'] : [],
      requiredLimits: Object.fromEntries(wanted.map(name => [name, Math.min(found.limits[name], 1 << 30)])),
    }));
    return new Gpu(wasm, device, described(found));
  }

  /** @param {Swaplist} wasm @param {GPUDevice} device
   * @param {{ name: string, isSoftware: boolean }} about */
  constructor(wasm, device, { name, isSoftware }) {
    this.wasm = wasm;
    this.device = device;
    this.name = name;
    this.isSoftware = isSoftware;
    this.hasTimes = device.features.has('timestamp-query');
    /** Positions of a dispatch. */
    this.chunk = wasm.call('first_dispatch');
    /** @type {Slot[]} */
    this.slots = [];
    /** @type {Map<string, Promise<GPUComputePipeline>>} */
    this.pipelines = new Map();
    /** @type {GPUBindGroupLayout | undefined} */
    this.layout = undefined;
    /** Set by `fit`. */
    this.sizes = /** @type {Layout} */ ({});
    /** @type {Promise<never>} */
    this.failed = new Promise((_, fail) => {
      device.lost.then(({ message, reason }) => fail(new Error(`the GPU is lost: ${message || reason}`)));
      device.addEventListener('uncapturederror', event => {
        fail(new Error(/** @type {GPUUncapturedErrorEvent} */ (event).error.message));
      });
    });
    this.failed.catch(() => {});
    this.module = device.createShaderModule({ code: new TextDecoder().decode(wasm.bytes('shader')) });
    const masks = wasm.bytes('masks');
    this.masks = this.buffer(masks.length, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
    device.queue.writeBuffer(this.masks, 0, masks);
    this.fit(this.chunk);
  }

  /** @param {number} size @param {number} usage */
  buffer(size, usage) {
    return this.device.createBuffer({ size, usage });
  }

  /** Makes the buffers for chunks of so many positions.
   * @param {number} chunk */
  fit(chunk) {
    const { limits } = this.device;
    /** @type {Layout} */
    const sizes = this.wasm.json('fit_device', {
      maxBufferSize: limits.maxBufferSize,
      maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      minStorageBufferOffsetAlignment: limits.minStorageBufferOffsetAlignment,
      maxComputeWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      chunk,
    });
    this.chunk = chunk;
    this.sizes = sizes;
    this.layout ??= this.device.createBindGroupLayout({
      entries: sizes.bindings.map(({ type, least }, binding) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type, minBindingSize: least },
      })),
    });
    for (const slot of this.slots) {
      for (const part of Object.values(slot)) if (part instanceof GPUBuffer) part.destroy();
    }
    this.slots = Array.from({ length: SLOTS }, () => this.slot(sizes));
  }

  /** @param {Layout} sizes @returns {Slot} */
  slot(sizes) {
    const U = GPUBufferUsage;
    const [params, , positions, requests, results] = sizes.bindings;
    const least = (/** @type {BindingSize} */ binding, size = 0) => Math.max(binding.least, size);
    const slot = {
      params: this.buffer(least(params), U.UNIFORM | U.COPY_DST | U.COPY_SRC),
      positions: this.buffer(least(positions, sizes.positions), U.STORAGE | U.COPY_DST),
      requests: this.buffer(least(requests, sizes.requests), U.STORAGE | U.COPY_DST),
      results: this.buffer(least(results, sizes.results), U.STORAGE | U.COPY_SRC | U.COPY_DST),
      readback: this.buffer(sizes.results_at + sizes.results, U.MAP_READ | U.COPY_DST),
    };
    const buffers = [slot.params, this.masks, slot.positions, slot.requests, slot.results];
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const layout = /** @type {GPUBindGroupLayout} */ (this.layout);
    const group = this.device.createBindGroup({ layout, entries });
    if (!this.hasTimes) return { ...slot, group };
    const set = this.device.createQuerySet({ type: 'timestamp', count: 2 });
    return { ...slot, group, set, times: this.buffer(16, U.QUERY_RESOLVE | U.COPY_SRC) };
  }

  /** @param {string} entryPoint @param {Record<string, number>} constants */
  pipeline(entryPoint, constants) {
    const key = JSON.stringify([entryPoint, constants]);
    let pipeline = this.pipelines.get(key);
    if (!pipeline) {
      // Each entry point has only the overrides that it uses.
      const bindGroupLayouts = [/** @type {GPUBindGroupLayout} */ (this.layout)];
      const layout = this.device.createPipelineLayout({ bindGroupLayouts });
      const compute = { module: this.module, entryPoint, constants };
      pipeline = this.device.createComputePipelineAsync({ layout, compute });
      this.pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  /** Measures the device on a few positions, and fits the chunks to it.
   * @param {Rules} rules */
  async tune(rules) {
    this.wasm.call('fill', 0, this.chunk, 0);
    const asked = { rules, scores: false, with_threat: false };
    await this.run(asked, () => {});
    const { ms } = await this.run(asked, () => {});
    const fitting = this.wasm.call('next_dispatch', ms, MOST);
    const chunk = 2 ** Math.floor(Math.log2(fitting));
    if (chunk !== this.chunk) this.fit(chunk);
  }

  /** Answers what swaplist holds; `read` gets the results of each chunk, in order.
   * @param {{ rules: Rules, scores: boolean, with_threat: boolean }} asked
   * @param {(bytes: Uint8Array, first: number, count: number) => void} read */
  async run(asked, read) {
    const { entry, constants } = this.wasm.json('begin_work', asked);
    const pipeline = await Promise.race([this.pipeline(entry, constants), this.failed]);
    const begin = performance.now();
    /** @type {Sent[]} */
    const under = [];
    let first = 0, kernel = 0, turn = 0;
    for (let more = true; more || under.length;) {
      if (more) {
        const count = this.wasm.call('next_chunk');
        more = count > 0;
        if (more) under.push(this.send(this.slots[turn++ % SLOTS], pipeline, first, count));
        first += count;
      }
      if (under.length === SLOTS || !more && under.length) {
        kernel += await this.collect(/** @type {Sent} */ (under.shift()), read);
      }
    }
    const ms = performance.now() - begin;
    return { ms, kernelMs: this.hasTimes ? kernel / 1e6 : null };
  }

  /** @param {Slot} slot @param {GPUComputePipeline} pipeline @param {number} first
   * @param {number} count @returns {Sent} */
  send(slot, pipeline, first, count) {
    const { wasm, device, sizes } = this;
    const numbers = new Uint32Array(wasm.exports.memory.buffer, wasm.exports.chunk_numbers(), 10);
    const [params, paramsLength, positions, positionsLength, requests, requestsLength, x, y, size] = numbers;
    const upload = (/** @type {GPUBuffer} */ to, /** @type {number} */ at, /** @type {number} */ length) => {
      if (length) device.queue.writeBuffer(to, 0, wasm.view(at, length));
    };
    upload(slot.params, params, paramsLength);
    upload(slot.positions, positions, positionsLength);
    upload(slot.requests, requests, requestsLength);
    const serial = new Uint32Array(wasm.exports.memory.buffer, params + 8, 1)[0];
    const encoder = device.createCommandEncoder();
    // What the shader does not write reads as missing.
    encoder.clearBuffer(slot.results, 0, size);
    const timestampWrites = slot.set && { querySet: slot.set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
    const pass = encoder.beginComputePass(timestampWrites ? { timestampWrites } : {});
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, slot.group);
    pass.dispatchWorkgroups(x, y);
    pass.end();
    if (slot.set && slot.times) {
      encoder.resolveQuerySet(slot.set, 0, 2, slot.times, 0);
      encoder.copyBufferToBuffer(slot.times, 0, slot.readback, 0, 16);
    }
    encoder.copyBufferToBuffer(slot.params, 8, slot.readback, sizes.serial_at, 8);
    encoder.copyBufferToBuffer(slot.results, 0, slot.readback, sizes.results_at, size);
    device.queue.submit([encoder.finish()]);
    const mapped = slot.readback.mapAsync(GPUMapMode.READ, 0, sizes.results_at + size);
    mapped.catch(() => {}); // reported where it is awaited
    return { slot, first, count, size, serial, mapped };
  }

  /** Hands the results on; returns the kernel's nanoseconds.
   * @param {Sent} sent @param {(bytes: Uint8Array, first: number, count: number) => void} read */
  async collect({ slot, first, count, size, serial, mapped }, read) {
    await patient(Promise.race([mapped, this.failed]));
    const at = this.sizes.results_at;
    const bytes = slot.readback.getMappedRange(0, at + size);
    const found = new Uint32Array(bytes, this.sizes.serial_at, 1)[0];
    if (found !== serial) throw new Error('the GPU gave an old result');
    const [from, to] = new BigUint64Array(bytes, 0, 2);
    read(new Uint8Array(bytes, at, size), first, count);
    slot.readback.unmap();
    return Number(to - from);
  }

  close() {
    this.device.destroy();
  }
}
