/* Pools and their labels in IndexedDB: every label is written when it is given. */
const opened = new Promise((done, fail) => {
  if (!globalThis.indexedDB) return fail(new Error("this browser keeps no data"));
  const request = indexedDB.open("cleave", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("pools", { keyPath: "id", autoIncrement: true });
    request.result.createObjectStore("labels", { keyPath: ["pool", "item"] });
  };
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});
opened.catch(() => {});

async function run(store, mode, body) {
  const transaction = (await opened).transaction(store, mode),
    request = body(transaction.objectStore(store));
  return new Promise((done, fail) => {
    transaction.oncomplete = () => done(request.result);
    transaction.onerror = transaction.onabort = () => fail(transaction.error);
  });
}
const ofPool = (pool) => IDBKeyRange.bound([pool, 0], [pool, Infinity]);

/** pool: {name, classes, texts}; returns its number. */
export const addPool = (pool) => run("pools", "readwrite", (store) => store.add(pool));
export const putPool = (pool) => run("pools", "readwrite", (store) => store.put(pool));
export const listPools = () => run("pools", "readonly", (store) => store.getAll());
export const removePool = (id) =>
  run("labels", "readwrite", (store) => store.delete(ofPool(id))).then(() =>
    run("pools", "readwrite", (store) => store.delete(id)),
  );
export const putLabel = (pool, item, label) =>
  run("labels", "readwrite", (store) => store.put({ pool, item, label, time: Date.now() }));
export const removeLabel = (pool, item) =>
  run("labels", "readwrite", (store) => store.delete([pool, item]));
export const listLabels = (pool) =>
  run("labels", "readonly", (store) => store.getAll(ofPool(pool)));
