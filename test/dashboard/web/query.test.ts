// @unit
// Data that screens have read: requested once at a time, kept by address and mode, and asked again after a write.

import { h, render } from 'preact'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadWeb } from './load.ts'

type Query = { data: unknown; etag: string | null; problem: { status: number } | null; isLoading: boolean }
type Queries = {
  useQuery(path: string | null, options?: object): Query
  readAllAgain(deleted?: string): void
}
const { useQuery, readAllAgain } = await loadWeb<Queries>('use-query.ts')
const { connection } = await loadWeb<{ connection: { mode: string } }>('api.ts')

type Answer = (status: number, body: unknown) => void

let asked: { path: string; mode: string; answer: Answer }[] = []
const roots: object[] = []

function answerLater() {
  let answer: Answer = () => undefined
  const promise = new Promise<Response>((resolve) => {
    answer = (status, body) => {
      const text = JSON.stringify(body)
      resolve(new Response(text, { status, headers: { etag: `"${text.length}"` } }))
    }
  })
  return { promise, answer }
}

beforeEach(() => {
  asked = []
  connection.mode = 'sandbox'
  vi.stubGlobal('fetch', (url: string, { headers }: { headers: Record<string, string> }) => {
    const { promise, answer } = answerLater()
    asked.push({ path: url.replace('/dashboard/api', ''), mode: headers['x-mode'] ?? '', answer })
    return promise
  })
})
afterEach(() => {
  for (const root of roots.splice(0)) render(null, root as never)
})

/** A screen that shows this address. Nothing is drawn, so that preact needs no document. */
function show(path: string, options: object = {}) {
  const root = { nodeType: 1, childNodes: [], firstChild: null, insertBefore: () => undefined }
  const shown: { now?: Query } = {}
  const Screen = ({ at }: { at: string }) => {
    shown.now = useQuery(at, options)
    return null
  }
  const to = (next: string) => render(h(Screen, { at: next }), root as never)
  to(path)
  roots.push(root)
  return Object.assign(shown, { to })
}

const paths = () => asked.map(({ path }) => path)

it('is asked once for two screens, and kept by address and mode', async () => {
  const [one, two] = [show('/v1/a'), show('/v1/a')]
  await expect.poll(paths).toEqual(['/v1/a'])
  expect(one.now).toMatchObject({ data: undefined, isLoading: true })
  asked[0]?.answer(200, { id: 1 })
  await expect.poll(() => [one.now?.data, two.now?.data]).toEqual([{ id: 1 }, { id: 1 }])
  expect(one.now).toMatchObject({ etag: '"8"', isLoading: false, problem: null })
  const again = show('/v1/a')
  expect(again.now?.data).toEqual({ id: 1 })
  connection.mode = 'live'
  const live = show('/v1/a')
  expect(live.now?.data).toBeUndefined()
  await expect.poll(() => asked.map(({ mode }) => mode)).toEqual(['sandbox', 'live'])
})

it('is asked again after a write where it is shown, unless it was deleted, and forgotten elsewhere', async () => {
  const [kept, deleted] = [show('/v1/b/1'), show('/v1/c/1/uses')]
  await expect.poll(paths).toEqual(['/v1/b/1', '/v1/c/1/uses'])
  for (const { answer } of asked) answer(200, 'old')
  await expect.poll(() => [kept.now?.data, deleted.now?.data]).toEqual(['old', 'old'])
  readAllAgain('/v1/c/1')
  await expect.poll(paths).toEqual(['/v1/b/1', '/v1/c/1/uses', '/v1/b/1'])
  // Shown until the next answer is there.
  expect(kept.now?.data).toBe('old')
  asked[2]?.answer(200, 'new')
  await expect.poll(() => kept.now?.data).toBe('new')
  kept.to('/v1/g')
  await expect.poll(() => paths().at(-1)).toBe('/v1/g')
  readAllAgain('/v1/g')
  kept.to('/v1/b/1')
  expect(kept.now?.data).toBeUndefined()
})

it('does not show an answer from before the write', async () => {
  const shown = show('/v1/d')
  await expect.poll(paths).toEqual(['/v1/d'])
  readAllAgain()
  asked[0]?.answer(200, 'old')
  await expect.poll(paths).toEqual(['/v1/d', '/v1/d'])
  expect(shown.now?.data).toBeUndefined()
  asked[1]?.answer(200, 'new')
  await expect.poll(() => shown.now?.data).toBe('new')
})

it('keeps what it showed after a failure, and not after a 403 or a 404', async () => {
  const shown = show('/v1/e')
  for (const [status, data] of [
    [200, 'first'],
    [400, 'first'],
    [200, 'second'],
    [404, undefined],
  ] as const) {
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    asked.shift()?.answer(status, status === 200 ? data : { error: { message: 'No.' } })
    await expect.poll(() => shown.now?.problem?.status ?? 200).toBe(status)
    await expect.poll(() => shown.now?.data).toBe(data)
    readAllAgain()
  }
})

it('shows what the address before gave while the next is on its way, where it shall', async () => {
  const [list, plain] = [show('/v1/f?page=1', { keepsPrevious: true }), show('/v1/f?page=1')]
  await expect.poll(() => asked.length).toBe(1)
  asked[0]?.answer(200, 'page 1')
  await expect.poll(() => [list.now?.data, plain.now?.data]).toEqual(['page 1', 'page 1'])
  list.to('/v1/f?page=2')
  plain.to('/v1/f?page=2')
  expect([list.now?.data, plain.now?.data]).toEqual(['page 1', undefined])
})
