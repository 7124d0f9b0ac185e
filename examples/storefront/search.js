// The search field of the header. On the shelves it finds while one types; elsewhere, where leaving would be a surprise, when one asks.

const form = document.getElementById('search')
const input = document.getElementById('query')

const PATTERN = /^#\/search\/([^/?]+)/

const isOnShelves = () => document.body.dataset.view === 'shelf'

/** As many letters as say something. */
const ENOUGH = 2

export function listenToSearch() {
  let waiting
  const find = () => {
    clearTimeout(waiting)
    const words = input.value.trim()
    const hash = words === '' ? '#/' : `#/search/${encodeURIComponent(words)}`
    if (hash === location.hash) return
    // One way back from a search, and not one for each letter.
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
    // The results are what one wants to see now; on a phone the keyboard lies over them.
    document.querySelector('h1')?.focus()
  })
}

/** The field says what is shown: a link may lead to a search, and the way back away from it. */
export function showSearched(hash) {
  if (document.activeElement === input) return
  const [, words] = PATTERN.exec(hash) ?? []
  try {
    input.value = words === undefined ? '' : decodeURIComponent(words)
  } catch {
    input.value = ''
  }
}
