// Changes that are made at once, without a dialog. A refusal is a short message, because a button has no place for it.

import { useState } from 'preact/hooks'
import { newIdempotencyKey, problemOf } from '../../api.ts'
import { useMay } from '../../session.tsx'
import { type Change, sendChange, useFinish } from '../form/change.ts'
import { Button } from './button.tsx'
import { showToast } from './toast.tsx'

/** For a button that makes this change only sometimes. Others are a `ChangeButton`. */
export function useChange<T>(change: Change<T>): readonly [isBusy: boolean, send: () => Promise<void>] {
  const finish = useFinish()
  const [isBusy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    try {
      const result = await sendChange(change, {}, { idempotencyKey: newIdempotencyKey(), ifMatch: null })
      setBusy(false)
      finish(change, result)
    } catch (error) {
      setBusy(false)
      showToast(problemOf(error).message, 'bad')
    }
  }
  return [isBusy, send]
}

type ChangeButtonProps<T> = Change<T> &
  Omit<Parameters<typeof Button>[0], 'type' | 'isBusy' | 'onClick'> & {
    /** Operation that the user must be allowed to do; otherwise there is no button. */
    readonly permission?: string
  }

/** `<ChangeButton permission="webhooks.test" request={post(path)} done="Sent">Send a test event</ChangeButton>` */
export function ChangeButton<T>(props: ChangeButtonProps<T>) {
  const { permission, request, run, done, onDone, leadsTo, ...button } = props
  const may = useMay()
  const [isBusy, send] = useChange(props)
  if (permission !== undefined && !may(permission)) return null
  return <Button {...button} isBusy={isBusy} onClick={send} />
}
