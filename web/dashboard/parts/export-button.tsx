// Saves as a file what a list shows, all pages of it.

import { useState } from 'preact/hooks'
import { download, problemOf } from '../api.ts'
import { Button } from './button.tsx'
import { say } from './toast.tsx'

type ExportProps = {
  /** What answers with the file, with the filters of the screen. */
  readonly path: string
  readonly name: string
  readonly words?: string
  /** Said when it is there. */
  readonly done?: string
  readonly isOff?: boolean
}

export function ExportButton({ path, name, words = 'Export', done, isOff = false }: ExportProps) {
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await download(path, name)
      if (done !== undefined) say(done)
    } catch (error) {
      say(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <Button icon="download" isBusy={isBusy} disabled={isOff} onClick={save}>
      {words}
    </Button>
  )
}
