// How work that is due is taken, of all shops: found without a lock, then claimed shop by shop, each shop's by one statement that locks.
// On a sharded database no statement can lock rows of several shops, and a shop that has nothing due costs nothing either way.

/** What is due, by the key of its row, and since when. */
export type DueKey = { readonly merchant_id: number; readonly id: string; readonly due_at: Date }

/** Found beyond what is asked for: what others are taking in the same moment is among it, and what comes after theirs is ours. */
const SPARE = 32

type Take<Key extends DueKey, Claim> = {
  /** Of what is due, so much of the oldest and so much of the newest: behind a shop that has thousands waiting stand all the others. */
  readonly find: (limit: number) => Promise<readonly Key[]>
  /** Takes those of one shop that are still due and that nobody holds. */
  readonly claim: (merchantId: number, ids: readonly string[]) => Promise<readonly Claim[]>
  /** The order to take them in. Each shop in turn, and of a shop the longest due first, unless given. */
  readonly order?: (found: readonly Key[]) => readonly Key[]
}

/** Takes up to `limit` of what is due. */
export async function takeDue<Key extends DueKey, Claim>(
  limit: number,
  { find, claim, order = inTurn }: Take<Key, Claim>,
): Promise<Claim[]> {
  const due = order(await find(limit + SPARE))
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

function inTurn<Key extends DueKey>(found: readonly Key[]): Key[] {
  const once = new Map(found.map((key) => [`${key.merchant_id} ${key.id}`, key]))
  const oldestFirst = [...once.values()].sort((one, other) => one.due_at.getTime() - other.due_at.getTime())
  const shops = [...byShop(oldestFirst).values()]
  const longest = Math.max(0, ...shops.map((keys) => keys.length))
  return Array.from({ length: longest }, (_, place) => shops.flatMap((keys) => keys[place] ?? [])).flat()
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

/**
 * The two ends of each of `parts`, which are conditions, by `time`: an index has each part in that order, and is read no further than `:limit`
 * at either end. One part after the other, because what is true of several kinds of rows no index has in order of time.
 */
export const dueAtBothEnds = (table: string, time: string, parts: readonly string[], columns = 'merchant_id, id') => {
  const end = (where: string, direction: 'asc' | 'desc') =>
    `(select ${columns}, ${time} as due_at from ${table} where ${where} and ${time} <= :now order by ${time} ${direction} limit :limit)`
  return parts.flatMap((where) => [end(where, 'asc'), end(where, 'desc')]).join('\n   union all\n   ')
}
