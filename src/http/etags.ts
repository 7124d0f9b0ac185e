// The name of what an object shows, its ETag: made of the text that is sent, so that it changes exactly when that does, and is the same in
// every process and of every build. A change may be asked for under the condition that the object is still the one that was read
// (if-match.ts), and a reader who has it is not sent it again.

import { hash } from 'node:crypto'
import { badRequest } from '../lib/errors.ts'

/** What opens a private file for an hour is new in every answer, and says nothing of the object. */
const SIGNATURE = /\?expires=\d+&signature=[\w-]{43}/g
const MARK = '&signature='

export const isSigned = (text: string | Buffer): boolean => text.includes(MARK)

export const etagOf = (text: string | Buffer): string =>
  `"${hash('sha1', isSigned(text) ? String(text).replaceAll(SIGNATURE, '') : text, 'base64url')}"`

/** One entry of a list of tags. Weak ones are those that a proxy has compressed: the content that they name is the same. */
const TAG = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")$/
/** What Apache writes into a tag when it compresses. */
const COMPRESSED = /-(?:gzip|br|deflate)"$/

/** The tags that a header lists, `*` for any, or null where it is no such list. */
function tagsIn(header: string): readonly string[] | '*' | null {
  if (header.trim() === '*') return '*'
  const tags = header.split(',').map((each) => TAG.exec(each.trim())?.[1])
  return tags.some((tag) => tag === undefined) ? null : (tags as string[])
}

const names = (tags: readonly string[], etag: string): boolean =>
  tags.some((tag) => tag === etag || tag.replace(COMPRESSED, '"') === etag)

/** Whether an `If-None-Match` names it: the reader has it. */
export function isKnownBy(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  // What most readers send, and what nobody can have written.
  if (header === etag) return true
  const tags = tagsIn(header)
  return tags === '*' || (tags !== null && names(tags, etag))
}

/** Whether the object of an ETag is one that the condition allows. */
type Condition = (etag: string) => boolean

/** What an `If-Match` asks for; null where any object will do. Throws where it cannot be read: it must not be taken for no condition. */
export function conditionOf(header: string): Condition | null {
  const tags = tagsIn(header)
  if (tags === '*') return null
  if (tags === null)
    throw badRequest(
      'The header If-Match must be an ETag as it was read, in its quotation marks, a list of them, or *.',
    )
  return (etag) => names(tags, etag)
}
