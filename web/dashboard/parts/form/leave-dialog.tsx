// Asks before changes are lost. It appears above everything, including a dialog with a form.

import { useEffect, useState } from 'preact/hooks'
import { Button } from '../page/button.tsx'
import { Dialog } from '../page/dialog.tsx'
import { setLeaveQuestion } from './leaving.ts'

/** The shell renders it once. */
export function LeaveDialog() {
  const [go, setGo] = useState<(() => void) | null>(null)
  useEffect(() => setLeaveQuestion((next) => setGo(() => next)), [])
  if (go === null) return null
  const close = () => setGo(null)
  return (
    <Dialog title="Leave without saving?" onClose={close} asks={false}>
      <p class="dialog-text">What you have changed here is not saved yet.</p>
      <div class="dialog-foot">
        <Button
          words="Leave without saving"
          kind="danger"
          onClick={() => {
            close()
            go()
          }}
        />
        <Button words="Stay here" kind="primary" onClick={close} />
      </div>
    </Dialog>
  )
}
