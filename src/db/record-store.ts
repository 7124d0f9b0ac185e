// The statements of simple records, with the functions that send them. `recordStore` gives all of a resource. A store with joins or computed
// columns uses single functions of this file, or writes its SQL itself.

import type { PageQuery } from '../lib/page.ts'
import type { Columns } from './columns.ts'
import { addToCount, type SharedList, storedCountSql } from './counts.ts'
import { type Db, type Shop, statement, type Tx } from './db.ts'
import { BY_KEY, keyOf, listSql, type RowPage, TIMES } from './records.ts'

/** `Owner` is the scope instead of the shop if the columns depend on the mode. */
export function findRecord<Row, Owner extends Shop = Shop>(name: string, table: string, row: string) {
  const find = statement<Row>(name, `select ${row} from ${table} where ${BY_KEY}`)
  return (db: Db, owner: Owner, id: string) => db.maybe(find, { ...owner, id })
}

export function lockRecord<Row, Owner extends Shop = Shop>(name: string, table: string, row: string) {
  const lock = statement<Row>(name, `select ${row} from ${table} where ${BY_KEY} for update`)
  return (tx: Tx, owner: Owner, id: string) => tx.maybe(lock, { ...owner, id })
}

/** The total is the stored count of the table. `from` is the table with its alias. */
export function listRecords<Row>(name: string, table: SharedList, row: string, from: string = table) {
  const list = statement<RowPage<Row>>(name, listSql({ row, from, total: storedCountSql(table) }))
  return (db: Db, shop: Shop, page: PageQuery) => db.one(list, { ...shop, ...page })
}

/** The function returns false if the record does not exist. */
export function deleteRecord<WriteTx extends Tx = Tx>(name: string, table: SharedList) {
  const remove = statement(name, `delete from ${table} where ${BY_KEY}`)
  return async (tx: WriteTx, shop: Shop, id: string) => {
    const deleted = await tx.run(remove, keyOf(shop, id))
    if (deleted > 0) addToCount(tx, shop, table, -deleted)
    return deleted > 0
  }
}

/** The function returns the deleted record, or null if it does not exist. */
function takeRecord<Row, WriteTx extends Tx>(name: string, table: SharedList, row: string) {
  const remove = statement<Row>(name, `delete from ${table} where ${BY_KEY} returning ${row}`)
  return async (tx: WriteTx, shop: Shop, id: string) => {
    const deleted = await tx.maybe(remove, keyOf(shop, id))
    if (deleted !== null) addToCount(tx, shop, table, -1)
    return deleted
  }
}

type Options<Name extends string, Unique, Returned> = {
  /** A table with a stored count of the same name, shared by sandbox and live. */
  readonly table: SharedList
  /** Columns that a merchant sets. */
  readonly columns: Columns<Name>
  /** Name of the statement for a verb. */
  readonly name: (verb: 'find' | 'list' | 'lock' | 'insert' | 'update' | 'delete') => string
  /** Columns of a unique index. If another record has the same values, `insert` returns null. It waits for a concurrent insert of them. */
  readonly unique?: Unique
  /** `delete` returns the deleted record or null, instead of a boolean. */
  readonly returnsDeleted?: Returned
}

/**
 * `Name` are the columns that a merchant sets. `update` and `delete` need a `WriteTx`. The second call lets TypeScript infer the types of
 * the options.
 */
export const recordStore =
  <Row, Name extends keyof Row & string, WriteTx extends Tx = Tx>() =>
  <Unique extends string | null = null, Returned extends boolean = false>(options: Options<Name, Unique, Returned>) => {
    const { table, columns, name, unique, returnsDeleted } = options
    const row = `id, ${columns.names}, ${TIMES}`
    const insert = statement<Row>(
      name('insert'),
      `insert into ${table} (merchant_id, id, ${columns.names}, created_at, updated_at)
       values (:merchant_id, :id, ${columns.parameters}, :now, :now)
       ${unique ? `on conflict (${unique}) do nothing` : ''}
       returning ${row}`,
    )
    const update = statement<Row>(
      name('update'),
      `update ${table} set ${columns.assignments}, updated_at = :now where ${BY_KEY} returning ${row}`,
    )
    const remove = returnsDeleted
      ? takeRecord<Row, WriteTx>(name('delete'), table, row)
      : deleteRecord<WriteTx>(name('delete'), table)
    type Delete = ReturnType<Returned extends true ? typeof takeRecord<Row, WriteTx> : typeof deleteRecord<WriteTx>>
    return {
      find: findRecord<Row>(name('find'), table, row),
      list: listRecords<Row>(name('list'), table, row),
      lock: lockRecord<Row>(name('lock'), table, row),
      async insert(tx: Tx, shop: Shop, id: string, fields: Pick<Row, Name>, now: Date) {
        const inserted = await tx.maybe(insert, { ...keyOf(shop, id), ...columns.values(fields), now })
        if (inserted !== null) addToCount(tx, shop, table, 1)
        return inserted as Unique extends string ? Row | null : Row
      },
      update: (tx: WriteTx, shop: Shop, id: string, fields: Pick<Row, Name>, now: Date) =>
        tx.one(update, { ...keyOf(shop, id), ...columns.values(fields), now }),
      delete: remove as Delete,
    }
  }
