// How a `Db` asks: one statement in a round trip of its own, or several that are gathered first and sent together.

import { type Asks, type Db, orderedValues, type Statement, type Values } from '../db.ts'
import type { Answer, Asked } from './round.ts'

/** One round trip. The error of a statement says under `statement` whose it is. */
export type Ask = (asked: readonly Asked[]) => Promise<Answer[]>

export const dbOf = (ask: Ask): Db => ({
  ...readersOf(async (statement, values) => (await ask([askedOf(statement, values)]))[0] as Answer),
  together: (asks) => gather(asks, ask),
})

export const askedOf = (statement: Statement<unknown>, values: Values): Asked => ({
  name: statement.name,
  text: statement.text,
  values: orderedValues(statement, values),
  shares: statement.shares,
})

function readersOf(answer: (statement: Statement<unknown>, values: Values) => Promise<Answer>): Omit<Db, 'together'> {
  return {
    many: async <Row>(statement: Statement<Row>, values: Values) => (await answer(statement, values)).rows as Row[],
    maybe: async <Row>(statement: Statement<Row>, values: Values) =>
      ((await answer(statement, values)).rows[0] as Row | undefined) ?? null,
    one: async <Row>(statement: Statement<Row>, values: Values) => {
      const { rows } = await answer(statement, values)
      if (rows.length !== 1) throw new Error(`${statement.name} returned ${rows.length} rows where one was certain`)
      return rows[0] as Row
    },
    run: async (statement, values) => (await answer(statement, values)).count,
  }
}

type Waiting = { asked: Asked; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

/** What the others of a round trip fail with. */
const TAKEN_BACK = new Error('Another statement of the same round trip failed.')

/** Sends what `asks` asks for before it returns, by one call of `ask`. */
export async function gather<T extends readonly unknown[]>(asks: Asks<T>, ask: Ask): Promise<T> {
  const waiting: Waiting[] = []
  let isSent = false
  let isFlawed = false
  const readers = readersOf((statement, values) => {
    if (isSent) throw new Error(`${statement.name} was asked for after the others of its round trip had been sent.`)
    try {
      const asked = askedOf(statement, values)
      return new Promise((resolve, reject) => void waiting.push({ asked, resolve, reject }))
    } catch (error) {
      isFlawed = true
      throw error
    }
  })
  const inner: Db = { ...readers, together: (more) => Promise.all(more(inner)) as never }
  const answers = Promise.allSettled(asks(inner))
  isSent = true
  if (isFlawed) rejectAll(waiting)(TAKEN_BACK)
  else if (waiting.length > 0)
    await ask(waiting.map(({ asked }) => asked)).then(resolveAll(waiting), rejectAll(waiting))
  const settled = await answers
  const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (refusals.length > 0) throw refusals.find((reason) => reason !== TAKEN_BACK) ?? TAKEN_BACK
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)) as unknown as T
}

const resolveAll = (waiting: readonly Waiting[]) => (answers: readonly Answer[]) => {
  for (const [index, { resolve }] of waiting.entries()) resolve(answers[index] as Answer)
}

/** The one that failed knows why, so that only it takes the error for its own; with the connection lost, all have failed. */
const rejectAll = (waiting: readonly Waiting[]) => (error: unknown) => {
  const name = failedIn(error)
  const isAnybodys = waiting.some(({ asked }) => asked.name === name)
  for (const { asked, reject } of waiting) reject(isAnybodys && asked.name !== name ? TAKEN_BACK : error)
}

/** An outage has the error that told of it as its cause. */
const failedIn = (error: unknown): unknown =>
  error instanceof Error ? ((error as { statement?: string }).statement ?? failedIn(error.cause)) : undefined
