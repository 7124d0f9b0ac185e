// One file: preview, description and uses. The delete dialog names everything that loses the file.

import limits from 'limits:assets.update'
import type { Asset, AssetUses } from '../../../../src/api/assets/schema.ts'
import { del, put } from '../../parts/form/change.ts'
import { Textarea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { CopyButton, LinkButton } from '../../parts/page/button.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, Loaded, Note, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { count, When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { type Query, useQuery } from '../../use-query.ts'
import { FILE_USERS, type FileUse, factsOf, isUnreachable } from './file.ts'
import { FileMarks, FilePreview } from './list.tsx'

export function FileScreen({ id }: ScreenProps) {
  const uses = useQuery<AssetUses>(`/v1/assets/${id}/uses`)
  return (
    <ObjectPage<Asset>
      of={`/v1/assets/${id}`}
      title={({ filename }) => filename}
      untitled="File"
      back={backTo('/dashboard/files', 'Files')}
      backButton="To the files"
      actions={(file) => (
        <>
          {!file.pending && <LinkButton words="Open" icon="out" href={file.url} isOutside />}
          <DialogButton
            words="Delete"
            permission="assets.delete"
            dialog={(close) => <DeleteDialog file={file} uses={uses} onClose={close} />}
          />
        </>
      )}
    >
      {(file, etag) => (
        <>
          {isUnreachable(file) && (
            <Note
              tone="open"
              says="This could not be fetched from the address given for it, so a placeholder is shown. It is tried again for a day. After that, upload the file anew and put it where this one is used."
            />
          )}
          <div class="column pair">
            <Section title="The file">
              <FilePreview file={file} />
              <FileMarks file={file} />
              <Facts
                facts={[
                  ['What it is', factsOf(file)],
                  ['Uploaded', <When at={file.created_at} isFull key="when" />],
                  file.private
                    ? null
                    : ['Address', <CopyButton words="Copy the address" text={file.url} what="Address" key="url" />],
                ]}
              />
            </Section>
            <Description file={file} etag={etag} />
            <Section title="Where it is used">
              <Loaded of={uses} lines={2}>
                {(fileUses) => <UseList uses={fileUses} />}
              </Loaded>
            </Section>
          </div>
        </>
      )}
    </ObjectPage>
  )
}

function Description({ file, etag }: { file: Asset; etag: string | null }) {
  const may = useMay()
  return (
    <Section title="Description">
      <Form
        initial={file}
        etag={etag}
        limits={limits}
        {...(may('assets.update') ? { submit: 'Save' } : {})}
        // The API requires at least one field.
        request={put(`/v1/assets/${file.id}`, (changes) => ({ description: file.description, ...changes }))}
        done="The description is saved"
      >
        <Textarea name="description" label="What it shows" hint="Read aloud to shoppers who do not see the picture." />
      </Form>
    </Section>
  )
}

function UseList({ uses: { data, total } }: { uses: AssetUses }) {
  if (data.length === 0) return <p class="hint">Nowhere. It can be deleted without anything missing.</p>
  return (
    <>
      <ul class="uses">
        {data.map((use) => (
          <li key={`${use.type} ${use.id}`}>
            <a href={FILE_USERS[use.type][1](use.id)}>{use.name}</a> <span class="hint">{fileUserWord(use)}</span>
          </li>
        ))}
      </ul>
      {total > data.length && <p class="hint">And {count(total - data.length)} more.</p>}
    </>
  )
}

const fileUserWord = ({ type }: FileUse): string => FILE_USERS[type][0]

type DeleteProps = { readonly file: Asset; readonly uses: Query<AssetUses>; readonly onClose: () => void }

const MOST_NAMED = 5

function DeleteDialog({ file, uses, onClose }: DeleteProps) {
  const { data: fileUses = [], total = 0 } = uses.data ?? {}
  const namedUses = fileUses.slice(0, MOST_NAMED)
  return (
    <ActionDialog
      title={`Delete ${file.filename}`}
      verb="Delete the file"
      isReady={!uses.isLoading}
      says={[
        ...(uses.data === undefined
          ? ['Takes it away from whatever shows it.']
          : total === 0
            ? ['It is used nowhere.']
            : namedUses.map((use) => `Takes it away from ${fileUserWord(use).toLowerCase()} “${use.name}”.`)),
        ...(total > namedUses.length ? [`And from ${count(total - namedUses.length)} more.`] : []),
        'Removes the file for good: links to it stop working. What is sold as a download cannot be deleted.',
      ]}
      request={del(`/v1/assets/${file.id}`)}
      done={`${file.filename} is deleted`}
      leadsTo={backTo('/dashboard/files', 'Files').href}
      onClose={onClose}
    />
  )
}
