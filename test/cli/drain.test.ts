// @proof @alone: it stops services.
// A stop while requests are in flight: each of them gets its whole answer.

import { describe, expect, it } from 'vitest'
import { beginRequest } from './begun-request.ts'
import { until } from './processes.ts'
import { everyAttribute, type Running, secretOf, start, timeout, usedDataDir } from './support.ts'

const begin = (server: Running, name: string) =>
  beginRequest(server.url, '/v1/attributes', secretOf(server), { name, description: '', type: 'short_text' })

type Outcome =
  | { kind: 'answered'; status: number; id: string | null }
  | { kind: 'refused' }
  | { kind: 'cut'; why: string }

/** One keep-alive client, request after request until the server is gone. */
async function keepAsking(server: Running, name: string, outcomes: Outcome[]) {
  for (let number = 0; ; number++) {
    let isBegun = false
    try {
      const answer = await fetch(`${server.url}/v1/attributes`, {
        method: 'POST',
        headers: { 'x-authorization': secretOf(server), 'content-type': 'application/json' },
        body: JSON.stringify({ name: `${name} ${number}`, description: '', type: 'short_text' }),
      })
      isBegun = true
      const body = (await answer.json()) as { id?: string; status_code?: number }
      outcomes.push({ kind: 'answered', status: answer.status, id: body.id ?? null })
      if (answer.status === 503 && body.status_code !== 503) outcomes.push({ kind: 'cut', why: 'no error body' })
    } catch (error) {
      outcomes.push(isBegun ? { kind: 'cut', why: String(error) } : { kind: 'refused' })
      return
    }
  }
}

describe.each(['1', '2'])('a stop, with WORKERS=%s', (WORKERS) => {
  it('lets slow uploads and busy keep-alive clients have whole answers, and keeps them', { timeout }, async () => {
    const dataDir = await usedDataDir()
    const server = await start({ dataDir, env: { WORKERS } })
    const uploads = await Promise.all(Array.from({ length: 8 }, (_, index) => begin(server, `slow ${index}`)))
    const outcomes: Outcome[] = []
    const clients = Array.from({ length: 12 }, (_, index) => keepAsking(server, `client ${index}`, outcomes))
    expect(await until(() => outcomes.length >= 100)).toBe(true)

    const ended = server.stop()
    await Promise.all(clients)
    expect(await until(() => isRefused(server.url))).toBe(true)
    const finishedAt = performance.now()
    for (const upload of uploads) upload.finish()
    const answers = await Promise.all(uploads.map(({ answer }) => answer))
    expect(await ended).toMatchObject({ code: 0 })
    expect(performance.now() - finishedAt).toBeLessThan(60_000)

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(outcomes.filter(({ kind }) => kind === 'cut')).toEqual([])
    const answered = outcomes.filter((outcome) => outcome.kind === 'answered')
    expect(answered.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
    const again = await start({ dataDir })
    const kept = new Set(await everyAttribute(again))
    const uploaded = answers.map(({ body }) => (body as { id: string }).id)
    const acknowledged = [...uploaded, ...answered.filter(({ status }) => status === 201).map(({ id }) => id ?? '')]
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    await again.stop()
  })
})

const isRefused = (url: string) =>
  fetch(`${url}/health/live`).then(
    () => false,
    ({ cause }: Error) => (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED',
  )
