// What was changed and not saved is not lost by a press on a link: whoever leaves is asked first. Links, the browser's back button and what the
// dashboard does by itself (`leave`) ask in a dialog of ours; closing the tab and going elsewhere ask in the browser's own.

import { useEffect } from 'preact/hooks'

type Guard = () => boolean

const guards = new Set<Guard>()
let ask: ((go: () => void) => void) | null = null
/** While somebody who was asked goes. */
let isAllowed = false
/** The address of the form: by the time the browser's button is heard of, the address is another one. */
let here = ''

const mustAsk = (): boolean => !isAllowed && ask !== null && [...guards].some((guard) => guard())

function allowed(go: () => void) {
  isAllowed = true
  go()
  isAllowed = false
}

/** Goes, or asks first whether what was changed may be lost. */
export function leave(go: () => void, hasChanges = mustAsk()) {
  if (hasChanges && ask !== null) ask(() => allowed(go))
  else go()
}

/** Whoever draws the question (leave-dialog.tsx) says how; the answer is to take it back. */
export function whenAsked(question: (go: () => void) => void): () => void {
  ask = question
  return () => {
    ask = null
  }
}

/** For as long as the form is there. */
export function useLeaveGuard(hasChanges: Guard) {
  useEffect(() => {
    here = location.href
    guards.add(hasChanges)
    return () => {
      guards.delete(hasChanges)
    }
  }, [])
}

/** Which the router opens by itself: all that it leaves to the browser, `beforeunload` asks for. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) && event.button === 0
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement)
  if (!isPlain || link === undefined || link.origin !== location.origin || link.target !== '' || link.download !== '')
    return null
  return link.getAttribute('href')?.startsWith('#') ? null : link
}

document.addEventListener(
  'click',
  (event) => {
    const link = linkOf(event)
    if (link === null || !mustAsk()) return
    event.preventDefault()
    event.stopPropagation()
    leave(() => link.click(), true)
  },
  true,
)

addEventListener(
  'popstate',
  (event) => {
    if (isAllowed || !mustAsk()) {
      isAllowed = false
      return
    }
    // The router must not hear of it. The address is put back above the one that was gone to, so that going is one step back.
    event.stopImmediatePropagation()
    history.pushState(null, '', here)
    ask?.(() => {
      isAllowed = true
      history.back()
    })
  },
  true,
)

addEventListener('beforeunload', (event) => {
  if (mustAsk()) event.preventDefault()
})
