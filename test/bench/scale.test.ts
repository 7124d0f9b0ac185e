// @unit
// docs/scale.md is computed from what the bench has measured; here it is computed once more, and its assumptions are held against the code.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { CART_LIFETIME_MS as CART_MS } from '../../src/api/carts/lifetime/life.ts'
import { CHECKOUT_LIFETIME_MS as TOKEN_MS } from '../../src/api/checkouts/checkout.ts'
import { BACKGROUND_POOL } from '../../src/db/databases.ts'
import { HEARTBEAT_CONNECTIONS } from '../../src/db/health/heartbeat.ts'
import { POOL_SIZE } from '../../src/db/pool.ts'

const of = (path: string) => new URL(`../../${path}`, import.meta.url)
const { scalePage, model, CART_DAYS, TOKEN_DAYS, CONNECTIONS, CONNECTIONS_OF_BOTH } = await import(
  of('bench/scale.js').href
)
const results = JSON.parse(await readFile(of('bench/results.json'), 'utf8'))

const DAY_MS = 86_400_000

it('the page says what follows from the last measurement', async () => {
  expect(await readFile(of('docs/scale.md'), 'utf8')).toBe(scalePage(results))
})

it('the page counts with the times and connections that the service has', () => {
  expect([CART_DAYS * DAY_MS, TOKEN_DAYS * DAY_MS]).toEqual([CART_MS, TOKEN_MS])
  expect(CONNECTIONS).toBe(POOL_SIZE + HEARTBEAT_CONNECTIONS)
  expect(CONNECTIONS_OF_BOTH).toBe(POOL_SIZE + HEARTBEAT_CONNECTIONS + BACKGROUND_POOL.size)
})

it('a scenario that was not measured is missed, and not counted as nothing', () => {
  const lacking = { ...results, scenarios: results.scenarios.filter(({ name }: { name: string }) => name !== 'live') }
  expect(() => model(lacking)).toThrow('"live" was not measured, and docs/scale.md counts with it.')
})
