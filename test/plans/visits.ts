// Reads from `explain (analyze, format json)` how many rows each node visited, and reports problems.

/** A plan node, with the fields used here. Row counts are means per loop. */
export type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Subplan Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Heap Fetches'?: number
  readonly 'Index Searches'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

export const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Returns the rows that a node produced and those that it discarded, in all loops. */
export function visitsOf(node: PlanNode): number {
  const rows =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  // EXPLAIN counts these over all loops: rows that the index could not confirm, and new index descents that skip the rest.
  return Math.max(
    Math.round(rows * node['Actual Loops']),
    node['Heap Fetches'] ?? 0,
    searchesOf(node) - node['Actual Loops'],
  )
}

const searchesOf = (node: PlanNode) => node['Index Searches'] ?? node['Actual Loops']

const titleOf = (node: PlanNode) =>
  [
    node['Node Type'],
    node['Index Name'] && `using ${node['Index Name']}`,
    node['Relation Name'] && `on ${node['Relation Name']}`,
    node['Subplan Name'] && `(${node['Subplan Name']})`,
  ]
    .filter(Boolean)
    .join(' ')

/** Full scans of these are harmless: they stay small, whatever a shop does. */
const SMALL = ['schedules', 'revisions', 'signing_secrets', 'session_keys', 'schema_migrations']

const SCANS_ALL = ['Seq Scan', 'Parallel Seq Scan', 'Sample Scan']

/**
 * Pages that a scan may touch per row and per start: the path down the index, and the row's own page. A scan that reads an index and
 * discards most of it returns few rows, but touches all its pages.
 */
const PAGES = 12
const pagesOf = (node: PlanNode) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0)
/** True for scans without child nodes, because child pages are included in the count. */
const isScan = (node: PlanNode) => /^(Index|Bitmap Index)/.test(node['Node Type']) && node.Plans === undefined
/** Each part of a searched text, such as a trigram, needs its own descent in an index of parts. */
const PARTS = 16
const partsOf = (node: PlanNode) => (/_by_part$/.test(node['Index Name'] ?? '') ? PARTS : 0)
const mostPages = (node: PlanNode) => PAGES * (1 + visitsOf(node) + searchesOf(node) + partsOf(node))

/** Starting parallel workers takes longer than any request may. */
const HAS_HELPERS = /^Gather/

/** Returns sentences about nodes that visited more than `times` × `usual` rows or scanned a growing table, and about parallel workers. */
export function problemsOf(plan: PlanNode, usual: number, times = 1): string[] {
  const most = usual * times
  return nodesOf(plan).flatMap((node) => {
    const visits = visitsOf(node)
    const table = node['Relation Name']
    const problems: string[] = []
    if (visits > most) problems.push(`${titleOf(node)} visited ${visits} rows, more than ${most}`)
    if (SCANS_ALL.includes(node['Node Type']) && table !== undefined && !SMALL.includes(table))
      problems.push(`${titleOf(node)} reads the table from end to end`)
    const mostOfPages = mostPages(node) * times
    if (isScan(node) && pagesOf(node) > mostOfPages)
      problems.push(`${titleOf(node)} touched ${pagesOf(node)} pages for ${visits} rows, more than ${mostOfPages}`)
    if (HAS_HELPERS.test(node['Node Type'])) problems.push(`${titleOf(node)} starts other processes`)
    return problems
  })
}

/** True if the statement returned or changed a row: only then does its cost mean anything. */
export function hasFound(plan: PlanNode): boolean {
  const changed = nodesOf(plan).filter((node) => node['Node Type'] === 'ModifyTable')
  const source = changed
    .flatMap((node) => node.Plans ?? [])
    .some((node) => node['Actual Rows'] * node['Actual Loops'] > 0)
  return plan['Actual Rows'] > 0 || source
}
