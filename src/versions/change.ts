// The vocabulary of API changes: what a change may say, and the few helpers that change files are written with.
// All of it is data → data: nothing is async, nothing reads a database, nothing alters what it is given.

// Read-only through and through, so that a change which alters its input does not compile: the same event may be aged
// for several webhooks, and one price object may stand at two places of a body.
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export type JsonObject = { readonly [field: string]: Json }

/** All that a change may know besides the data. Nothing in it needs a query. */
export type ChangeContext = {
  /** Null only where nobody is known yet, as in a 401. */
  readonly merchantId: number | null
  /** The path parameters as they were sent; empty in webhooks. */
  readonly params: Readonly<Record<string, string>>
  /** What the handler handed over beside its body; empty before it ran, in errors and in webhooks. */
  readonly facts: JsonObject
}

export type ApiRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly body: Json | undefined
}

export type ApiReply = { readonly status: number; readonly body: Json }

/** Turns one object of a kind from the shape a version brought into the shape before it. */
export type KindChange = (value: JsonObject, context: ChangeContext) => Json

type RequestChange = (request: ApiRequest, context: ChangeContext) => ApiRequest

export type ReplyChange = (reply: ApiReply, context: ChangeContext) => ApiReply

export type OperationChange = {
  /** An older request → the request this version takes. */
  readonly up?: RequestChange
  /** A success (2xx) of this version → what was answered before. Never sees an error: the engine sees to that. */
  readonly down?: ReplyChange
  /** An error (4xx, 5xx) of this version → what was answered before. `status_code` is kept equal to `status`. */
  readonly downError?: ReplyChange
}

/** One breaking change of the API. Its date is in its file's name and in index.ts, nowhere else. */
export type Change = {
  /** One sentence for the users of the API, in the words of its documentation. */
  readonly summary: string
  /** By kind, wherever it occurs. `error` is the `{type, message, errors?, param?}` inside the body of every error. */
  readonly kinds?: Readonly<Record<string, KindChange>>
  /** By operation: for requests and for envelopes. */
  readonly operations?: Readonly<Record<string, OperationChange>>
  /** Clients that were written for older versions, whichever they name, are shown the older form still. Only of the newest version. */
  readonly keptForOldClients?: true
  /** Behaviours that still apply before this version; handlers ask `behaviours.has(name)`, never for a date. */
  readonly behaviours?: readonly string[]
}

export type Version = { readonly date: string; readonly changes: readonly Change[] }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A copy made field by field, in their order: it has what `edit` puts into it. A loop, as this runs for every asset and line of every
 * older reply, where a list of entries and back is several times dearer. Fields have the names of a schema: none is `__proto__`.
 */
export function copyFields(
  value: JsonObject,
  edit: (copy: Record<string, Json>, field: string, content: Json) => void,
): JsonObject {
  const copy: Record<string, Json> = {}
  for (const field in value) edit(copy, field, value[field] as Json)
  return copy
}

/** Renames a field where it stands, so that an old body keeps its order. A field already called `to` gives way. */
export const rename =
  (from: string, to: string) =>
  (value: JsonObject): JsonObject => {
    if (!Object.hasOwn(value, from)) return value
    return copyFields(value, (copy, field, content) => {
      if (field === from) copy[to] = content
      else if (field !== to) copy[field] = content
    })
  }

/** Leaves fields out. */
export const drop = (...fields: readonly string[]) => {
  const dropped = new Set(fields)
  return (value: JsonObject): JsonObject =>
    copyFields(value, (copy, field, content) => {
      if (!dropped.has(field)) copy[field] = content
    })
}

/** Gives a field a value: in its place when it is there already, else at the end. */
export const set =
  (field: string, content: Json | ((value: JsonObject, context: ChangeContext) => Json)) =>
  (value: JsonObject, context: ChangeContext): JsonObject => ({
    ...value,
    [field]: typeof content === 'function' ? content(value, context) : content,
  })

/** For `set`: the first entry of a list, or null, where an older version knew only one. */
export const firstOf =
  (field: string) =>
  ({ [field]: list }: JsonObject): Json =>
    Array.isArray(list) ? (list[0] ?? null) : null

/** Several edits of one object, each seeing the work of the one before. */
export const inTurn =
  (...edits: readonly ((value: JsonObject, context: ChangeContext) => JsonObject)[]) =>
  (value: JsonObject, context: ChangeContext): JsonObject =>
    edits.reduce((edited, edit) => edit(edited, context), value)

/**
 * For `up`: a request field that used to have another name. Older versions accept the newer name too, so the old one
 * counts only where the new one is absent; it is left out in both cases, because the newest schema does not know it.
 */
export const renameRequestField =
  (oldName: string, newName: string, where: 'body' | 'query' = 'body') =>
  (request: ApiRequest): ApiRequest => {
    const fields = request[where]
    if (!isJsonObject(fields) || !Object.hasOwn(fields, oldName)) return request
    const edit = fields[newName] === undefined ? rename(oldName, newName) : drop(oldName)
    return { ...request, [where]: edit(fields) }
  }
