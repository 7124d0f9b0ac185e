// A dialog of the browser's own: focus stays inside, Esc closes it, and on phones it comes up from below. `ActionDialog` is the one for everything
// that moves money or goods or cannot be taken back: it says beforehand what will happen, and happens once however often it is pressed.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ApiProblem, newKey } from '../api.ts'
import { Button } from './button.tsx'
import { hasChanges } from './controls.ts'
import { Form, type Values } from './form.tsx'
import { leave } from './leaving.ts'

type DialogProps = {
  readonly title: string
  /** Called when it closes, by whatever way. */
  readonly onClose: () => void
  /** False while something is under way, and where what it shows is shown once. */
  readonly canClose?: boolean
  readonly isWide?: boolean
  readonly kind?: string
  /** Whether closing it asks, where a form in it that changes something has changes. */
  readonly asks?: boolean
  readonly children: ComponentChildren
}

export function Dialog(props: DialogProps) {
  const { title, onClose, canClose = true, isWide = false, kind = '', asks = true, children } = props
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      // The browser gives the focus back when it closes a dialog, and not when its element goes.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const close = () => {
    const form = asks ? element.current?.querySelector<HTMLFormElement>('form[data-guards]') : null
    leave(onClose, form instanceof HTMLFormElement && hasChanges(form))
  }
  return (
    <dialog
      ref={element}
      class={`dialog ${isWide ? 'wide' : ''} ${kind}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== element.current) return
        event.preventDefault()
        if (canClose) close()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {canClose && <Button kind="quiet" icon="close" label="Close" onClick={close} />}
      </div>
      {children}
    </dialog>
  )
}

type ActionProps<T> = {
  readonly title: string
  /** The button's words: the verb of the title and what it does, such as "Refund $58.89". */
  readonly verb: string
  readonly isDangerous?: boolean
  /** What happens, each in a sentence: "Refunds $58.89 to the card.", "Returns 2 pieces to stock.", "Mails Ada." */
  readonly says?: readonly ComponentChildren[]
  /** Does it. The key is the same for as long as nobody knows whether it happened. */
  readonly run: (values: Values, idempotencyKey: string) => Promise<T>
  readonly onDone: (result: T) => void
  readonly onClose: () => void
  /** Where something must be chosen first. */
  readonly isReady?: boolean
  readonly isWide?: boolean
  /** What is asked: `Field`s by the API's names. */
  readonly children?: ComponentChildren
}

export function ActionDialog<T>(props: ActionProps<T>) {
  const { title, verb, isDangerous = false, says = [], run, onDone, onClose, isReady = true, isWide = false } = props
  const [isBusy, setBusy] = useState(false)
  const key = useRef(newKey())
  return (
    <Dialog title={title} onClose={onClose} canClose={!isBusy} isWide={isWide}>
      <Form
        sendsAll
        onSubmit={(values) => run(values, key.current)}
        onDone={onDone}
        onBusy={setBusy}
        onProblem={(problem: ApiProblem) => {
          // An answer that refuses is final for its key; without one it may have happened, and is asked for again under the same.
          if (problem.status >= 400 && problem.status < 500) key.current = newKey()
        }}
      >
        {props.children}
        {says.length > 0 && (
          <ul class="says">
            {says.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
        <div class="dialog-foot">
          <Button onClick={onClose} disabled={isBusy}>
            Keep as it is
          </Button>
          <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} isBusy={isBusy} disabled={!isReady}>
            {verb}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
