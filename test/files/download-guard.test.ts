// @unit
// What a name or a redirect leads to. Here 127.0.0.2 plays the public internet and 127.0.0.1 the inside, where the canary sits.

import type { LookupFunction } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { createFileDownloader } from '../../src/files/download.ts'
import { discard } from '../../src/files/receive.ts'
import { listen, MB, notFetched, refusedAsPrivate, resolver, startCanary } from './fetching.ts'
import { namesIn, scratchFolder } from './scratch.ts'

const folder = await scratchFolder()
const canary = await startCanary('127.0.0.1')
const isPublic = (address: string) => address === '127.0.0.2'

const paths: string[] = []
/** Redirects to whatever the query says; else sends a file. */
const port = await listen((request, response) => {
  paths.push(request.url ?? '')
  const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to')
  if (to === null) response.end('a file')
  else response.writeHead(Number(request.url?.slice(1, 4)), { location: to }).end('secret')
}, '127.0.0.2')

beforeEach(() => {
  canary.hits = 0
  paths.length = 0
})

const timing = { totalMs: 60_000, connectMs: 20_000 }
const guarded = (lookup: LookupFunction = resolver({})) =>
  createFileDownloader({ allowPrivateAddresses: false, isPublic, lookup, ...timing })

const redirect = (to: string, status = 302) => `http://127.0.0.2:${port}/${status}?to=${encodeURIComponent(to)}`

async function fetched(url: string, get = guarded()): Promise<string> {
  const file = await get(url, MB, folder)
  await discard(file)
  return Buffer.from(file.head).toString()
}

describe('a name', () => {
  test('is looked up once, so that it cannot change its mind between check and connection', async () => {
    const lookup = resolver({ 'rebinding.example': [['127.0.0.2'], ['127.0.0.1']] })
    const get = guarded(lookup)
    expect(await fetched(`http://rebinding.example:${port}/`, get)).toBe('a file')
    expect(lookup.asked).toEqual(['rebinding.example'])
    await expect(get(`http://rebinding.example:${canary.port}/`, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect(canary.hits).toBe(0)
  })

  test('that changes its mind between two hops is refused at the second', async () => {
    const lookup = resolver({ 'rebinding.example': [['127.0.0.2'], ['127.0.0.1']] })
    const url = `http://rebinding.example:${port}/302?to=${encodeURIComponent(`http://rebinding.example:${canary.port}/`)}`
    await expect(guarded(lookup)(url, MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect([canary.hits, lookup.asked.length]).toEqual([0, 2])
  })

  test('that nobody knows cannot be fetched', async () => {
    await expect(guarded()('http://nobody.example/', MB, folder)).rejects.toMatchObject(notFetched)
  })

  test('whose server is silent does not keep more than two look-ups busy', async () => {
    let running = 0
    let most = 0
    const pending: (() => void)[] = []
    const silent: LookupFunction = (_, __, callback) => {
      running += 1
      most = Math.max(most, running)
      pending.push(() => {
        running -= 1
        callback(new Error('gave up'), '', 0)
      })
    }
    const get = createFileDownloader({ allowPrivateAddresses: false, lookup: silent, totalMs: 400, connectMs: 100 })
    const all = Array.from({ length: 8 }, (_, at) => get(`http://silent-${at}.example/`, MB, folder))
    const results = await Promise.allSettled(all)
    expect(results.map((result) => result.status)).toEqual(all.map(() => 'rejected'))
    expect([running, most]).toEqual([2, 2])
    while (pending.length > 0) pending.shift()?.()
    expect([running, most]).toEqual([0, 2])
  })
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of status %i to a public address is followed', async (status) => {
    expect(await fetched(redirect('/b.png', status))).toBe('a file')
    expect(paths[1]).toBe('/b.png')
  })

  test.each([
    'http://127.0.0.1:PORT/',
    'http://[::1]:PORT/',
    '//127.0.0.1:PORT/',
    'http:\\\\127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'http://inside.example:PORT/',
    'http://169.254.169.254/latest/meta-data/',
  ])('to %s is refused without asking', async (to) => {
    const get = guarded(resolver({ 'inside.example': [['127.0.0.1']] }))
    const target = to.replace('PORT', String(canary.port))
    await expect(get(redirect(target), MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    await expect(get(redirect(redirect(target)), MB, folder)).rejects.toMatchObject(refusedAsPrivate)
    expect(canary.hits).toBe(0)
  })

  test.each(['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:image/png,x', 'http://a:b@127.0.0.2/', 'http://[', ''])(
    'to %j is not followed',
    async (to) => {
      const get = guarded()
      // An empty one leads back to itself.
      await expect(get(redirect(to), MB, folder)).rejects.toMatchObject(notFetched)
    },
  )

  test('leads on three times and not a fourth', async () => {
    const chain = (length: number): string => (length === 0 ? '/end' : redirect(chain(length - 1)))
    expect(await fetched(chain(3))).toBe('a file')
    paths.length = 0
    await expect(guarded()(chain(4), MB, folder)).rejects.toMatchObject(notFetched)
    expect(paths).toHaveLength(4)
  })

  test('without a place is not followed', async () => {
    const bare = await listen((_, response) => response.writeHead(302).end(), '127.0.0.2')
    await expect(guarded()(`http://127.0.0.2:${bare}/`, MB, folder)).rejects.toMatchObject(notFetched)
  })
})

describe('when the operator allows private addresses', () => {
  test('they are fetched from, by name and by address', async () => {
    const get = createFileDownloader({
      allowPrivateAddresses: true,
      lookup: resolver({ 'inside.example': [['127.0.0.1']] }),
      ...timing,
    })
    expect(await fetched(`http://127.0.0.1:${canary.port}/`, get)).toBe('secret')
    expect(await fetched(`http://inside.example:${canary.port}/`, get)).toBe('secret')
  })

  test('and the system looks up names when nobody else does', async () => {
    const get = createFileDownloader({ allowPrivateAddresses: true, ...timing })
    expect(await fetched(`http://localhost:${canary.port}/`, get)).toBe('secret')
    await expect(
      createFileDownloader({ allowPrivateAddresses: false, ...timing })(`http://localhost:${canary.port}/`, MB, folder),
    ).rejects.toMatchObject(refusedAsPrivate)
    expect(canary.hits).toBe(1)
  })
})

test('nothing is left in the folder', async () => {
  expect(await namesIn(folder)).toEqual([])
})
