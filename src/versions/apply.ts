// Compiles the registry against the operations and kinds of the API into a plan for each version and operation. A plan upgrades requests to
// the newest version and ages replies back. The newest version has a plan only for old clients.

import {
  type ApiChange,
  type ApiReply,
  type ApiRequest,
  type ChangeContext,
  isJsonObject,
  type JsonData,
  type KindChange,
  type Version,
} from './change.ts'
import { deriveNesting, type JsonSchema } from './nesting.ts'
import { makeFormsWalk, merge } from './superset.ts'
import { makeWalks, type Walk } from './walk.ts'

/** Each function is null when nothing applies: an old version without changes then keeps the compiled serializer. */
export type Plan = {
  readonly behaviours: ReadonlySet<string>
  readonly upgrade: ((request: ApiRequest, context: ChangeContext) => ApiRequest) | null
  /** Ages successes. Returns replies other than 2xx unchanged. */
  readonly age: ((reply: ApiReply, context: ChangeContext) => ApiReply) | null
  /** Ages errors. Returns replies below 400 unchanged. */
  readonly ageError: ((reply: ApiReply, context: ChangeContext) => ApiReply) | null
  /** True if `age` would change this body. Without it, only `age` itself can tell. */
  readonly isForBody?: (body: JsonData, context: ChangeContext) => boolean
}

export type Versions = {
  readonly head: string
  /** Newest first. */
  readonly dates: readonly string[]
  /** Every behaviour that a change names. A test checks that handlers use no other. */
  readonly behaviours: ReadonlySet<string>
  has(date: string): boolean
  /** Null at the newest version: the caller then runs no version code. The operation is null where no route matched. */
  planFor(date: string, operation: string | null): Plan | null
  /**
   * The newest version for clients that were written for older ones. If they name the newest version, they get what changes keep for them.
   * If they name none, their version is unknown: requests are read as in all versions. A success is then the newest body plus every field
   * that any version had (superset.ts). Null if every client gets the same.
   */
  oldClientPlanFor(operation: string, isNamed: boolean): Plan | null
  /** Ages one object of a kind, for webhooks. */
  ageKind(date: string, kind: string, value: JsonData, context: ChangeContext): JsonData
}

export type VersionedApi = {
  readonly versions: readonly Version[]
  readonly operations: readonly {
    readonly operation: string
    readonly returns: JsonSchema | null
    /** Data of a 409 beside the error. A success and an error of one operation may contain the same kinds. */
    readonly conflict?: JsonSchema | null
  }[]
  readonly kinds: Readonly<Record<string, JsonSchema>>
}

/** Behaviours at the newest version: no older one applies. */
export const NO_BEHAVIOURS: ReadonlySet<string> = new Set()

/** Compiled data of one version, created on first use. */
type Era = {
  readonly changes: readonly ApiChange[]
  readonly behaviours: ReadonlySet<string>
  readonly walkKind: (kind: string) => Walk | null
  readonly walkReturn: (operation: string) => Walk | null
  readonly walkConflict: (operation: string) => Walk | null
  readonly plans: Map<string | null, Plan>
}

const isSuccess = (status: number) => status >= 200 && status < 300
const isError = (status: number) => status >= 400
const CONFLICT = 409
/** Key of an operation's 409 body among the returned schemas. */
const conflictOf = (operation: string) => `${operation} ${CONFLICT}`

