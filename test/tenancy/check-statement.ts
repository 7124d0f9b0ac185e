// Checks by PostgreSQL's own parse tree whether an SQL text can touch rows of more than one merchant.

import { parseSync } from 'libpg-query'
import {
  combined,
  derived,
  functionRelation,
  MERCHANT_ID,
  type Output,
  type Relation,
  renamed,
  Scope,
  valuesOutput,
} from './scope.ts'
import { at, isTree, listAt, opened, strings, type Tree, textAt } from './tree.ts'

type Context = {
  /** Tables with a merchant_id column. */
  readonly tables: ReadonlySet<string>
  readonly ctes: ReadonlyMap<string, Output>
  readonly outer: Scope | null
  readonly problems: string[]
  /**
   * Citus sends a statement to one shard only if each query level ties its own tables. It follows neither an outer row nor the result of a
   * subquery or CTE.
   */
  readonly isByLevel: boolean
}

/** Statements that touch no rows, or only the session's own state. */
const HARMLESS = /^(Transaction|Discard|VariableSet|VariableShow|Listen|Unlisten|Notify)Stmt$/

const NOTHING: Output = { columns: [], isOpen: false }

/** Returns the problems as sentences; none if every merchant table in the text is tied to one merchant. */
export function checkStatement(sql: string, tables: ReadonlySet<string>, isByLevel = false): string[] {
  const problems: string[] = []
  const context: Context = { tables, ctes: new Map(), outer: null, problems, isByLevel }
  for (const { stmt } of parseSync(sql).stmts ?? []) checkTop(isTree(stmt) ? stmt : {}, context)
  return [...new Set(problems)]
}

function checkTop(node: Tree, context: Context) {
  const [kind] = opened(node)
  if (!HARMLESS.test(kind)) checkQuery(node, context)
}

function checkQuery(node: Tree, context: Context): Output {
  const [kind, body] = opened(node)
  switch (kind) {
    case 'SelectStmt':
      return checkSelect(body, context)
    case 'InsertStmt':
      return checkInsert(body, context)
    case 'UpdateStmt':
      return checkChange(body, 'fromClause', context)
    case 'DeleteStmt':
      return checkChange(body, 'usingClause', context)
    case 'ExplainStmt':
      return checkQuery(at(body, 'query'), context)
    default:
      // Rejects merge, copy and truncate too: better than misunderstanding them.
      context.problems.push(
        `${kind} is not a statement this check knows: write it as select, insert, update or delete.`,
      )
      return NOTHING
  }
}

function checkSelect(select: Tree, outside: Context): Output {
  const context = withCtes(select, outside)
  if (select.op !== 'SETOP_NONE') {
    const [left, right] = [checkSelect(at(select, 'larg'), context), checkSelect(at(select, 'rarg'), context)]
    checkInside([select.sortClause, select.limitCount, select.limitOffset], context.outer, context)
    return combined(left, right)
  }
  const scope = new Scope(context.outer)
  fill(scope, listAt(select, 'fromClause'), at(select, 'whereClause'), context)
  const { withClause: _, ...rest } = select
  checkInside(rest, scope, context)
  reportLoose(scope, context)
  const rows = listAt(select, 'valuesLists').map((row) => listAt(at(row, 'List'), 'items'))
  return rows.length > 0 ? valuesOutput(rows) : scope.output(listAt(select, 'targetList'))
}

/** Checks an update or a delete: its target and its joined tables are one scope. */
function checkChange(change: Tree, joined: 'fromClause' | 'usingClause', outside: Context): Output {
  const context = withCtes(change, outside)
  const scope = new Scope(context.outer)
  scope.add(tableRelation(at(change, 'relation'), context))
  fill(scope, listAt(change, joined), at(change, 'whereClause'), context)
  const { withClause: _, ...rest } = change
  checkInside(rest, scope, context)
  reportLoose(scope, context)
  return scope.output(listAt(at(change, 'returningClause'), 'exprs'))
}

function checkInsert(insert: Tree, outside: Context): Output {
  const context = withCtes(insert, outside)
  const target = tableRelation(at(insert, 'relation'), context)
  const source = isTree(insert.selectStmt) ? checkQuery(insert.selectStmt, context) : NOTHING
  const position = listAt(insert, 'cols').findIndex((column) => textAt(at(column, 'ResTarget'), 'name') === MERCHANT_ID)
  const conflict = at(insert, 'onConflictClause')
  if (target.table !== null) {
    if (position === -1)
      context.problems.push(`insert into ${target.table} does not list merchant_id among its columns.`)
    if (conflict.action === 'ONCONFLICT_UPDATE' && !conflictColumns(conflict).includes(MERCHANT_ID))
      context.problems.push(
        `on conflict … do update of ${target.table} may meet another merchant's row: name merchant_id in the conflict target.`,
      )
  }
  const scope = new Scope(context.outer)
  const isTied = !source.isOpen && source.columns[position]?.isTied === true
  if (context.isByLevel && target.table !== null && !isTied)
    context.problems.push(`insert into ${target.table} is not told its merchant: give it $n as merchant_id.`)
  scope.add({ ...target, isTied })
  checkInside([conflict, insert.returningClause], withExcluded(scope), context)
  return scope.output(listAt(at(insert, 'returningClause'), 'exprs'))
}

