// The older form of checkout validation errors: type `validation`, and as its message a list of `{param, error}`. Capture and the other
// checkout routes left this form at different dates. Each of their changes uses this file.

import { isJsonObject, type JsonData, type JsonObject, type OperationChange, type ReplyChange } from './change.ts'

/** `shipping.name` becomes `shipping[name]`, as forms call it. Storefronts of that time find the input to mark by this name. */
const formName = (path: string): string => {
  const [first = '', ...rest] = path.split('.')
  return first + rest.map((part) => `[${part}]`).join('')
}

const sentencesOf = (sentences: JsonData): readonly JsonData[] => (Array.isArray(sentences) ? sentences : [])

const listErrors = (errors: JsonObject): JsonData =>
  Object.entries(errors).flatMap(([path, sentences]) =>
    sentencesOf(sentences).map((sentence) => ({ param: formName(path), error: sentence })),
  )

/**
 * Converts only errors of the fields themselves. A rule that refused well-formed fields was `not_valid` with a sentence then too.
 * Storefronts show that sentence as it is, and a list would appear as [object Object].
 */
const toOldForm: ReplyChange = (reply) => {
  const { body } = reply
  if (!isJsonObject(body) || !isJsonObject(body.error)) return reply
  const { type, errors } = body.error
  if (type !== 'unprocessable_entity' || errors === undefined || !isJsonObject(errors)) return reply
  return { ...reply, body: { ...body, error: { type: 'validation', message: listErrors(errors) } } }
}

/** For the `operations` of a change: errors of these operations had the older form before it. */
export const withOldErrors = (operations: readonly string[]): Record<string, OperationChange> =>
  Object.fromEntries(operations.map((operation) => [operation, { downError: toOldForm }]))