export function compileVersions(api: VersionedApi): Versions {
  // The object inside an error is a kind even if no schema of the API describes it.
  const kinds: VersionedApi['kinds'] = { error: {}, ...api.kinds }
  refuseMistakes({ ...api, kinds })
  const nesting = deriveNesting(kinds, [
    ...api.operations,
    ...api.operations.map(({ operation, conflict = null }) => ({
      operation: conflictOf(operation),
      returns: conflict,
    })),
  ])
  const dates = api.versions.map((version) => version.date)
  const [head = ''] = dates
  const knownDates = new Set(dates)
  const eras = new Map<string, Era>()
  const [newest = [], ...older] = api.versions.map(({ changes }) => changes)
  const keptChanges = newest.filter((change) => change.keptForOldClients)
  const keptEra = makeEra(keptChanges)
  const clientPlans = { named: new Map<string, Plan | null>(), unnamed: new Map<string, Plan | null>() }

  function eraOf(date: string): Era {
    const cachedEra = eras.get(date)
    if (cachedEra) return cachedEra
    const index = dates.indexOf(date)
    if (index === -1) throw new Error(`There is no API version "${date}".`)
    const era = makeEra(api.versions.slice(0, index).flatMap((version) => version.changes))
    eras.set(date, era)
    return era
  }

  function makeEra(changes: readonly ApiChange[]): Era {
    const walkOf = makeWalks(groupByKind(changes))
    return {
      changes,
      behaviours: new Set(changes.flatMap((change) => change.behaviours ?? [])),
      walkKind(kind) {
        const shape = nesting.kinds.get(kind)
        if (shape === undefined) throw new Error(`There is no kind "${kind}".`)
        return walkOf(shape)
      },
      walkReturn(operation) {
        const shape = nesting.returns.get(operation)
        if (shape === undefined) throw new Error(`There is no operation "${operation}".`)
        return shape && walkOf(shape)
      },
      walkConflict(operation) {
        const shape = nesting.returns.get(conflictOf(operation)) ?? null
        return shape && walkOf(shape)
      },
      plans: new Map(),
    }
  }

  /** The newest version for an old client that names it: with the changes that are kept for such clients. */
  function namedPlan(operation: string): Plan | null {
    const plan = makePlan(keptEra, operation)
    const shape = nesting.returns.get(operation) ?? null
    const formsOf = shape && makeFormsWalk(shape, [groupByKind(keptChanges)])
    if (formsOf === null) return plan.ageError && { ...plan, age: null }
    return { ...plan, isForBody: (body, context) => formsOf(body, context) !== null }
  }

  function unnamedPlan(operation: string): Plan | null {
    const steps = [keptChanges, newest.filter((change) => !keptChanges.includes(change)), ...older].map(groupByKind)
    const shape = nesting.returns.get(operation) ?? null
    const formsOf = shape && makeFormsWalk(shape, steps)
    const { upgrade } = makePlan(eraOf(dates.at(-1) ?? head), operation)
    const ageError = oldClientPlanFor(operation, true)?.ageError ?? null
    if (!formsOf && !upgrade && !ageError) return null
    const age = (reply: ApiReply, context: ChangeContext): ApiReply => {
      const forms = formsOf && isSuccess(reply.status) ? formsOf(reply.body, context) : null
      return forms === null ? reply : { ...reply, body: merge(forms) }
    }
    return { behaviours: NO_BEHAVIOURS, upgrade, age: formsOf && age, ageError }
  }

  function oldClientPlanFor(operation: string, isNamed: boolean): Plan | null {
    const plans = isNamed ? clientPlans.named : clientPlans.unnamed
    const cachedPlan = plans.get(operation)
    if (cachedPlan !== undefined) return cachedPlan
    const plan = isNamed ? namedPlan(operation) : unnamedPlan(operation)
    plans.set(operation, plan)
    return plan
  }

  return {
    head,
    dates,
    behaviours: new Set(api.versions.flatMap(({ changes }) => changes.flatMap((change) => change.behaviours ?? []))),
    has: (date) => knownDates.has(date),
    planFor(date, operation) {
      if (date === head) return null
      const era = eraOf(date)
      const cachedPlan = era.plans.get(operation)
      if (cachedPlan) return cachedPlan
      const plan = makePlan(era, operation)
      era.plans.set(operation, plan)
      return plan
    },
    oldClientPlanFor,
    ageKind(date, kind, value, context) {
      const walk = eraOf(date).walkKind(kind)
      return walk ? walk(value, context) : value
    },
  }
}

function makePlan(era: Era, operation: string | null): Plan {
  const steps = operation === null ? [] : era.changes.flatMap((change) => change.operations?.[operation] ?? [])
  const ups = steps.flatMap((step) => step.up ?? []).reverse()
  const downs = steps.flatMap((step) => step.down ?? [])
  const downErrors = steps.flatMap((step) => step.downError ?? [])
  const walkBody = operation === null ? null : era.walkReturn(operation)
  const walkError = era.walkKind('error')
  const walkConflict = operation === null ? null : era.walkConflict(operation)

  // Check the status before each step. If an old version turned the reply into an error, older changes must not wrap it as a success, nor
  // the other way round.
  const age = (reply: ApiReply, context: ChangeContext): ApiReply => {
    if (!isSuccess(reply.status)) return reply
    const walked = walkBody ? { ...reply, body: walkBody(reply.body, context) } : reply
    return downs.reduce((aged, down) => (isSuccess(aged.status) ? down(aged, context) : aged), walked)
  }
  const ageError = (reply: ApiReply, context: ChangeContext): ApiReply => {
    if (!isError(reply.status)) return reply
    const inner = walkError ? { ...reply, body: walkInnerError(reply.body, walkError, context) } : reply
    const walked =
      walkConflict && reply.status === CONFLICT ? { ...inner, body: walkConflict(inner.body, context) } : inner
    return downErrors.reduce(
      (aged, down) => (isError(aged.status) ? withStatusCode(down(aged, context)) : aged),
      walked,
    )
  }

  return {
    behaviours: era.behaviours,
    upgrade: ups.length > 0 ? (request, context) => ups.reduce((upgraded, up) => up(upgraded, context), request) : null,
    age: walkBody !== null || downs.length > 0 ? age : null,
    ageError: walkError !== null || walkConflict !== null || downErrors.length > 0 ? ageError : null,
  }
}

