// Versions that share a run repeat its reads and not its writes, of which the first alone shows what is answered. So their plans must do
// the same: they are tried on every exchange of the newest version, request and answer.

import type { Plan, Versions } from '../../../src/versions/apply.ts'
import {
  type ApiReply,
  type ChangeContext,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../../src/versions/change.ts'

type Exchange = { readonly request: string; readonly sent?: JsonObject; readonly status: number; readonly body?: Json }

/** `exchanges`: by name, as they are recorded; `groups`: the versions of each run. */
export function planProblems(
  versions: Versions,
  groups: readonly (readonly string[])[],
  exchanges: ReadonlyMap<string, string>,
): string[] {
  return groups.flatMap(([first = '', ...others]) =>
    [...exchanges].flatMap(([name, text]) => {
      const operation = name.split('.').slice(0, 2).join('.')
      const exchange = JSON.parse(text) as Exchange
      const shownAt = (date: string) => JSON.stringify(effectOf(versions.planFor(date, operation), exchange))
      const expected = shownAt(first)
      return others
        .filter((date) => shownAt(date) !== expected)
        .map((date) => `${name} is treated differently at ${date} and at ${first}, whose run it shares.`)
    }),
  )
}

function effectOf(plan: Plan | null, { request, sent, status, body = null }: Exchange) {
  const [path = '', search = ''] = request.split('?')
  const segments = path.split('/')
  // Older clients may name each of these by another prefix.
  const params = { id: segments.at(3) ?? '', cart_id: segments.at(3) ?? '', package_id: segments.at(-1) ?? '' }
  const told: ChangeContext = { merchantId: 1, params, facts: { event: 'Cart.Item.Added', quantity: 1 } }
  const asked = { params, query: Object.fromEntries(new URLSearchParams(search)), body: sent }
  const reply: ApiReply = { status, body: isJsonObject(body) || Array.isArray(body) ? body : {} }
  return {
    behaviours: [...(plan?.behaviours ?? [])].sort(),
    upgraded: plan?.upgrade?.(asked, told) ?? asked,
    aged: plan?.age?.(reply, told) ?? reply,
    agedError: plan?.ageError?.(reply, told) ?? reply,
  }
}
