// For every field of every body: wrong type, missing, unknown choice and out of range are 422 that names the field, and change nothing.

import { describe, expect, it } from 'vitest'
import { stateReader } from '../access/state.ts'
import type { Answer } from '../support/app.ts'
import { type Operation, openProperties, operations, titled } from './support.ts'
import { type Wrong, withValue, wrongAmounts, wrongBodies } from './wrong-values.ts'

const shop = await openProperties()
const readState = await stateReader(shop.app.db)

const withBody = operations.filter(({ endpoint }) => endpoint.body)

const namesField = ({ status, body }: Answer, path: string): boolean => {
  const { errors = {} } = (body as { error?: { errors?: Record<string, string[]> } }).error ?? {}
  // A list sent for a map is read as a map, so the response names an entry.
  return status === 422 && Object.keys(errors).some((name) => name === path || name.startsWith(`${path}.`))
}

const described = ({ path, why }: Wrong) => `${path.join('.')} ${why}`

/** Returns the responses in which a wrong value did not name its field. */
async function problemsOf(operation: Operation, wrongs: Iterable<Wrong>): Promise<string[]> {
  const ids = await shop.sharedIds(operation)
  const base = shop.bodyOf(operation, ids)
  const before = await readState()
  const problems: string[] = []
  for (const wrong of wrongs) {
    const body = withValue(base, operation.endpoint.body as never, wrong)
    const answer = await shop.send(operation, { ids, body })
    if (!namesField(answer, wrong.path.join('.')))
      problems.push(`${described(wrong)}: ${answer.status} ${answer.text.slice(0, 300)}`)
  }
  const after = await readState()
  // The first signature creates a secret.
  const changed = Object.keys(after).filter((table) => after[table] !== before[table] && table !== 'signing_secrets')
  return [...problems, ...changed.map((table) => `${table} has changed`)]
}

describe('a field that breaks its schema', () => {
  it.each(titled(withBody))('names the wrong field in the 422 of %s', async (_, operation) => {
    expect(await problemsOf(operation, wrongBodies(operation.endpoint.body as never))).toEqual([])
  })
})

describe('a body that is no object', () => {
  it.each(titled(withBody))('is refused with a 422 by %s', async (_, operation) => {
    const ids = await shop.sharedIds(operation)
    for (const body of [[], 7, true])
      expect((await shop.send(operation, { ids, body })).body).toMatchObject({
        error: { errors: { body: ['body must be a JSON object.'] } },
      })
  })
})

/** Amounts that are not parsed with the request, each with the reason. */
const READ_LATER: Readonly<Record<string, string>> = {
  'products.create_batch changes.price': 'The batch reads it for each product.',
  'products.create_batch changes.variant_groups.0.options.0.price': 'The batch reads it for each product.',
  'checkouts.capture pay_what_you_want': 'Nothing in this order has a price that shoppers choose.',
}

describe('an amount that cannot be read', () => {
  const amountsOf = ({ name, endpoint }: Operation) =>
    [...wrongAmounts(endpoint.body as never)].filter(({ path }) => !(`${name} ${path.join('.')}` in READ_LATER))
  const withAmounts = withBody.filter((operation) => amountsOf(operation).length > 0)

  it.each(titled(withAmounts))('names the wrong amount in the 422 of %s', async (_, operation) => {
    expect(await problemsOf(operation, amountsOf(operation))).toEqual([])
  })
})
