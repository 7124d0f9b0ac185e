// X17: no card's number and no CVC reaches the database, a log, an event or an error. Looks for those that a test has sent, in every row
// of every table, and in whatever text it is given. testApp() does so by itself when a file ends; others call `cardTraces`.

import pg from 'pg'
import type { ConnectionSettings } from '../../src/db/pool.ts'

/** Those of the suite: each ending of the test gateway, and the number that its documentation shows. */
const TEST_NUMBERS: readonly string[] = [
  '4242424242424242',
  ...['0002', '9995', '0069', '0127', '3220', '0010', '0119', '0408', '0440', '0507', '0200'].map(
    (ending) => `400000000000${ending}`,
  ),
]

/** A CVC of three digits stands in every other timestamp; such a one is looked for under its name, and not at the end of an id. */
const NAMED_CVC = /(?<![0-9a-z]{12})cv[cv]\d?\W{1,6}\d{3}/i
const SHORTEST_UNMISTAKABLE = 7

export type SentCards = {
  /** Notes the card of a body of a capture, if it has one. */
  see(body: unknown): void
  /** True once a card was seen. */
  readonly hasAny: boolean
  /** What of the cards seen is in `text`; null when nothing is. */
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
      // Whatever is no number is refused, and the refusals repeat nothing; but `1` stands everywhere.
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

/** As it is, and as `bytea` shows it. */
const formsOf = (digits: string): string[] => [digits, Buffer.from(digits).toString('hex')]

const digitsOf = (sent: unknown): string =>
  typeof sent === 'string' || typeof sent === 'number' ? String(sent).replaceAll(/[\s-]/g, '') : ''

function cardOf(body: unknown): { number?: unknown; cvc?: unknown } | null {
  const payment = (body as { payment?: { card?: unknown } | null } | null | undefined)?.payment
  const card = typeof payment === 'object' && payment !== null ? payment.card : null
  return typeof card === 'object' && card !== null ? card : null
}

/** Sentences that say where something of a card was left; none when all is well. `texts` are looked through beside the database. */
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
 * Every row of every table, as JSON: a name stands before each value, as before a CVC. Side by side without their names, the last of ten random
 * characters and the number in the next column were taken for one, and a CVC in a column of its name was not.
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

/** Rows written by this transaction or a later one; all of them where there is none. */
const since = (transaction: number | null) =>
  transaction === null ? '' : ` where t.xmin::text::bigint >= ${transaction}`

/** Rows that are written from now on come of this transaction or a later one. */
export async function nextTransaction(connection: ConnectionSettings): Promise<number> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as id')
    return Number(rows[0]?.id)
  } finally {
    await client.end()
  }
}

/** True if anything was captured: most test files never do. */
export async function hasCaptured(connection: ConnectionSettings, firstTransaction: number | null): Promise<boolean> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ is_so: boolean }>(
      `select exists (select from pg_tables where schemaname = 'public' and tablename = 'capture_attempts') as is_so`,
    )
    if (!rows[0]?.is_so) return false
    const found = await client.query(`select from capture_attempts t${since(firstTransaction)} limit 1`)
    return found.rowCount === 1
  } finally {
    await client.end()
  }
}
