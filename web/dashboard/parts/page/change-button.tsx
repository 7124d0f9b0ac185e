// A button that changes something at once, without a dialog. A refusal is a short message, because the button has no place for it.

import { useState } from 'preact/hooks'
import { newIdempotencyKey, problemOf } from '../../api.ts'
import { useMay } from '../../session.tsx'
import { type Change, finishChange, sendChange } from '../form/change.ts'
import { Button } from './button.tsx'
import { showToast } from './toast.tsx'

type ChangeButtonProps<T> = Change<T> &
  Omit<Parameters<typeof Button>[0], 'type' | 'isBusy' | 'onClick'> & {
    /** Operation that the user must be allowed to do; otherwise there is no button. */
    readonly permission?: string
  }

/** `<ChangeButton permission="webhooks.test" request={post(path)} done="Sent">Send a test event</ChangeButton>` */
export function ChangeButton<T>(props: ChangeButtonProps<T>) {
  const { permission, request, run, invalidates, done, onDone, ...button } = props
  const may = useMay()
  const [isBusy, setBusy] = useState(false)
  if (permission !== undefined && !may(permission)) return null
  const change = async () => {
    setBusy(true)
    try {
      const result = await sendChange(props, {}, { idempotencyKey: newIdempotencyKey(), ifMatch: null })
      setBusy(false)
      finishChange(props, result)
    } catch (error) {
      setBusy(false)
      showToast(problemOf(error).message, 'bad')
    }
  }
  return <Button {...button} isBusy={isBusy} onClick={change} />
}
