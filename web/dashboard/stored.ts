// What this browser keeps for the dashboard: settings that only decide what is shown first. Browsers may refuse to store; then nothing is kept.

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
