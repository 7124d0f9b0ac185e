// Stores small values in this browser, such as the mode. The dashboard works without them, because browsers may refuse to store.

/** `tab`: until this tab is closed. `browser`: for all tabs, and later visits. */
type Place = 'tab' | 'browser'

const storageOf = (place: Place): Storage => (place === 'tab' ? sessionStorage : localStorage)

export function readStored(place: Place, key: string): string | null {
  try {
    return storageOf(place).getItem(key)
  } catch {
    return null
  }
}

/** Null removes it. */
export function store(place: Place, key: string, value: string | null) {
  try {
    if (value === null) storageOf(place).removeItem(key)
    else storageOf(place).setItem(key, value)
  } catch {}
}
