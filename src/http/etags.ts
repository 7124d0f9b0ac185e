// ETags of replies. An ETag is a hash of the sent text, so it changes exactly with the text. It is the same in every process and build.
// Clients use it for conditional changes (if-match.ts), and a client that has the object is not sent it again.

import { hash } from 'node:crypto'
import { badRequest } from '../lib/errors.ts'

/** Signed links to private files last an hour and differ in every answer. They are not part of the object's state. */
const SIGNATURE = /\?expires=\d+&signature=[\w-]{43}/g
const SIGNATURE_START = '&signature='

export const containsSignedLink = (text: string | Buffer): boolean => text.includes(SIGNATURE_START)

export const etagOf = (text: string | Buffer): string =>
  `"${hash('sha1', containsSignedLink(text) ? String(text).replaceAll(SIGNATURE, '') : text, 'base64url')}"`

/** One entry of a list of tags. Proxies send weak tags after compression: they name the same content. */
const TAG = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")$/
/** Suffix that Apache adds to a tag when it compresses. */
const COMPRESSION_SUFFIX = /-(?:gzip|br|deflate)"$/

/** Tags in a header, `*` for any, or null if it is not such a list. */
function parseTags(header: string): readonly string[] | '*' | null {
  if (header.trim() === '*') return '*'
  const tags = header.split(',').map((each) => TAG.exec(each.trim())?.[1])
  return tags.some((tag) => tag === undefined) ? null : (tags as string[])
}

const includesTag = (tags: readonly string[], etag: string): boolean =>
  tags.some((tag) => tag === etag || tag.replace(COMPRESSION_SUFFIX, '"') === etag)

/** True if an `If-None-Match` names the ETag: the client has the object. */
export function matchesIfNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  // Fast path for the usual header of one tag.
  if (header === etag) return true
  const tags = parseTags(header)
  return tags === '*' || (tags !== null && includesTag(tags, etag))
}

/** Decides if an object with this ETag meets the condition. */
type Condition = (etag: string) => boolean

/** Condition of an `If-Match`; null if any object is allowed. Throws if it is unreadable: it must not count as no condition. */
export function parseIfMatch(header: string): Condition | null {
  const tags = parseTags(header)
  if (tags === '*') return null
  if (tags === null)
    throw badRequest(
      'The header If-Match must be *, or one or more ETags as the API returned them, in quotation marks.',
    )
  return (etag) => includesTag(tags, etag)
}
