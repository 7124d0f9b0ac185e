// Compresses pages if the browser accepts it and it is worth it. Built files are already compressed and do not use this.

import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'

/** Below this size the answer is one packet either way. */
const MIN_BYTES = 1_024

/**
 * A page is written for one shopper and read once, so speed matters more than size. A page of 13 KB shrinks to a fourth at these levels.
 * The best sensible level takes three times as long and saves another tenth.
 */
const BROTLI_QUALITY = 2
const GZIP_LEVEL = 2

/** Up to this size, compressing takes less time than using another thread. Larger pages would keep all other requests waiting. */
const MAX_SYNC_BYTES = 65_536

const brotliOptions = (bytes: Buffer) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  },
})

const GZIP_OPTIONS = { level: GZIP_LEVEL }

const compressors = {
  br: {
    atOnce: (bytes: Buffer) => brotliCompressSync(bytes, brotliOptions(bytes)),
    aside: (bytes: Buffer) => promisify(brotliCompress)(bytes, brotliOptions(bytes)),
  },
  gzip: {
    atOnce: (bytes: Buffer) => gzipSync(bytes, GZIP_OPTIONS),
    aside: (bytes: Buffer) => promisify(gzip)(bytes, GZIP_OPTIONS),
  },
} as const

export type Encoding = keyof typeof compressors

/** Best encoding in `Accept-Encoding`; null if it names none of ours or refuses them by `q=0`. */
export function chooseCompression(header: string | undefined): Encoding | null {
  const accepted = new Map<string, number>()
  for (const entry of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    accepted.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  for (const encoding of ['br', 'gzip'] as const) if ((accepted.get(encoding) ?? 0) > 0) return encoding
  return null
}

/** Null if the body is sent uncompressed. */
export async function compressBody(
  body: string | Buffer,
  header: string | undefined,
): Promise<{ readonly bytes: Buffer; readonly encoding: Encoding } | null> {
  const encoding = chooseCompression(header)
  const plain = typeof body === 'string' ? Buffer.from(body) : body
  if (encoding === null || plain.length <= MIN_BYTES) return null
  const { atOnce, aside } = compressors[encoding]
  return { bytes: plain.length <= MAX_SYNC_BYTES ? atOnce(plain) : await aside(plain), encoding }
}
