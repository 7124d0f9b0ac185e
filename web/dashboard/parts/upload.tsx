// Brings files to the server: by a button, by dragging them here, by pasting them. Each shows how far it is; one that failed stays with its reason
// until it is tried again or taken away.

import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiProblem, call, newKey, problemOf } from '../api.ts'
import { Button } from './button.tsx'
import { useLeaveGuard } from './leaving.ts'

export type Uploaded = { readonly id: string; readonly url: string; readonly filename: string }

type Upload = {
  readonly key: string
  readonly file: File
  /** From 0 to 1. */
  readonly progress: number
  readonly reason: string | null
}

type UploadProps = {
  readonly label: string
  readonly hint?: string
  /** As of an input: `image/*`. */
  readonly accept?: string
  readonly isMultiple?: boolean
  /** For downloads: served by signed addresses only. */
  readonly isPrivate?: boolean
  /** Files that are pasted anywhere on the page come here; of one on a page. */
  readonly takesPaste?: boolean
  readonly onDone: (uploaded: Uploaded) => void
}

export function UploadBox(props: UploadProps) {
  const { label, hint, accept, isMultiple = true, isPrivate = false, takesPaste = false, onDone } = props
  const input = useRef<HTMLInputElement>(null)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const [isOver, setOver] = useState(false)
  /** One after the other: they come in the order in which they were chosen, and share the line with nobody. */
  const queue = useRef(Promise.resolve())
  const isBusy = useRef(false)
  isBusy.current = uploads.length > 0
  useLeaveGuard(() => isBusy.current)

  const change = (key: string, changes: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...changes } : each)))
  const forget = (key: string) => setUploads((all) => all.filter((each) => each.key !== key))

  const run = ({ key, file }: Upload) => {
    change(key, { progress: 0, reason: null })
    queue.current = queue.current.then(async () => {
      try {
        const uploaded = await send(file, isPrivate, (progress) => change(key, { progress }))
        forget(key)
        done.current(uploaded)
      } catch (error) {
        change(key, { reason: problemOf(error).message })
      }
    })
  }

  const add = (files: Iterable<File>) => {
    const fresh = [...files].slice(0, isMultiple ? undefined : 1).map((file) => ({
      key: newKey(),
      file,
      progress: 0,
      reason: fits(file, accept) ? null : `This is no ${accept === 'image/*' ? 'picture' : 'file of that kind'}.`,
    }))
    setUploads((all) => [...all, ...fresh])
    for (const upload of fresh) if (upload.reason === null) run(upload)
  }

  // Whoever is told may have been drawn anew since an upload began.
  const done = useRef(onDone)
  done.current = onDone
  const adding = useRef(add)
  adding.current = add
  useEffect(() => {
    if (!takesPaste) return
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      adding.current(files)
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [takesPaste])

  return (
    <div class="upload">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dragging is a way beside the button. */}
      <div
        class={isOver ? 'upload-box over' : 'upload-box'}
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
          add(event.dataTransfer.files)
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
            add(event.currentTarget.files ?? [])
            event.currentTarget.value = ''
          }}
        />
        <Button icon="plus" onClick={() => input.current?.click()}>
          {label}
        </Button>
        <p class="hint">
          {hint ?? `or drag ${isMultiple ? 'them' : 'it'} here${takesPaste ? ', or paste' : ''}. 10 MB at most.`}
        </p>
      </div>
      {uploads.length > 0 && (
        <ul class="uploads" aria-label="Uploads">
          {uploads.map((upload) => (
            <li key={upload.key} class={upload.reason === null ? undefined : 'wrong'}>
              <span>{upload.file.name}</span>
              {upload.reason === null ? (
                <progress value={upload.progress} max={1} aria-label={`Uploading ${upload.file.name}`} />
              ) : (
                <>
                  <span class="wrong-text" role="alert">
                    {upload.reason}
                  </span>
                  <Button isSmall onClick={() => run(upload)}>
                    Try again
                  </Button>
                  <Button
                    isSmall
                    kind="quiet"
                    icon="close"
                    label={`Take ${upload.file.name} away`}
                    onClick={() => forget(upload.key)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The bytes say what a file is, to the server; here only what nobody can have meant is held back. */
const fits = ({ type }: File, accept: string | undefined): boolean =>
  accept !== 'image/*' || type === '' || type.startsWith('image/')

async function send(file: File, isPrivate: boolean, onProgress: (progress: number) => void): Promise<Uploaded> {
  const filename = file.name || 'pasted.png'
  const { id, upload_url: address } = await call<{ id: string; upload_url: string }>('POST', '/v1/assets', {
    body: { filename, pending: true, private: isPrivate },
  })
  await put(address, file, onProgress)
  const { url } = await call<{ url: string }>('PUT', `/v1/assets/${id}`, { body: { pending: false } })
  return { id, url, filename }
}

/** Not by fetch, which does not tell how far it is. */
function put(address: string, file: File, onProgress: (progress: number) => void): Promise<void> {
  // The service may be known by another name than the one it was opened by; the page reaches only the latter.
  const { pathname, search } = new URL(address)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => (request.status < 300 ? resolve() : reject(problemIn(request)))
    request.onerror = () => reject(new ApiProblem('The connection broke. Nothing was stored.'))
    request.open('PUT', pathname + search)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.send(file)
  })
}

function problemIn({ status, responseText }: XMLHttpRequest): ApiProblem {
  let said: { error?: { message?: string; errors?: Record<string, string[]> } } = {}
  try {
    said = JSON.parse(responseText)
  } catch {}
  const sentences = Object.values(said.error?.errors ?? {}).flat()
  return new ApiProblem(sentences.join(' ') || said.error?.message || `The server answered ${status}.`, { status })
}
