// Every statement that src declares at load time, with the file that declares it. Loading hundreds of files one by one takes half a minute,
// so src is bundled. The bundle replaces src/db/db.ts with a version that records each declaration.

import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { packageInOneFile, withOwnAddress } from '../support/one-file.ts'
import { RECORD_STORE, readSource } from './source.ts'
import type { Declared } from './tables.ts'

/** `parameters`: the names of $1, $2, … in the text. `isBuilt`: db/record-store.ts declared it for the file. */
export type DeclaredStatement = Declared & { readonly parameters: readonly string[]; readonly isBuilt: boolean }

type Recorded = Omit<DeclaredStatement, 'path' | 'isBuilt'> & { readonly stack: string }

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src')
/** Below node_modules, so that Node loads the bundle like a package. */
const folder = join(root, 'node_modules', '.cache', 'tests')

/** Loading main.ts would run the command. */
const NOT_LOADED = ['main.ts']

let declared: Promise<DeclaredStatement[]> | undefined

export function declaredStatements(): Promise<DeclaredStatement[]> {
  declared ??= readDeclared()
  return declared
}

async function readDeclared(): Promise<DeclaredStatement[]> {
  const files = readSource(source).filter(({ path }) => !NOT_LOADED.includes(path))
  const bundle = join(folder, `declared-${process.pid}.mjs`)
  mkdirSync(folder, { recursive: true })
  try {
    await build({
      stdin: {
        contents: [`export { recorded } from '${RECORDER}'`, ...files.map(({ path }) => `import './${path}'`)].join(
          '\n',
        ),
        resolveDir: source,
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      alias: { typebox: packageInOneFile('typebox') },
      absWorkingDir: root,
      outfile: bundle,
      plugins: [withRecorder, withOwnAddress],
    })
    const { recorded } = (await import(/* @vite-ignore */ pathToFileURL(bundle).href)) as { recorded: Recorded[] }
    const pathAt = linesToPaths(readFileSync(bundle, 'utf8'))
    return recorded.map(({ stack, ...statement }) => {
      const callers = callingFiles(stack, bundle, pathAt)
      return { ...statement, path: declaringFile(callers), isBuilt: callers[0] === RECORD_STORE }
    })
  } finally {
    rmSync(bundle, { force: true })
  }
}

const RECORDER = 'recorder:db'

const withRecorder: Plugin = {
  name: 'recorder',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${RECORDER}$`) }, () => ({ path: 'db', namespace: 'recorder' }))
    onResolve({ filter: /\/db\.ts$/ }, ({ path, resolveDir, namespace }) =>
      namespace !== 'recorder' && resolve(resolveDir, path) === join(source, 'db/db.ts')
        ? { path: 'db', namespace: 'recorder' }
        : null,
    )
    onLoad({ filter: /^/, namespace: 'recorder' }, () => ({
      resolveDir: source,
      contents: `
        import * as original from './db/db.ts'
        export * from './db/db.ts'
        export const recorded = []
        const record = (declare) => (name, text) => {
          const made = declare(name, text)
          recorded.push({ name, text: made.text, parameters: made.parameters, stack: new Error().stack ?? '' })
          return made
        }
        ${['statement', 'lookup', 'sharedWrite', 'statementOfFamily']
          .map((name) => `export const ${name} = record(original.${name})`)
          .join('\n')}`,
    }))
  },
}

/**
 * Returns a function from bundle line to path below src, or null for code outside src. esbuild writes each file's path as a comment above
 * it.
 */
function linesToPaths(bundle: string): (line: number) => string | null {
  let path: string | null = null
  const paths = bundle.split('\n').map((line) => {
    const [, file] = /^\/\/ (\S+\.\w+|recorder:\S+)$/.exec(line) ?? []
    if (file !== undefined) path = /^src\/(.*)$/.exec(file)?.[1] ?? null
    return path
  })
  return (line) => paths[line - 1] ?? null
}

/** Returns the files that led to the declaration, nearest first. */
function callingFiles(stack: string, bundle: string, pathAt: (line: number) => string | null): (string | null)[] {
  const frames = stack.split('\n').map((frame) => {
    const at = frame.indexOf(`${bundle}:`)
    return at === -1 ? null : pathAt(Number.parseInt(frame.slice(at + bundle.length + 1), 10))
  })
  const first = frames.findIndex((path) => path !== null)
  const others = frames.findIndex((path, index) => index > first && path === null)
  // Later frames belong to the file that happened to import this one first.
  return frames.slice(first, others === -1 ? undefined : others)
}

/** Returns the file nearest to the declaration. If db/ or jobs/ declared the statement for another file, returns that caller. */
const declaringFile = (callers: readonly (string | null)[]): string =>
  callers.find((path) => path !== null && !/^(db|jobs)\//.test(path)) ?? callers[0] ?? ''
