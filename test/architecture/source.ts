// The source tree for the architecture rules: each file with its text, its code without comments, and its imports.

import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** `target`: our file that it imports, null for a package. `isType`: nothing of the import remains at run time. */
export type Import = { specifier: string; target: string | null; isType: boolean }

/** `path` is relative to src, or to web. */
export type SourceFile = { path: string; text: string; code: string; imports: Import[] }

export function readSource(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => sourceFile(path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

export function sourceFile(path: string, text: string): SourceFile {
  const code = withoutComments(text)
  return { path, text, code, imports: importsIn(path, code) }
}

export type Edge = { from: string; to: string; isType: boolean }

/** The imports of our own files. */
export const importsOf = (files: readonly SourceFile[]): Edge[] =>
  files.flatMap(({ path, imports }) =>
    imports.flatMap(({ target, isType }) => (target === null ? [] : [{ from: path, to: target, isType }])),
  )

/** The formatter puts each comment on its own line or after a space at the end of a line, so a pattern can find it. */
const withoutComments = (text: string) => text.replaceAll(/^\s*(?:\/\/|\/\*|\*).*$|\s\/\/ .*$/gm, '')

/** Splits a list written as text into its names. */
export const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)

export const fileName = (path: string) => path.replace(/^.*\//, '').replace(/\.tsx?$/, '')

export const linesOf = ({ text }: Pick<SourceFile, 'text'>) => text.split('\n').length - 1

/** True for a file that holds SQL: `store.ts`, or `<thing>-store.ts`. */
export const isStore = (path: string) => /(^|-)store$/.test(fileName(path))

/** The slice of a file, or its module outside api/. */
export const roomOf = (path: string) => /^(?:api\/)?([^/.]+)/.exec(path)?.[1] ?? path

const STATIC = /^\s*(?:import|export)\s+(?:([\w*{][^'"`;]*?)\sfrom\s+)?'([^']+)'/gm
const DYNAMIC = /\bimport\(\s*'([^']+)'/g

function importsIn(path: string, code: string): Import[] {
  const found = [...code.matchAll(STATIC)].map(([, names = '', specifier = '']) => ({ names, specifier }))
  const dynamic = [...code.matchAll(DYNAMIC)].map(([, specifier = '']) => ({ names: '', specifier }))
  return [...found, ...dynamic].map(({ names, specifier }) => ({
    specifier,
    target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null,
    isType: isTypeOnly(names),
  }))
}

function isTypeOnly(names: string): boolean {
  if (names.startsWith('type ')) return true
  const [, inBraces] = /^\{([^}]*)\}$/.exec(names.trim()) ?? []
  const parts = (inBraces ?? '').split(',').filter((part) => part.trim() !== '')
  return parts.length > 0 && parts.every((part) => part.trim().startsWith('type '))
}

/** Builds statements for stores. Its functions receive the names as strings, except `recordStore`, which computes them. */
export const RECORD_STORE = 'db/record-store.ts'

/** Matches a call that declares a statement, up to its name. */
const DECLARES =
  /(?<!const )\b(?:statement|(?:find|lock|delete)Record|listRecords)(?:<[^(]*>)?\(\s*(?:'([^']+)')?|\blookup<[^(]*>\(\s*'([^']+)'/g

/**
 * Names of the declared statements; null where the name is not a string literal. The names that `recordStore` computes are known only after
 * src is loaded; see `isBuilt` in declared.ts.
 */
export const statementNames = ({ path, code }: Pick<SourceFile, 'path' | 'code'>): (string | null)[] =>
  path === RECORD_STORE ? [] : [...code.matchAll(DECLARES)].map(([, name, looked]) => name ?? looked ?? null)
