// SQL of the signing secrets and of the session keys. Both belong to the whole service, not to a merchant.

import { type Db, statement, type Tx } from '../db/db.ts'

const selectSecret = statement<{ secret: Buffer }>(
  'signing_secrets.find',
  'select secret from signing_secrets where name = :name',
)

export const findSecret = async (db: Db, name: string): Promise<Uint8Array | null> =>
  (await db.maybe(selectSecret, { name }))?.secret ?? null

/** Read it after the insert: of two concurrent processes the first insert wins, and both read its secret. */
export const readSecret = async (db: Db, name: string): Promise<Uint8Array> =>
  (await db.one(selectSecret, { name })).secret

const insertSecretIfNew = statement(
  'signing_secrets.make',
  'insert into signing_secrets (name, secret, created_at) values (:name, :secret, :now) on conflict (name) do nothing',
)

export const insertSecret = (db: Db, name: string, secret: Uint8Array, now: Date) =>
  db.run(insertSecretIfNew, { name, secret, now })

export type SessionKey = { readonly id: string; readonly secret: Uint8Array; readonly createdAt: Date }

const list = statement<SessionKey>(
  'session_keys.list',
  'select id, secret, created_at as "createdAt" from session_keys order by created_at desc, id desc',
)

/** Newest first. */
export const listSessionKeys = (db: Db) => db.many(list, {})

const INSERT = 'insert into session_keys (id, secret, created_at)'

const insert = statement('session_keys.insert', `${INSERT} values (:id, :secret, :created_at)`)

export const insertSessionKey = (tx: Tx, { id, secret, createdAt }: SessionKey) =>
  tx.run(insert, { id, secret, created_at: createdAt })

// Processes notice an old key at the same time. With this condition usually only one of them creates the next.
const insertUnlessYoung = statement(
  'session_keys.insert_unless_young',
  `${INSERT} select :id, :secret, :created_at where not exists (select 1 from session_keys where created_at > :young_after)`,
)

/** Inserts nothing if a key newer than that moment exists. */
export const insertNextSessionKey = (db: Db, { id, secret, createdAt }: SessionKey, youngAfter: Date) =>
  db.run(insertUnlessYoung, { id, secret, created_at: createdAt, young_after: youngAfter })

const deleteReplaced = statement(
  'session_keys.delete_replaced',
  `delete from session_keys replaced
   where exists (
     select 1 from session_keys newer
     where (newer.created_at, newer.id) > (replaced.created_at, replaced.id) and newer.created_at <= :moment
   )`,
)

/** Deletes keys that had been replaced by that moment. */
export const deleteKeysReplacedBy = (db: Db, moment: Date): Promise<number> => db.run(deleteReplaced, { moment })

const deleteOthers = statement('session_keys.delete_others', 'delete from session_keys where id <> :id')

export const deleteOtherSessionKeys = (tx: Tx, id: string) => tx.run(deleteOthers, { id })
