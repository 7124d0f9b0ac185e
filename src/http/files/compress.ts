// Pages go out compressed where the browser takes it and it is worth it. Built files lie compressed beside themselves and do not come by here.

import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'

/** Below this the answer is one packet either way. */
const LEAST_BYTES = 1_024

/**
 * A page is written for one shopper and read once. Of one of 13 KB a fourth is left either way: the best that is worth it takes three times as
 * long as these, for a tenth less of what fits into the first packets anyway.
 */
const BROTLI_QUALITY = 2
const GZIP_LEVEL = 2

/** Up to here it takes less than handing it to another thread and back does. More would keep all others waiting. */
const MOST_BYTES_AT_ONCE = 65_536

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

/** The best that the header `Accept-Encoding` names; null where it names none of them, or refuses them by `q=0`. */
export function encodingFor(header: string | undefined): Encoding | null {
  const accepted = new Map<string, number>()
  for (const entry of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    accepted.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  for (const encoding of ['br', 'gzip'] as const) if ((accepted.get(encoding) ?? 0) > 0) return encoding
  return null
}

/** Null where it goes out as it is. */
export async function compressed(
  body: string | Buffer,
  header: string | undefined,
): Promise<{ readonly bytes: Buffer; readonly encoding: Encoding } | null> {
  const encoding = encodingFor(header)
  const plain = typeof body === 'string' ? Buffer.from(body) : body
  if (encoding === null || plain.length <= LEAST_BYTES) return null
  const { atOnce, aside } = compressors[encoding]
  return { bytes: plain.length <= MOST_BYTES_AT_ONCE ? atOnce(plain) : await aside(plain), encoding }
}
