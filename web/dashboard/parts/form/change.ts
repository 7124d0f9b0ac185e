// A change as data: what is sent, what the user is told, and the screen shown next. After each change everything on the screen is read again.

import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { readAllAgain } from '../../use-query.ts'
import { showToast } from '../page/toast.tsx'
import type { FormValues } from './controls.ts'

export type Request = {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** By default the values of the form. A function computes the body from them. */
  readonly body?: unknown
}

type Body = object | ((values: FormValues) => unknown)

const request =
  (method: Request['method']) =>
  (path: string, body?: Body): Request => ({ method, path, body })

export const post = request('POST')
export const put = request('PUT')
export const patch = request('PATCH')
export const del = request('DELETE')

export type Change<T> = {
  readonly request?: Request
  /** Sends it instead of `request`, if one request is not enough. */
  readonly run?: (values: FormValues, options: SendOptions) => Promise<T>
  /** What the user is told: "Tax zone deleted". */
  readonly done?: string | ((result: T) => string)
  readonly onDone?: (result: T) => void
  /** Screen to show next. It takes the place of this one in the history. */
  readonly leadsTo?: string | ((result: T) => string) | undefined
}

export type SendOptions = { readonly idempotencyKey: string; readonly ifMatch: string | null }

/** Rejects with the refusal of the API. */
export function sendChange<T>({ request: sent, run }: Change<T>, values: FormValues, options: SendOptions): Promise<T> {
  if (run !== undefined) return run(values, options)
  if (sent === undefined) throw new Error('A change needs `request` or `run`.')
  const { method, path, body = Object.keys(values).length === 0 ? undefined : values } = sent
  const { idempotencyKey, ifMatch } = options
  return call<T>(method, path, {
    body: typeof body === 'function' ? body(values) : body,
    ifMatch,
    // Only the API acts once for a key. Any other POST must not be repeated by itself.
    ...(method === 'POST' && path.startsWith('/v1/') ? { idempotencyKey } : {}),
  })
}

/** Ends a change after its dialog has closed: shows the next screen, reads everything again and tells the user. */
export function useFinish() {
  const { route } = useLocation()
  return <T>({ request: sent, done, onDone, leadsTo }: Change<T>, result: T) => {
    onDone?.(result)
    if (leadsTo !== undefined) route(typeof leadsTo === 'function' ? leadsTo(result) : leadsTo, true)
    readAllAgain(sent?.method === 'DELETE' && leadsTo !== undefined ? sent.path : undefined)
    if (done !== undefined) showToast(typeof done === 'function' ? done(result) : done)
  }
}
