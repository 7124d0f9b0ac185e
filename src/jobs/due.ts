// How work that is due is taken, of all shops: found without a lock, then claimed shop by shop, each shop's by one statement that locks.
// On a sharded database no statement can lock rows of several shops, and a shop that has nothing due costs nothing either way.

/** What is due, by the key of its row. */
export type DueKey = { readonly merchant_id: number; readonly id: string }

/** Found beyond what is asked for: what others are taking in the same moment is among it, and what comes after theirs is ours. */
const SPARE = 32

type Take<Claim> = {
  /** What is due, the longest due first. */
  readonly find: (limit: number) => Promise<readonly DueKey[]>
  /** Takes those of one shop that are still due and that nobody holds. */
  readonly claim: (merchantId: number, ids: readonly string[]) => Promise<readonly Claim[]>
}

/** Takes up to `limit` of what is due, in the order in which it became due. */
export async function takeDue<Claim>(limit: number, { find, claim }: Take<Claim>): Promise<Claim[]> {
  const due = await find(limit + SPARE)
  const claims: Claim[] = []
  for (let next = 0; next < due.length && claims.length < limit; ) {
    const window = due.slice(next, next + limit - claims.length)
    next += window.length
    for (const [merchantId, keys] of byShop(window))
      claims.push(
        ...(await claim(
          merchantId,
          keys.map(({ id }) => id),
        )),
      )
  }
  return claims
}

/** The key of a row that has an id. */
export type RowKey = { readonly merchant_id: number; readonly id: string }

export function byShop<Key extends { readonly merchant_id: number }>(keys: readonly Key[]): Map<number, Key[]> {
  const shops = new Map<number, Key[]>()
  for (const key of keys) {
    const own = shops.get(key.merchant_id)
    if (own) own.push(key)
    else shops.set(key.merchant_id, [key])
  }
  return shops
}
