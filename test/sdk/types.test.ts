// The types `@types/chec__commerce.js` against the answers at 2021-09-29. Each exception is listed, needed, and told in docs/sdk-types.md.

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { type Recording, recordEveryMethod } from './recordings.ts'
import { geoDatabase } from './shop.ts'
import { TYPE_EXCEPTIONS, type TypeException } from './type-exceptions.ts'

const VERSION = '2021-09-29'
const require = createRequire(import.meta.url)
const TYPES = dirname(require.resolve('@types/chec__commerce.js/package.json'))
const COMPILER = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')

const folder = await mkdtemp(join(tmpdir(), 'cartwright-types-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const app = await testApp({ geoDatabase: await geoDatabase(), publicUrl: 'https://api.shop.example' })
const recordings = await recordEveryMethod(app, VERSION)

it('every method whose answer has a type is recorded', async () => {
  const typed: string[] = []
  for (const file of await readdir(join(TYPES, 'features'))) {
    const text = await readFile(join(TYPES, 'features', file), 'utf8')
    const methods = text.replace(/\s+/g, ' ').matchAll(/ (\w+)\([^)]*\): Promise<(.*?)>;/g)
    // Of `any` nothing is said, and one boolean is not an answer of the API but computed from one.
    for (const [, method = '', answer = ''] of methods)
      if (answer !== 'any' && answer !== 'boolean') typed.push(`${file.replace('.d.ts', '')}.${method}`)
  }
  expect(typed.length).toBeGreaterThan(30)
  expect([...new Set(recordings.map(({ method }) => method))].sort()).toEqual(typed.sort())
})

it('the answers are what the types say, but for the listed exceptions, each of which is needed', async () => {
  await writeFile(join(folder, 'answers.ts'), sourceOf(recordings))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2023',
        module: 'commonjs',
        moduleResolution: 'bundler',
        types: [],
        skipLibCheck: true,
        paths: { '@chec/commerce.js': [TYPES] },
      },
      files: ['answers.ts'],
    }),
  )
  const messages = await new Promise<string>((resolve) => {
    execFile(process.execPath, [COMPILER, '-p', folder], { maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve(stdout + stderr || (error?.message ?? '')),
    )
  })
  expect(messages).toBe('')
})

it('the exceptions are told in docs/sdk-types.md', async () => {
  const page = await readFile(new URL('../../docs/sdk-types.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\S+)` \| (.+) \|$/gm)].map(([, name]) => name)
  expect(rows).toEqual(TYPE_EXCEPTIONS.map(({ name }) => name))
})

/** Each answer as it was, assigned to its type: with all exceptions made that is right, with all but one it is wrong. */
function sourceOf(all: readonly Recording[]): string {
  const typeOf = ({ method }: Recording) => {
    const [part, name] = method.split('.')
    return `Answer<Commerce['${part}']['${name}']>`
  }
  const right = all.map(
    (recording, index) =>
      `const answer${index} = ${literal(allowing(TYPE_EXCEPTIONS, recording))}
export const typed${index}: ${typeOf(recording)} = plain(answer${index})`,
  )
  const wrong = TYPE_EXCEPTIONS.map((exception, index) => {
    const concerned = all.filter((recording) => isConcerned(exception, recording))
    const others = TYPE_EXCEPTIONS.filter((other) => other !== exception)
    return `const exception${index} = ${literal(concerned.map((recording) => allowing(others, recording)))}
// @ts-expect-error ${exception.name}
export const needed${index}: [${concerned.map(typeOf).join(', ')}] = plain(exception${index})`
  })
  return [PREAMBLE, ...right, ...wrong, ''].join('\n')
}

/** Of a literal the types know every value, which they need to compare it with 'paid' | 'not_paid'; fields beyond a type are no matter. */
const PREAMBLE = `import Commerce = require('@chec/commerce.js')
type Answer<F> = F extends (...args: never[]) => Promise<infer R> ? R : never
type Plain<T> = { -readonly [K in keyof T]: Plain<T[K]> }
const plain = <T>(value: T): Plain<T> => value as Plain<T>`

const literal = (value: unknown) => `${JSON.stringify(value)} as const`

/** The answer with what the types take in the place of what they do not. */
function allowing(exceptions: readonly TypeException[], { method, answer }: Recording): unknown {
  return visit(answer, `${method}:`, (object, path) => {
    const changed = { ...object }
    for (const exception of exceptionsAt(path)) {
      if (!exceptions.includes(exception) || !isExcepted(exception, object)) continue
      if (exception.accepted === undefined) delete changed[exception.field]
      else changed[exception.field] = exception.accepted
    }
    return changed
  })
}

/** A field that is null for a reason, or left out, must be what the types say wherever it is not. */
function isExcepted({ field, when }: TypeException, object: Json): boolean {
  if (when === undefined) return true
  return when === 'absent' ? !Object.hasOwn(object, field) : object[field] === when
}

function isConcerned(exception: TypeException, { method, answer }: Recording): boolean {
  let isFound = false
  visit(answer, `${method}:`, (object, path) => {
    isFound ||= exceptionsAt(path).includes(exception) && isExcepted(exception, object)
    return object
  })
  return isFound
}

type Json = Record<string, unknown>

function visit(value: unknown, path: string, edit: (object: Json, path: string) => Json): unknown {
  const step = (key: string) => (path.endsWith(':') ? path + key : `${path}.${key}`)
  if (Array.isArray(value)) return value.map((entry) => visit(entry, step('[]'), edit))
  if (typeof value !== 'object' || value === null) return value
  const object = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, visit(part, step(key), edit)]))
  return edit(object, path)
}

const patterns = TYPE_EXCEPTIONS.map(({ owners }) => {
  const texts = owners.map((owner) => owner.replace(/[.[\]]/g, String.raw`\$&`).replaceAll('*', '.*'))
  return new RegExp(`^(?:${texts.join('|')})$`)
})

/** Kept, because every answer is visited once for each exception, and has few paths. */
const known = new Map<string, TypeException[]>()

function exceptionsAt(path: string): TypeException[] {
  const found = known.get(path) ?? TYPE_EXCEPTIONS.filter((_, index) => patterns[index]?.test(path))
  known.set(path, found)
  return found
}
