// A native dialog: focus stays inside, Esc closes it, and on phones it rises from below. Use `ActionDialog` for everything irreversible and
// everything that moves money or goods. It lists the effects first, and acts once even if it is pressed twice.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ApiProblem, newIdempotencyKey } from '../../api.ts'
import { useMay } from '../../session.tsx'
import type { Query } from '../../use-query.ts'
import type { Change } from '../form/change.ts'
import { hasChanges } from '../form/controls.ts'
import { type FieldLimits, Form, type FormProps } from '../form/form.tsx'
import { leaveOrAsk } from '../form/leaving.ts'
import { Button } from './button.tsx'
import { Loaded } from './page.tsx'

type DialogProps = {
  readonly title: string
  /** Called however the dialog closes. */
  readonly onClose: () => void
  /** False while an action runs, or if the content is shown only once. */
  readonly canClose?: boolean
  readonly isWide?: boolean
  readonly kind?: string
  /** If true, closing a dialog with unsaved changes in a form asks first. */
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
      // The browser returns the focus when a dialog closes, but not when its element is removed.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const close = () => {
    const form = asks ? element.current?.querySelector<HTMLFormElement>('form[data-guards]') : null
    leaveOrAsk(onClose, form instanceof HTMLFormElement && hasChanges(form))
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

type ActionProps<T> = Change<T> & {
  readonly title: string
  /** Words of the button: the verb of the title and its object, such as "Refund $58.89". */
  readonly verb: string
  /** True by default for a DELETE. */
  readonly isDangerous?: boolean
  /** Effects of the action, one sentence each: "Refunds $58.89 to the card.", "Returns 2 pieces to stock.", "Mails Ada." */
  readonly says?: readonly ComponentChildren[]
  readonly onClose: () => void
  /** False until something required is chosen. */
  readonly isReady?: boolean
  readonly isWide?: boolean
  /** True for the first of two steps: the dialog stays open. */
  readonly staysOpen?: boolean
  readonly limits?: FieldLimits
  /** Inputs of the action: `Field`s by the API's names. */
  readonly children?: ComponentChildren
}

/** `<ActionDialog title="Delete the zone" verb="Delete the zone" request={del(path)} done="Zone deleted" onClose={close} />` */
export function ActionDialog<T>(props: ActionProps<T>) {
  const {
    title,
    verb,
    isDangerous = props.request?.method === 'DELETE',
    says = [],
    onDone,
    onClose,
    isReady = true,
    isWide = false,
    staysOpen = false,
    ...form
  } = props
  const [isBusy, setBusy] = useState(false)
  // The key stays the same while the result is unknown.
  const key = useRef(newIdempotencyKey())
  return (
    <Dialog title={title} onClose={onClose} canClose={!isBusy} isWide={isWide}>
      <Form<T>
        {...form}
        sendsAll
        idempotencyKey={() => key.current}
        onDone={(result) => {
          if (!staysOpen) onClose()
          onDone?.(result)
        }}
        onBusy={setBusy}
        onProblem={(problem: ApiProblem) => {
          // A refusal is final for its key. Without a response the action may have happened, so a retry uses the same key.
          if (problem.status >= 400 && problem.status < 500) key.current = newIdempotencyKey()
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
          <Button words="Keep as it is" onClick={onClose} disabled={isBusy} />
          <Button
            words={verb}
            type="submit"
            kind={isDangerous ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabled={!isReady}
          />
        </div>
      </Form>
    </Dialog>
  )
}

type FormDialogProps<T> = FormProps<T> & {
  readonly title: string
  readonly onClose: () => void
  readonly isWide?: boolean
  /** Reads the object to edit, and its ETag, instead of `initial`. */
  readonly of?: Query<object>
  /** True: a second button, "Keep as it is", closes the dialog. */
  readonly canKeep?: boolean
}

/** A form in a dialog, which closes after it is saved. */
export function FormDialog<T>(props: FormDialogProps<T>) {
  const { title, onClose, isWide = false, of, canKeep = false, onDone, submit, children, ...rest } = props
  const form = (object: Pick<FormProps<T>, 'initial' | 'etag'>) => (
    <Form<T>
      {...rest}
      {...object}
      {...(submit === undefined || canKeep ? {} : { submit })}
      onDone={(result) => {
        onClose()
        onDone?.(result)
      }}
    >
      {children}
      {canKeep && (
        <div class="dialog-foot">
          <Button words="Keep as it is" onClick={onClose} />
          <Button words={submit} type="submit" kind="primary" />
        </div>
      )}
    </Form>
  )
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      {of === undefined ? form({}) : <Loaded of={of}>{(initial, etag) => form({ initial, etag })}</Loaded>}
    </Dialog>
  )
}

export type OpenDialog = (close: () => void) => ComponentChildren

type DialogButtonProps = Omit<Parameters<typeof Button>[0], 'onClick'> & {
  /** Operation that the user must be allowed to do; otherwise there is no button. */
  readonly permission?: string
  readonly dialog: OpenDialog
}

/** `<DialogButton permission="tax_zones.update" dialog={(close) => <ZoneDialog onClose={close} />}>Edit</DialogButton>` */
export function DialogButton({ permission, dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const may = useMay()
  if (permission !== undefined && !may(permission)) return null
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  )
}
