// What a link to a download opens: a file that was bought, for whoever holds the link, as long and as often as the order allows. What
// the sandbox has sold is asked and counted in the same way, and only the bytes are others.

import { Readable } from 'node:stream'
import type { DownloadAddress, FoundDownload } from '../../http/downloads.ts'
import type { Services } from '../../http/endpoint.ts'
import { forbidden, notFound } from '../../lib/errors.ts'
import { safeFilename } from '../../lib/filename.ts'
import { isId } from '../../lib/ids.ts'
import { allowedUntil } from '../../lib/signature.ts'
import { type DownloadableRow, findDownloadable, takeOneDownload } from './fulfillment-store.ts'
import { downloadSecret, grantedDownload } from './links.ts'
import { placeholderFor } from './placeholder.ts'

const USED_UP = 'This file has been downloaded as often as the order allows.'

/** Throws where the link opens nothing. Only who holds a link that was signed for it is told why. */
export const downloadFinder =
  ({ db, clock, files, signingSecret }: Services) =>
  async ({ merchantId, orderId, id, query }: DownloadAddress): Promise<FoundDownload> => {
    if (!isId('order', orderId) || !isId('download', id)) throw notFound('download')
    const secret = await downloadSecret({ signingSecret })
    const now = clock.now()
    const isSigned = allowedUntil(secret, grantedDownload(merchantId, orderId, id), query, now) !== null
    const row = isSigned ? await findDownloadable(db, merchantId, orderId, id) : null
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
        // Before it is counted: a file that the store has lost must cost the buyer nothing.
        const stream = await file.open()
        if (stream === null || row.remaining === null) return stream
        const isTaken = await takeOneDownload(db, merchantId, orderId, id, now).catch((error: unknown) => {
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

/** The file of a live order, and of a sandbox order where it is a sample; else a placeholder of the same name. Null: deleted. */
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
  if (row.status_payment !== 'paid' || row.is_cancelled) return 'This file can be downloaded while its order is paid.'
  if (row.is_revoked) return 'The shop has taken back the access to this file.'
  if (row.expires_at !== null && row.expires_at <= now) return 'The time in which this file can be downloaded is over.'
  return row.remaining === 0 ? USED_UP : null
}
