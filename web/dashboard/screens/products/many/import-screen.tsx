// Imports products from a table. A dry run comes first: it shows the effect and the errors of each line before anything is changed.

import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { ProductBatch } from '../../../../../src/api/products/batch/schema.ts'
import { type ApiProblem, call, newIdempotencyKey, problemOf } from '../../../api.ts'
import { FileBox } from '../../../parts/form/file-box.tsx'
import { backTo } from '../../../parts/list/last-address.ts'
import { type Column, Table } from '../../../parts/list/table.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { Loaded, Note, Page, Problem, Section } from '../../../parts/page/page.tsx'
import { Badge, None, plural } from '../../../parts/show/values.tsx'
import { readAllAgain } from '../../../use-query.ts'
import { type BatchResult, batchScreen, refusalText, rememberBatch, useBatch } from './batch.ts'

type DryRun = { readonly name: string; readonly csv: string; readonly id: string }

export function ImportScreen() {
  const { route } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [dryRun, setDryRun] = useState<DryRun | null>(null)
  const key = useRef(newIdempotencyKey())

  const send = async (csv: string, isDryRun: boolean): Promise<ProductBatch | null> => {
    setBusy(true)
    setProblem(null)
    const batch = await call<ProductBatch>('POST', '/v1/products/import', {
      body: { csv, dry_run: isDryRun },
      ...(isDryRun ? {} : { idempotencyKey: key.current }),
    }).catch((error) => setProblem(problemOf(error)))
    setBusy(false)
    return batch ?? null
  }

  const startDryRun = async (file: File | undefined) => {
    if (file === undefined) return
    const csv = await file.text()
    const batch = await send(csv, true)
    key.current = newIdempotencyKey()
    setDryRun(batch === null ? null : { name: file.name, csv, id: batch.id })
  }

  const importTable = async () => {
    const batch = dryRun && (await send(dryRun.csv, false))
    if (!batch) return
    rememberBatch(batch.id)
    readAllAgain()
    route(batchScreen(batch.id))
  }

  return (
    <Page
      title="Import products"
      back={backTo('/dashboard/products', 'Products')}
      intro="Take the table that “Export” gives, change it in any spreadsheet, and bring it back as CSV. Lines with an id change that product, lines without one make a new one."
    >
      <Section title="The table" hidesTitle>
        <div class="form">
          <FileBox
            label="Table as CSV"
            words={dryRun === null ? 'Choose a table' : 'Choose another'}
            icon="up"
            kind={dryRun === null ? 'primary' : 'plain'}
            isBusy={isBusy}
            hint="or drag it here. Nothing is changed yet: you see first what it would do."
            accept=".csv,text/csv"
            onFiles={([file]) => startDryRun(file)}
          />
          {problem !== null && <Problem problem={problem} />}
          {dryRun !== null && <Outcome tried={dryRun} isBusy={isBusy} onGo={importTable} />}
        </div>
      </Section>
    </Page>
  )
}

type OutcomeProps = { readonly tried: DryRun; readonly isBusy: boolean; readonly onGo: () => void }

function Outcome({ tried: { name, id }, isBusy, onGo }: OutcomeProps) {
  return (
    <Loaded of={useBatch(id)}>
      {(batch) => {
        if (batch.state === 'running')
          return (
            <Note>
              <p role="status">
                Looking at {name}: {batch.done} of {plural(batch.total, 'line')}.
              </p>
              <progress class="batch-progress" value={batch.done} max={batch.total} aria-label="Lines looked at" />
            </Note>
          )
        const good = batch.total - batch.refused
        return (
          <>
            <Note tone={batch.refused > 0 ? 'open' : 'good'}>
              <p role="status">
                <strong>{name}</strong>: {plural(good, 'line')} can be imported
                {batch.refused > 0 ? `, ${plural(batch.refused, 'line')} cannot` : ''}. Nothing is changed yet.
              </p>
            </Note>
            <Table
              caption="What each line would do"
              rows={batch.results}
              keyOf={(row) => String(row.line)}
              columns={COLUMNS}
            />
            {good > 0 && (
              <p>
                <Button words={`Import ${plural(good, 'line')}`} kind="primary" isBusy={isBusy} onClick={onGo} />
              </p>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

const COLUMNS: readonly Column<BatchResult>[] = [
  { label: 'Product', cell: ({ name }) => name ?? <None /> },
  { label: 'Line', cell: ({ line }) => `Line ${line}` },
  { label: 'Would be', phone: 'aside', cell: stateOf },
  { label: 'Why', cell: (result) => refusalText(result) ?? <None says="nothing to say" /> },
]

function stateOf({ id, state }: BatchResult) {
  if (state === 'refused') return <Badge tone="bad">Refused</Badge>
  if (state === 'unchanged') return <Badge>As it is</Badge>
  return <Badge tone="good">{id === null ? 'Added' : 'Changed'}</Badge>
}
