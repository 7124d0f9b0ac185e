// All files of the shop, newest first.

import { useId, useState } from 'preact/hooks'
import { Icon } from '../../icons.tsx'
import { UploadBox } from '../../parts/form/upload.tsx'
import { useFilters } from '../../parts/list/filters.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Note, Page, Section } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Badge, plural } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { factsOf, isUnreachable, type ListedFiles, type ShopFile } from './file.ts'

export function FileList() {
  const filters = useFilters(['page'])
  const query = useQuery<ListedFiles>(`/v1/assets?${filters.query({ limit: '24', sortDirection: 'desc' })}`, {
    keepsPrevious: true,
  })
  const may = useMay()
  return (
    <Page title="Files" intro="Pictures and downloads of your shop, newest first.">
      {may('assets.create') && <Uploads />}
      <Loaded query={query}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <Empty title="No files yet" icon="file">
              <p>JPG, PNG and GIF pictures; documents, sound, films and archives for downloads.</p>
            </Empty>
          ) : (
            <>
              {data.some(isUnreachable) && (
                <Note tone="open">
                  <p>
                    {plural(data.filter(isUnreachable).length, 'file')} on this page could not be fetched from the
                    address given for {data.filter(isUnreachable).length === 1 ? 'it' : 'them'}. A placeholder is shown;
                    it is tried again for a day. After that, upload the file and put it where the placeholder is.
                  </p>
                </Note>
              )}
              <ul class="file-grid" aria-label="Files" aria-busy={query.isLoading || undefined}>
                {/* Uploads that never arrived are hidden, and deleted after a day. */}
                {data
                  .filter(({ pending }) => !pending)
                  .map((file) => (
                    <FileCard key={file.id} file={file} />
                  ))}
              </ul>
              <Pager
                pagination={pagination}
                things={['file', 'files']}
                hrefOf={(page) => filters.hrefWith({ page: String(page) })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
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
          invalidateQueries('/v1/assets')
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

function FileCard({ file }: { file: ShopFile }) {
  return (
    <li class="file-card">
      <a href={`/dashboard/files/${file.id}`}>
        <FilePreview file={file} />
        <span class="file-name">{file.filename}</span>
      </a>
      <p class="hint">{factsOf(file)}</p>
      <FileMarks file={file} />
    </li>
  )
}

/** The picture, or the file extension. The name is shown beside it. */
export function FilePreview({ file }: { file: ShopFile }) {
  return (
    <span class="file-preview">
      {file.is_image && !file.pending ? (
        <img src={file.url} alt="" loading="lazy" />
      ) : (
        <span class="file-kind" aria-hidden="true">
          <Icon name="file" />
          {file.file_extension.toUpperCase()}
        </span>
      )}
    </span>
  )
}

export function FileMarks({ file }: { file: ShopFile }) {
  if (!file.private && !file.pending && !isUnreachable(file)) return null
  return (
    <p class="file-marks">
      {isUnreachable(file) && <Badge tone="bad">Could not be fetched</Badge>}
      {file.private && <Badge>For buyers only</Badge>}
      {file.pending && <Badge tone="open">Not uploaded yet</Badge>}
    </p>
  )
}
