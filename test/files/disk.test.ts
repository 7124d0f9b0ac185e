// @unit
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { diskStore } from '../../src/files/disk.ts'
import { receiveFile } from '../../src/files/receive.ts'
import { bytesOf, namesIn, received, scratchFolder } from './scratch.ts'

const incoming = await scratchFolder()
const KEY = '7/ast_0123456789abcdefghijklmnop'
const key = (merchant: number, letter: string) => `${merchant}/ast_${letter.repeat(26)}`

describe('a folder of files', () => {
  test('keeps a file under its key, for this user alone, and consumes the temporary one', async () => {
    const folder = join(await scratchFolder(), 'assets')
    const store = diskStore(folder)
    await store.put(KEY, await received(incoming, 'hello'))
    const opened = await store.open(KEY)
    expect([opened?.size, String(await bytesOf(opened))]).toEqual([5, 'hello'])
    expect((await stat(join(folder, KEY))).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, '7'))).mode & 0o777).toBe(0o700)
    expect(await namesIn(incoming)).toEqual([])
  })

  test('gives a part of a file with the size of the whole, until it is removed', async () => {
    const store = diskStore(await scratchFolder())
    expect(await store.open(KEY)).toBeNull()
    await store.put(KEY, await received(incoming, '0123456789'))
    const opened = await store.open(KEY, { start: 2, end: 4 })
    expect([opened?.size, String(await bytesOf(opened))]).toEqual([10, '234'])
    expect(await store.open(key(7, 'z'))).toBeNull()
    await store.remove(KEY)
    await store.remove(KEY)
    expect(await store.open(KEY)).toBeNull()
  })

  test('a file that is being read survives its removal', async () => {
    const store = diskStore(await scratchFolder())
    await store.put(KEY, await received(incoming, Buffer.alloc(300_000, 'a')))
    const opened = await store.open(KEY)
    await store.remove(KEY)
    expect((await bytesOf(opened))?.length).toBe(300_000)
  })

  test('a process that dies before the rename leaves no visible file', async () => {
    const folder = await scratchFolder()
    const store = diskStore(folder)
    const file = await receiveFile(Buffer.from('whole'), 100, folder)
    expect([await store.open(KEY), await store.listOlderThan(new Date('2100-01-01'), null, 10)]).toEqual([null, []])
    await store.put(KEY, file)
    expect(String(await bytesOf(await store.open(KEY)))).toBe('whole')
  })

  test('parallel puts under one key leave one whole file, and readers never see a mixture', async () => {
    const store = diskStore(await scratchFolder())
    const contents = Array.from({ length: 12 }, (_, at) => Buffer.alloc(100_000, String.fromCharCode(97 + at)))
    const seen: string[] = []
    await Promise.all(
      contents.map(async (bytes) => {
        await store.put(KEY, await received(incoming, bytes))
        const read = await bytesOf(await store.open(KEY))
        seen.push(`${read?.length} ${new Set(read).size}`)
      }),
    )
    expect(seen).toEqual(contents.map(() => '100000 1'))
    expect(await namesIn(incoming)).toEqual([])
  })

  test('a put that fails leaves neither a file nor the temporary one', async () => {
    const folder = await scratchFolder()
    await writeFile(join(folder, '7'), 'a file where the folder should be')
    const error = await diskStore(folder)
      .put(KEY, await received(incoming, 'x'))
      .catch((thrown) => thrown)
    expect([error.status, error.type, error.cause.code]).toEqual([503, 'unavailable', 'EEXIST'])
    expect([await namesIn(folder), await namesIn(incoming)]).toEqual([['7'], []])
  })

  test('lists old keys in order, from a key on, leaving foreign and young files alone', async () => {
    const folder = await scratchFolder()
    const store = diskStore(folder)
    const all = [key(1, 'a'), key(1, 'c'), key(10, 'a'), key(2, 'a'), key(2, 'b')]
    for (const each of [...all, key(1, 'b')]) await store.put(each, await received(incoming, 'x'))
    const old = new Date('2026-01-01T00:00:00Z')
    for (const each of all) await utimes(join(folder, each), old, old)
    await writeFile(join(folder, '1', 'notes.txt'), '')
    await utimes(join(folder, '1', 'notes.txt'), old, old)
    await mkdir(join(folder, 'lost+found'))
    const moment = new Date('2026-01-02T00:00:00Z')
    expect(await store.listOlderThan(moment, null, 100)).toEqual(all)
    expect(await store.listOlderThan(moment, null, 2)).toEqual(all.slice(0, 2))
    expect(await store.listOlderThan(moment, key(1, 'a'), 100)).toEqual(all.slice(1))
    expect(await store.listOlderThan(moment, key(1, 'c'), 100)).toEqual(all.slice(2))
    expect(await store.listOlderThan(moment, key(10, 'a'), 1)).toEqual([key(2, 'a')])
    expect(await store.listOlderThan(moment, key(2, 'b'), 100)).toEqual([])
  })

  test('a folder that was never made holds nothing', async () => {
    expect(await diskStore('/nowhere/at/all').listOlderThan(new Date(), null, 10)).toEqual([])
  })
})

