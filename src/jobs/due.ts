// Claims due work of all shops: first a search without locks, then one locking statement per shop.
// On a sharded database no statement can lock rows of several shops. A shop without due work costs nothing.

/** Key of a due row, with the time since when it is due. */
export type DueKey = { readonly merchant_id: number; readonly id: string; readonly due_at: Date }

/** Extra rows to search for: other processes may claim some of the found rows first. */
const EXTRA_ROWS = 32

type Take<Key extends DueKey, Claim> = {
  /** Finds the oldest and the newest due rows. The newest reveal shops hidden behind a shop with thousands of waiting rows. */
  readonly find: (limit: number) => Promise<readonly Key[]>
  /** Claims the rows of one shop that are still due and unlocked. */
  readonly claim: (merchant_id: number, ids: readonly string[]) => Promise<readonly Claim[]>
  /** Order of the claims. By default each shop has its turn, and within a shop the longest due comes first. */
  readonly order?: (found: readonly Key[]) => readonly Key[]
}

/** Claims up to `limit` due rows. */
export async function claimDueRows<Key extends DueKey, Claim>(
  limit: number,
  { find, claim, order = oneShopAfterAnother }: Take<Key, Claim>,
): Promise<Claim[]> {
  const due = order(await find(limit + EXTRA_ROWS))
  const claims: Claim[] = []
  for (let next = 0; next < due.length && claims.length < limit; ) {
    const window = due.slice(next, next + limit - claims.length)
    next += window.length
    for (const [merchant_id, keys] of groupByShop(window))
      claims.push(
        ...(await claim(
          merchant_id,
          keys.map(({ id }) => id),
        )),
      )
  }
  return claims
}

function oneShopAfterAnother<Key extends DueKey>(found: readonly Key[]): Key[] {
  const uniqueKeys = new Map(found.map((key) => [`${key.merchant_id} ${key.id}`, key]))
  const oldestFirst = [...uniqueKeys.values()].sort((one, other) => one.due_at.getTime() - other.due_at.getTime())
  const shops = [...groupByShop(oldestFirst).values()]
  const maxLength = Math.max(0, ...shops.map((keys) => keys.length))
  return Array.from({ length: maxLength }, (_, place) => shops.flatMap((keys) => keys[place] ?? [])).flat()
}

/** Key of a row with an id. */
export type RowKey = { readonly merchant_id: number; readonly id: string }

export function groupByShop<Key extends { readonly merchant_id: number }>(keys: readonly Key[]): Map<number, Key[]> {
  const shops = new Map<number, Key[]>()
  for (const key of keys) {
    const shopKeys = shops.get(key.merchant_id)
    if (shopKeys) shopKeys.push(key)
    else shops.set(key.merchant_id, [key])
  }
  return shops
}

/**
 * Selects both ends of each part, a condition, in order of `time`. An index has each part in that order, so at most `:limit` rows are read
 * per end.
 * The parts are separate because no index covers several conditions in order of time.
 */
export const dueAtBothEnds = (table: string, time: string, parts: readonly string[], columns = 'merchant_id, id') => {
  const selectEnd = (where: string, direction: 'asc' | 'desc') =>
    `(select ${columns}, ${time} as due_at from ${table} where ${where} and ${time} <= :now order by ${time} ${direction} limit :limit)`
  return parts.flatMap((where) => [selectEnd(where, 'asc'), selectEnd(where, 'desc')]).join('\n   union all\n   ')
}
