// The form in which checkouts once said which fields were missing or badly formed: type `validation`, and as its message a list
// of `{param, error}`. Capture and the other checkout routes left it at different dates, so each has a change of its own that
// uses this one.

import { isJsonObject, type Json, type JsonObject, type OperationChange, type ReplyChange } from './change.ts'

/** `shipping.name` as a form calls it: `shipping[name]`. Storefronts of that time find the input to mark by this name. */
const formName = (path: string): string => {
  const [first = '', ...rest] = path.split('.')
  return first + rest.map((part) => `[${part}]`).join('')
}

const sentencesOf = (sentences: Json): readonly Json[] => (Array.isArray(sentences) ? sentences : [])

const listOf = (errors: JsonObject): Json =>
  Object.entries(errors).flatMap(([path, sentences]) =>
    sentencesOf(sentences).map((sentence) => ({ param: formName(path), error: sentence })),
  )

/**
 * Only what the fields themselves are guilty of. A rule that refuses well-formed fields was `not_valid` with a sentence then too:
 * storefronts show that message as it is, and a list would appear as [object Object].
 */
const asValidation: ReplyChange = (reply) => {
  const { body } = reply
  if (!isJsonObject(body) || !isJsonObject(body.error)) return reply
  const { type, errors } = body.error
  if (type !== 'unprocessable_entity' || errors === undefined || !isJsonObject(errors)) return reply
  return { ...reply, body: { ...body, error: { type: 'validation', message: listOf(errors) } } }
}

/** For the `operations` of a change: these answered in the old form before it. */
export const answeredInOldForm = (operations: readonly string[]): Record<string, OperationChange> =>
  Object.fromEntries(operations.map((operation) => [operation, { downError: asValidation }]))
