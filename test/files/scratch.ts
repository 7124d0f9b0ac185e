// A folder that is gone after the run, files received into it, and chance that repeats itself.

import { rmSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { receiveFile } from '../../src/files/receive.ts'
import type { ReceivedFile } from '../../src/files/store.ts'

// One folder holds all the others. It lasts as long as the process, which several test files may share.
const root = await mkdtemp(join(tmpdir(), 'cartwright-scratch-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))

export const scratchFolder = (): Promise<string> => mkdtemp(join(root, 'folder-'))

export const received = (folder: string, bytes: Uint8Array | string): Promise<ReceivedFile> =>
  receiveFile(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, 64 * 1_048_576, folder)

export async function bytesOf(opened: { stream: Readable } | null): Promise<Buffer | null> {
  if (!opened) return null
  const chunks: Buffer[] = []
  for await (const chunk of opened.stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).map(String).sort()

/** A small generator of numbers that are the same in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, below)
  }
}
