// The question before what was changed is lost. It stands above everything, also above a dialog with a form in it.

import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { whenAsked } from './leaving.ts'

/** Stands once in the shell. */
export function LeaveDialog() {
  const [go, setGo] = useState<(() => void) | null>(null)
  useEffect(() => whenAsked((next) => setGo(() => next)), [])
  if (go === null) return null
  const close = () => setGo(null)
  return (
    <Dialog title="Leave without saving?" onClose={close} asks={false}>
      <p class="dialog-text">What you have changed here is not saved yet.</p>
      <div class="dialog-foot">
        <Button
          kind="danger"
          onClick={() => {
            close()
            go()
          }}
        >
          Leave without saving
        </Button>
        <Button kind="primary" onClick={close}>
          Stay here
        </Button>
      </div>
    </Dialog>
  )
}
