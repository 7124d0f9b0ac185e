// L8 to L12: a code, a gift card, a refund, a download or a login link is not used once more than it may be.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { isProof, size } from '../../support/proof.ts'
import { beginProof, timeout } from '../prove.ts'
import {
  type Body,
  buy,
  cardPayment,
  errorIn,
  insist,
  inTurns,
  orderIn,
  type Reply,
  tally,
  times,
  type World,
} from '../world.ts'

export const limitRaces = (world: World) =>
  describe('a limit', { timeout }, () => {
    it('of uses of a code is kept: so many are discounted, and the others told before they pay', async () => {
      const [limit, count, rounds] = [size(3, 10), size(15, 100), size(1, 2)]
      const conclude = beginProof('L8', `a code that may be used ${limit} times`, `${count} captures × ${rounds}`)
      const replies: Reply[] = []
      for (let round = 0; round < rounds; round++) {
        const product = await world.product(count)
        const { code } = await world.create<{ code: string }>('discounts', { type: 'fixed', value: 1, limit })
        const tokens = await inTurns(count, () => world.token(product))
        await inTurns(count, (index) =>
          world.succeed(200, 'GET', `/v1/checkouts/${tokens[index]}/check/discount?code=${code}`),
        )
        const before = await world.paid()
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
        expect([await world.paid(), await world.available(product)]).toEqual([before + limit, count - limit])
        await world.expectOracles()
        replies.push(...answers)
      }
      conclude(`${tally(replies)}; every 200 discounted, 0 charges of the others`)
    })

    it('of what is on a gift card is kept: the credits add up to it, and the ledger is exact', async () => {
      const [count, rounds] = [size(10, 20), size(1, 3)]
      const conclude = beginProof(
        'L9',
        'a gift card of 50.00, captures of 7.00 that all use it; who is told that less is left looks again',
        `${count} captures × ${rounds}`,
      )
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
      conclude(`${tally(replies)}; credits add up to 50.00 each time, balance 0.00, ledger exact`)
    })

    it('of one refund is kept, however many ask for it at the same moment', async () => {
      const [count, rounds] = [size(12, 50), size(1, 5)]
      const conclude = beginProof('L10', 'full refunds of one order', `${count} requests × ${rounds}`)
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
      conclude(`${tally(replies)}; 1 refund at the gateway each time`)
    })

    it.runIf(isProof)('of downloads is kept: three of fifty get the file', async () => {
      const [count, rounds] = [50, 5]
      const conclude = beginProof('L11', 'a file that may be downloaded 3 times', `${count} requests × ${rounds}`)
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
      conclude(tally(replies))
    })

    it('of one session per login token is kept, in two processes', async () => {
      const [count, rounds] = [size(12, 100), size(1, 5)]
      const conclude = beginProof('L12', 'one login token exchanged at once, in two processes', `${count} × ${rounds}`)
      const email = 'login@example.com'
      await world.create('customers', { email })
      const replies: Reply[] = []
      for (let round = 0; round < rounds; round++) {
        const { token } = await world.succeed<{ token: string }>(200, 'POST', '/v1/customers/issue-token', {
          key: world.secret,
          body: { email },
        })
        const answers = await times(count, () =>
          world.ask('POST', '/v1/customers/exchange-token', { key: world.secret, body: { token } }),
        )
        const statuses = answers.map(({ status }) => status).sort()
        expect(statuses).toEqual([200, ...Array(count - 1).fill(401)])
        replies.push(...answers)
      }
      conclude(`1 session of each token: ${tally(replies)}`)
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
