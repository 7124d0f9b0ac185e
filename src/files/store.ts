// The interface of file stores. disk.ts keeps files in a folder, s3.ts in an S3-compatible store. We choose the keys. A client's file name
// is data in a row and never part of a path.

import type { Readable } from 'node:stream'
import { unavailable } from '../lib/errors.ts'
import { readMerchantNumber } from '../lib/ids.ts'

/** A complete file in the temporary folder that nothing refers to yet. Pass it to `put` or `discard`. */
export type ReceivedFile = {
  path: string
  size: number
  /** The first bytes, at most 4,100: enough to detect the type. */
  head: Uint8Array
}

export interface FileStore {
  /** Stores a temporary file under a key; afterwards the whole file is there or nothing is. Deletes the temporary file in either case. */
  put(key: string, file: ReceivedFile): Promise<void>
  /**
   * Null if there is no such file. `range` holds inclusive byte positions that the caller has checked against the size. `size` is always
   * that of the whole file. Read the stream to its end or destroy it, or it keeps a file or connection open.
   */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | null>
  /** Succeeds if there is no such file. */
  remove(key: string): Promise<void>
  /**
   * Keys of files stored before the moment, for the sweep of files without a row. They come in bytewise order, after `afterKey`. Fewer than
   * `limit` keys mean that there are no more.
   */
  listOlderThan(moment: Date, afterKey: string | null, limit: number): Promise<string[]>
  /** Deletes incomplete files that a killed `put` left before the moment. Returns how many. */
  removeUnfinished(moment: Date): Promise<number>
}

type ByteRange = { start: number; end: number }

const KEY = /^(\d+)\/[a-z]{2,10}_[0-9A-Za-z]{10,40}$/

/** `<merchant>/<id>`. Neither part can hold a dot, a slash, a blank or a percent sign. So no key leads outside the store. */
export const isKey = (key: string): boolean => readMerchantNumber(KEY.exec(key)?.[1] ?? '') !== null

/** A wrong key is a bug of ours, not of a client. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new RangeError('A file key must be a merchant number, a slash and an id.')
}

/** The error that clients receive for a failed store; `cause` is for the log. */
export function storeFailure(cause: unknown): Error {
  const isFull = isErrno(cause, 'ENOSPC') || isErrno(cause, 'EDQUOT')
  const error = isFull
    ? unavailable('There is no space left for files. Ask the operator to free some, then try again.', 60)
    : unavailable('The file store cannot be reached. Try again in a moment.', 5)
  error.cause = cause
  return error
}

export const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
