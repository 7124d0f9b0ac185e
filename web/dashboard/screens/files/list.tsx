// All files of the shop, newest first.

import { useId, useState } from 'preact/hooks'
import type { Asset } from '../../../../src/api/assets/schema.ts'
import { Icon } from '../../icons.tsx'
import { UploadBox } from '../../parts/form/upload.tsx'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Note, Section } from '../../parts/page/page.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Badge, plural } from '../../parts/show/values.tsx'
import { readAllAgain } from '../../use-query.ts'
import { factsOf, isUnreachable } from './file.ts'

export const FileList = listScreen<Asset>({
  screen: '/dashboard/files',
  path: '/v1/assets',
  title: 'Files',
  intro: 'Pictures and downloads of your shop, newest first.',
  things: ['file', 'files'],
  limit: 24,
  lines: 6,
  toApi: (values) => ({ ...values, sortDirection: 'desc' }),
  above: (_, { may }) => may('assets.create') && <Uploads />,
  columns: [],
  rows: (files, isBusy) => (
    <>
      <UnreachableNote count={files.filter(isUnreachable).length} />
      <ul class="file-grid" aria-label="Files" aria-busy={isBusy || undefined}>
        {/* Uploads that never arrived are hidden, and deleted after a day. */}
        {files
          .filter(({ pending }) => !pending)
          .map((file) => (
            <FileCard key={file.id} file={file} />
          ))}
      </ul>
    </>
  ),
  empty: {
    title: 'No files yet',
    icon: 'file',
    text: 'JPG, PNG and GIF pictures; documents, sound, films and archives for downloads.',
  },
})

function UnreachableNote({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <Note tone="open">
      <p>
        {plural(count, 'file')} on this page could not be fetched from the address given for{' '}
        {count === 1 ? 'it' : 'them'}. A placeholder is shown; it is tried again for a day. After that, upload the file
        and put it where the placeholder is.
      </p>
    </Note>
  )
}

function Uploads() {
  const id = useId()
  const [isPrivate, setPrivate] = useState(false)
  return (
    <Section title="Upload" hidesTitle>
      <UploadBox
        label="Upload files"
        takesPaste
        isPrivate={isPrivate}
        onDone={({ filename }) => {
          readAllAgain()
          showToast(`${filename} is uploaded`)
        }}
      />
      <div class="field check">
        <input id={id} type="checkbox" onChange={(event) => setPrivate(event.currentTarget.checked)} />
        <label for={id}>For buyers only: a download that is sold</label>
      </div>
    </Section>
  )
}

function FileCard({ file }: { file: Asset }) {
  return (
    <li class="file-card stack tight">
      <a class="stack tight" href={`/dashboard/files/${file.id}`}>
        <FilePreview file={file} />
        <span class="file-name">{file.filename}</span>
      </a>
      <p class="hint">{factsOf(file)}</p>
      <FileMarks file={file} />
    </li>
  )
}

/** The picture, or the file extension. The name is shown beside it. */
export function FilePreview({ file }: { file: Asset }) {
  return (
    <span class="file-preview">
      {file.is_image && !file.pending ? (
        <img src={file.url} alt="" loading="lazy" />
      ) : (
        <span class="file-kind hint" aria-hidden="true">
          <Icon name="file" />
          {file.file_extension.toUpperCase()}
        </span>
      )}
    </span>
  )
}

export function FileMarks({ file }: { file: Asset }) {
  if (!file.private && !file.pending && !isUnreachable(file)) return null
  return (
    <p class="row tight">
      {isUnreachable(file) && <Badge tone="bad">Could not be fetched</Badge>}
      {file.private && <Badge>For buyers only</Badge>}
      {file.pending && <Badge tone="open">Not uploaded yet</Badge>}
    </p>
  )
}
