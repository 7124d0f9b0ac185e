// Opens the purchased file behind a download link, for anybody with the link, as long and as often as the order allows. Links of sandbox
// orders are checked and counted in the same way, but deliver other bytes.

import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { DownloadAddress, FoundDownload } from '../../http/files/downloads.ts'
import { findGrantExpiry } from '../../keys/signing.ts'
import { forbidden, notFound } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import { safeFilename } from '../../lib/text.ts'
import { downloadGrant, downloadSecret } from '../orders/links.ts'
import { areDownloadsOpen } from '../orders/status.ts'
import { countOneDownload, type DownloadableRow, findDownloadable } from './store.ts'

/** Path of the links (orders/links.ts). */
export const DOWNLOAD_PATH = '/fulfill/:merchant_id/:order_id/:id'

const USED_UP = 'This file has been downloaded as often as the order allows.'

/** Throws if the link opens nothing. Only the holder of a correctly signed link learns why. */
export const createDownloadFinder =
  ({ db, clock, files, signingSecret }: Services) =>
  async ({ merchant_id, id, query, params: { order_id: orderId = '' } }: DownloadAddress): Promise<FoundDownload> => {
    const address = { merchant_id, orderId, id }
    if (!isId('order', orderId) || !isId('download', id)) throw notFound('download')
    const secret = await downloadSecret({ signingSecret })
    const now = clock.now()
    const isSigned = findGrantExpiry(secret, downloadGrant(merchant_id, orderId, id), query, now) !== null
    const row = isSigned ? await findDownloadable(db, address, address) : null
    if (row === null) throw notFound('download')
    const refusal = refusalOf(row, now)
    if (refusal !== null) throw forbidden(refusal)
    const file = deliveredFile(files, row)
    if (file === null) throw notFound('download')
    return {
      size: file.size,
      contentType: file.contentType,
      filename: file.filename,
      async take() {
        // Opened before it is counted: a file that the store has lost must cost the buyer nothing.
        const stream = await file.open()
        if (stream === null || row.remaining === null) return stream
        const isTaken = await countOneDownload(db, address, address, now).catch((error: unknown) => {
          stream.destroy()
          throw error
        })
        if (isTaken) return stream
        stream.destroy()
        throw forbidden(USED_UP)
      },
    }
  }

type DeliveredFile = Pick<FoundDownload, 'size' | 'contentType' | 'filename'> & { open(): Promise<Readable | null> }

/**
 * The file of a live order, or a sample of a sandbox order. Other files of a sandbox order get a placeholder of the same name. Null:
 * deleted.
 */
function deliveredFile({ store }: Services['files'], row: DownloadableRow): DeliveredFile | null {
  const { file_key: key, file_extension: extension, content_type: contentType, file_size: size } = row
  if (key === null || extension === null || contentType === null || size === null) return null
  const filename = safeFilename(row.name, extension)
  if (row.is_sandbox && !row.is_sample) {
    const placeholder = placeholderFor(contentType)
    return {
      size: placeholder.bytes.length,
      contentType: placeholder.contentType,
      filename,
      open: async () => Readable.from([placeholder.bytes]),
    }
  }
  return { size, contentType, filename, open: async () => (await store.open(key))?.stream ?? null }
}

function refusalOf(row: DownloadableRow, now: Date): string | null {
  if (!areDownloadsOpen(row.status_payment) || row.is_cancelled)
    return 'This file can be downloaded only while its order is paid.'
  if (row.is_revoked) return 'The shop has revoked access to this file.'
  if (row.expires_at !== null && row.expires_at <= now) return 'The download period of this file has ended.'
  return row.remaining === 0 ? USED_UP : null
}

// Placeholders: small files that open and explain themselves.
// A sandbox order must not deliver the file that is sold. Anybody with the public test key can pay for it with a test card. That key is in
// the browsers of a shop under construction.

type Placeholder = { readonly contentType: string; readonly bytes: Buffer }

const LINES = [
  'This is a placeholder: sandbox orders do not deliver the file itself.',
  'The order was made with a test key, and nobody has paid for it.',
  'A live order delivers the file under this name.',
  'To deliver it in the sandbox too, mark its package with is_sample: true.',
] as const

const plainText = Buffer.from(`${LINES.join('\n')}\n`)

/** The two most common types of downloads have placeholders of their own; all others get plain text. */
const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  'application/pdf': { contentType: 'application/pdf', bytes: pdfOf(LINES) },
  'application/zip': { contentType: 'application/zip', bytes: zipOf('PLACEHOLDER.txt', plainText) },
}

const PLAIN: Placeholder = { contentType: 'text/plain; charset=utf-8', bytes: plainText }

/** `contentType` is that of the file that it replaces. */
const placeholderFor = (contentType: string): Placeholder => PLACEHOLDERS[contentType] ?? PLAIN

/** One page of plain ASCII in a font that every reader has. Readers find each object by its byte offset in the table at the end. */
function pdfOf(lines: readonly string[]): Buffer {
  const text = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n')
  const content = `BT\n/F1 12 Tf\n18 TL\n72 760 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>`
  return Buffer.from(`${file}${table}\nstartxref\n${file.length}\n%%EOF\n`, 'latin1')
}

/** A zip file with one uncompressed entry. */
function zipOf(name: string, bytes: Buffer): Buffer {
  const VERSION = 20
  // 1 January 1980, the earliest day that the format knows.
  const DAY = 33
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(DAY, 8)
  fields.writeUInt32LE(crc32(bytes), 10)
  fields.writeUInt32LE(bytes.length, 14)
  fields.writeUInt32LE(bytes.length, 18)
  fields.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), bytes])
  const entry = Buffer.concat([
    Buffer.from('PK\x01\x02', 'latin1'),
    Buffer.from([VERSION, 0]),
    fields,
    // No comment, the first disk, no attributes, and an entry that begins at the first byte.
    Buffer.alloc(14),
    Buffer.from(name),
  ])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, entry, end])
}
