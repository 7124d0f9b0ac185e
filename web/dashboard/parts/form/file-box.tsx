// A box that takes files: a button opens the browser's dialog, and files can be dragged onto the box.

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../page/button.tsx'

type FileBoxProps = Omit<Parameters<typeof Button>[0], 'label' | 'onClick'> & {
  /** Name of the input; also the words of the button, unless it has others. */
  readonly label: string
  readonly hint: ComponentChildren
  /** Same as the attribute of an input: `image/*`. */
  readonly accept: string | undefined
  readonly isMultiple?: boolean
  /** Gets at least one file. */
  readonly onFiles: (files: readonly File[]) => void
}

export function FileBox(props: FileBoxProps) {
  const { label, hint, accept, isMultiple = false, onFiles, words = label, ...button } = props
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    if (files?.length) onFiles([...files].slice(0, isMultiple ? undefined : 1))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dragging is a way beside the button.
    <div
      class={isOver ? 'row upload-box over' : 'row upload-box'}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!event.dataTransfer?.files.length) return
        event.preventDefault()
        take(event.dataTransfer.files)
      }}
    >
      <input
        ref={input}
        hidden
        type="file"
        aria-label={label}
        accept={accept}
        multiple={isMultiple}
        onChange={(event) => {
          take(event.currentTarget.files)
          event.currentTarget.value = ''
        }}
      />
      <Button {...button} words={words} onClick={() => input.current?.click()} />
      <p class="hint">{hint}</p>
    </div>
  )
}
