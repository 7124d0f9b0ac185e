// What the rest of the service knows of where files lie. disk.ts keeps them in a folder, s3.ts in an S3-compatible store.
// A key is ours, never a client's: the file name a client chose is data in a row and reaches no path.

import type { Readable } from 'node:stream'
import { unavailable } from '../lib/errors.ts'
import { readMerchantNumber } from '../lib/ids.ts'

/** A file that has arrived whole in the temporary folder and belongs to nobody yet: `put` or `discard` ends it. */
export type ReceivedFile = {
  path: string
  size: number
  /** The first bytes, at most 4,100, which is what telling its type needs. */
  head: Uint8Array
}

export interface FileStore {
  /** Stores a finished temporary file under a key; afterwards the whole file is there or nothing is. The temporary file is gone either way. */
  put(key: string, file: ReceivedFile): Promise<void>
  /**
   * Null when there is no such file. `range` is inclusive byte positions, already checked against the size by the caller;
   * `size` is always that of the whole file. The stream is read to its end or destroyed, else it keeps a file or a connection open.
   */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | null>
  /** A file that is not there is fine. */
  remove(key: string): Promise<void>
  /**
   * Keys of files that were stored before the moment, for the sweep of files without a row: in bytewise order, after `afterKey`.
   * Fewer than `limit` means that there are no more.
   */
  listOlderThan(moment: Date, afterKey: string | null, limit: number): Promise<string[]>
  /** Removes what a `put` that was killed has left before the moment and no key leads to. Tells how many files that were. */
  removeUnfinished(moment: Date): Promise<number>
}

type ByteRange = { start: number; end: number }

const KEY = /^(\d+)\/[a-z]{2,10}_[0-9A-Za-z]{10,40}$/

/** `<merchant>/<id>`. Neither part can hold a dot, a slash, a blank or a percent sign, so no key leads out of its place. */
export const isKey = (key: string): boolean => readMerchantNumber(KEY.exec(key)?.[1] ?? '') !== null

/** A wrong key is a bug of ours, not of a client. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new RangeError('A file key must be a merchant number, a slash and an id.')
}

/** The failure of a store as the client hears it; `cause` is for the log. */
export function storeFailure(cause: unknown): Error {
  const isFull = isErrno(cause, 'ENOSPC') || isErrno(cause, 'EDQUOT')
  const error = isFull
    ? unavailable('There is no room left for files. The operator has to make some; then try again.', 60)
    : unavailable('The store for files cannot be reached. Try again in a moment.', 5)
  error.cause = cause
  return error
}

export const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
