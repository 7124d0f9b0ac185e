// Shows the progress or the result of the last batch above the list.

import { useState } from 'preact/hooks'
import { Button, LinkButton } from '../../../parts/page/button.tsx'
import { Note } from '../../../parts/page/page.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { batchScreen, readRememberedBatch, rememberBatch, useBatch } from './batch.ts'

export function LastBatch() {
  const [id, setId] = useState(readRememberedBatch)
  const { data, problem } = useBatch(id)
  const isDone = data?.state === 'done'
  if (id === null || data === undefined || problem?.status === 404) return null
  const forget = () => {
    rememberBatch(null)
    setId(null)
  }
  return (
    <Note tone={isDone ? (data.refused > 0 ? 'open' : 'good') : 'calm'}>
      <div class="row" role="status">
        <p>
          {isDone
            ? `${plural(data.done - data.refused, 'product')} changed${data.refused > 0 ? `, ${data.refused} refused` : ''}.`
            : `Changing ${plural(data.total, 'product')}: ${data.done} done.`}
        </p>
        <LinkButton words="See each" isSmall href={batchScreen(id)} />
        {isDone && <Button words="Hide" isSmall kind="quiet" onClick={forget} />}
      </div>
    </Note>
  )
}
