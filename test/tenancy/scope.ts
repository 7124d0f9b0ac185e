// The relations of one query, and the conditions that tie each of them to a single merchant.

import { at, columnPath, conjuncts, equalities, listAt, opened, strings, type Tree, textAt, valueKey } from './tree.ts'

export const MERCHANT_ID = 'merchant_id'

/** A table, CTE, subquery or function in a query. Tied: its rows can belong to one merchant only. */
export type Relation = { name: string; table: string | null; hasMerchantId: boolean; isTied: boolean }

/** The output columns of a query. `isOpen`: a `*` is among them, so positions are unknown. */
export type Output = { columns: { name: string; isTied: boolean }[]; isOpen: boolean }

type Operand = { value: true } | { column: Tree } | { relation: Relation }

/** `binds`: the relations that the condition filters. The `on` of a left join filters nothing on the left side. */
type Equality = { left: Operand; right: Operand; binds: ReadonlySet<Relation> | 'all' }

export class Scope {
  readonly relations: Relation[] = []
  readonly outer: Scope | null
  readonly #equalities: Equality[] = []
  #hasMergedColumn = false

  constructor(outer: Scope | null) {
    this.outer = outer
  }

  add(relation: Relation): Relation {
    this.relations.push(relation)
    return relation
  }

  require(condition: Tree, binds: Equality['binds'] = 'all') {
    for (const [left, right] of conjuncts(condition).flatMap(equalities))
      this.#equalities.push({ left: operand(left), right: operand(right), binds })
  }

  join(join: Tree, left: readonly Relation[], right: readonly Relation[]) {
    const binds = new Set(boundBy(textAt(join, 'jointype'), left, right))
    this.require(at(join, 'quals'), binds)
    if (!strings(listAt(join, 'usingClause')).includes(MERCHANT_ID)) return
    this.#hasMergedColumn = true
    for (const one of left)
      for (const other of right) this.#equalities.push({ left: { relation: one }, right: { relation: other }, binds })
  }

  /** Propagates ties along the equalities, from values to relations, until nothing changes. */
  tie() {
    for (let hasChanged = true; hasChanged; ) {
      hasChanged = false
      for (const { left, right, binds } of this.#equalities)
        for (const [target, source] of [
          [left, right],
          [right, left],
        ] as const) {
          const relation = this.#relationOf(target)
          if (!relation || relation.isTied || !this.relations.includes(relation)) continue
          if (binds !== 'all' && !binds.has(relation)) continue
          if (!('value' in source) && !this.#relationOf(source)?.isTied) continue
          relation.isTied = true
          hasChanged = true
        }
    }
  }

  #relationOf(side: Operand): Relation | null {
    if ('relation' in side) return side.relation.hasMerchantId ? side.relation : null
    return 'column' in side ? this.resolve(side.column) : null
  }

  /** Returns the relation that owns this merchant_id, searched from the inside out; null for any other expression. */
  resolve(expression: Tree): Relation | null {
    const path = columnPath(expression)
    if (path.at(-1) !== MERCHANT_ID) return null
    const qualifier = path.at(-2)
    const found = this.relations.filter(
      ({ name, hasMerchantId }) => qualifier === name || (!qualifier && hasMerchantId),
    )
    if (found.length === 0) return this.outer?.resolve(expression) ?? null
    return found.length === 1 || this.#hasMergedColumn ? (found[0] ?? null) : null
  }

  /** Returns the output of a select list or a `returning`. */
  output(targets: readonly Tree[]): Output {
    const columns = targets.flatMap((node) => this.#columns(at(node, 'ResTarget')))
    return { columns, isOpen: targets.some((node) => columnPath(at(at(node, 'ResTarget'), 'val')).at(-1) === '*') }
  }

  #columns(target: Tree): Output['columns'] {
    const value = at(target, 'val')
    const path = columnPath(value)
    if (path.at(-1) === '*') {
      const shown = this.relations.filter(({ name }) => path.length === 1 || name === path.at(-2))
      return shown.filter(({ hasMerchantId }) => hasMerchantId).map(({ isTied }) => ({ name: MERCHANT_ID, isTied }))
    }
    const isTied = valueKey(value) !== null || this.resolve(value)?.isTied === true
    return [{ name: textAt(target, 'name') || (path.at(-1) ?? ''), isTied }]
  }
}

function operand(expression: Tree): Operand {
  return valueKey(expression) === null ? { column: expression } : { value: true }
}

function boundBy(type: string, left: readonly Relation[], right: readonly Relation[]): readonly Relation[] {
  if (type === 'JOIN_INNER') return [...left, ...right]
  if (type === 'JOIN_LEFT') return right
  return type === 'JOIN_RIGHT' ? left : []
}

/** Turns a subquery or CTE into a relation of the query that uses it. */
export function derived(name: string, output: Output): Relation {
  const own = output.columns.filter((column) => column.name === MERCHANT_ID)
  return {
    name,
    table: null,
    hasMerchantId: own.length > 0,
    isTied: own.length > 0 && own.every((each) => each.isTied),
  }
}

/** Applies the names of `as t (a, b)`. After a `*` the column of a name is unknown. */
export function renamed({ columns, isOpen }: Output, names: readonly string[]): Output {
  if (names.length === 0) return { columns, isOpen }
  if (isOpen) return { columns: names.map((name) => ({ name, isTied: false })), isOpen: false }
  return { columns: columns.map((column, index) => ({ ...column, name: names[index] ?? column.name })), isOpen }
}

/** Returns the output of `union`, `intersect` and `except`: tied if both sides are. */
export function combined(left: Output, right: Output): Output {
  if (left.isOpen || right.isOpen) {
    const [one, other] = [derived('', left), derived('', right)]
    const columns = one.hasMerchantId ? [{ name: MERCHANT_ID, isTied: one.isTied && other.isTied }] : []
    return { columns, isOpen: true }
  }
  const columns = left.columns.map(({ name, isTied }, index) => ({
    name,
    isTied: isTied && right.columns[index]?.isTied === true,
  }))
  return { columns, isOpen: false }
}

/** Returns the columns of `values`: tied if every row has the same parameter or constant. */
export function valuesOutput(rows: readonly (readonly Tree[])[]): Output {
  const columns = (rows[0] ?? []).map((first, index) => {
    const key = valueKey(first)
    return {
      name: `column${index + 1}`,
      isTied: key !== null && rows.every((row) => valueKey(row[index] ?? {}) === key),
    }
  })
  return { columns, isOpen: false }
}

/** A function in `from`: its rows come from its arguments, so only a condition can tie it. */
export function functionRelation(node: Tree): Relation {
  const [, body] = opened(node)
  const alias = at(body, 'alias')
  const columns = [
    ...strings(listAt(alias, 'colnames')),
    ...listAt(body, 'coldeflist').map((column) => textAt(at(column, 'ColumnDef'), 'colname')),
  ]
  return {
    name: textAt(alias, 'aliasname'),
    table: null,
    hasMerchantId: columns.includes(MERCHANT_ID),
    isTied: false,
  }
}
