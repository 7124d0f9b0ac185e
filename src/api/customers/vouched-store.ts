// The SQL that tells an address that somebody stands for from one that anybody may have typed: its owner has used a link that was mailed to
// it, the merchant has put it in or gets the shop's own mail there, or it has bought for money. A free order, or one that is not paid, makes
// a customer of any address.

import { type Db, statement } from '../../db/db.ts'

// In the sandbox nothing is paid, so nothing that was bought there counts. The index orders_paid_by_email has these orders alone: an
// address that somebody else has ordered with ten thousand times for free is looked up as fast as another.
const find = statement<{ is_vouched: boolean }>(
  'customers.find_vouched_address',
  `select c.is_email_vouched or lower(m.support_email collate "C") = $3 or (not c.is_sandbox and exists (
     select
     from orders bought
     where bought.merchant_id = $1 and lower(bought.email collate "C") = $3
       and bought.paid_at is not null and bought.order_value > 0 and not bought.is_sandbox
   )) as is_vouched
   from customers c
   join merchants m on m.merchant_id = c.merchant_id
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.email_key = $3`,
)

/** `emailKey`: in the form that addresses are compared in. Null when it is no customer's. */
export const findVouched = async (
  db: Db,
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  emailKey: string,
): Promise<boolean | null> => (await db.maybe(find, [merchantId, isSandbox, emailKey]))?.is_vouched ?? null
