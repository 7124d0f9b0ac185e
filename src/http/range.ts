// The parts of RFC 9110 that let a client fetch a piece of a file, or nothing when it has it already.

export type ByteRange = { start: number; end: number }

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/i

/**
 * The piece that is asked for: null for the whole file, 'none' for a piece that lies outside. Several pieces at once, and what cannot
 * be read, count as the whole: a server may always answer with it.
 */
export function readRange(header: string | undefined, size: number): ByteRange | null | 'none' {
  const found = header === undefined ? null : SINGLE.exec(header.trim())
  if (!found) return null
  const [, first = '', last = ''] = found
  if (first === '') {
    if (last === '') return null
    // `bytes=-5`: the last five.
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'none' : { start, end }
}

/** Whether `If-None-Match` names this version of the file. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}

/** Whether a piece may be given to a client that holds another piece of `If-Range`'s version. A date never counts: we send none. */
export const isSameFile = (header: string | undefined, etag: string): boolean =>
  header === undefined || header.trim() === etag
