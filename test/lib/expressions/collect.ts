// Every regular expression that a folder of sources writes, and how it is used there.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { transformSync } from 'esbuild'
import { parseAst } from 'vite'

export type Expression = {
  readonly file: string
  readonly expression: RegExp
  /** `every`: all matches of a text are looked for. `split`: a text is split by it. */
  readonly use: 'first' | 'every' | 'split'
}

type Node = { readonly type: string; readonly [name: string]: unknown }

/** `built`: what is handed to `new RegExp`, as it is written. */
export function collectExpressions(root: string, folder: string): { literals: Expression[]; built: string[] } {
  const literals: Expression[] = []
  const built: string[] = []
  for (const path of filesOf(join(root, folder))) {
    const file = relative(root, path)
    const loader = file.endsWith('x') ? 'tsx' : 'ts'
    const { code } = transformSync(readFileSync(path, 'utf8'), { loader, target: 'esnext', jsx: 'automatic' })
    const visit = (value: unknown, parents: readonly Node[]) => {
      if (Array.isArray(value)) for (const each of value) visit(each, parents)
      if (!isNode(value)) return
      const { regex, callee } = value as { regex?: { pattern: string; flags: string }; callee?: Node }
      if (regex !== undefined) literals.push({ file, ...readLiteral(regex, parents.at(-1)) })
      if (/^(?:New|Call)Expression$/.test(value.type) && callee?.name === 'RegExp')
        built.push(`${file}: ${code.slice(value.start as number, value.end as number)}`)
      for (const child of Object.values(value)) visit(child, [...parents, value])
    }
    visit(parseAst(code), [])
  }
  return { literals, built }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))

function readLiteral({ pattern, flags }: { pattern: string; flags: string }, parent: Node | undefined) {
  const expression = new RegExp(pattern, flags)
  const { property } = ((parent?.callee as Node | undefined) ?? {}) as { property?: { name?: string } }
  if (property?.name === 'split') return { expression, use: 'split' as const }
  // A sticky one is tried at one place after the other, as one that finds all of them is.
  return { expression, use: /[gy]/.test(flags) ? ('every' as const) : ('first' as const) }
}
