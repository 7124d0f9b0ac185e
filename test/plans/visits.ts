// What a plan did, read from `explain (analyze, format json)`: how many rows each of its nodes looked at, and what is wrong with that.

/** A node of a plan, as far as it is looked at here. Rows are the mean of all loops. */
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

/** The rows that a node gave and those that it threw away, in all loops. */
export function visitsOf(node: PlanNode): number {
  const rows =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  // Counted over all loops: rows that an index alone could not vouch for, and how often the index was entered anew to skip the rest.
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

/** Read from end to end without harm: they have a few rows, whatever a shop does. */
const SMALL = ['schedules', 'revisions', 'signing_secrets', 'session_keys', 'schema_migrations']

const SCANS_ALL = ['Seq Scan', 'Parallel Seq Scan', 'Sample Scan']

/**
 * Pages that a scan may touch for each row, and for each time that it begins: the way down an index, and the row's own page. A scan that
 * goes through an index to throw most of it away gives few rows, but touches all its pages.
 */
const PAGES = 12
const pagesOf = (node: PlanNode) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0)
/** One without parts of its own, whose pages would be counted with it. */
const isScan = (node: PlanNode) => /^(Index|Bitmap Index)/.test(node['Node Type']) && node.Plans === undefined
/** Each part of a text is gone down to by itself, in an index of parts. */
const PARTS = 16
const partsOf = (node: PlanNode) => (/_by_part$/.test(node['Index Name'] ?? '') ? PARTS : 0)
const mostPages = (node: PlanNode) => PAGES * (1 + visitsOf(node) + searchesOf(node) + partsOf(node))

/** Starting helpers takes longer than all that a request may ask for. */
const HAS_HELPERS = /^Gather/

/**
 * Sentences about the nodes that looked at more than `times` × `most` rows, or at all rows of a table that grows, and about helpers that were
 * started for it.
 */
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

/** Whether the statement gave or changed a row: only then does its cost say something. */
export function hasFound(plan: PlanNode): boolean {
  const changed = nodesOf(plan).filter((node) => node['Node Type'] === 'ModifyTable')
  const source = changed
    .flatMap((node) => node.Plans ?? [])
    .some((node) => node['Actual Rows'] * node['Actual Loops'] > 0)
  return plan['Actual Rows'] > 0 || source
}
