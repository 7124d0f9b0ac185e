// Reads PostgreSQL's parse tree from libpg-query: each node is an object with one key, its kind.

export type Tree = { readonly [key: string]: unknown }

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the field as a node, or an empty node if it is missing. All readers treat an empty node as absent. */
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

/** Returns the parts of `a.b.c`; a `*` is kept as such. */
export const columnPath = (node: Tree): string[] =>
  listAt(at(node, 'ColumnRef'), 'fields').map((field) =>
    'A_Star' in field ? '*' : textAt(at(field, 'String'), 'sval'),
  )

/** Returns a text that identifies a parameter or constant, which is equal for every row; otherwise null. */
export function valueKey(node: Tree): string | null {
  const [kind, body] = opened(node)
  if (kind === 'TypeCast') return valueKey(at(body, 'arg'))
  if (kind === 'ParamRef') return `$${body.number}`
  if (kind !== 'A_Const' || body.isnull === true) return null
  const { location: _, ...constant } = body
  return JSON.stringify(constant)
}

/** Returns the conditions that must all hold. An `or` or `not` stays one opaque condition. */
export function conjuncts(condition: Tree): Tree[] {
  const [kind, body] = opened(condition)
  if (kind === 'BoolExpr' && body.boolop === 'AND_EXPR') return listAt(body, 'args').flatMap(conjuncts)
  return kind === '' ? [] : [condition]
}

/** Returns the pairs that the condition equates: one for `a = b`, several for `(a, b) = (c, d)`. */
export function equalities(condition: Tree): [Tree, Tree][] {
  const [kind, body] = opened(condition)
  if (kind !== 'A_Expr' || body.kind !== 'AEXPR_OP' || strings(listAt(body, 'name')).join() !== '=') return []
  const [left, right] = [at(body, 'lexpr'), at(body, 'rexpr')]
  if (!('RowExpr' in left) || !('RowExpr' in right)) return [[left, right]]
  const rights = listAt(at(right, 'RowExpr'), 'args')
  return listAt(at(left, 'RowExpr'), 'args').map((each, index) => [each, rights[index] ?? {}])
}