const conflictColumns = (conflict: Tree) =>
  listAt(at(conflict, 'infer'), 'indexElems').map((element) => textAt(at(element, 'IndexElem'), 'name'))

/** Adds `excluded`, the row that could not be inserted: it has the same merchant as the target. */
function withExcluded(target: Scope): Scope {
  const scope = new Scope(target.outer)
  for (const relation of target.relations) {
    scope.add(relation)
    scope.add({ ...relation, name: 'excluded' })
  }
  return scope
}

function withCtes(statement: Tree, context: Context): Context {
  const clause = at(statement, 'withClause')
  const ctes = new Map(context.ctes)
  const inside = { ...context, ctes }
  for (const cte of listAt(clause, 'ctes').map((node) => at(node, 'CommonTableExpr'))) {
    const name = textAt(cte, 'ctename')
    const names = strings(listAt(cte, 'aliascolnames'))
    const first = at(at(at(cte, 'ctequery'), 'SelectStmt'), 'larg')
    // The recursive part reads the result of the first part; both are checked together below.
    if (clause.recursive === true && Object.keys(first).length > 0)
      ctes.set(name, renamed(checkSelect(first, { ...inside, problems: [] }), names))
    ctes.set(name, renamed(checkQuery(at(cte, 'ctequery'), inside), names))
  }
  return inside
}

/** Adds the relations of `from` to the scope and determines which of them are tied. */
function fill(scope: Scope, from: readonly Tree[], where: Tree, context: Context) {
  const laterals: (() => void)[] = []
  for (const item of from) addRelations(scope, item, context, laterals)
  scope.require(where)
  scope.tie()
  for (const checkLateral of laterals) {
    checkLateral()
    scope.tie()
  }
}

function addRelations(scope: Scope, item: Tree, context: Context, laterals: (() => void)[]): Relation[] {
  const [kind, body] = opened(item)
  switch (kind) {
    case 'RangeVar':
      return [scope.add(fromRelation(body, context))]
    case 'RangeFunction':
      return [scope.add(functionRelation(item))]
    case 'RangeTableSample':
      return addRelations(scope, at(body, 'relation'), context, laterals)
    case 'RangeSubselect':
      return [scope.add(subqueryRelation(scope, body, context, laterals))]
    case 'JoinExpr': {
      const left = addRelations(scope, at(body, 'larg'), context, laterals)
      const right = addRelations(scope, at(body, 'rarg'), context, laterals)
      scope.join(body, left, right)
      return [...left, ...right]
    }
    default:
      context.problems.push(`${kind} in a from clause is not known to this check.`)
      return []
  }
}

function subqueryRelation(scope: Scope, body: Tree, context: Context, laterals: (() => void)[]): Relation {
  const name = textAt(at(body, 'alias'), 'aliasname')
  const outputIn = (outer: Scope | null) =>
    renamed(checkQuery(at(body, 'subquery'), { ...context, outer }), strings(listAt(at(body, 'alias'), 'colnames')))
  if (context.isByLevel) return opaque(name, outputIn(null))
  if (body.lateral !== true) return derived(name, outputIn(context.outer))
  // A lateral subquery may refer to its neighbours, so check it once their ties are known.
  const relation = derived(name, NOTHING)
  laterals.push(() => void Object.assign(relation, derived(name, outputIn(scope))))
  return relation
}

function fromRelation(range: Tree, context: Context): Relation {
  const output = textAt(range, 'schemaname') === '' ? context.ctes.get(textAt(range, 'relname')) : undefined
  if (!output) return tableRelation(range, context)
  const alias = at(range, 'alias')
  if (context.isByLevel) return opaque(nameOf(range), output)
  return derived(nameOf(range), renamed(output, strings(listAt(alias, 'colnames'))))
}

/** A relation that ties nothing, whatever its columns are. */
const opaque = (name: string, _: Output): Relation => ({ name, table: null, hasMerchantId: false, isTied: false })

function tableRelation(range: Tree, { tables }: Context): Relation {
  const table = textAt(range, 'relname')
  const isMerchants = ['', 'public'].includes(textAt(range, 'schemaname')) && tables.has(table)
  return { name: nameOf(range), table: isMerchants ? table : null, hasMerchantId: isMerchants, isTied: false }
}

const nameOf = (range: Tree) => textAt(at(range, 'alias'), 'aliasname') || textAt(range, 'relname')

/** Checks the subqueries in expressions. Those in `from` and `with` have already been checked. */
function checkInside(value: unknown, scope: Scope | null, context: Context) {
  if (Array.isArray(value)) for (const each of value) checkInside(each, scope, context)
  if (!isTree(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'RangeSubselect') continue
    if (key === 'SelectStmt' && isTree(inner))
      checkSelect(inner, { ...context, outer: context.isByLevel ? null : scope })
    else checkInside(inner, scope, context)
  }
}

function reportLoose(scope: Scope, { problems }: Context) {
  for (const { name, table, isTied } of scope.relations) {
    if (table === null || isTied) continue
    const shown = name === table ? table : `${table} ${name}`
    problems.push(
      `${shown} is not tied to one merchant: add ${name}.merchant_id = $n to its where or its join condition.`,
    )
  }
}