describe('keys (X5)', () => {
  const ID = 'ast_0123456789abcdefghijklmnop'
  const NAMES = ['', '..', ID, '../../etc/passwd', '/etc/passwd', '__proto__', 'file:///etc/passwd']
  const AROUND = [`7/${ID}/`, `/7/${ID}`, `7//${ID}`, `7/../${ID}`, `../7/${ID}`, `7\\${ID}`, `7/..%2f..%2f${ID}`]
  const BEHIND = [`7/${ID}\0`, `7/${ID}\n`, `\n7/${ID}`, `7/${ID} `, `7/${ID}.html`, `7/ast_${'a'.repeat(300)}`]
  const LIKE_ONE = [`-1/${ID}`, `0/${ID}`, `07/${ID}`, `${'7'.repeat(300)}/${ID}`, `7/${ID.toUpperCase()}`, '7/ast_*']
  const HOSTILE = [
    ...NAMES,
    ...AROUND,
    ...BEHIND,
    ...LIKE_ONE,
    '7/ast_０１２３４５６７８９abcdef',
    `7/incoming-${'0'.repeat(32)}`,
  ]

  test.each(HOSTILE)('%j touches nothing', async (hostile) => {
    const folder = await scratchFolder()
    const store = diskStore(folder)
    await expect(store.put(hostile, await received(incoming, 'x'))).rejects.toThrow(RangeError)
    await expect(store.open(hostile)).rejects.toThrow(RangeError)
    await expect(store.remove(hostile)).rejects.toThrow(RangeError)
    expect(await namesIn(folder)).toEqual([])
  })
})

// A small file system of its own; mounting one takes root, which CI has and a desk may not.
const small = await scratchFolder()
const isMounted = mountSmall(small)
if (isMounted) afterAll(() => void execFileSync('umount', ['-l', small]))

describe.skipIf(!isMounted)('a full disk (needs root to mount a tmpfs)', () => {
  const full = {
    status: 503,
    type: 'unavailable',
    message: 'There is no space left for files. Ask the operator to free some, then try again.',
  }

  test('refuses while receiving, leaves nothing, and goes on once there is room', async () => {
    await expect(receiveFile(Buffer.alloc(3_000_000), 10_000_000, join(small, 'incoming'))).rejects.toMatchObject(full)
    expect(await readdir(join(small, 'incoming'))).toEqual([])
    expect((await receiveFile(Buffer.alloc(100_000), 10_000_000, join(small, 'incoming'))).size).toBe(100_000)
  })

  test('refuses while copying from another file system, and leaves neither half nor temporary file', async () => {
    const store = diskStore(join(small, 'assets'))
    await expect(store.put(KEY, await received(incoming, Buffer.alloc(3_000_000)))).rejects.toMatchObject(full)
    expect([await store.open(KEY), await namesIn(join(small, 'assets')), await namesIn(incoming)]).toEqual([
      null,
      ['7'],
      [],
    ])
    await store.put(KEY, await received(incoming, Buffer.alloc(100_000)))
    expect((await bytesOf(await store.open(KEY)))?.length).toBe(100_000)
    expect((await stat(join(small, 'assets', KEY))).mode & 0o777).toBe(0o600)
  })
})

function mountSmall(folder: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/proc/mounts')) return false
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'cartwright-test', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
