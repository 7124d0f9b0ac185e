// Sends the statements of a `Db`: each in its own round trip, or several gathered and sent together.

import { type Db, orderedValues, type Statement, type StatementRequests, type Values } from '../db.ts'
import type { BoundStatement, StatementResult } from './round.ts'

/** Makes one round trip. The error of a statement has its name under `statement`. */
export type SendStatements = (asked: readonly BoundStatement[]) => Promise<StatementResult[]>

export const createDb = (ask: SendStatements): Db => ({
  ...readersOf(async (statement, values) => (await ask([bindStatement(statement, values)]))[0] as StatementResult),
  together: (requests) => gatherStatements(requests, ask),
})

export const bindStatement = (statement: Statement<unknown>, values: Values): BoundStatement => ({
  name: statement.name,
  text: statement.text,
  values: orderedValues(statement, values),
  shares: statement.shares,
})

function readersOf(
  answer: (statement: Statement<unknown>, values: Values) => Promise<StatementResult>,
): Omit<Db, 'together'> {
  return {
    many: async <Row>(statement: Statement<Row>, values: Values) => (await answer(statement, values)).rows as Row[],
    maybe: async <Row>(statement: Statement<Row>, values: Values) =>
      ((await answer(statement, values)).rows[0] as Row | undefined) ?? null,
    one: async <Row>(statement: Statement<Row>, values: Values) => {
      const { rows } = await answer(statement, values)
      if (rows.length !== 1) throw new Error(`${statement.name} returned ${rows.length} rows instead of exactly one`)
      return rows[0] as Row
    },
    run: async (statement, values) => (await answer(statement, values)).count,
  }
}

type PendingStatement = {
  asked: BoundStatement
  resolve: (answer: StatementResult) => void
  reject: (error: unknown) => void
}

/** Error for the other statements of a failed round trip. */
const ROLLED_BACK = new Error('Another statement of the same round trip failed.')

/** Gathers all statements that `requests` makes before it returns, and sends them with one call of `ask`. */
export async function gatherStatements<T extends readonly unknown[]>(
  requests: StatementRequests<T>,
  ask: SendStatements,
): Promise<T> {
  const pending: PendingStatement[] = []
  let isSent = false
  let hasInvalid = false
  const readers = readersOf((statement, values) => {
    if (isSent) throw new Error(`${statement.name} was requested after its round trip had been sent.`)
    try {
      const boundStatement = bindStatement(statement, values)
      return new Promise((resolve, reject) => void pending.push({ asked: boundStatement, resolve, reject }))
    } catch (error) {
      hasInvalid = true
      throw error
    }
  })
  const inner: Db = { ...readers, together: (more) => Promise.all(more(inner)) as never }
  const answers = Promise.allSettled(requests(inner))
  isSent = true
  if (hasInvalid) rejectAll(pending)(ROLLED_BACK)
  else if (pending.length > 0)
    await ask(pending.map(({ asked }) => asked)).then(resolveAll(pending), rejectAll(pending))
  const settled = await answers
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (errors.length > 0) throw errors.find((reason) => reason !== ROLLED_BACK) ?? ROLLED_BACK
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)) as unknown as T
}

const resolveAll = (pending: readonly PendingStatement[]) => (answers: readonly StatementResult[]) => {
  for (const [index, { resolve }] of pending.entries()) resolve(answers[index] as StatementResult)
}

/**
 * Passes the error only to the statement that failed; the others get `ROLLED_BACK`. If the connection was lost, all of them get the error.
 */
const rejectAll = (pending: readonly PendingStatement[]) => (error: unknown) => {
  const name = failedStatement(error)
  const hasOwner = pending.some(({ asked }) => asked.name === name)
  for (const { asked, reject } of pending) reject(hasOwner && asked.name !== name ? ROLLED_BACK : error)
}

/** Finds the statement's name in the error or in its causes, because an outage wraps the original error. */
const failedStatement = (error: unknown): unknown =>
  error instanceof Error ? ((error as { statement?: string }).statement ?? failedStatement(error.cause)) : undefined
