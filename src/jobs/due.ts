// Claims due work of all shops: first a search without locks, then one locking statement per shop.
// On a sharded database no statement can lock rows of several shops. A shop without due work costs nothing.

/** Key of a due row, with the time at which it became due. */
export type DueKey = { readonly merchant_id: number; readonly id: string; readonly due_at: Date }

/** Number of extra rows to search for, because other processes may claim some of the found rows first. */
const EXTRA_ROWS = 32

type ClaimSteps<Key extends DueKey, Claim> = {
  /** Finds the oldest and the newest due rows. The newest reveal shops hidden behind a shop with thousands of waiting rows. */
  readonly find: (limit: number) => Promise<readonly Key[]>
  /** Claims the rows of one shop that are still due and unlocked. */
  readonly claim: (merchant_id: number, ids: readonly string[]) => Promise<readonly Claim[]>
  /** Sorts the rows into the order of the claims. By default the shops take turns, and each shop begins with its oldest row. */
  readonly order?: (rows: readonly Key[]) => readonly Key[]
}

/** Claims up to `limit` due rows. */
export async function claimDueRows<Key extends DueKey, Claim>(
  limit: number,
  { find, claim, order = takeTurns }: ClaimSteps<Key, Claim>,
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

/** First the oldest row of each shop, then the second oldest of each, and so on. */
function takeTurns<Key extends DueKey>(rows: readonly Key[]): Key[] {
  const uniqueKeys = new Map(rows.map((key) => [`${key.merchant_id} ${key.id}`, key]))
  const oldestFirst = [...uniqueKeys.values()].sort((one, other) => one.due_at.getTime() - other.due_at.getTime())
  const shops = [...groupByShop(oldestFirst).values()]
  const maxLength = Math.max(0, ...shops.map((keys) => keys.length))
  return Array.from({ length: maxLength }, (_, index) => shops.flatMap((keys) => keys[index] ?? [])).flat()
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
 * SQL that selects, for each condition, the oldest and the newest due rows by the column `time`. An index has the rows of a condition in that
 * order, so at most `:limit` rows are read per end.
 * Each condition has its own selects, because no index has the rows of several conditions in order of time.
 */
export const dueAtBothEnds = (
  table: string,
  time: string,
  conditions: readonly string[],
  columns = 'merchant_id, id',
) => {
  const selectEnd = (where: string, direction: 'asc' | 'desc') =>
    `(select ${columns}, ${time} as due_at from ${table} where ${where} and ${time} <= :now order by ${time} ${direction} limit :limit)`
  return conditions.flatMap((where) => [selectEnd(where, 'asc'), selectEnd(where, 'desc')]).join('\n   union all\n   ')
}
