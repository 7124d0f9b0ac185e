// A button that changes something at once, without a dialog: for what is harmless and easily taken back.

import { useState } from 'preact/hooks'
import { newIdempotencyKey, problemOf } from '../../api.ts'
import { useMay } from '../../session.tsx'
import { Button } from '../page/button.tsx'
import { showToast } from '../page/toast.tsx'
import { type Change, finishChange, sendChange } from './change.ts'

type ChangeButtonProps<T> = Change<T> &
  Omit<Parameters<typeof Button>[0], 'onClick' | 'isBusy' | 'type'> & {
    /** Operation that the user must be allowed to do; otherwise there is no button. */
    readonly permission?: string
  }

/** `<ChangeButton permission="gateways.update" request={put(path, { enabled: true })} done="PayPal is on">Switch on</ChangeButton>` */
export function ChangeButton<T>({ permission, ...props }: ChangeButtonProps<T>) {
  const may = useMay()
  const [isBusy, setBusy] = useState(false)
  if (permission !== undefined && !may(permission)) return null
  const send = async () => {
    setBusy(true)
    try {
      finishChange(props, await sendChange(props, {}, { idempotencyKey: newIdempotencyKey(), ifMatch: null }))
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return <Button {...props} isBusy={isBusy} onClick={send} />
}
