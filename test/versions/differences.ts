// What the tests of whole resources in every version share: what comes and goes from a version to the next, and what is at a path.

import { isJsonObject, type Json } from '../../src/versions/change.ts'
import { versions } from '../../src/versions/index.ts'

/** What the newer one has and the older lacks (+), the other way round (-), and what is otherwise (~), by path. */
function differences(older: Json, newer: Json, path = ''): string[] {
  if (Array.isArray(older) && Array.isArray(newer) && older.length === newer.length)
    return older.flatMap((entry, index) => differences(entry, newer[index], `${path}[]`))
  if (isJsonObject(older) && isJsonObject(newer)) {
    const names = [...new Set([...Object.keys(older), ...Object.keys(newer)])]
    return names.flatMap((name) => {
      const at = path === '' ? name : `${path}.${name}`
      const [before, after] = [older[name], newer[name]]
      if (before === undefined) return `+ ${at}`
      return after === undefined ? `- ${at}` : differences(before, after, at)
    })
  }
  return JSON.stringify(older) === JSON.stringify(newer) ? [] : [`~ ${path}`]
}

export const unique = (lines: string[]) => [...new Set(lines)].sort()

/** The differences to the version before, of the versions that have any. */
export async function history(read: (version: string) => Promise<Json>): Promise<Record<string, string[]>> {
  const dates = versions.map(({ date }) => date)
  const bodies = await Promise.all(dates.map((date) => read(date)))
  const steps = dates.slice(0, -1).map((date, index) => {
    const [newer = null, older = null] = bodies.slice(index)
    return [date, unique(differences(older, newer))] as const
  })
  return Object.fromEntries(steps.filter(([, found]) => found.length > 0))
}

/** Differences such as `+ image`, of each of the places. */
export const below = (parents: string[], fields: string[]) =>
  parents.flatMap((parent) => fields.map((field) => field.replace(' ', ` ${parent}`)))

/** The values at a path, through all entries of the lists on the way. */
const valuesAt = (value: Json | undefined, path: string): unknown[] =>
  path.split('.').reduce<unknown[]>(
    (found, part) => {
      const [, name = part, isList] = /^(\w+)(\[\])?$/.exec(part) ?? []
      const inner = found.map((each) => (each as Record<string, unknown> | undefined)?.[name])
      return isList ? inner.flat() : inner
    },
    [value],
  )

/** The paths at which a body has nothing, at one of the places at least. */
export const missingAt = (body: Json, paths: readonly string[]): string[] =>
  paths.filter((path) => {
    const values = valuesAt(body, path)
    return values.length === 0 || values.includes(undefined)
  })
