// Three ways to upload the bytes of an asset: within the request, from a URL, or to a URL that we sign.

import type { Readable } from 'node:stream'
import { UnreachableSource } from '../../files/download.ts'
import { receiveFile } from '../../files/receive.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import { noRoomError } from '../../http/endpoint/metering.ts'
import type { SignedAddress } from '../../http/server/open-address.ts'
import { findGrantExpiry, signedQuery } from '../../keys/signing.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { fileTooLarge, forbidden, notFound, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { attachUpload, checkNewAsset, createAsset, pendingFileColumns, uploadIsFinished } from './asset.ts'
import {
  CONTENTS_LIMIT,
  FILE_LIMIT,
  fetchInto,
  storeFile,
  storePlaceholder,
  translateTooLarge,
  withFile,
} from './file.ts'
import type { CreateAsset } from './schema.ts'
import { type AssetRow, findAsset, type StoredFile } from './store.ts'
import { FILE_SECRET } from './view.ts'

const UPLOAD_SECONDS = 3_600

type CreateContext = Context<unknown, unknown, CreateAsset>

/** Stores the bytes and creates the asset. If `contents` is given, `url` is ignored. */
export async function uploadAsset(context: CreateContext): Promise<AssetRow> {
  const { clock, files, caller, body, disk } = context
  checkNewAsset(body)
  if (disk.isShort()) throw noRoomError()
  const id = newId('asset', clock.now())
  const storedFile =
    body.contents === undefined
      ? await fetchFile(context, id, body.url ?? '')
      : await storeFile(
          files,
          { merchant_id: caller.merchant_id, assetId: id, filename: body.filename, field: 'contents' },
          await translateTooLarge(
            CONTENTS_LIMIT,
            receiveFile(decodeContents(takeContents(body), CONTENTS_LIMIT), CONTENTS_LIMIT, files.incoming),
          ),
        )
  return withFile(files, storedFile, () => createAsset(context, id, body, storedFile))
}

/**
 * Fetches the file from its URL. In the sandbox an unreachable host gives a placeholder. A shop may import a catalogue whose pictures are
 * gone with the old service; the import must not stop at the first.
 */
async function fetchFile({ files, caller, body }: CreateContext, assetId: string, url: string): Promise<StoredFile> {
  const owner = { merchant_id: caller.merchant_id, assetId, filename: body.filename }
  try {
    return await fetchInto(files, owner, url)
  } catch (error) {
    if (!caller.is_sandbox || !(error instanceof UnreachableSource)) throw error
    return { ...(await storePlaceholder(files, owner)), source_url: url }
  }
}

/** Drops the base64 text from the body at once. Otherwise fifty parallel uploads would hold text and bytes until they are stored. */
function takeContents(body: CreateAsset): string {
  const { contents = '' } = body
  body.contents = ''
  return contents
}

/** Creates an asset without bytes, and the URL to upload them to. */
export async function presignAsset(context: CreateContext) {
  const { clock, signingSecret, caller, origin, body } = context
  checkNewAsset(body)
  const { merchant_id } = caller
  const id = newId('asset', clock.now())
  const expires = unixSeconds(clock.now()) + UPLOAD_SECONDS
  const query = signedQuery(await signingSecret(FILE_SECRET), { purpose: 'upload', merchant_id, id, expires })
  const row = await createAsset(context, id, body, pendingFileColumns(body.filename))
  return { row, upload_url: `${origin}/uploads/${merchant_id}/${id}?${query}`, upload_expires: expires }
}

/** Receives the bytes of a presigned upload. `announcedSize` is the size that the client declares. */
export async function takeUpload(
  services: Services,
  { merchant_id, id, query }: SignedAddress,
  bytes: Readable,
  announcedSize: number | null,
): Promise<void> {
  const { db, clock, files, signingSecret, disk } = services
  const secret = await signingSecret(FILE_SECRET)
  if (findGrantExpiry(secret, { purpose: 'upload', merchant_id, id }, query, clock.now()) === null)
    throw forbidden('This upload URL was altered or has expired. Get a new one with POST /v1/assets.')
  const asset = await findAsset(db, { merchant_id }, id)
  if (asset === null) throw notFound('asset')
  if (!asset.is_pending) throw uploadIsFinished()
  if (disk.isShort()) throw noRoomError()
  if (announcedSize !== null && announcedSize > FILE_LIMIT) throw fileTooLarge(FILE_LIMIT)
  const receivedFile = await translateTooLarge(FILE_LIMIT, receiveFile(bytes, FILE_LIMIT, files.incoming))
  const owner = { merchant_id, assetId: id, filename: asset.filename, field: 'body' }
  const storedFile = await storeFile(files, owner, receivedFile)
  await withFile(files, storedFile, () => attachUpload(services, { merchant_id }, id, storedFile))
}

// The form that the FileReader of a browser produces. Its type is ignored, because the bytes decide the type.
const DATA_URL = /^data:[^,]{0,200};base64,/i

// Searches for a forbidden character. A pattern that matches megabytes of allowed ones would overflow the regex engine's stack.
const FOREIGN = /[^A-Za-z0-9+/]/

/**
 * Decodes base64 as in RFC 4648: with or without line breaks, or as a data: URL. Buffer.from skips unknown characters, so a damaged file
 * would be stored silently.
 */
function decodeContents(contents: string, limitBytes: number): Buffer {
  const prefix = DATA_URL.exec(contents)?.[0].length ?? 0
  const encoded = prefix === 0 ? contents : contents.slice(prefix)
  const compact = /\s/.test(encoded) ? encoded.replace(/\s+/g, '') : encoded
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const digits = compact.length - padding
  if (FOREIGN.test(padding === 0 ? compact : compact.slice(0, digits))) throw notBase64()
  // A single digit in the last group of four cannot form a byte. Padding must complete the group.
  if (digits % 4 === 1 || (padding > 0 && compact.length % 4 !== 0)) throw notBase64()
  if (digits === 0) throw unprocessable({ contents: ['contents must not be empty.'] })
  if (Math.floor((digits * 3) / 4) > limitBytes) throw fileTooLarge(limitBytes)
  return Buffer.from(compact, 'base64')
}

const notBase64 = () =>
  unprocessable({
    contents: ['contents must be the file in base64: the letters A-Z and a-z, the digits, +, / and = at the end.'],
  })
