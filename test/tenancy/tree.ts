// Reads PostgreSQL's parse tree, as libpg-query gives it: each node is an object with one key, its kind.

export type Tree = { readonly [key: string]: unknown }

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The field as a node; an empty one where it is missing, which reads as "nothing there" everywhere below. */
export const at = (tree: Tree, key: string): Tree => {
  const value = tree[key]
  return isTree(value) ? value : {}
}

export const listAt = (tree: Tree, key: string): Tree[] => {
  const value = tree[key]
  return Array.isArray(value) ? value.filter(isTree) : []
}

export const textAt = (tree: Tree, key: string): string => {
  const value = tree[key]
  return typeof value === 'string' ? value : ''
}

/** `{ SelectStmt: { … } }` → `['SelectStmt', { … }]`. */
export const opened = (node: Tree): [kind: string, body: Tree] => {
  const [kind = ''] = Object.keys(node)
  return [kind, at(node, kind)]
}

export const strings = (nodes: readonly Tree[]): string[] => nodes.map((node) => textAt(at(node, 'String'), 'sval'))

/** The parts of `a.b.c`; a `*` is kept as such. */
export const columnPath = (node: Tree): string[] =>
  listAt(at(node, 'ColumnRef'), 'fields').map((field) =>
    'A_Star' in field ? '*' : textAt(at(field, 'String'), 'sval'),
  )

/** A parameter or a constant, which is the same for every row: a text that identifies it, else null. */
export function valueKey(node: Tree): string | null {
  const [kind, body] = opened(node)
  if (kind === 'TypeCast') return valueKey(at(body, 'arg'))
  if (kind === 'ParamRef') return `$${body.number}`
  if (kind !== 'A_Const' || body.isnull === true) return null
  const { location: _, ...constant } = body
  return JSON.stringify(constant)
}

/** The conditions that must all hold. What stands under `or` and `not` is one condition that nothing is read from. */
export function conjuncts(condition: Tree): Tree[] {
  const [kind, body] = opened(condition)
  if (kind === 'BoolExpr' && body.boolop === 'AND_EXPR') return listAt(body, 'args').flatMap(conjuncts)
  return kind === '' ? [] : [condition]
}

/** The pairs that the condition sets equal: one for `a = b`, several for `(a, b) = (c, d)`. */
export function equalities(condition: Tree): [Tree, Tree][] {
  const [kind, body] = opened(condition)
  if (kind !== 'A_Expr' || body.kind !== 'AEXPR_OP' || strings(listAt(body, 'name')).join() !== '=') return []
  const [left, right] = [at(body, 'lexpr'), at(body, 'rexpr')]
  if (!('RowExpr' in left) || !('RowExpr' in right)) return [[left, right]]
  const rights = listAt(at(right, 'RowExpr'), 'args')
  return listAt(at(left, 'RowExpr'), 'args').map((each, index) => [each, rights[index] ?? {}])
}
