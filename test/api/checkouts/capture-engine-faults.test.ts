// @sampled: npm run proof dies at each checkpoint of each scenario.
// A capture that dies at any of its checkpoints: whatever was left behind is settled by the completer, the client's retry gets the same
// outcome, and the oracles hold each time. The list of checkpoints is read off the source, and a durable step without one fails.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { killAtCheckpoint, onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { isProof } from '../../support/proof.ts'
import { CARDS, cardPayment, openEngine, otherPayment, type Seen } from './capture-engine-support.ts'

const FOLDER = join(import.meta.dirname, '../../../src/api/capture')
const sources = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }))

const CHECKPOINTS = sources
  .flatMap(({ text }) => [...text.matchAll(/\bcheckpoint\('([\w.]+)'\)/g)].map(([, name = '']) => name))
  .sort()

const app = await testApp({ trustProxy: () => true })
const engine = await openEngine(app)
const item = await engine.product(10_000)
const code = await engine.shop.discount({ type: 'fixed', value: 1, limit: 10_000 })
const giftCard = await engine.shop.giftCard({ value: 1_000 })

afterEach(() => onCheckpoint(null))

/** Everything that a capture can hold. */
const held = { lines: [{ item, quantity: 2 }], discountId: code.id, giftCard: { id: giftCard.id, credit: 5 } }

type Client = {
  token: string
  capture: (payment: ReturnType<typeof otherPayment> | null, free?: true) => Promise<Seen>
}

/** What a client does, from its first request to the last; it begins again with the first when it got no answer. */
const SCENARIOS: Record<string, { run: (client: Client) => Promise<unknown>; ends: 'order' | 'nothing' }> = {
  card: { ends: 'order', run: ({ capture }) => capture(cardPayment(CARDS.good)) },
  'manual payment': { ends: 'order', run: ({ capture }) => capture(otherPayment('manual')) },
  'free order': { ends: 'order', run: ({ capture }) => capture(null, true) },
  redirect: {
    ends: 'order',
    run: async ({ capture, token }) => {
      await capture(otherPayment('test_redirect'))
      const key = await openAttempt(token)
      if (key !== null) await engine.onPage(key, 'approve')
      const details = { test_redirect: { paykey: key ?? '' } }
      return capture(key === null ? otherPayment('test_redirect') : otherPayment('test_redirect', details))
    },
  },
  verification: {
    ends: 'order',
    run: async ({ capture }) => {
      const { error } = await capture(cardPayment(CARDS.verify))
      if (error?.type !== 'requires_verification') return
      const details = { test_gateway: { payment_intent_id: error.param } }
      await capture({ ...cardPayment(CARDS.verify), details })
    },
  },
  'changed mind': {
    ends: 'order',
    run: async ({ capture }) => {
      await capture(otherPayment('test_redirect'))
      await capture(cardPayment(CARDS.good))
    },
  },
  'card that is declined': { ends: 'nothing', run: ({ capture }) => capture(cardPayment(CARDS.declined)) },
  'redirect that nobody approves': {
    ends: 'nothing',
    run: async ({ capture }) => {
      await capture(otherPayment('test_redirect'))
      await engine.complete()
      await engine.complete(900)
    },
  },
  'gateway that hangs': {
    ends: 'nothing',
    run: async ({ capture, token }) => {
      await capture(cardPayment(CARDS.hanging))
      const key = await openAttempt(token)
      // Told too early: it is put off.
      if (key !== null) await engine.announce(key)
      await engine.complete(0)
      await engine.complete()
    },
  },
}

class Crash extends Error {}

/** Runs the scenario. From the first passing of `name` on, every further step of this process is dead. */
async function runUntil(scenario: (client: Client) => Promise<unknown>, token: string, name: string | null) {
  const passed: string[] = []
  let isDead = false
  onCheckpoint((at) => {
    passed.push(at)
    if (at === name) isDead = true
    if (isDead) throw new Crash(at)
  })
  const client: Client = {
    token,
    capture: async (payment, free) => {
      if (isDead) throw new Crash('gone')
      return engine.capture({ token, payment, ...held, ...(free ? { due: 0 } : {}) })
    },
  }
  await scenario(client).catch((error) => {
    if (!(error instanceof Crash)) throw error
  })
  onCheckpoint(null)
  engine.errors.splice(0)
  return passed
}

const passedIn = new Map<string, string[]>()
for (const [name, { run }] of Object.entries(SCENARIOS)) passedIn.set(name, await runUntil(run, engine.token(), null))
await settleAll()

/** In `npm test` a checkpoint that several scenarios pass is tried in the first of them. */
const deaths = Object.keys(SCENARIOS).flatMap((scenario) =>
  [...new Set(passedIn.get(scenario))].map((checkpoint) => ({ scenario, checkpoint })),
)
const tried = deaths.filter(
  ({ checkpoint }, index) => isProof || deaths.findIndex((other) => other.checkpoint === checkpoint) === index,
)

