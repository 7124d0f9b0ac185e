// The source tree as the architecture rules see it: each file with its text, its code without comments, and its imports.

import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** `target`: the file of ours it leads to, null for a package. `isType`: nothing of it is left at run time. */
export type Import = { specifier: string; target: string | null; isType: boolean }

/** `path` is relative to src. */
export type SourceFile = { path: string; text: string; code: string; imports: Import[] }

export function readSource(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => sourceFile(path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

export function sourceFile(path: string, text: string): SourceFile {
  const code = withoutComments(text)
  return { path, text, code, imports: importsIn(path, code) }
}

/** The formatter puts comments on lines of their own or behind a space at the end of one, which makes them easy to tell. */
const withoutComments = (text: string) => text.replaceAll(/^\s*(?:\/\/|\/\*|\*).*$|\s\/\/ .*$/gm, '')

/** The names of a list that is written as text. */
export const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)

export const fileName = (path: string) => path.replace(/^.*\//, '').replace(/\.ts$/, '')

export const linesOf = ({ text }: Pick<SourceFile, 'text'>) => text.split('\n').length - 1

/** A file that holds SQL: `store.ts`, or one named after what it stores. */
export const isStore = (path: string) => /(^|-)store$/.test(fileName(path))

/** The slice, or outside of api/ the module, that a file belongs to. */
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

/** Where statements are declared, with the name each is prepared under; null where the name is not written out. */
export const statementNames = ({ code }: Pick<SourceFile, 'code'>): (string | null)[] =>
  [...code.matchAll(/(?<!const )\bstatement(?:<[^(]*>)?\(\s*(?:'([^']+)')?|\blookup<[^(]*>\(\s*'([^']+)'/g)].map(
    ([, name, looked]) => name ?? looked ?? null,
  )
