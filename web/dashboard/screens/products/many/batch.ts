// Changes of many products, which the service makes in sequence. The id of the last one is stored for this tab, so that one can leave and
// come back.

import { useEffect, useState } from 'preact/hooks'
import { connection } from '../../../api.ts'
import { invalidateQueries, useQuery } from '../../../use-query.ts'

export type Batch = {
  readonly id: string
  readonly state: 'running' | 'done'
  readonly total: number
  readonly done: number
  readonly refused: number
  readonly dry_run: boolean
  readonly results: readonly {
    readonly id: string | null
    readonly name: string | null
    readonly state: 'waiting' | 'changed' | 'unchanged' | 'refused'
    readonly message: string | null
    /** Line in the imported table. */
    readonly line: number | null
    readonly errors: readonly { readonly column: string | null; readonly message: string }[]
  }[]
}

export const batchPath = (id: string) => `/v1/products/batch/${id}`
export const batchScreen = (id: string) => `/dashboard/products/batch/${id}`

const KEY = 'cartwright.batch'

/** Stores only the mode and the id. */
export function rememberBatch(id: string | null) {
  try {
    if (id === null) sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, `${connection.mode} ${id}`)
  } catch {}
}

export function readRememberedBatch(): string | null {
  try {
    const [mode, id] = (sessionStorage.getItem(KEY) ?? '').split(' ')
    return id !== undefined && mode === connection.mode ? id : null
  } catch {
    return null
  }
}

/** Polls every second until the batch is done, then drops cached product lists. */
export function useBatch(id: string | null) {
  const [isRunning, setRunning] = useState(true)
  const query = useQuery<Batch>(id === null ? null : batchPath(id), isRunning ? { every: 1 } : {})
  const state = query.data?.state
  useEffect(() => {
    setRunning(state !== 'done')
    if (state === 'done') invalidateQueries('/v1/products?')
  }, [id, state])
  return query
}

/** Reason for a refusal, by column if the batch is an import. */
export const refusalText = ({ message, errors }: Batch['results'][number]): string | null =>
  errors.length > 0
    ? errors
        .map(({ column, message: text }) => (column === null || text.startsWith(column) ? text : `${column}: ${text}`))
        .join(' ')
    : message
