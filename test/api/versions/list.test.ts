// GET /v1/versions: what each version has changed, which one the shop is set to, and who still asks for which.

import { describe, expect, it } from 'vitest'
import { countByVersion } from '../../../src/request-log/store.ts'
import { HEAD, versions } from '../../../src/versions/index.ts'
import { keepEntries, loggedEntry } from '../../request-log/entries.ts'
import { testApp } from '../../support/app.ts'
import { DAY } from '../../support/shop.ts'
import { loggingApp } from '../developer/logs-support.ts'

const { app } = await loggingApp()
const OLD = '2020-02-01'

type Versions = {
  data: { date: string; changes: string[]; requests: number | null }[]
  current: string
  newest: string
  requests_since: number | null
}

const read = async (key: string, at = app) => {
  const { status, body, text } = await at.call('GET', '/v1/versions', {
    key,
    headers: { 'x-forwarded-proto': 'https' },
  })
  expect(status, text).toBe(200)
  return body as Versions
}

const counts = ({ data }: Versions) =>
  Object.fromEntries(data.filter(({ requests }) => requests !== 0).map(({ date, requests }) => [date, requests]))

describe('the versions of the API', () => {
  it('are told newest first, each with the sentences of its changes', async () => {
    const { keys } = await app.merchant()
    const { data, current, newest } = await read(keys.sandbox.secret)
    expect([current, newest]).toEqual([HEAD, HEAD])
    expect(data.map(({ date }) => date)).toEqual(versions.map(({ date }) => date))
    expect(data.find(({ date }) => date === '2021-09-29')?.changes).toEqual(
      versions.find(({ date }) => date === '2021-09-29')?.changes.map(({ summary }) => summary),
    )
    for (const { changes } of data) for (const sentence of changes) expect(sentence).toMatch(/^\S.*\.$/)
  })

  it('tell how many requests of seven days were answered in each, of this shop and this mode alone', async () => {
    const { id, keys } = await app.merchant()
    const stranger = await app.merchant()
    const now = app.clock.now().getTime()
    const entry = (version: string, daysAgo: number, more = {}, shop = id) =>
      loggedEntry(shop, now - daysAgo * DAY * 1_000 - 1, { version, ...more })
    await keepEntries(app.db, [
      ...[entry(HEAD, 0), entry(HEAD, 3), entry(HEAD, 6.9), entry(OLD, 6), entry(OLD, 8)],
      entry(OLD, 1, { is_sandbox: false }),
    ])
    await keepEntries(app.db, [entry(OLD, 1, {}, stranger.id)])
    const found = await read(keys.sandbox.secret)
    expect(counts(found)).toEqual({ [HEAD]: 3, [OLD]: 1 })
    expect(found.requests_since).toBe(Math.floor(now / 1_000) - 7 * DAY)
    expect(counts(await read(keys.live.secret))).toMatchObject({ [OLD]: 1 })
  })

  it('of a busy shop count its newest requests, and say from when on', async () => {
    const { id } = await app.merchant()
    const now = app.clock.now().getTime()
    const at = (ms: number) => now - ms
    await keepEntries(
      app.db,
      [1_000, 2_000, 3_000, 4_000].map((ms) => loggedEntry(id, at(ms), { version: HEAD })),
    )
    const scope = { merchant_id: id, is_sandbox: true }
    const { requests, since } = await countByVersion(app.db, scope, new Date(at(10_000)), 3)
    expect([requests.get(HEAD), since.getTime()]).toEqual([3, at(3_000)])
  })

  it.each(['off', 'errors'] as const)('have no count where the request log is %s', async (requestLog) => {
    const silent = await testApp({ requestLog })
    const { keys } = await silent.merchant()
    const { data, requests_since } = await read(keys.sandbox.secret, silent)
    expect(new Set(data.map(({ requests }) => requests))).toEqual(new Set([null]))
    expect(requests_since).toBeNull()
  })
})
