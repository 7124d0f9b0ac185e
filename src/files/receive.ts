// Receives a file from a stream or from memory into a private temporary file. It stops at the limit and never holds a whole stream in
// memory. It deletes a file that did not arrive completely.

import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { payloadTooLarge } from '../lib/errors.ts'
import { isErrno, type ReceivedFile, storeFailure } from './store.ts'

/** Bytes that file-type reads first. */
const HEAD_BYTES = 4_100

const TEMPORARY_NAME = /^incoming-[0-9a-f]{32}$/

/** A unique name that `removeAbandoned` recognises. */
export const temporaryPath = (folder: string): string => join(folder, `incoming-${randomBytes(16).toString('hex')}`)

/**
 * Throws `payloadTooLarge` above `limitBytes`. It never closes the source: if that is a request, the client could not receive the error.
 * `temporaryFolder` should be on the file system of the store, so that storing is a rename.
 */
export async function receiveFile(
  source: Readable | Uint8Array,
  limitBytes: number,
  temporaryFolder: string,
): Promise<ReceivedFile> {
  if (source instanceof Uint8Array && source.byteLength > limitBytes) throw payloadTooLarge(limitBytes)
  const path = temporaryPath(temporaryFolder)
  const file = await onDisk(async () => {
    await mkdir(temporaryFolder, { recursive: true, mode: 0o700 })
    return open(path, 'wx', 0o600)
  })
  try {
    const contents = await write(source, limitBytes, file)
    await onDisk(() => file.close())
    return { path, ...contents }
  } catch (error) {
    await file.close().catch(() => undefined)
    await unlink(path).catch(() => undefined)
    throw error
  }
}

async function write(source: Readable | Uint8Array, limitBytes: number, file: FileHandle) {
  const head: Uint8Array[] = []
  let size = 0
  const chunks = source instanceof Uint8Array ? [source] : source.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A file must arrive as bytes.')
    if (size < HEAD_BYTES) head.push(Uint8Array.from(chunk.subarray(0, HEAD_BYTES - size)))
    size += chunk.byteLength
    if (size > limitBytes) throw payloadTooLarge(limitBytes)
    await onDisk(() => file.writeFile(chunk))
  }
  return { size, head: new Uint8Array(Buffer.concat(head)) }
}

/** Deletes a file that will not be stored. Succeeds if it was already stored or deleted. */
export async function discard(file: ReceivedFile): Promise<void> {
  await unlink(file.path).catch((error) => {
    if (!isErrno(error, 'ENOENT')) throw error
  })
}

/** Deletes files that a killed process left in the temporary folder, and returns how many. */
export async function removeAbandoned(temporaryFolder: string, olderThan: Date): Promise<number> {
  const names = await readdir(temporaryFolder).catch((error) => {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  })
  let removed = 0
  for (const name of names) {
    // The folder is ours, but a wrong setting may point it at somebody's files.
    if (!TEMPORARY_NAME.test(name)) continue
    const path = join(temporaryFolder, name)
    try {
      if ((await stat(path)).mtime >= olderThan) continue
      await unlink(path)
      removed += 1
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
    }
  }
  return removed
}

/** Turns disk failures into our own error. Errors of the source pass unchanged. */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw storeFailure(error)
  }
}
