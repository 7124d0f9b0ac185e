// The titles of the tests in a file, from its syntax tree: text in a comment, the title of a describe, or that of a test which
// never runs proves nothing.

import { transformSync } from 'esbuild'
import { parseAst } from 'vite'

type Node = { type: string } & Record<string, unknown>

/** `fails` too: such a test passes while its promise is broken. */
const NEVER_PROVES = new Set(['skip', 'todo', 'fails'])

export const titlesIn = (text: string): Set<string> => new Set(testsIn(text).map(({ title }) => title))

/** With the titles of the groups that they stand in: `a group > a title`. */
export const namesIn = (text: string): Set<string> =>
  new Set(testsIn(text).map(({ groups, title }) => [...groups, title].join(' > ')))

type FoundTest = { readonly groups: readonly string[]; readonly title: string }

function testsIn(text: string): FoundTest[] {
  const { code } = transformSync(text, { loader: 'ts' })
  return testsBelow(parseAst(code) as unknown as Node, [])
}

function testsBelow(node: Node, groups: readonly string[]): FoundTest[] {
  const { title, group, proves } = declaredBy(node)
  // Nothing inside a skipped describe runs either.
  if (!proves) return []
  const within = group === null ? groups : [...groups, group]
  return [
    ...(title === null ? [] : [{ groups, title }]),
    ...childrenOf(node).flatMap((child) => testsBelow(child, within)),
  ]
}

/** The test, or the group, that a node declares: null where it declares none, or one without a fixed title. */
function declaredBy(node: Node): { title: string | null; group: string | null; proves: boolean } {
  const chain = node.type === 'CallExpression' ? chainOf(node.callee as Node) : []
  const [name = '', ...modifiers] = chain
  if (!['it', 'test', 'describe'].includes(name)) return { title: null, group: null, proves: true }
  const [first, ...others] = node.arguments as Node[]
  const title = first === undefined ? null : textOf(first)
  // A title and no function is a test yet to be written. Where the first argument is no text, this may be the call of `.each`.
  const isEmpty = title !== null && others.length === 0
  const isSkipped = modifiers.some((modifier) => NEVER_PROVES.has(modifier)) || others.some(isSkipping)
  const isGroup = name === 'describe'
  return { title: isGroup ? null : title, group: isGroup ? title : null, proves: !isEmpty && !isSkipped }
}

/** The names in `it`, `it.skip`, `it.each(…)`, `it.each`…``, `it.skipIf(…).each(…)`; empty where it begins with anything else. */
function chainOf(node: Node): string[] {
  if (node.type === 'Identifier') return [node.name as string]
  if (node.type === 'CallExpression') return chainOf(node.callee as Node)
  if (node.type === 'TaggedTemplateExpression') return chainOf(node.tag as Node)
  if (node.type !== 'MemberExpression') return []
  const before = chainOf(node.object as Node)
  return before.length === 0 ? [] : [...before, String((node.property as Node).name)]
}

function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  const [only, ...others] = node.type === 'TemplateLiteral' ? (node.quasis as { value: { cooked: string } }[]) : []
  return only !== undefined && others.length === 0 ? only.value.cooked : null
}

/** `{ skip: true }` and the like, between title and function. */
const isSkipping = (node: Node) =>
  node.type === 'ObjectExpression' &&
  (node.properties as { key?: Node; value?: Node }[]).some(
    ({ key, value }) => NEVER_PROVES.has(String(key?.name)) && value?.value === true,
  )

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string')
