// The SQL that finds the customer an order belongs to, or makes one, as part of the statement that begins the order.

/** A customer without what stands in other tables. */
export type CustomerRow = {
  id: string
  email: string
  firstname: string | null
  lastname: string | null
  phone: string | null
  external_id: string | null
  meta: Record<string, unknown> | null
  created: number
  updated: number
}

/** Who buys. `id` is known where the capture named a customer. */
export type Buyer = {
  readonly id: string | null
  readonly email: string
  readonly firstname: string | null
  readonly lastname: string | null
  readonly phone: string | null
  readonly meta: Record<string, unknown> | null
}

const COLUMNS =
  'id, email, email_key, is_email_proven, firstname, lastname, phone, external_id, meta, created_at, updated_at'

/** Upper and lower case are the same address, of A to Z alone: the lower case of the Kelvin sign is somebody else's k. */
export const emailKey = (email: string): string => email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * The common table expressions of the match, for a statement whose first parameters are `matchValues`. `matched` gives one row with
 * the columns of a customer's table.
 *
 * A known customer is read and left alone: whoever buys knows an address, which is no proof of being its owner. Only where there is
 * none is one inserted. Of two first orders at once, the second waits for the first and then finds its customer: that is what the
 * update is for, which changes nothing.
 */
export const MATCHED_CUSTOMER = `known as (
     select ${COLUMNS} from customers
     where merchant_id = $1 and is_sandbox = $2 and id = $4
     union all
     select ${COLUMNS} from customers
     where merchant_id = $1 and is_sandbox = $2 and email_key = $6 and $4::text is null
   ), made as (
     insert into customers (
       merchant_id, is_sandbox, id, email, email_key, firstname, lastname, phone, meta, created_at, updated_at
     )
     select $1, $2, $3, $5, $6, $7, $8, $9, $10::json, $11::timestamptz, $11::timestamptz
     where not exists (select from known)
     on conflict (merchant_id, is_sandbox, email_key) do update set email_key = excluded.email_key
     returning ${COLUMNS}
   ), matched as (
     select ${COLUMNS} from known
     union all
     select ${COLUMNS} from made
   )`

/** The columns of a `CustomerRow` as JSON, of `matched`. */
export const MATCHED_JSON = `json_build_object('id', matched.id, 'email', matched.email, 'firstname', matched.firstname,
     'lastname', matched.lastname, 'phone', matched.phone, 'external_id', matched.external_id, 'meta', matched.meta,
     'created', unix_seconds(matched.created_at), 'updated', unix_seconds(matched.updated_at))`

/**
 * What an order keeps of the address it is made with: null where it is that of its customer, and proven. Read in the statement of the
 * match, from the very row that was matched: an address that is taken at the same moment is either not matched, or known as not proven.
 * So too where the capture has named the customer: any public key can name any id, and whoever buys in a browser in which somebody else
 * is still logged in must not show that person what, and where to.
 */
export const UNPROVEN_EMAIL_KEY = 'case when matched.is_email_proven and matched.email_key = $6 then null else $6 end'

/** $1 to $11. `newId` is that of the customer to be; a match with another id was there before. */
export const matchValues = (
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  newId: string,
  buyer: Buyer,
  now: Date,
) => [
  merchantId,
  isSandbox,
  newId,
  buyer.id,
  buyer.email,
  emailKey(buyer.email),
  buyer.firstname,
  buyer.lastname,
  buyer.phone,
  buyer.meta === null ? null : JSON.stringify(buyer.meta),
  now,
]
