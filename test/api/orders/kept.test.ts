// The kept totals of orders and customers are what counting gives, in both modes: after random writes, several at once, refused ones and
// sweeps.

import { expect, it } from 'vitest'
import { sandboxQuotaSweep } from '../../../src/api/retention/quotas.ts'
import { expirySweeps } from '../../../src/api/retention/slice.ts'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { randomOf } from '../../support/random.ts'
import { sql } from '../../support/rows.ts'
import { openCustomers } from '../customers/shop.ts'
import { draftOf } from './support.ts'

const ROUNDS = 40
const QUOTA = 5
const DAY = 86_400
const app = await testApp({ trustProxy: () => true })

const totals = sql<{ list: string; is_sandbox: boolean; kept: number; counted: number }>`
  select list, is_sandbox, (
    select coalesce(sum(total), 0) from kept_counts kept
    where kept.merchant_id = :merchant_id and kept.list = counted.list and kept.is_sandbox = counted.is_sandbox
  )::bigint as kept, counted
  from (
    select 'orders' as list, mode as is_sandbox, (
      select count(*) from orders where merchant_id = :merchant_id and is_sandbox = mode
    ) as counted
    from unnest(array[false, true]) mode
    union all
    select 'customers', mode, (select count(*) from customers where merchant_id = :merchant_id and is_sandbox = mode)
    from unnest(array[false, true]) mode
  ) counted
  order by 1, 2`

it('after every write of orders and customers the totals are right', { timeout: patient(60_000) }, async () => {
  const shop = await openCustomers(app)
  const random = randomOf(11)
  const seen = { made: 0, refused: 0, deleted: 0, swept: 0 }
  const keyOf = (is_sandbox: boolean) => (is_sandbox ? shop.keys.sandbox : shop.keys.live).secret
  const anyMode = () => random(2) === 0
  // Few addresses, so that many are known already.
  const email = () => `shopper-${random(12)}@example.com`
  const checkouts = ['chkt_once', 'chkt_twice']

  const create = async () => {
    const { status } = await shop.call('POST', '', { email: email() }, keyOf(anyMode()))
    expect([201, 422]).toContain(status)
    seen[status === 201 ? 'made' : 'refused']++
  }
  const remove = async () => {
    const by = keyOf(anyMode())
    const { data } = (await shop.succeed(200, 'GET', '?limit=50', undefined, by)) as { data: { id: string }[] }
    const customer = data[random(data.length)]
    if (customer && (await shop.call('DELETE', `/${customer.id}`, undefined, by)).status === 204) seen.deleted++
  }
  const buy = async () => {
    const customer = { ...draftOf().customer, email: email() }
    // Now and then by a token that has an order already: then nothing is made, nor the customer.
    const token = random(3) === 0 ? { checkout_id: checkouts[random(2)] as string } : {}
    await shop.order({ customer, ...token }, 'manual', { is_sandbox: anyMode() }).then(
      () => seen.made++,
      (error) => {
        expect(String(error)).toMatch(/orders_checkout_unique/)
        seen.refused++
      },
    )
  }
  const sweep = async () => {
    app.clock.advance(random(2) * DAY + 660)
    const sweeps = [sandboxQuotaSweep(QUOTA), ...expirySweeps(1)]
    for (const { run } of sweeps)
      seen.swept += await run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
  }
  const writes = [create, create, remove, buy, buy, buy, sweep]

  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: round % 3 === 0 ? 5 : 1 }, () => writes[random(writes.length)]?.()))
    const rows = await app.db.many(totals, { merchant_id: shop.id })
    expect(rows.map(({ kept }) => kept)).toEqual(rows.map(({ counted }) => counted))
  }
  for (const [what, times] of Object.entries(seen)) expect([what, times > 0]).toEqual([what, true])

  const rows = await app.db.many(totals, { merchant_id: shop.id })
  expect(rows.every(({ counted }) => counted > 0)).toBe(true)
  for (const is_sandbox of [false, true]) {
    const { meta } = (await shop.succeed(200, 'GET', '', undefined, keyOf(is_sandbox))) as {
      meta: { pagination: { total: number } }
    }
    const customers = rows.find((row) => row.list === 'customers' && row.is_sandbox === is_sandbox)
    expect(meta.pagination.total).toBe(customers?.counted)
  }
})
