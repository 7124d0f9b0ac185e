// Uploads files that are chosen, dragged or pasted. Each file shows its progress. A failed upload stays with its reason until it is
// repeated or removed.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Asset, CreatedAsset, UpdatedAsset } from '../../../../src/api/assets/schema.ts'
import { type ApiFieldErrors, ApiProblem, call, newIdempotencyKey, problemOf } from '../../api.ts'
import { Button } from '../page/button.tsx'
import { FileBox } from './file-box.tsx'
import { useLeaveGuard } from './leaving.ts'

type Uploaded = Pick<Asset, 'id' | 'url' | 'filename'>

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
  /** Same as the attribute of an input: `image/*`. */
  readonly accept?: string
  readonly isMultiple?: boolean
  /** True for downloads, which only signed URLs can open. */
  readonly isPrivate?: boolean
  /** Accept files that are pasted anywhere on the page. Set it for one box per page. */
  readonly takesPaste?: boolean
  readonly onDone: (uploaded: Uploaded) => void
}

export function UploadBox(props: UploadProps) {
  const { label, hint, accept, isMultiple = true, isPrivate = false, takesPaste = false, onDone } = props
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  /** Uploads run one after the other, so they finish in order and each gets the full bandwidth. */
  const queue = useRef(Promise.resolve())
  const isBusy = useRef(false)
  isBusy.current = uploads.length > 0
  useLeaveGuard(() => isBusy.current)

  const updateUpload = (key: string, changes: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...changes } : each)))
  const removeUpload = (key: string) => setUploads((all) => all.filter((each) => each.key !== key))

  const startUpload = ({ key, file }: Upload) => {
    updateUpload(key, { progress: 0, reason: null })
    queue.current = queue.current.then(async () => {
      try {
        const uploaded = await uploadFile(file, isPrivate, (progress) => updateUpload(key, { progress }))
        removeUpload(key)
        latestOnDone.current(uploaded)
      } catch (error) {
        updateUpload(key, { reason: problemOf(error).message })
      }
    })
  }

  const add = (files: readonly File[]) => {
    const fresh = files.slice(0, isMultiple ? undefined : 1).map((file) => ({
      key: newIdempotencyKey(),
      file,
      progress: 0,
      reason: isAccepted(file, accept) ? null : `This is no ${accept === 'image/*' ? 'picture' : 'file of that kind'}.`,
    }))
    setUploads((all) => [...all, ...fresh])
    for (const upload of fresh) if (upload.reason === null) startUpload(upload)
  }

  // The parent may have been drawn again since an upload began, so call its newest callback.
  const latestOnDone = useRef(onDone)
  latestOnDone.current = onDone
  const latestAdd = useRef(add)
  latestAdd.current = add
  useEffect(() => {
    if (!takesPaste) return
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      latestAdd.current(files)
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [takesPaste])

  return (
    <div class="upload">
      <FileBox
        label={label}
        icon="plus"
        hint={hint ?? `or drag ${isMultiple ? 'them' : 'it'} here${takesPaste ? ', or paste' : ''}. 10 MB at most.`}
        accept={accept}
        isMultiple={isMultiple}
        onFiles={add}
      />
      {uploads.length > 0 && (
        <ul class="uploads" aria-label="Uploads">
          {uploads.map((upload) => (
            <li key={upload.key} class={upload.reason === null ? 'row' : 'row wrong'}>
              <span>{upload.file.name}</span>
              {upload.reason === null ? (
                <progress value={upload.progress} max={1} aria-label={`Uploading ${upload.file.name}`} />
              ) : (
                <>
                  <span class="wrong-text" role="alert">
                    {upload.reason}
                  </span>
                  <Button words="Try again" isSmall onClick={() => startUpload(upload)} />
                  <Button
                    isSmall
                    kind="quiet"
                    icon="close"
                    label={`Take ${upload.file.name} away`}
                    onClick={() => removeUpload(upload.key)}
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

/** The server checks the content of a file. Here only obvious mistakes are refused. */
const isAccepted = ({ type }: File, accept: string | undefined): boolean =>
  accept !== 'image/*' || type === '' || type.startsWith('image/')

async function uploadFile(file: File, isPrivate: boolean, onProgress: (progress: number) => void): Promise<Uploaded> {
  const filename = file.name || 'pasted.png'
  const { id, upload_url: address } = await call<Required<CreatedAsset>>('POST', '/v1/assets', {
    body: { filename, pending: true, private: isPrivate },
  })
  await putFile(address, file, onProgress)
  const { url } = await call<UpdatedAsset>('PUT', `/v1/assets/${id}`, { body: { pending: false } })
  return { id, url, filename }
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
function putFile(address: string, file: File, onProgress: (progress: number) => void): Promise<void> {
  // The service may have several host names, and the page can reach only its own. So use the path without the host.
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
  let response: { error?: { message?: string; errors?: ApiFieldErrors } } = {}
  try {
    response = JSON.parse(responseText)
  } catch {}
  const sentences = Object.values(response.error?.errors ?? {}).flat()
  return new ApiProblem(sentences.join(' ') || response.error?.message || `The server answered ${status}.`, { status })
}
