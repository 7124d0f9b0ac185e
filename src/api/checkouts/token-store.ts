// Which checkout token a statement is about: the values that name it, and the conditions that it is alive and may still be changed.

/** Which token, and the moment by which it must not have expired. */
export type TokenAt = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly id: string
  readonly now: Date
}

/** $1 to $4 of every statement that is about a token. */
export const tokenValues = ({ merchantId, isSandbox, id, now }: TokenAt) => [merchantId, isSandbox, id, now]

/** The condition on the checkouts row. */
export const ALIVE = 'merchant_id = $1 and id = $3 and is_sandbox = $2 and expires_at > $4'

/** Whether it has been bought. What is shown of the checkout must then stay what was paid for. */
export const HAS_ORDER = 'exists (select from orders placed where placed.merchant_id = $1 and placed.checkout_id = $3)'

/** The condition on the checkouts row under which a choice may be saved. */
export const CHANGEABLE = `${ALIVE} and not ${HAS_ORDER}`