function walkInnerError(body: JsonData, walk: Walk, context: ChangeContext): JsonData {
  return isJsonObject(body) && body.error !== undefined ? { ...body, error: walk(body.error, context) } : body
}

function withStatusCode(reply: ApiReply): ApiReply {
  const { status, body } = reply
  if (!isJsonObject(body) || body.status_code === undefined || body.status_code === status) return reply
  return { ...reply, body: { ...body, status_code: status } }
}

/** Returns one function per changed kind, which runs its changes newest first. */
function groupByKind(changes: readonly ApiChange[]): Map<string, KindChange> {
  const grouped = new Map<string, KindChange>()
  for (const [kind, older] of changes.flatMap((change) => Object.entries(change.kinds ?? {}))) {
    const newer = grouped.get(kind)
    grouped.set(kind, newer ? chainChanges(newer, older) : older)
  }
  return grouped
}

/** If a change turned an object into null, a string or a list, older changes have no object to age. */
const chainChanges =
  (newer: KindChange, older: KindChange): KindChange =>
  (value, context) => {
    const aged = newer(value, context)
    return isJsonObject(aged) ? older(aged, context) : aged
  }

/** A mistake in the registry would silently do nothing. Refusing it stops the server at start instead. */
function refuseMistakes({ versions, operations, kinds }: VersionedApi): void {
  const mistakes: string[] = []
  const operationNames = new Set<string>()
  for (const { operation } of operations) {
    if (operationNames.has(operation)) mistakes.push(`two operations are called "${operation}"`)
    operationNames.add(operation)
  }
  if (versions.length === 0) mistakes.push('there are no versions')
  versions.forEach(({ date }, index) => {
    const newer = versions[index - 1]?.date
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) mistakes.push(`"${date}" is not a date like 2020-02-01`)
    if (newer === date) mistakes.push(`${date} is listed twice`)
    else if (newer !== undefined && newer < date)
      mistakes.push(`${date} stands after ${newer}: list versions newest first`)
  })
  const oldest = versions.at(-1)
  if (oldest && oldest.changes.length > 0)
    mistakes.push(`${oldest.date} is the oldest version, so its changes can never apply: register them at a later date`)

  const keepers = versions.flatMap(({ date, changes }) =>
    changes.flatMap((change, index) => (change.keptForOldClients ? [{ date, index, change }] : [])),
  )
  for (const [index, each] of keepers.entries())
    if (each.date !== versions[0]?.date || each.index !== index || each.change.operations || each.change.behaviours)
      mistakes.push(
        `only the first changes of the newest version, and only of kinds, can be kept for old clients (in ${each.date}: ${each.change.summary})`,
      )

  const switches = new Set<string>()
  for (const { date, change } of versions.flatMap(({ date, changes }) => changes.map((change) => ({ date, change })))) {
    const where = `(in ${date}: ${change.summary})`
    for (const kind of Object.keys(change.kinds ?? {}))
      if (!Object.hasOwn(kinds, kind)) mistakes.push(`there is no kind "${kind}" ${where}`)
    for (const operation of Object.keys(change.operations ?? {}))
      if (!operationNames.has(operation)) mistakes.push(`there is no operation "${operation}" ${where}`)
    for (const behaviour of change.behaviours ?? []) {
      if (switches.has(behaviour)) mistakes.push(`behaviour "${behaviour}" ends in two changes ${where}`)
      switches.add(behaviour)
    }
  }
  if (mistakes.length > 0) throw new Error(`The API versions cannot be compiled: ${mistakes.join('; ')}.`)
}
