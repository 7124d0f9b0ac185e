// Changes of many products, which the service makes in sequence. The id of the last one is stored for this tab, so that one can leave and
// come back.

import { useEffect, useState } from 'preact/hooks'
import type { ProductBatch } from '../../../../../src/api/products/batch/schema.ts'
import { connection } from '../../../api.ts'
import { readStored, store } from '../../../stored.ts'
import { readAllAgain, useQuery } from '../../../use-query.ts'

export type BatchResult = ProductBatch['results'][number]

export const batchScreen = (id: string) => `/dashboard/products/batch/${id}`

const KEY = 'cartwright.batch'

/** Stores only the mode and the id. */
export function rememberBatch(id: string | null) {
  store('tab', KEY, id === null ? null : `${connection.mode} ${id}`)
}

export function readRememberedBatch(): string | null {
  const [mode, id] = (readStored('tab', KEY) ?? '').split(' ')
  return id !== undefined && mode === connection.mode ? id : null
}

/** Polls every second until the batch is done, then drops cached product lists. */
export function useBatch(id: string | null) {
  const [isRunning, setRunning] = useState(true)
  const query = useQuery<ProductBatch>(id === null ? null : `/v1/products/batch/${id}`, isRunning ? { every: 1 } : {})
  const state = query.data?.state
  useEffect(() => {
    setRunning(state !== 'done')
    if (state === 'done') readAllAgain()
  }, [id, state])
  return query
}

/** Reason for a refusal. The errors of an import name their columns. */
export const refusalText = ({ message, errors }: BatchResult): string | null =>
  errors.length > 0 ? errors.map((error) => error.message).join(' ') : message
