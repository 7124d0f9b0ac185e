// What was done is said once, at the lower edge and to screen readers, and goes away by itself. Whatever must be read to go on is no toast.

import { useEffect, useState } from 'preact/hooks'

type Toast = { readonly id: number; readonly text: string; readonly tone: 'good' | 'bad' }

const SHOWN_MS = 6_000

let toasts: readonly Toast[] = []
let count = 0
let redraw: ((toasts: readonly Toast[]) => void) | null = null

const set = (next: readonly Toast[]) => {
  toasts = next
  redraw?.(next)
}

/** `say('The order was shipped')` */
export function say(text: string, tone: Toast['tone'] = 'good') {
  const id = ++count
  set([...toasts.slice(-2), { id, text, tone }])
  setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), SHOWN_MS)
}

/** Stands once in the shell, and in the frame of pages before the login. */
export function Toasts() {
  const [shown, setShown] = useState(toasts)
  useEffect(() => {
    redraw = setShown
    return () => {
      redraw = null
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  )
}
