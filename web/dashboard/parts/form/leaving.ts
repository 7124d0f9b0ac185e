// Protects unsaved changes: leaving a form with changes asks first. Links, the back button and `leave` ask in our own dialog. Closing the
// tab or opening another site asks in the browser's dialog.

import { useEffect } from 'preact/hooks'

type Guard = () => boolean

const guards = new Set<Guard>()
let showQuestion: ((go: () => void) => void) | null = null
/** True while a confirmed navigation runs. */
let isAllowed = false
/** URL of the form. When `popstate` fires, the URL has already changed. */
let formUrl = ''

const hasUnsavedChanges = (): boolean => !isAllowed && showQuestion !== null && [...guards].some((guard) => guard())

function runAllowed(go: () => void) {
  isAllowed = true
  go()
  isAllowed = false
}

/** Runs `go`, or asks first if changes would be lost. */
export function leaveOrAsk(go: () => void, hasChanges = hasUnsavedChanges()) {
  if (hasChanges && showQuestion !== null) showQuestion(() => runAllowed(go))
  else go()
}

/** Sets the function that shows the question (leave-dialog.tsx). Returns a function that removes it. */
export function setLeaveQuestion(question: (go: () => void) => void): () => void {
  showQuestion = question
  return () => {
    showQuestion = null
  }
}

/** Guards the form while it is mounted. */
export function useLeaveGuard(hasChanges: Guard) {
  useEffect(() => {
    formUrl = location.href
    guards.add(hasChanges)
    return () => {
      guards.delete(hasChanges)
    }
  }, [])
}

/** Returns a link that the router opens itself. The browser opens all others, and `beforeunload` asks for those. */
function routedLink(event: MouseEvent): HTMLAnchorElement | null {
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) && event.button === 0
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement)
  if (!isPlain || link === undefined || link.origin !== location.origin || link.target !== '' || link.download !== '')
    return null
  return link.getAttribute('href')?.startsWith('#') ? null : link
}

document.addEventListener(
  'click',
  (event) => {
    const link = routedLink(event)
    if (link === null || !hasUnsavedChanges()) return
    event.preventDefault()
    event.stopPropagation()
    leaveOrAsk(() => link.click(), true)
  },
  true,
)

addEventListener(
  'popstate',
  (event) => {
    if (isAllowed || !hasUnsavedChanges()) {
      isAllowed = false
      return
    }
    // Hide the event from the router. Push the form's URL above the one that was opened, so that leaving is one step back.
    event.stopImmediatePropagation()
    history.pushState(null, '', formUrl)
    showQuestion?.(() => {
      isAllowed = true
      history.back()
    })
  },
  true,
)

addEventListener('beforeunload', (event) => {
  if (hasUnsavedChanges()) event.preventDefault()
})
