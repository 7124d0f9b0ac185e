// SQL of logging in: creating and using login tokens, each in one statement.

import { type Database, type Db, type Scope, type Shop, statement } from '../../../db/db.ts'
import { sweepOf } from '../../../jobs/sweeps.ts'
import { checkGuess, type GuessCheck } from '../../../limits/guesses.ts'
import { type GuardedRow, guardedSecretSql } from '../../../limits/store.ts'

const byId = statement<{ id: string }>(
  'customers.find_to_log_in',
  'select id from customers where merchant_id = :merchant_id and is_sandbox = :is_sandbox and id = :id',
)

export const findCustomerToLogIn = (db: Db, { merchant_id, is_sandbox }: Scope, id: string) =>
  db.maybe(byId, { merchant_id, is_sandbox, id })

export type NewLoginToken = {
  /** Normalized address of the customer. The link is sent only there, so its use proves that the customer owns the address. */
  readonly emailKey: string
  readonly hash: Buffer
  readonly expiresAt: Date
}

// One statement finds the customer and inserts the token. A concurrent change of the address must not give a token for the old customer.
const insertToken = statement<{ id: string; email: string }>(
  'customers.insert_login_token',
  `with
   owner as (
     select id, email
     from customers
     where merchant_id = :merchant_id and is_sandbox = :is_sandbox and email_key = :email_key
     for key share
   ),
   made as (
     insert into login_tokens (merchant_id, token_hash, is_sandbox, customer_id, email_key, expires_at)
     select :merchant_id, :token_hash, :is_sandbox, owner.id, :email_key, :expires_at
     from owner
   )
   select id, email from owner`,
)

/** The customer of the new token. Null, without a token, if no customer has the address. */
export const insertLoginToken = (db: Db, { merchant_id, is_sandbox }: Scope, token: NewLoginToken) =>
  db.maybe(insertToken, {
    merchant_id,
    is_sandbox,
    email_key: token.emailKey,
    token_hash: token.hash,
    expires_at: token.expiresAt,
  })

const deleteToken = statement(
  'customers.delete_login_token',
  'delete from login_tokens where merchant_id = :merchant_id and token_hash = :token_hash',
)

export const deleteLoginToken = (db: Db, { merchant_id }: Shop, hash: Buffer) =>
  db.run(deleteToken, { merchant_id, token_hash: hash })

/**
 * Uses a login token.
 * Locks the customer first, like a deletion does; the other order could deadlock. Of concurrent requests with the same token, only the
 * first finds it.
 * If the customer had changed the address, the link now proves it. An intruder may have changed it, so older sessions end and other tokens
 * are deleted. Orders made with the address become visible. Every login looks for such orders, because an order created at the time of the
 * proof may have missed it.
 * The first login also shows that somebody reads the mails (`is_email_vouched`, see `findVouched`), which ends no session. `seen_at`
 * protects active sandbox customers from the sweep.
 */
const useToken = statement<GuardedRow<{ id: string }>>(
  'customers.use_login_token',
  guardedSecretSql(
    'select id from used',
    `owner as materialized (
       select customer.id, customer.email_key, customer.is_email_proven as was_proven,
         token.email_key = customer.email_key as is_proven
       from login_tokens token
       join customers customer on customer.merchant_id = token.merchant_id and customer.id = token.customer_id
       where token.merchant_id = :merchant_id and token.token_hash = :token_hash and token.is_sandbox = :is_sandbox and token.expires_at > :now
         and customer.is_sandbox = :is_sandbox
       for no key update of customer
     ),
     used as (
       delete from login_tokens token
       using owner
       where token.merchant_id = :merchant_id and token.token_hash = :token_hash
       returning owner.id, owner.email_key, owner.was_proven, owner.is_proven
     ),
     marked as (
       update customers customer
       set is_email_proven = customer.is_email_proven or used.is_proven,
         is_email_vouched = customer.is_email_vouched or used.is_proven,
         sessions_from = case when used.is_proven and not used.was_proven then :now else customer.sessions_from end,
         seen_at = :now
       from used
       where customer.merchant_id = :merchant_id and customer.id = used.id
         and (:is_sandbox or used.is_proven and not (customer.is_email_proven and customer.is_email_vouched))
     ),
     others as (
       delete from login_tokens token
       using used
       where token.merchant_id = :merchant_id and token.customer_id = used.id and token.token_hash <> :token_hash
         and used.is_proven and not used.was_proven
     ),
     shown as (
       update orders o
       set unproven_email_key = null
       from used
       where o.merchant_id = :merchant_id and o.customer_id = used.id and used.is_proven and o.unproven_email_key = used.email_key
     ),`,
  ),
)

/**
 * Uses up a token and returns its customer. Null for an unknown token, which counts as a guess against the subjects. A valid token is never
 * refused because of earlier guesses: its holder has received the mail.
 */
export const useLoginToken = (
  db: Database,
  { merchant_id, is_sandbox }: Scope,
  hash: Buffer,
  { subjects, now, excess }: Omit<GuessCheck, 'merchant_id'>,
): Promise<{ id: string } | null> =>
  checkGuess(db, useToken, { merchant_id, subjects, now, excess }, { token_hash: hash, is_sandbox })

/** Deletes expired tokens. */
export const sweepLoginTokens = sweepOf('login_tokens', {
  name: 'expired-login-tokens',
  everySeconds: 900,
  column: 'expires_at',
  key: { token_hash: 'bytea' },
})
