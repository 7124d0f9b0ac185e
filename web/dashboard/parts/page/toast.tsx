// Short messages about finished actions at the lower edge, also for screen readers. They disappear by themselves, so they are not for
// information that the user needs to continue.

import { useEffect, useState } from 'preact/hooks'

type Toast = { readonly id: number; readonly text: string; readonly tone: 'good' | 'bad' }

const SHOWN_MS = 6_000

let toasts: readonly Toast[] = []
let count = 0
let redraw: ((toasts: readonly Toast[]) => void) | null = null

const setToasts = (next: readonly Toast[]) => {
  toasts = next
  redraw?.(next)
}

/** `showToast('The order was shipped')` */
export function showToast(text: string, tone: Toast['tone'] = 'good') {
  const id = ++count
  setToasts([...toasts.slice(-2), { id, text, tone }])
  setTimeout(() => setToasts(toasts.filter((toast) => toast.id !== id)), SHOWN_MS)
}

/** The shell renders it once; so does the frame of pages before the login. */
export function Toasts() {
  const [visibleToasts, setVisibleToasts] = useState(toasts)
  useEffect(() => {
    redraw = setVisibleToasts
    return () => {
      redraw = null
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {visibleToasts.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  )
}
