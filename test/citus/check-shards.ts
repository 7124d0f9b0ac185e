// Says whether Citus accepts an SQL text and sends it to one shard. What it goes by was tried out on Citus: docs/shards.md.

import { parseSync } from 'libpg-query'
import { REFERENCE_TABLES } from '../../src/db/shards.ts'
import { checkStatement } from '../tenancy/check-statement.ts'
import { at, columnPath, conjuncts, equalities, isTree, listAt, opened, type Tree, textAt } from '../tenancy/tree.ts'

/**
 * `loose`: it goes to all shards, for which there may be a reason. `refused`: Citus does not run it at all. `hazards`: nor does it where a
 * parameter is null, which the text does not tell.
 */
export type Verdict = { readonly loose: string[]; readonly refused: string[]; readonly hazards: string[] }

/** `tables`: those that have a merchant_id; `locals`: those that have none. */
export function checkShards(sql: string, tables: ReadonlySet<string>, locals: ReadonlySet<string>): Verdict {
  const distributed = new Set([...tables].filter((name) => !REFERENCE_TABLES.includes(name)))
  const loose = checkStatement(sql, distributed, true)
  const nodes = (parseSync(sql).stmts ?? []).flatMap(({ stmt }) => (isTree(stmt) ? allNodes(stmt) : []))
  const named = new Set(nodesOf(nodes, 'RangeVar').map((range) => textAt(range, 'relname')))
  const written = WRITES.flatMap((kind) => nodesOf(nodes, kind)).map((write) =>
    textAt(at(write, 'relation'), 'relname'),
  )
  const refused = [
    ...nodesOf(nodes, 'InsertStmt').flatMap((insert) => insertProblems(insert)),
    ...(loose.length > 0 && nodesOf(nodes, 'SelectStmt').some((select) => listAt(select, 'lockingClause').length > 0)
      ? ['It locks rows of several shops: find them without a lock, then lock those of one shop.']
      : []),
    ...(nodesOf(nodes, 'SelectStmt').some(selectsNothing) ? ['A query of it selects no column: write select 1.'] : []),
    ...both(named, locals, distributed),
    ...nodesOf(nodes, 'UpdateStmt').flatMap(updateProblems),
    ...REFERENCE_TABLES.filter(
      (name) => written.includes(name) && [...distributed].some((each) => named.has(each)),
    ).map(
      (name) => `It writes ${name}, which is on every node, and names a table of one shard: make it two statements.`,
    ),
  ]
  const hazards = nodesOf(nodes, 'JoinExpr').flatMap((join) => joinHazards(join, distributed))
  return { loose, refused: [...new Set(refused)], hazards: [...new Set(hazards)] }
}

/** Citus cannot keep the answer of such a query for a later step. */
const selectsNothing = (select: Tree) =>
  select.op === 'SETOP_NONE' && listAt(select, 'targetList').length === 0 && listAt(select, 'valuesLists').length === 0

const WRITES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt']

function insertProblems(insert: Tree): string[] {
  const table = textAt(at(insert, 'relation'), 'relname')
  const conflict = at(insert, 'onConflictClause')
  return [
    ['returning', insert.returningClause],
    ['on conflict', conflict],
    ['values', listAt(at(at(insert, 'selectStmt'), 'SelectStmt'), 'valuesLists')],
  ].flatMap(([place, part]) =>
    hasSubquery(part) ? [`insert into ${table} has a subquery in its ${place}: read it in a with or a select.`] : [],
  )
}

function updateProblems(update: Tree): string[] {
  const table = textAt(at(update, 'relation'), 'relname')
  const nodes = allNodes(update)
  const choices = [...nodesOf(nodes, 'CaseExpr'), ...nodesOf(nodes, 'CoalesceExpr')]
  return [
    // What depends on the time zone is not for every node to reckon: Citus refuses it where it may or may not be needed.
    ...(choices.some((choice) => nodesOf(allNodes(choice), 'TypeCast').some(isInterval))
      ? [`update ${table} reckons with an interval in a case or coalesce: send the time as a parameter.`]
      : []),
    // Citus takes it for a place in a column that is an array: the process dies, and all others of its server with it.
    ...(listAt(update, 'targetList').some((set) => isTree(at(at(set, 'ResTarget'), 'val').A_Indirection))
      ? [`update ${table} sets a column to an element of an array: join what unnest makes of it.`]
      : []),
  ]
}

const isInterval = (cast: Tree): boolean =>
  listAt(at(cast, 'typeName'), 'names').some((name) => textAt(at(name, 'String'), 'sval') === 'interval')

/** Where the other side may stay empty. */
const OUTER_JOINS = ['JOIN_LEFT', 'JOIN_RIGHT', 'JOIN_FULL']
/** Columns that are compared with a parameter which is never null. */
const NEVER_NULL = ['merchant_id', 'is_sandbox']

/**
 * A parameter that is null makes the whole condition false. PostgreSQL then drops the table from the plan, and Citus, which does not see any
 * more what it was tied to, refuses the statement; or it takes it apart and gets that wrong ("invalid attnum").
 */
function joinHazards(join: Tree, distributed: ReadonlySet<string>): string[] {
  if (!OUTER_JOINS.includes(textAt(join, 'jointype'))) return []
  const tables = nodesOf(allNodes([join.larg, join.rarg]), 'RangeVar').map((range) => textAt(range, 'relname'))
  if (!tables.some((table) => distributed.has(table))) return []
  const risky = conjuncts(at(join, 'quals')).filter((condition) => mayBeNull(condition))
  return risky.length === 0
    ? []
    : ['An outer join of it has a parameter in its condition: look the row up in a sub-select if it may be null.']
}

const mayBeNull = (condition: Tree): boolean =>
  nodesOf(allNodes(condition), 'ParamRef').length > 0 &&
  !equalities(condition).some((pair) => pair.some((side) => NEVER_NULL.includes(columnPath(side).at(-1) ?? '')))

const hasSubquery = (part: unknown) => nodesOf(allNodes(part), 'SubLink').length > 0

function both(named: ReadonlySet<string>, locals: ReadonlySet<string>, distributed: ReadonlySet<string>): string[] {
  const [local] = [...named].filter((name) => locals.has(name))
  const [spread] = [...named].filter((name) => distributed.has(name))
  if (local === undefined || spread === undefined) return []
  return [`It names ${local}, which is on the coordinator alone, and ${spread}, which is on shards.`]
}

/** Every node of the tree as [kind, body]. */
function allNodes(value: unknown): [kind: string, body: Tree][] {
  if (Array.isArray(value)) return value.flatMap(allNodes)
  if (!isTree(value)) return []
  return [...Object.entries(value).flatMap(([key, inner]) => [...named(key, inner), ...allNodes(inner)])]
}

/** Kinds are written in CamelCase; fields begin small. `relation` is a node without its kind. */
function named(key: string, inner: unknown): [string, Tree][] {
  if (!isTree(inner)) return []
  if (key === 'relation' && textAt(inner, 'relname') !== '') return [['RangeVar', inner]]
  return /^[A-Z]/.test(key) ? [opened({ [key]: inner })] : []
}

const nodesOf = (nodes: readonly [string, Tree][], kind: string): Tree[] =>
  nodes.flatMap(([each, body]) => (each === kind ? [body] : []))
