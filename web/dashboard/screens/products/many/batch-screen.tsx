// Progress and results of a change of many products. The service continues by itself, so the page can be closed.

import { useState } from 'preact/hooks'
import type { ProductBatch } from '../../../../../src/api/products/batch/schema.ts'
import { backTo } from '../../../parts/list/last-address.ts'
import { type Column, Table } from '../../../parts/list/table.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { Note, ObjectPage, type ScreenProps } from '../../../parts/page/page.tsx'
import { Badge, None, plural } from '../../../parts/show/values.tsx'
import { type BatchResult, refusalText, useBatch } from './batch.ts'

type Row = BatchResult & { readonly key: string }

const STATES = {
  waiting: <Badge tone="open">Waiting</Badge>,
  changed: <Badge tone="good">Changed</Badge>,
  unchanged: <Badge>As it was</Badge>,
  refused: <Badge tone="bad">Refused</Badge>,
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Product',
    cell: ({ id, name }) => (id === null ? (name ?? <None />) : <a href={`/dashboard/products/${id}`}>{name ?? id}</a>),
  },
  { label: 'Result', cell: ({ state }) => STATES[state], phone: 'aside' },
  { label: 'Why', cell: (result) => refusalText(result) ?? <None says="nothing to say" /> },
]

export function BatchScreen({ id }: ScreenProps) {
  return (
    <ObjectPage of={useBatch(id)} title="Change of many products" back={backTo('/dashboard/products', 'Products')}>
      {(batch) => <Progress batch={batch} />}
    </ObjectPage>
  )
}

function Progress({ batch }: { batch: ProductBatch }) {
  const [shows, setShows] = useState<'all' | 'refused'>('all')
  const { state, total, done, refused } = batch
  const rows = batch.results
    .map((result, index) => ({ ...result, key: String(index) }))
    .filter((result) => shows === 'all' || result.state === 'refused')
  return (
    <>
      <Note tone={state === 'running' ? 'calm' : refused > 0 ? 'open' : 'good'}>
        <p role="status">
          {state === 'running'
            ? `${done} of ${plural(total, 'product')} done.`
            : `Done: ${plural(done - refused, 'product')} changed${refused > 0 ? `, ${refused} refused. The others are changed all the same` : ''}.`}
        </p>
        <progress class="batch-progress" value={done} max={total} aria-label="Products done" />
        {state === 'running' && <p class="hint">It goes on by itself. You can leave this page and come back.</p>}
        {refused > 0 && (
          <p>
            <Button
              words={shows === 'all' ? `Show only the ${refused} refused` : 'Show all'}
              isSmall
              onClick={() => setShows(shows === 'all' ? 'refused' : 'all')}
            />
          </p>
        )}
      </Note>
      <Table caption="Result of each product" rows={rows} columns={COLUMNS} keyOf={({ key }) => key} />
    </>
  )
}
