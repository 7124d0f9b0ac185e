// @sampled: a store that hangs is waited for in the proof.
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readListing, s3Store } from '../../src/files/s3.ts'
import { ApiError } from '../../src/lib/errors.ts'
import { expectProportional } from '../lib/proportional.ts'
import { isProof } from '../support/proof.ts'
import { startS3Server } from './s3-server.ts'
import { bytesOf, namesIn, received, scratchFolder } from './scratch.ts'

const folder = await scratchFolder()
const server = await startS3Server()
afterAll(() => server.close())
const store = s3Store(server.settings, { firstWaitMs: 5, idleMs: 2_000 })

const KEY = '7/ast_0123456789abcdefghijklmnop'
const key = (merchant: number, letter: string) => `${merchant}/ast_${letter.repeat(26)}`

beforeEach(() => {
  server.objects.clear()
  server.mishaps.length = 0
  server.requests.length = 0
  server.pageSize = 1_000
})

const unreachable = {
  status: 503,
  type: 'unavailable',
  message: 'The file store cannot be reached. Try again in a moment.',
}

describe('a store that speaks S3', () => {
  test('keeps a file under its key and consumes the temporary one', async () => {
    await store.put(KEY, await received(folder, 'hello'))
    expect([...server.objects.keys()]).toEqual([KEY])
    expect(server.objects.get(KEY)?.bytes.toString()).toBe('hello')
    expect(await namesIn(folder)).toEqual([])
  })

  test('gives a part of a file with the size of the whole, until it is removed', async () => {
    await store.put(KEY, await received(folder, '0123456789'))
    const opened = await store.open(KEY, { start: 2, end: 4 })
    expect([opened?.size, String(await bytesOf(opened))]).toEqual([10, '234'])
    await store.remove(KEY)
    await store.remove(KEY)
    expect([await store.open(KEY), server.objects.size]).toEqual([null, 0])
  })

  test('a key that is not ours asks nothing of the store', async () => {
    const file = await received(folder, 'x')
    await expect(store.put('../other-bucket/x', file)).rejects.toThrow(RangeError)
    await expect(store.open('7/../../x')).rejects.toThrow(RangeError)
    await expect(store.remove('7/a?versionId=1')).rejects.toThrow(RangeError)
    expect([server.requests, await namesIn(folder)]).toEqual([[], []])
  })

  test('lists old keys over several pages, in order, from a key on, leaving foreign and young objects alone', async () => {
    server.pageSize = 2
    const old = { bytes: Buffer.from('x'), modified: new Date('2026-01-01T00:00:00Z') }
    const young = { bytes: Buffer.from('x'), modified: new Date('2026-01-03T00:00:00Z') }
    const all = [key(1, 'a'), key(1, 'c'), key(10, 'a'), key(2, 'a'), key(2, 'b')]
    for (const name of all) server.objects.set(name, old)
    server.objects.set(key(1, 'b'), young)
    server.objects.set('backups/<a & b>.tar', old)
    const moment = new Date('2026-01-02T00:00:00Z')
    expect(await store.listOlderThan(moment, null, 100)).toEqual(all)
    expect(await store.listOlderThan(moment, null, 2)).toEqual(all.slice(0, 2))
    expect(await store.listOlderThan(moment, key(1, 'c'), 100)).toEqual(all.slice(2))
    expect(await store.listOlderThan(moment, key(2, 'b'), 100)).toEqual([])
  })
})

/** Each hang is waited for. */
const HANG = isProof ? (['hang'] as const) : []

describe('when the store stumbles', () => {
  test.each(['fail', 'slow-down', 'reset', ...HANG] as const)(
    'two mishaps of the kind %s are overcome',
    async (mishap) => {
      server.mishaps.push(mishap, mishap)
      await store.put(KEY, await received(folder, 'hello'))
      server.mishaps.push(mishap, mishap)
      expect(String(await bytesOf(await store.open(KEY)))).toBe('hello')
      server.mishaps.push(mishap, mishap)
      await store.remove(KEY)
      expect(server.objects.size).toBe(0)
    },
  )

  test.each(['fail', 'reset', ...HANG] as const)(
    'three mishaps of the kind %s are answered as unavailable',
    async (mishap) => {
      const file = await received(folder, 'hello')
      server.mishaps.push(mishap, mishap, mishap)
      await expect(store.put(KEY, file)).rejects.toMatchObject(unreachable)
      expect([server.objects.size, await namesIn(folder)]).toEqual([0, []])
      server.mishaps.push(mishap, mishap, mishap)
      await expect(store.open(KEY)).rejects.toMatchObject(unreachable)
      server.mishaps.push(mishap, mishap, mishap)
      await expect(store.listOlderThan(new Date(), null, 10)).rejects.toMatchObject(unreachable)
    },
  )

  test('a refusal is not tried again, and its reason stays out of the message', async () => {
    const file = await received(folder, 'hello')
    server.mishaps.push('refuse')
    const error = await store.put(KEY, file).catch((thrown) => thrown)
    expect(error).toMatchObject(unreachable)
    expect(error).toBeInstanceOf(ApiError)
    expect(String(error.cause)).toContain('AccessDenied')
    expect(server.requests).toEqual([`PUT /shop-files/${KEY}`])
  })

  test('a file that breaks off while it is read ends in an error, not in a short file', async () => {
    await store.put(KEY, await received(folder, Buffer.alloc(200_000)))
    server.mishaps.push('reset-midway')
    const opened = await store.open(KEY)
    await expect(bytesOf(opened)).rejects.toThrow()
  })

  test('a secret that does not match is refused by the store', async () => {
    const wrong = s3Store({ ...server.settings, secretAccessKey: 'other' }, { tries: 1 })
    const error = await wrong.remove(KEY).catch((thrown) => thrown)
    expect(String(error.cause)).toContain('SignatureDoesNotMatch')
  })

  test('a bucket that does not exist is not a file that does not exist', async () => {
    const wrong = s3Store({ ...server.settings, bucket: 'nowhere' }, { tries: 1 })
    await expect(wrong.open(KEY)).rejects.toMatchObject(unreachable)
    await expect(wrong.remove(KEY)).rejects.toMatchObject(unreachable)
  })
})

describe('a listing', () => {
  const page = (inner: string) => `<?xml version="1.0"?><ListBucketResult>${inner}</ListBucketResult>`

  test('undoes the escapes of XML once', () => {
    const xml = page(
      '<IsTruncated>false</IsTruncated><Contents><Key>a&amp;lt;&#60;&#x3e;&quot;&nope;</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>',
    )
    expect(readListing(xml)).toEqual({
      objects: [{ key: 'a&lt;<>"&nope;', modified: new Date('2026-01-01T00:00:00Z') }],
      next: null,
    })
  })

  test('does not expand entities', () => {
    const xml = `<!DOCTYPE a [<!ENTITY lol "lollollol">]>${page('<IsTruncated>true</IsTruncated><NextContinuationToken>&lol;</NextContinuationToken>')}`
    expect(readListing(xml)).toEqual({ objects: [], next: '&lol;' })
  })

  test.each([
    ['a page of HTML', '<html><body>Welcome to the captive portal</body></html>'],
    ['nothing', ''],
    ['a page that goes on without saying how', page('<IsTruncated>true</IsTruncated>')],
    ['an object without a time', page('<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>')],
  ])('%s is refused', (_, xml) => {
    expect(() => readListing(xml)).toThrow()
  })

  test('takes time in proportion to its length', () => {
    expectProportional('<Contents>', 800_000, (size) => {
      expect(() => readListing('<Contents>'.repeat(size))).toThrow()
    })
  })
})
