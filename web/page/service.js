// Keeps the page for when there is no network: all files of one version, which build.sh names.

const worker = /** @type {any} */ (self);
/** Other pages of the same host have their own. */
const PREFIX = `swaplist ${worker.registration.scope} `;
const NAME = PREFIX + VERSION;

addEventListener('install', event => {
  /** @type {any} */ (event).waitUntil(caches.open(NAME).then(cache => cache.addAll(FILES.map(file => new Request(file, { cache: 'no-cache' })))));
});

addEventListener('activate', event => {
  const old = (/** @type {string} */ name) => name.startsWith(PREFIX) && name !== NAME;
  /** @type {any} */ (event).waitUntil((async () => {
    for (const name of await caches.keys()) if (old(name)) await caches.delete(name);
    // The page that is open has what it needs, too.
    await worker.clients.claim();
  })());
});

// A page keeps its version until it asks for the newer one.
addEventListener('message', ({ data }) => { if (data === 'use') worker.skipWaiting(); });

addEventListener('fetch', event => {
  const { request } = /** @type {any} */ (event);
  if (request.method === 'GET') /** @type {any} */ (event).respondWith(answer(request));
});

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(NAME);
  // The page has two addresses.
  const url = request.url.replace(/\/index\.html(?=[?#]|$)/, '/');
  return await cache.match(url, { ignoreSearch: true }) ?? fetch(request);
}
