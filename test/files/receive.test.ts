// @unit
import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { discard, receiveFile, removeAbandoned } from '../../src/files/receive.ts'
import { namesIn, received, scratchFolder } from './scratch.ts'

const folder = await scratchFolder()

const tooLarge = (limit: number) => ({
  status: 413,
  type: 'payload_too_large',
  message: `The request body is larger than the ${limit} bytes accepted here.`,
})

describe('receiving a file', () => {
  test('writes a stream to a file that only this user may read', async () => {
    const file = await receiveFile(Readable.from([Buffer.from('he'), Buffer.from('llo')]), 10, folder)
    expect(file).toEqual({ path: expect.stringContaining(folder), size: 5, head: new Uint8Array(Buffer.from('hello')) })
    expect((await stat(file.path)).mode & 0o777).toBe(0o600)
    await discard(file)
  })

  test('keeps the first 4,100 bytes at hand, however they arrive', async () => {
    const bytes = Buffer.from(Array.from({ length: 9_000 }, (_, at) => at % 251))
    const pieces = Array.from({ length: 9_000 / 50 }, (_, at) => bytes.subarray(at * 50, at * 50 + 50))
    for (const source of [bytes, Readable.from([bytes]), Readable.from(pieces)]) {
      const file = await receiveFile(source, 10_000, folder)
      expect([file.size, Buffer.from(file.head).equals(bytes.subarray(0, 4_100))]).toEqual([9_000, true])
      await discard(file)
    }
  })

  test('takes exactly the limit and not a byte more', async () => {
    await discard(await receiveFile(Buffer.alloc(100), 100, folder))
    await discard(await receiveFile(Readable.from([Buffer.alloc(60), Buffer.alloc(40)]), 100, folder))
    await expect(receiveFile(Buffer.alloc(101), 100, folder)).rejects.toMatchObject(tooLarge(100))
    await expect(receiveFile(Readable.from([Buffer.alloc(60), Buffer.alloc(41)]), 100, folder)).rejects.toMatchObject(
      tooLarge(100),
    )
  })

  test('stops reading an endless stream at the limit, leaves nothing, and leaves the stream to its owner', async () => {
    let sent = 0
    const endless = new Readable({
      read() {
        sent += 65_536
        this.push(Buffer.alloc(65_536))
      },
    })
    const quiet = await scratchFolder()
    await expect(receiveFile(endless, 1_000_000, quiet)).rejects.toMatchObject(tooLarge(1_000_000))
    expect(sent).toBeLessThan(1_500_000)
    expect(await namesIn(quiet)).toEqual([])
    expect(endless.destroyed).toBe(false)
    endless.destroy()
  })

  test('a source that breaks leaves nothing', async () => {
    const quiet = await scratchFolder()
    /** Breaks when its reader wants the second half. */
    const breaking = (error?: Error) => {
      let hasSent = false
      return new Readable({
        read() {
          if (hasSent) this.destroy(error)
          else this.push(Buffer.from('half of it'))
          hasSent = true
        },
      })
    }
    await expect(receiveFile(breaking(new Error('cable cut')), 100, quiet)).rejects.toThrow('cable cut')
    await expect(receiveFile(breaking(), 100, quiet)).rejects.toThrow('Premature close')
    expect(await namesIn(quiet)).toEqual([])
  })

  test('a folder that cannot be written is unavailable, with the cause for the log', async () => {
    const file = join(folder, 'a-file')
    await writeFile(file, '')
    const error = await received(join(file, 'below'), 'x').catch((thrown) => thrown)
    expect([error.status, error.cause.code]).toEqual([503, 'ENOTDIR'])
  })
})

describe('what a killed process left', () => {
  test('is removed by age, and nothing else is', async () => {
    const left = await scratchFolder()
    const old = await received(left, 'old')
    const young = await received(left, 'young')
    await writeFile(join(left, 'notes.txt'), 'not ours')
    const yesterday = new Date(Date.now() - 86_400_000)
    await utimes(old.path, yesterday, yesterday)
    await utimes(join(left, 'notes.txt'), yesterday, yesterday)
    expect(await removeAbandoned(left, new Date(Date.now() - 3_600_000))).toBe(1)
    expect((await namesIn(left)).map((name) => join(left, name))).toEqual([young.path, join(left, 'notes.txt')].sort())
  })

  test('a folder that was never made holds nothing', async () => {
    expect(await removeAbandoned(join(folder, 'never'), new Date())).toBe(0)
  })
})
