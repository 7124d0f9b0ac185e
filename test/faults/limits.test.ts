// @alone
// L8 to L11: what may be used a certain number of times, or up to a certain amount, is not used once more by those who come at the same
// moment, from two processes: codes, gift cards, refunds, downloads.

import { describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { patient } from '../support/database.ts'
import { newFolder } from './processes.ts'
import { prove, size } from './prove.ts'
import {
  type Body,
  buy,
  cardPayment,
  errorIn,
  insist,
  inTurns,
  openWorld,
  orderIn,
  type Reply,
  tally,
  times,
} from './world.ts'

const timeout = patient(size(60_000, 300_000))
const world = await openWorld()
// Files lie in the data folder.
const dataDir = newFolder()
await world.start({ settleSeconds: 30, dataDir })
await world.start({ settleSeconds: 30, dataDir })

const paid = () => world.count(`test_charges where state in ('charged', 'authorized', 'refunded')`)

describe('a limit', () => {
  it('of uses of a code is kept: ten are discounted, and ninety told before they pay', { timeout }, () => {
    const [limit, count, rounds] = [10, 100, size(1, 5)]
    return prove(
      { id: 'L8', done: `a code that may be used ${limit} times`, size: `${count} captures × ${rounds}` },
      async () => {
        const replies: Reply[] = []
        for (let round = 0; round < rounds; round++) {
          const product = await world.product(count)
          const { code } = await world.create<{ code: string }>('discounts', { type: 'fixed', value: 1, limit })
          const tokens = await inTurns(count, () => world.token(product))
          await inTurns(count, (index) =>
            world.succeed(200, 'GET', `/v1/checkouts/${tokens[index]}/check/discount?code=${code}`),
          )
          const before = await paid()
          // The same few customers, so that those are found and made at the same moment, too.
          const answers = await times(count, (index) =>
            insist(world, tokens[index] ?? '', {
              ...world.body(cardPayment()),
              customer: { email: `few-${index % 7}@example.com` },
            }),
          )
          const refused = answers.filter((reply) => orderIn(reply) === null)
          expect(refused.map((reply) => [reply.status, Object.keys(errorIn(reply).errors ?? {})])).toEqual(
            Array(count - limit).fill([422, ['discount_code']]),
          )
          const saved = answers.map(orderIn).flatMap((order) => (order === null ? [] : [order.order.total_due.raw]))
          expect(saved).toEqual(Array(limit).fill(9))
          expect([await paid(), await world.available(product)]).toEqual([before + limit, count - limit])
          await world.expectOracles()
          replies.push(...answers)
        }
        return `${tally(replies)}; every 200 discounted, 0 charges of the others`
      },
    )
  })

  it('of what is on a gift card is kept: the credits add up to it, and the ledger is exact', { timeout }, () => {
    const [count, rounds] = [20, size(1, 10)]
    return prove(
      {
        id: 'L9',
        done: 'a gift card of 50.00, captures of 7.00 that all use it; who is told that less is left looks again',
        size: `${count} captures × ${rounds}`,
      },
      async () => {
        const replies: Reply[] = []
        for (let round = 0; round < rounds; round++) {
          const product = await world.product(null, { price: 7 })
          const card = await world.create<{ id: string; code: string }>('giftcards', { value: 50 })
          const tokens = await inTurns(count, () => world.token(product))
          const apply = (token: string, code: string) =>
            world.succeed(200, 'GET', `/v1/checkouts/${token}/check/giftcard?code=${code}`)
          await inTurns(count, (index) => apply(tokens[index] ?? '', card.code))
          const credits = await times(count, async (index) => {
            const token = tokens[index] ?? ''
            const body = world.body(cardPayment())
            for (;;) {
              const reply = await insist(world, token, body)
              replies.push(reply)
              const order = orderIn(reply)
              if (order !== null) return creditOf(order.order.giftcard)
              expect([reply.status, Object.keys(errorIn(reply).errors ?? {})]).toEqual([422, ['giftcard_code']])
              const live = await world.succeed<{ giftcard: unknown[] }>(200, 'GET', `/v1/checkouts/${token}/live`)
              // Spent: the shopper goes on without.
              if (creditOf(live.giftcard) === 0) await apply(token, '')
            }
          })
          expect(credits.reduce((sum, credit) => sum + credit, 0)).toBe(50)
          const [{ balance } = { balance: -1 }] = await world.db.many(findBalance, {
            merchant_id: world.id,
            gift_card_id: card.id,
          })
          expect(balance).toBe(0)
          await world.expectOracles()
        }
        return `${tally(replies)}; credits add up to 50.00 each time, balance 0.00, ledger exact`
      },
    )
  })

  it('of one refund is kept, however many ask for it at the same moment', { timeout }, () => {
    const [count, rounds] = [50, size(2, 20)]
    return prove({ id: 'L10', done: 'full refunds of one order', size: `${count} requests × ${rounds}` }, async () => {
      const replies: Reply[] = []
      for (let round = 0; round < rounds; round++) {
        const { order } = await buy(world, await world.token(await world.product(null)), world.body(cardPayment()))
        const before = await world.count(`test_charges where state = 'refunded'`)
        const answers = await times(count, () =>
          world.ask('POST', `/v1/orders/${order.id}/refund`, { body: {}, key: world.secret }),
        )
        expect(answers.filter(({ status }) => status === 200).length).toBe(1)
        expect(answers.filter(({ status }) => ![200, 409, 422].includes(status))).toEqual([])
        expect(await world.count(`test_charges where state = 'refunded'`)).toBe(before + 1)
        const now = await world.succeed<{ status_payment: string; refunds: unknown[] }>(
          200,
          'GET',
          `/v1/orders/${order.id}`,
          { key: world.secret },
        )
        expect([now.status_payment, now.refunds.length]).toEqual(['refunded', 1])
        await world.expectOracles()
        replies.push(...answers)
      }
      return `${tally(replies)}; 1 refund at the gateway each time`
    })
  })

  it('of downloads is kept: three of fifty get the file', { timeout }, () => {
    const [count, rounds] = [50, size(2, 20)]
    return prove(
      { id: 'L11', done: 'a file that may be downloaded 3 times', size: `${count} requests × ${rounds}` },
      async () => {
        const contents = Buffer.from('%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n')
        const asset = await world.create('assets', {
          filename: 'book.pdf',
          contents: contents.toString('base64'),
          private: true,
        })
        const replies: Reply[] = []
        for (let round = 0; round < rounds; round++) {
          const product = await world.product(null, {
            delivery: {
              physical: false,
              // A sample, which the sandbox delivers.
              digital: { packages: [{ asset: asset.id, is_sample: true }], lifespan: { download_limit: 3 } },
            } satisfies Body,
          })
          const { order } = await buy(world, await world.token(product), world.body(cardPayment()))
          const link = new URL(order.fulfillment.digital.downloads[0]?.packages[0]?.access_link ?? '')
          const answers = await times(count, () => world.ask('GET', `${link.pathname}${link.search}`))
          const got = answers.filter(({ status }) => status === 200)
          expect(got.map(({ body }) => body)).toEqual(Array(3).fill(contents.toString()))
          expect(answers.filter(({ status }) => status !== 200 && status !== 403)).toEqual([])
          replies.push(...answers)
        }
        await world.expectOracles()
        return tally(replies)
      },
    )
  })
})

const creditOf = (shown: unknown): number => {
  const card = Array.isArray(shown) ? shown[0] : shown
  return (card as { credit?: { raw: number } } | undefined)?.credit?.raw ?? 0
}

const findBalance = statement<{ balance: number }>(
  'test.find_balance',
  'select balance from gift_card_balances where merchant_id = :merchant_id and gift_card_id = :gift_card_id and is_sandbox',
)