it.each(tried)(
  'a capture that dies at $checkpoint is settled, and its retry ends as it would have ended ($scenario)',
  async ({ scenario, checkpoint }) => {
    const { run, ends } = SCENARIOS[scenario] ?? { run: async () => undefined, ends: 'nothing' }
    const token = engine.token()
    expect(await runUntil(run, token, checkpoint)).toContain(checkpoint)
    await engine.expectOracles()
    await settleAll()
    await engine.expectOracles()
    await runUntil(run, token, null)
    await settleAll()
    expect((await engine.orders(token)).length).toBe(ends === 'order' ? 1 : 0)
    expect((await engine.attempts(token)).map(({ state }) => state).filter((state) => state !== 'released')).toEqual(
      ends === 'order' ? ['done'] : [],
    )
    await engine.expectOracles()
  },
)

describe('the checkpoints', () => {
  it('are all passed by these captures', () => {
    expect([...new Set([...passedIn.values()].flat())].sort()).toEqual(CHECKPOINTS)
    expect(new Set(CHECKPOINTS).size).toBe(CHECKPOINTS.length)
  })

  it('stand behind every durable step of the source', () => {
    expect(sources.flatMap(stepsWithoutCheckpoint)).toEqual([])
  })

  it('stop a process only as they are told', () => {
    expect(() => killAtCheckpoint('capture.reserved:wait')).toThrow('kill')
  })
})

it('the oracles see what is wrong', async () => {
  const own = await openEngine(app)
  const [sold, discount, card] = [
    await own.product(10),
    await own.shop.discount({ type: 'fixed', value: 1, limit: 1 }),
    await own.shop.giftCard({ value: 5 }),
  ]
  const bought = {
    token: own.token(),
    payment: cardPayment(CARDS.good),
    lines: [{ item: sold, quantity: 1 }],
    discountId: discount.id,
    giftCard: { id: card.id, credit: 100 },
  }
  await own.capture(bought)
  await own.expectOracles()
  let number = 0
  const broken = async (sql: string) => {
    let found: string[] = []
    const undo = new Error('undo')
    await app.db
      .transaction(async (tx) => {
        await tx.run({ name: `test.break_${number++}`, text: sql, parameters: [] }, {})
        const db = { ...app.db, ...tx }
        found = await brokenOracles(db, { now: app.clock.now(), stock: { [sold]: 10 } })
        throw undo
      })
      .catch((error) => {
        if (error !== undo) throw error
      })
    return found.map((sentence) => sentence.slice(0, 2))
  }
  const of = `where merchant_id = ${own.shop.id}`
  expect(await broken(`update stock set available = 8 ${of} and is_sandbox`)).toEqual(['O1'])
  expect(await broken(`delete from orders ${of}`)).toEqual(expect.arrayContaining(['O1', 'O2', 'O4', 'O5']))
  expect(await broken(`update test_charges set amount = 1 ${of}`)).toEqual(['O2', 'O2'])
  expect(await broken(`update test_charges set state = 'declined' ${of}`)).toEqual(['O2'])
  expect(await broken(`delete from order_transactions ${of}`)).toEqual(['O2', 'O2', 'O2'])
  expect(await broken(`delete from events ${of} and name = 'orders.create'`)).toEqual(['O4'])
  expect(await broken(`delete from events ${of} and name = 'orders.paid'`)).toEqual(['O4'])
  expect(await broken(`update discount_uses set used = 2 ${of}`)).toEqual(['O5', 'O5'])
  expect(await broken(`update gift_card_balances set balance = 1 ${of} and is_sandbox`)).toEqual(['O5'])
  expect(await broken(`update capture_attempts set gift_card_credit = 1 ${of}`)).toEqual(['O5'])
  const reopened = `state = 'charging', draft = '{}', discount_id = null, gives_up_at = '2000-01-01'`
  expect(await broken(`update capture_attempts set ${reopened} ${of}`)).toEqual(['O6'])
  const held = `insert into held_stock select merchant_id, id, '${sold}', 1 from capture_attempts ${of}`
  expect(await broken(held)).toEqual(['O1', 'O6'])
  const twice = `insert into test_charges
    select merchant_id, id || 'x', 'charged', 1, 'USD', '{}', created_at, created_at from capture_attempts ${of}`
  expect(await broken(twice)).toEqual(['O2'])
})

/** Lets all time pass that anything waits for, and settles all of it. */
async function settleAll() {
  // More than one pass: what one has found to be waiting is waited for.
  for (const seconds of [1, 20, 920]) await engine.complete(seconds)
}

async function openAttempt(token: string): Promise<string | null> {
  const open = (await engine.attempts(token)).find(({ state }) => state === 'charging' || state === 'waiting')
  return open?.id ?? null
}

/** Calls that leave something behind when the process dies. What is given `tx` is undone then. */
const DURABLE =
  /\bawait (?:db\.transaction(?:After)?|takeOrderNumber|requestCharge|requestChargeCancel|markAwaitingShopper|(?!charge|find|read|return|settle)\w*Attempt\w*)\((?!tx\b)/

/** Lines that await a durable call whose sentence is not followed by a checkpoint. The formatter has given each sentence its own lines. */
function stepsWithoutCheckpoint({ name, text }: { name: string; text: string }): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    if (!DURABLE.test(line)) return []
    const indent = line.search(/\S/)
    const isPartOfIt = (other: string) => {
      const depth = other.search(/\S/)
      return depth === -1 || depth > indent || (depth === indent && /^\s*[})\].]/.test(other))
    }
    const next = lines.slice(index + 1).find((other) => !isPartOfIt(other))
    return next?.trimStart().startsWith('await checkpoint(') ? [] : [`${name} line ${index + 1}: ${line.trim()}`]
  })
}
