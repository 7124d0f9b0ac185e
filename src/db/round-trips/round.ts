// One round trip to PostgreSQL: any number of prepared statements, written together and ended by one Sync. If one fails, PostgreSQL skips
// the rest. The client library knows only one statement at a time. So this is a query class of our own for it, like its cursors.

import pg from 'pg'
import type { RoundTripGroup } from '../db.ts'

/** A statement with its values in the order of their numbers. */
export type BoundStatement = {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Same as the statement's own. */
  readonly shares?: RoundTripGroup | undefined
}

export type StatementResult = {
  readonly rows: Record<string, unknown>[]
  /** `INSERT`, `COMMIT` and so on. */
  command: string
  /** Number of rows read or changed. */
  count: number
}

type WireValue = string | Buffer | null
/** Columns of a statement. PostgreSQL sends them once per connection. It refuses a statement with columns that have changed since. */
type Columns = {
  readonly blank: Record<string, null>
  readonly names: readonly string[]
  readonly readers: readonly ((text: string) => unknown)[]
}
type Column = { readonly name: string; readonly dataTypeID: number }

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): WireValue } }).utils

const INT8 = 20
/** Counts arrive as bigint; all of ours fit a JavaScript number. */
const columnReader = ({ dataTypeID }: Column): ((text: string) => unknown) =>
  dataTypeID === INT8 ? Number : pg.types.getTypeParser(dataTypeID, 'text')

const NO_COLUMNS: Columns = { blank: {}, names: [], readers: [] }
const columnsByConnection = new WeakMap<pg.Connection, Map<string, Columns>>()

/** Rejects with the error of the failed statement, which has its name under `statement`. */
export const sendRound = (
  client: pg.ClientBase,
  statements: readonly BoundStatement[],
  timeoutMs: number,
): Promise<StatementResult[]> =>
  new Promise((resolve, reject) => {
    const round = new Round(statements, timeoutMs)
    round.callback = (error, answers = []) => {
      if (error) reject(Object.assign(error, { statement: round.name }))
      else resolve(answers)
    }
    client.query<Round>(round)
  })

class Round implements pg.Submittable {
  /** Exposed for code that inspects what is sent. */
  readonly statements: readonly BoundStatement[]
  /** Time without an answer after which the client fails the round. */
  readonly query_timeout: number
  callback: (error: Error | null, answers?: StatementResult[]) => void = () => undefined
  readonly #values: WireValue[][]
  readonly #answers: StatementResult[] = []
  #known = new Map<string, Columns>()
  #columns: Columns | undefined
  #rows: Record<string, unknown>[] = []
  #unreadable: Error | null = null

  constructor(statements: readonly BoundStatement[], timeoutMs: number) {
    this.statements = statements
    this.query_timeout = timeoutMs
    // Do this before sending: a value that cannot be encoded must not leave half a round on the wire.
    this.#values = statements.map(({ values }) => values.map(prepareValue))
  }

  get #current(): BoundStatement | undefined {
    return this.statements[this.#answers.length]
  }

  /** The client records this name and text as prepared when PostgreSQL confirms it: those of the current statement. */
  get name(): string {
    return this.#current?.name ?? ''
  }

  get text(): string {
    return this.#current?.text ?? ''
  }

  submit(connection: pg.Connection): null {
    const { parsedStatements } = connection as unknown as { parsedStatements: Record<string, string> }
    this.#known = columnsByConnection.get(connection) ?? new Map()
    columnsByConnection.set(connection, this.#known)
    const names = new Set<string>()
    connection.stream.cork()
    for (const [index, { name, text }] of this.statements.entries()) {
      if (parsedStatements[name] === undefined && !names.has(name)) connection.parse({ name, text, types: [] }, true)
      connection.bind({ statement: name, values: this.#values[index] }, true)
      if (!this.#known.has(name) && !names.has(name)) connection.describe({ type: 'P' }, true)
      connection.execute(null, true)
      names.add(name)
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }) {
    const names = fields.map(({ name }) => name)
    const blank = Object.fromEntries(names.map((name) => [name, null]))
    this.#known.set(this.name, { blank, names, readers: fields.map(columnReader) })
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    this.#columns ??= this.#known.get(this.name) ?? NO_COLUMNS
    const { blank, names, readers } = this.#columns
    const row: Record<string, unknown> = { ...blank }
    try {
      for (let index = 0; index < fields.length; index++) {
        const text = fields[index]
        if (typeof text === 'string') row[names[index] as string] = readers[index]?.(text)
      }
    } catch (error) {
      this.#unreadable ??= error as Error
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }) {
    const name = this.name
    if (!this.#known.has(name)) this.#known.set(name, NO_COLUMNS)
    const [command = '', ...numbers] = text.split(' ')
    this.#answers.push({ rows: this.#rows, command, count: Number(numbers.at(-1) ?? 0) })
    this.#rows = []
    this.#columns = undefined
  }

  handleError(error: Error) {
    this.callback(error)
  }

  handleReadyForQuery() {
    this.callback(this.#unreadable, this.#answers)
  }
}
