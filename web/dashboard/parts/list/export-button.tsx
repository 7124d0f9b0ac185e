// Saves all pages of a list as a file.

import { useState } from 'preact/hooks'
import { download, problemOf } from '../../api.ts'
import { Button } from '../page/button.tsx'
import { showToast } from '../page/toast.tsx'

type ExportProps = {
  /** Path of the export in the API, with the filters of the screen. */
  readonly path: string
  readonly name: string
  readonly words?: string
  /** Message after the file is saved. */
  readonly done?: string
  readonly isOff?: boolean
}

export function ExportButton({ path, name, words = 'Export', done, isOff = false }: ExportProps) {
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await download(path, name)
      if (done !== undefined) showToast(done)
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return <Button words={words} icon="download" isBusy={isBusy} disabled={isOff} onClick={save} />
}
