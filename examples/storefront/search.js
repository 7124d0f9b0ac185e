// The search field of the header. On product lists it searches while the shopper types. Elsewhere it waits for Enter, because leaving the
// page would be a surprise.

const form = document.getElementById('search')
const input = document.getElementById('query')

const PATTERN = /^#\/search\/([^/?]+)/

const isOnShelves = () => document.body.dataset.view === 'shelf'

/** Minimum length of a search. */
const ENOUGH = 2

export function listenToSearch() {
  let waiting
  const find = () => {
    clearTimeout(waiting)
    const words = input.value.trim()
    const hash = words === '' ? '#/' : `#/search/${encodeURIComponent(words)}`
    if (hash === location.hash) return
    // A search adds one history entry, not one per letter.
    if (PATTERN.test(location.hash)) location.replace(hash)
    else location.hash = hash
  }
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    const { length } = input.value.trim()
    if (isOnShelves() && (length >= ENOUGH || (length === 0 && PATTERN.test(location.hash))))
      waiting = setTimeout(find, 250)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    find()
    // The results matter now; on a phone the keyboard would cover them.
    document.querySelector('h1')?.focus()
  })
}

/** Shows the current search in the field, because links and the back button change it. */
export function showSearched(hash) {
  if (document.activeElement === input) return
  const [, words] = PATTERN.exec(hash) ?? []
  try {
    input.value = words === undefined ? '' : decodeURIComponent(words)
  } catch {
    input.value = ''
  }
}
