// Which file an address opens: any finished public asset, and a private one for whoever holds a signed address that has not expired.

import type { Services } from '../../http/endpoint.ts'
import type { FindFile } from '../../http/files.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { safeFilename } from '../../lib/filename.ts'
import { isId } from '../../lib/ids.ts'
import { allowedUntil } from '../../lib/signature.ts'
import { findAsset } from './store.ts'
import { FILE_SECRET } from './view.ts'

// The bytes of an asset never change once it is served.
const FOR_GOOD = 'public, max-age=31536000, immutable'

export const fileFinder =
  ({ db, clock, files, signingSecret }: Services): FindFile =>
  async ({ merchantId, id, query }) => {
    if (!isId('asset', id)) return null
    const asset = await findAsset(db, merchantId, id)
    if (asset === null || asset.is_pending || asset.file_key === null) return null
    const key = asset.file_key
    let cacheControl = FOR_GOOD
    if (asset.is_private) {
      const now = clock.now()
      const secret = await signingSecret(FILE_SECRET)
      const until = allowedUntil(secret, { purpose: 'file', merchantId, id }, query, now)
      if (until === null) return null
      // A copy in the browser lives no longer than the address, and nobody in between keeps one.
      cacheControl = `private, max-age=${until - unixSeconds(now)}`
    }
    return {
      size: asset.file_size,
      contentType: asset.content_type,
      isInline: asset.is_image,
      filename: safeFilename(asset.filename, asset.file_extension),
      etag: `"${key.slice(key.indexOf('/') + 1)}"`,
      cacheControl,
      open: (range) => files.store.open(key, range),
    }
  }
