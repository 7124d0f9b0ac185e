// Types of API changes, and the helpers that change files use. Everything maps data to data: no async code, no database, and no changes of
// the input.

// Read-only throughout, so that a change which alters its input does not compile. One event may be aged for several webhooks, and one price
// object may occur twice in a body.
export type JsonData = string | number | boolean | null | readonly JsonData[] | JsonObject
export type JsonObject = { readonly [field: string]: JsonData }

/** Everything a change may know besides the data. Nothing in it needs a query. */
export type ChangeContext = {
  /** Null only before authentication, such as in a 401. */
  readonly merchant_id: number | null
  /** The path parameters as they were sent; empty in webhooks. */
  readonly params: Readonly<Record<string, string>>
  /** Data that the handler passed beside its body. Empty before the handler ran, in errors and in webhooks. */
  readonly facts: JsonObject
}

export type ApiRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly body: JsonData | undefined
}

export type ApiReply = { readonly status: number; readonly body: JsonData }

/** Turns one object of a kind from the shape a version brought into the shape before it. */
export type KindChange = (value: JsonObject, context: ChangeContext) => JsonData

type RequestChange = (request: ApiRequest, context: ChangeContext) => ApiRequest

export type ReplyChange = (reply: ApiReply, context: ChangeContext) => ApiReply

export type OperationChange = {
  /** Turns an older request into one of this version. */
  readonly up?: RequestChange
  /** Turns a success (2xx) of this version into the older form. The engine never passes an error. */
  readonly down?: ReplyChange
  /** Turns an error (4xx, 5xx) of this version into the older form. The engine keeps `status_code` equal to `status`. */
  readonly downError?: ReplyChange
}

/** One breaking change of the API. Its date is in its file's name and in index.ts, nowhere else. */
export type ApiChange = {
  /** One sentence for the users of the API, in the words of its documentation. */
  readonly summary: string
  /** Changes by kind, wherever the kind occurs. `error` is the `{type, message, errors?, param?}` inside the body of every error. */
  readonly kinds?: Readonly<Record<string, KindChange>>
  /** Changes by operation, for requests and envelopes. */
  readonly operations?: Readonly<Record<string, OperationChange>>
  /** Clients written for older versions still get the older form, whichever version they name. Only for changes of the newest version. */
  readonly keptForOldClients?: true
  /** Behaviours that still apply before this version. Handlers check `behaviours.has(name)`, never a date. */
  readonly behaviours?: readonly string[]
}

export type Version = { readonly date: string; readonly changes: readonly ApiChange[] }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Copies an object field by field, in order; `edit` writes to the copy. It is a loop because it runs for every asset and line of older
 * replies. Lists of entries would be several times slower. Field names come from a schema, so none is `__proto__`.
 */
export function copyFields(
  value: JsonObject,
  edit: (copy: Record<string, JsonData>, field: string, content: JsonData) => void,
): JsonObject {
  const copy: Record<string, JsonData> = {}
  for (const field in value) edit(copy, field, value[field] as JsonData)
  return copy
}

/** Renames a field in place, so that an old body keeps its order. An existing field `to` is dropped. */
export const renameField =
  (from: string, to: string) =>
  (value: JsonObject): JsonObject => {
    if (!Object.hasOwn(value, from)) return value
    return copyFields(value, (copy, field, content) => {
      if (field === from) copy[to] = content
      else if (field !== to) copy[field] = content
    })
  }

/** Removes fields. */
export const dropFields = (...fields: readonly string[]) => {
  const dropped = new Set(fields)
  return (value: JsonObject): JsonObject =>
    copyFields(value, (copy, field, content) => {
      if (!dropped.has(field)) copy[field] = content
    })
}

/** Sets a field: in place if it exists, else at the end. */
export const assignField =
  (field: string, content: JsonData | ((value: JsonObject, context: ChangeContext) => JsonData)) =>
  (value: JsonObject, context: ChangeContext): JsonObject => ({
    ...value,
    [field]: typeof content === 'function' ? content(value, context) : content,
  })

/** For `set`: first entry of a list, or null. Older versions had only one value there. */
export const firstEntryOf =
  (field: string) =>
  ({ [field]: list }: JsonObject): JsonData =>
    Array.isArray(list) ? (list[0] ?? null) : null

/** Applies several edits in sequence, each to the result of the previous one. */
export const chainEdits =
  (...edits: readonly ((value: JsonObject, context: ChangeContext) => JsonObject)[]) =>
  (value: JsonObject, context: ChangeContext): JsonObject =>
    edits.reduce((edited, edit) => edit(edited, context), value)

/**
 * For `up`: renames a request field from its older name. Older versions accept the newer name too, and it wins. The old name is removed in
 * both cases, because the newest schema does not know it.
 */
export const renameRequestField =
  (oldName: string, newName: string, where: 'body' | 'query' = 'body') =>
  (request: ApiRequest): ApiRequest => {
    const fields = request[where]
    if (!isJsonObject(fields) || !Object.hasOwn(fields, oldName)) return request
    const edit = fields[newName] === undefined ? renameField(oldName, newName) : dropFields(oldName)
    return { ...request, [where]: edit(fields) }
  }
