// A code that a shopper enters: which can be used, what is said of the others, and how often one may try.

import { describe, expect, it } from 'vitest'
import { codeSubjects, tryDiscountCode } from '../../../src/api/discounts/code.ts'
import { toDiscountInput } from '../../../src/api/discounts/store.ts'
import { networksOf } from '../../../src/lib/addresses.ts'
import { ApiError } from '../../../src/lib/errors.ts'
import { testApp } from '../../support/app.ts'
import { openShop } from './support.ts'

const app = await testApp({ trustProxy: () => true, pool: { size: 4 } })
const shop = await openShop(app)

let address = 0
/** A client that has tried nothing yet. */
const newClient = () => ({ enteredIn: `cart_${++address}`, clientNetworks: [`203.0.113.${address}`] })

/** A shopper, with the public key. */
const PUBLIC = { merchant_id: shop.id, is_sandbox: true }

const enter = (code: string, { enteredIn, clientNetworks } = newClient(), caller = PUBLIC) =>
  tryDiscountCode({ db: app.db, clock: app.clock, caller, clientNetworks }, { code, field: 'code', enteredIn })

/** What becomes of a try: the code, null, or the status and when to come back. */
const outcome = (code: string, client = newClient(), caller = PUBLIC) =>
  enter(code, client, caller).then(
    (found) => found?.code ?? null,
    (error) => (error instanceof ApiError ? [error.status, error.headers['retry-after']] : Promise.reject(error)),
  )

describe('a code', () => {
  it('is found in any case, with blanks around it', async () => {
    const mug = await shop.product('Mug')
    const { id } = await shop.create({ code: 'Mug-Days', type: 'fixed', value: 2.5, product_ids: [mug] })
    const row = { id, code: 'Mug-Days', type: 'fixed', value: 250, product_ids: [mug] } as const
    for (const code of ['Mug-Days', 'MUG-DAYS', ' mug-days\n']) expect(await enter(code)).toEqual(row)
    expect(toDiscountInput({ ...row, product_ids: [mug] })).toEqual({ type: 'fixed', value: 250, productIds: [mug] })
  })
})

describe('guessing codes', () => {
  it('counts failures alone', async () => {
    await shop.create({ code: 'OFTEN' })
    const client = newClient()
    for (let tries = 0; tries < 15; tries++) expect(await outcome('OFTEN', client)).toBe('OFTEN')
    expect(await outcome('WRONG', client)).toBeNull()
  })

  it('finds no right code behind a crowd of wrong ones sent at the same moment', async () => {
    await shop.create({ code: 'HIDDEN' })
    const client = newClient()
    const crowd = [...Array.from({ length: 60 }, (_, index) => `WRONG-${index}`), 'HIDDEN']
    expect((await Promise.all(crowd.map((code) => outcome(code, client)))).at(-1)).toEqual([429, '60'])
  })

  it('names its subjects by mode, place and network, and cuts ids that nobody can have', () => {
    expect(codeSubjects(PUBLIC, 'cart_1', networksOf('2001:db8::1'))).toEqual([
      { subject: 'code sandbox in cart_1', most: 10 },
      { subject: 'code sandbox from 2001:db8:0:0::/64', most: 200 },
      { subject: 'code sandbox from 2001:db8:0:0::/56', most: 400 },
      { subject: 'code sandbox from 2001:db8:0::/48', most: 800 },
    ])
    expect(codeSubjects({ is_sandbox: false }, 'カ'.repeat(1_000), [])).toEqual([
      { subject: `code live in ${'カ'.repeat(64)}`, most: 10 },
    ])
  })
})
