// X17: no card number and no CVC reaches the database, a log, an event or an error. testApp() scans when a file ends; others call `cardTraces`.

import pg from 'pg'
import type { ConnectionSettings } from '../../src/db/pool.ts'
import { administer } from '../support/database.ts'

/** Card numbers of the tests: each ending of the test gateway, and the number from its documentation. */
const TEST_NUMBERS: readonly string[] = [
  '4242424242424242',
  ...['0002', '9995', '0069', '0127', '3220', '0010', '0119', '0408', '0440', '0507', '0200'].map(
    (ending) => `400000000000${ending}`,
  ),
]

/** A three-digit CVC occurs in every other timestamp. So the scan looks for one behind its name, but not at the end of an id. */
const NAMED_CVC = /(?<![0-9a-z]{12})cv[cv]\d?\W{1,6}\d{3}/i
const SHORTEST_UNMISTAKABLE = 7

export type SentCards = {
  /** Records the card in the body of a capture, if it has one. */
  see(body: unknown): void
  /** True once a card was seen. */
  readonly hasAny: boolean
  /** Returns the part of a seen card that `text` contains, or null. */
  traceIn(text: string): string | null
}

export function sentCards(): SentCards {
  const wanted = new Set(TEST_NUMBERS.flatMap(formsOf))
  let hasAny = false
  return {
    get hasAny() {
      return hasAny
    },
    see(body) {
      const card = cardOf(body)
      if (card === null) return
      hasAny = true
      const number = digitsOf(card.number)
      // A short text such as `1` occurs everywhere. It is refused as a number, and the error does not repeat it.
      if (number.length >= 12) for (const form of formsOf(number)) wanted.add(form)
      const cvc = digitsOf(card.cvc)
      if (cvc.length >= SHORTEST_UNMISTAKABLE) for (const form of formsOf(cvc)) wanted.add(form)
    },
    traceIn(text) {
      const [named] = NAMED_CVC.exec(text) ?? []
      if (named !== undefined) return named
      const plain = text.replaceAll(/[\s-]/g, '')
      for (const form of wanted) if (plain.includes(form)) return form
      return null
    },
  }
}

/** Returns the plain form, and the hex form of `bytea`. */
const formsOf = (digits: string): string[] => [digits, Buffer.from(digits).toString('hex')]

const digitsOf = (sent: unknown): string =>
  typeof sent === 'string' || typeof sent === 'number' ? String(sent).replaceAll(/[\s-]/g, '') : ''

function cardOf(body: unknown): { number?: unknown; cvc?: unknown } | null {
  const payment = (body as { payment?: { card?: unknown } | null } | null | undefined)?.payment
  const card = typeof payment === 'object' && payment !== null ? payment.card : null
  return typeof card === 'object' && card !== null ? card : null
}

/** Returns sentences that say where card data was found; none if there is none. `texts` are searched as well as the database. */
export async function cardTraces(
  connection: ConnectionSettings,
  cards: SentCards,
  texts: Readonly<Record<string, string>> = {},
  firstTransaction: number | null = null,
): Promise<string[]> {
  const found: string[] = []
  for (const [name, text] of Object.entries(texts)) {
    const trace = cards.traceIn(text)
    if (trace !== null) found.push(`${name} holds ${trace}.`)
  }
  for await (const { table, row } of everyRow(connection, firstTransaction)) {
    const trace = cards.traceIn(row)
    if (trace !== null) found.push(`The table ${table} holds ${trace}.`)
  }
  return found
}

const TABLES = `select tablename from pg_tables where schemaname = 'public' order by tablename`

/**
 * Yields every row of every table as JSON, so that each value has its name, which the CVC search needs. Without names, the end of a random
 * id and the next column's number looked like one value. And a CVC in its own column was missed.
 */
export async function* everyRow(
  connection: ConnectionSettings,
  firstTransaction: number | null = null,
): AsyncGenerator<{ table: string; row: string }> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const tables = await client.query<{ tablename: string }>(TABLES)
    for (const { tablename: table } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(
        `select to_json(t)::text as row from "${table}" t${since(firstTransaction)}`,
      )
      for (const { row } of rows) yield { table, row }
    }
  } finally {
    await client.end()
  }
}

/** SQL for rows written by this transaction or a later one; all rows if it is null. */
const since = (transaction: number | null) =>
  transaction === null ? '' : ` where t.xmin::text::bigint >= ${transaction}`

/** Returns the transaction id from which on new rows are written. */
export async function nextTransaction(connection: ConnectionSettings): Promise<number> {
  const { rows } = await administer(connection, 'select pg_snapshot_xmax(pg_current_snapshot())::text as id')
  return Number(rows[0]?.id)
}

/** True if anything was captured: most test files never do. */
export async function hasCaptured(connection: ConnectionSettings, firstTransaction: number | null): Promise<boolean> {
  const { rows } = await administer(
    connection,
    `select exists (select from pg_tables where schemaname = 'public' and tablename = 'capture_attempts') as is_so`,
  )
  if (!rows[0]?.is_so) return false
  const found = await administer(connection, `select from capture_attempts t${since(firstTransaction)} limit 1`)
  return found.rowCount === 1
}
