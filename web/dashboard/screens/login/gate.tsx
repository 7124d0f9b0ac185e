// The frame of the pages before login: one sheet in the middle.

import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Toasts } from '../../parts/page/toast.tsx'

export function Gate({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Cartwright`
  }, [title])
  return (
    <div class="gate">
      <main class="gate-sheet">
        <p class="gate-name">Cartwright</p>
        <h1>{title}</h1>
        {children}
      </main>
      <Toasts />
    </div>
  )
}
