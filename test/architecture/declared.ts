// Every statement that src declares when it is loaded, with the file that declares it. A test that imports this file mocks src/db/db.ts:
// vi.mock('../src/db/db.ts', async (original) => (await import('./architecture/declared.ts')).recording(await original()))

import { join } from 'node:path'
import type * as db from '../../src/db/db.ts'
import { readSource } from './source.ts'
import type { Declared } from './tables.ts'

/** `parameters`: the names behind $1, $2, … of its text. */
export type DeclaredStatement = Declared & { readonly parameters: readonly string[] }

const declared: DeclaredStatement[] = []

type Declaring = Pick<typeof db, 'statement' | 'lookup' | 'sharedWrite' | 'statementOfFamily'>

export const recording = (original: typeof db): typeof db => ({
  ...original,
  statement: recorded(original.statement),
  lookup: recorded(original.lookup),
  sharedWrite: recorded(original.sharedWrite),
  statementOfFamily: recorded(original.statementOfFamily),
})

const recorded = (declare: Declaring['statement']): Declaring['statement'] => {
  return (name, text) => {
    const made = declare(name, text)
    declared.push({ name, text: made.text, parameters: made.parameters, path: declaringFile() })
    return made as never
  }
}

/** The nearest file on the way here; where db/ or jobs/ make statements for others, the one that asked them to. */
function declaringFile(): string {
  const frames = (new Error().stack ?? '').split('\n').map((line) => /\/src\/([^:?)]+\.ts)/.exec(line)?.[1] ?? null)
  const first = frames.findIndex((path) => path !== null)
  const others = frames.findIndex((path, index) => index > first && path === null)
  // What follows is whoever happened to import the file first.
  const own = frames.slice(first, others === -1 ? undefined : others)
  return own.find((path) => path !== null && !/^(db|jobs)\//.test(path)) ?? own[0] ?? ''
}

/** main.ts would run the command. */
const NOT_LOADED = ['main.ts']

export async function declaredStatements(): Promise<DeclaredStatement[]> {
  const root = join(import.meta.dirname, '../../src')
  for (const { path } of readSource(root)) if (!NOT_LOADED.includes(path)) await import(join(root, path))
  return declared
}
