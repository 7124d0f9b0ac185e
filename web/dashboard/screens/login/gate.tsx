// Shared by the pages before login: their frame with one sheet in the middle, and the field for a new password.

import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Field } from '../../parts/form/field.tsx'
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

export const NewPasswordField = ({ label, isFocused = false }: { label: string; isFocused?: boolean }) => (
  <Field
    name="password"
    label={label}
    type="password"
    autocomplete="new-password"
    hint="At least 10 characters. Long is better than complicated."
    isFocused={isFocused}
  />
)
