// Timeline of an order, newest first, and notes of the team.

import { useState } from 'preact/hooks'
import { call, problemOf } from '../../api.ts'
import { Icon, type IconName } from '../../icons.tsx'
import { Textarea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { reportChange } from './dialogs/act.ts'
import { DeleteNoteDialog } from './dialogs/confirmations.tsx'

type TimelineEntry = {
  readonly id: string
  readonly at: number
  readonly type: string
  readonly text: string
  readonly by: string | null
  readonly detail: string | null
}

const ICONS: Readonly<Record<string, IconName>> = {
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

type EntryPage = { readonly data: readonly TimelineEntry[]; readonly next: string | null }

const pathOf = (orderId: string) => `/v1/orders/${orderId}/timeline`

export function TimelineSection({ orderId }: { orderId: string }) {
  const may = useMay()
  const query = useQuery<EntryPage>(pathOf(orderId))
  const [target, setTarget] = useState<TimelineEntry | null>(null)
  const older = useOlder(orderId, query.data?.next ?? null)
  return (
    <Section title="What has happened" kind="order-timeline">
      {may('orders.add_note') && <NoteForm orderId={orderId} />}
      <Loaded query={query} lines={4}>
        {({ data }) => (
          <ol class="timeline">
            {[...data, ...older.entries].map((entry) => (
              <li key={`${entry.id} ${entry.type}`} class={`moment ${entry.type}`}>
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
                {entry.type === 'note' && may('orders.delete_note') && (
                  <Button kind="quiet" isSmall icon="close" label="Delete the note" onClick={() => setTarget(entry)} />
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {older.next !== null && (
        <Button isSmall isBusy={older.isBusy} onClick={older.load}>
          Show older
        </Button>
      )}
      {target !== null && (
        <DeleteNoteDialog
          orderId={orderId}
          noteId={target.id}
          text={target.detail ?? target.text}
          onClose={() => setTarget(null)}
        />
      )}
    </Section>
  )
}

type Older = { readonly from: string | null; readonly entries: readonly TimelineEntry[]; readonly next: string | null }

/** Entries after the first page, as far as they were loaded. If the first page now ends elsewhere, they are dropped. */
function useOlder(orderId: string, from: string | null) {
  const [isBusy, setBusy] = useState(false)
  const [loadedPages, setLoadedPages] = useState<Older>({ from: null, entries: [], next: null })
  const older = loadedPages.from === from ? loadedPages : { from, entries: [], next: from }
  const load = async () => {
    if (older.next === null) return
    setBusy(true)
    try {
      const { data, next } = await call<EntryPage>('GET', `${pathOf(orderId)}?after=${encodeURIComponent(older.next)}`)
      setLoadedPages({ from, entries: [...older.entries, ...data], next })
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
        run={(body) => call('POST', `/v1/orders/${orderId}/notes`, { body })}
        onDone={() => {
          reportChange('Note added')
          setKey(key + 1)
        }}
      >
        <Textarea
          name="text"
          label="Note"
          hint="Your team sees it, the customer does not."
          rows={2}
          maxLength={2_000}
        />
        <Button type="submit" isSmall>
          Add the note
        </Button>
      </Form>
    </div>
  )
}

/** Polling interval in seconds. */
const POLL_SECONDS = 2

/** The latest entry, shown after a conflict: "Refunded $58.89 to card, by Olga". */
export function LatestEntry({ orderId }: { orderId: string }) {
  // Poll, because the other change may finish a moment after it blocked this one.
  const { data } = useQuery<EntryPage>(pathOf(orderId), { every: POLL_SECONDS })
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
