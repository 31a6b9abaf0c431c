/** What the browser remembers. Where storage is blocked, this page remembers it until it is closed. */

const forgotten = new Map();

function storage(kind) {
  try {
    const found = globalThis[kind];
    found.setItem('accordion.probe', '1');
    found.removeItem('accordion.probe');
    return found;
  } catch {
    return {
      getItem: (key) => forgotten.get(kind + key) ?? null,
      setItem: (key, value) => forgotten.set(kind + key, value),
      removeItem: (key) => forgotten.delete(kind + key),
    };
  }
}

function box(store) {
  return {
    get(key, otherwise = null) {
      try {
        return JSON.parse(store.getItem(`accordion.${key}`)) ?? otherwise;
      } catch {
        return otherwise;
      }
    },
    set(key, value) {
      try {
        store.setItem(`accordion.${key}`, JSON.stringify(value));
      } catch {
        // Full: the game goes on without being remembered.
      }
    },
    delete: (key) => store.removeItem(`accordion.${key}`),
  };
}

/** Of this browser, and of this tab alone. */
export const kept = box(storage('localStorage'));
export const tab = box(storage('sessionStorage'));

/** A secret of this browser that keeps the player's name for it. */
export function playerKey() {
  let key = kept.get('player-key');
  if (!key) {
    key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    kept.set('player-key', key);
  }
  return key;
}
