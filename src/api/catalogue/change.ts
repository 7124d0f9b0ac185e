// Transactions that change objects that many products show: categories, attributes, assets and shipping zones. Each raises
// the shop's catalogue version before its commit. Otherwise other processes would show products from an outdated cache.

import type { Database, Shop } from '../../db/db.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { type CatalogueTx, withCatalogueRaiseBeforeCommit } from './store.ts'

/** `caller` is the caller of a request, or the shop of a job. */
type ChangeContext = { readonly db: Database; readonly caller: Shop }

/** Runs `work` in a transaction that raises the shop's catalogue version. */
export const changeCatalogue = <T>({ db, caller }: ChangeContext, work: (tx: CatalogueTx) => Promise<T>): Promise<T> =>
  db.transaction((tx) => withCatalogueRaiseBeforeCommit(tx, caller, work))

/** Like `withRecord`, and raises the shop's catalogue version. For a record that many products show. */
export const withSharedRecord = <Row, T>(
  context: RuleContext,
  noun: string,
  take: (tx: CatalogueTx, caller: RuleContext['caller'], id: string) => Promise<Row | null>,
  id: string,
  work: (tx: CatalogueTx, row: Row, now: Date) => Promise<T>,
): Promise<T> =>
  withRecord(
    context,
    noun,
    (tx, caller, recordId) => take(tx as CatalogueTx, caller, recordId),
    id,
    (tx, row, now) => withCatalogueRaiseBeforeCommit(tx, context.caller, (shared) => work(shared, row, now)),
  )
