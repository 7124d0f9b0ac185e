// Timeline of an order, newest first, and notes of the team.

import limits from 'limits:orders.add_note'
import { useState } from 'preact/hooks'
import type { Timeline, TimelineEntry } from '../../../../src/api/orders/timeline/schema.ts'
import { call, problemOf } from '../../api.ts'
import { Icon, type IconName } from '../../icons.tsx'
import { del, post } from '../../parts/form/change.ts'
import { Textarea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Loaded, Section } from '../../parts/page/page.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'

const ICONS: Readonly<Partial<Record<TimelineEntry['type'], IconName>>> = {
  placed: 'orders',
  paid: 'money',
  payment_awaited: 'money',
  payment_held: 'money',
  payment_open: 'money',
  payment_failed: 'warning',
  payment_released: 'money',
  shipped: 'truck',
  returned: 'box',
  refunded: 'refund',
  refund_open: 'refund',
  refund_failed: 'warning',
  disputed: 'warning',
  cancelling: 'close',
  cancelled: 'close',
  receipt_asked: 'mail',
  mail: 'mail',
  note: 'log',
}

const pathOf = (orderId: string) => `/v1/orders/${orderId}/timeline`

export function TimelineSection({ orderId }: { orderId: string }) {
  const may = useMay()
  const query = useQuery<Timeline>(pathOf(orderId))
  const older = useOlder(orderId, query.data?.next ?? null)
  return (
    <Section title="What has happened" kind="order-timeline">
      {may('orders.add_note') && <NoteForm orderId={orderId} />}
      <Loaded of={query} lines={4}>
        {({ data }) => (
          <ol class="ruled">
            {[...data, ...older.data].map((entry) => (
              <li key={`${entry.id} ${entry.type}`} class={`step moment ${entry.type}`}>
                <Icon name={ICONS[entry.type] ?? 'circle'} />
                <div>
                  {entry.type !== 'note' && <p>{entry.text}</p>}
                  {entry.detail !== null && <p class="moment-detail">{entry.detail}</p>}
                  <p class="hint">
                    {entry.type === 'note' && 'Note · '}
                    <When at={entry.at} />
                    {entry.by && ` · ${entry.by}`}
                  </p>
                </div>
                {entry.type === 'note' && (
                  <DialogButton
                    kind="quiet"
                    isSmall
                    icon="close"
                    label="Delete the note"
                    permission="orders.delete_note"
                    dialog={(close) => <DeleteNoteDialog orderId={orderId} note={entry} onClose={close} />}
                  />
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {older.next !== null && <Button words="Show older" isSmall isBusy={older.isBusy} onClick={older.load} />}
    </Section>
  )
}

type Older = Timeline & { readonly from: string | null }

/** Entries after the first page, as far as they were loaded. If the first page now ends elsewhere, they are dropped. */
function useOlder(orderId: string, from: string | null) {
  const [isBusy, setBusy] = useState(false)
  const [loadedPages, setLoadedPages] = useState<Older>({ from: null, data: [], next: null })
  const older = loadedPages.from === from ? loadedPages : { from, data: [], next: from }
  const load = async () => {
    if (older.next === null) return
    setBusy(true)
    try {
      const { data, next } = await call<Timeline>('GET', `${pathOf(orderId)}?after=${encodeURIComponent(older.next)}`)
      setLoadedPages({ from, data: [...older.data, ...data], next })
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return { ...older, isBusy, load }
}

function NoteForm({ orderId }: { orderId: string }) {
  const [key, setKey] = useState(0)
  return (
    <div class="note-form" key={key}>
      <Form
        limits={limits}
        request={post(`/v1/orders/${orderId}/notes`)}
        done="Note added"
        onDone={() => setKey(key + 1)}
      >
        <Textarea name="text" label="Note" hint="Your team sees it, the customer does not." rows={2} />
        <Button words="Add the note" type="submit" isSmall />
      </Form>
    </div>
  )
}

type NoteProps = { readonly orderId: string; readonly note: TimelineEntry; readonly onClose: () => void }

function DeleteNoteDialog({ orderId, note, onClose }: NoteProps) {
  const text = note.detail ?? note.text
  return (
    <ActionDialog
      title="Delete the note"
      verb="Delete the note"
      says={[`Deletes “${text.length > 80 ? `${text.slice(0, 80)}…` : text}”.`, 'It cannot be taken back.']}
      request={del(`/v1/orders/${orderId}/notes/${note.id}`)}
      done="Note deleted"
      onClose={onClose}
    />
  )
}

/** Polling interval in seconds. */
const POLL_SECONDS = 2

/** The latest entry, shown after a conflict: "Refunded $58.89 to card, by Olga". */
export function LatestEntry({ orderId }: { orderId: string }) {
  // Poll, because the other change may finish a moment after it blocked this one.
  const { data } = useQuery<Timeline>(pathOf(orderId), { every: POLL_SECONDS })
  useQuery(`/v1/orders/${orderId}`, { every: POLL_SECONDS })
  const last = data?.data.find(({ type }) => type !== 'mail' && type !== 'note')
  if (last === undefined) return null
  return (
    <p>
      What happened last: <strong>{last.text}</strong>
      {last.by && `, by ${last.by}`}, <When at={last.at} />.
    </p>
  )
}
