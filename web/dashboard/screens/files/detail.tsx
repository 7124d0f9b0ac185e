// One file: preview, description and uses. The delete dialog names everything that loses the file.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Textarea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Button, CopyButton, LinkButton } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Facts, Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { count, When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { type FileUse, type FileUses, factsOf, fileUseHref, isUnreachable, type ShopFile, useTypeName } from './file.ts'
import { FileMarks, FilePreview } from './list.tsx'

const BACK = { href: '/dashboard/files', label: 'Files' }

export function FileScreen({ id }: ScreenProps) {
  const query = useQuery<ShopFile>(`/v1/assets/${id}`)
  const uses = useQuery<FileUses>(`/v1/assets/${id}/uses`)
  const may = useMay()
  const [isDeleting, setDeleting] = useState(false)
  const file = query.data
  return (
    <Page
      title={file?.filename ?? 'File'}
      back={BACK}
      actions={
        file !== undefined && (
          <>
            {!file.pending && (
              <LinkButton icon="out" href={file.url} isOutside>
                Open
              </LinkButton>
            )}
            {may('assets.delete') && <Button onClick={() => setDeleting(true)}>Delete</Button>}
          </>
        )
      }
    >
      <Loaded query={query} back={{ ...BACK, label: 'To the files' }}>
        {(data) => (
          <>
            {isUnreachable(data) && (
              <Note tone="open">
                <p>
                  This could not be fetched from the address given for it, so a placeholder is shown. It is tried again
                  for a day. After that, upload the file anew and put it where this one is used.
                </p>
              </Note>
            )}
            <div class="file-detail">
              <Section title="The file">
                <FilePreview file={data} />
                <FileMarks file={data} />
                <Facts
                  facts={[
                    ['What it is', factsOf(data)],
                    ['Uploaded', <When at={data.created_at} isFull key="when" />],
                    data.private
                      ? null
                      : [
                          'Address',
                          <CopyButton text={data.url} what="Address" key="url">
                            Copy the address
                          </CopyButton>,
                        ],
                  ]}
                />
              </Section>
              <Section title="Description">
                <Form
                  initial={data}
                  etag={query.etag}
                  {...(may('assets.update') ? { submit: 'Save' } : {})}
                  run={(changes, { ifMatch }) =>
                    // The API requires at least one field.
                    call('PUT', `/v1/assets/${id}`, { body: { description: data.description, ...changes }, ifMatch })
                  }
                  onDone={() => {
                    invalidateQueries('/v1/assets', '/v1/products', '/v1/categories')
                    showToast('The description is saved')
                  }}
                >
                  <Textarea
                    name="description"
                    label="What it shows"
                    isOptional
                    empty="null"
                    hint="Read aloud to shoppers who do not see the picture."
                  />
                </Form>
              </Section>
              <Section title="Where it is used">
                <Loaded query={uses} lines={2}>
                  {(fileUses) => <UseList uses={fileUses} />}
                </Loaded>
              </Section>
            </div>
            {isDeleting && <DeleteDialog file={data} uses={uses} onClose={() => setDeleting(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function UseList({ uses: { data, total } }: { uses: FileUses }) {
  if (data.length === 0) return <p class="hint">Nowhere. It can be deleted without anything missing.</p>
  return (
    <>
      <ul class="uses">
        {data.map((use) => (
          <li key={`${use.type} ${use.id}`}>
            <UseName use={use} /> <span class="hint">{useTypeName(use)}</span>
          </li>
        ))}
      </ul>
      {total > data.length && <p class="hint">And {count(total - data.length)} more.</p>}
    </>
  )
}

function UseName({ use }: { use: FileUse }) {
  const href = fileUseHref(use)
  return href === null ? <span>{use.name}</span> : <a href={href}>{use.name}</a>
}

type DeleteProps = {
  readonly file: ShopFile
  readonly uses: { readonly data: FileUses | undefined; readonly isLoading: boolean }
  readonly onClose: () => void
}

const MOST_NAMED = 5

function DeleteDialog({ file, uses, onClose }: DeleteProps) {
  const { route } = useLocation()
  const { data: fileUses = [], total = 0 } = uses.data ?? {}
  const namedUses = fileUses.slice(0, MOST_NAMED)
  return (
    <ActionDialog
      title={`Delete ${file.filename}`}
      verb="Delete the file"
      isDangerous
      isReady={!uses.isLoading}
      says={[
        ...(uses.data === undefined
          ? ['Takes it away from whatever shows it.']
          : total === 0
            ? ['It is used nowhere.']
            : namedUses.map((use) => `Takes it away from ${useTypeName(use).toLowerCase()} “${use.name}”.`)),
        ...(total > namedUses.length ? [`And from ${count(total - namedUses.length)} more.`] : []),
        'Removes the file for good: links to it stop working. What is sold as a download cannot be deleted.',
      ]}
      run={() => call('DELETE', `/v1/assets/${file.id}`)}
      onDone={() => {
        invalidateQueries('/v1/assets', '/v1/products', '/v1/categories', '/v1/merchants')
        showToast(`${file.filename} is deleted`)
        onClose()
        route(BACK.href)
      }}
      onClose={onClose}
    />
  )
}
