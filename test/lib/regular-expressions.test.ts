// @proof: it measures every regular expression of the source.
// Every regular expression takes time in proportion to its text: one that backtracks may take the square of it, and block the process.

import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Attack, attacksOn } from './expressions/attacks.ts'
import { collectExpressions, type Expression } from './expressions/collect.ts'
import { expectProportional, timeOf } from './proportional.ts'

const ROOT = join(import.meta.dirname, '../..')
const found = ['src', 'web'].map((folder) => collectExpressions(ROOT, folder))
const literals = found.flatMap((each) => each.literals)
const built = found.flatMap((each) => each.built)

/** The longest description that is accepted. */
const LONG = 65_536
/** What takes more than the square of a text is given up on a short one: on a long one it would never come back. */
const SHORT = 4_096
const GIVEN_UP_MS = 10_000
/** How long texts are made, until one takes so long that four times as much tells something. The square of 65 KB takes ten times that. */
const LENGTHS = [LONG / 16, LONG / 8, LONG / 4, LONG / 2, LONG]
const SLOW_MS = 15

/** Something that the expression does not match, or nothing: many fail only at the end of a text. */
const TAILS = ['', '\u0000', '!', '\n', ' ']

/** Expressions that see no text from outside, or only the beginning of it. By their file, with why. */
const EXCUSED: Readonly<Record<string, string>> = {
  'src/db/shards.ts': 'our own migrations',
  'src/demo/storefront-shelves.ts': 'our own page, in which everything from outside is escaped',
  'src/mail/shopper-words.ts': 'at most 1,000 characters: the text is cut before anything is matched',
  'web/dashboard/screens/tax/percent.ts': 'six decimals of a number that we have written ourselves',
}

/** Files that put expressions together, with what is put together or who tries them. */
const BUILT: Readonly<Record<string, string>> = {
  'src/api/customers/login/link.ts': 'a word of our own, as it is',
  'src/db/db.ts': 'the name of a constraint and digits, in a sentence of PostgreSQL',
  'src/http/files/csv.ts': 'test/http/csv.test.ts runs them on random cells; each stops at the first other character',
  'src/http/server/other-methods.ts': 'an address of ours, anchored, whose parts end at each slash',
  'src/lib/ids.ts': 'a fixed number of letters and digits',
  'src/lib/redact.ts': 'test/lib/redact.test.ts runs all of them on long lines',
  'src/versions/nesting.ts': 'paths that our own changes name',
}

const run = ({ expression, use }: Expression, text: string): unknown => {
  if (use === 'split') return text.split(expression)
  if (use === 'every') return text.replace(everywhere(expression), '')
  return expression.test(text)
}

const everywhere = ({ source, flags }: RegExp) => new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)

const textOf = ({ before, pump }: Attack, tail: string, length: number): string =>
  before + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + tail

function expectProportionalOn(each: Expression) {
  const texts = attacksOn(each.expression).flatMap((attack) =>
    TAILS.map((tail) => (length: number) => textOf(attack, tail, length)),
  )
  // In a context that can be ended.
  const context = createContext({ work: () => texts.map((write) => run(each, write(SHORT))) })
  runInContext('work()', context, { timeout: GIVEN_UP_MS })
  for (const write of texts) {
    const take = (length: number) => {
      const text = write(length)
      return timeOf(() => run(each, text))
    }
    // Twice, as anything may interrupt it once. Long texts come last: the square of them takes seconds.
    const slow = LENGTHS.find((length) => take(length) > SLOW_MS && take(length) > SLOW_MS)
    if (slow === undefined) continue
    expectProportional(`on ${JSON.stringify(write(60))}`, 4 * slow, (size) => run(each, write(size)))
  }
}

describe('every regular expression', () => {
  it('is found, with how it is used', () => {
    const uses = (use: Expression['use']) => literals.filter((each) => each.use === use).length
    expect(uses('first')).toBeGreaterThan(150)
    expect(uses('every')).toBeGreaterThan(50)
    expect(uses('split')).toBeGreaterThan(5)
  })

  it('takes time in proportion to its text', () => {
    const different = new Map(literals.map((each) => [`${each.use} ${each.expression}`, each]))
    const failures: string[] = []
    for (const each of different.values()) {
      if (each.file in EXCUSED) continue
      try {
        expectProportionalOn(each)
      } catch (error) {
        failures.push(`${each.file} ${each.expression}: ${(error as Error).message}`)
      }
    }
    expect(failures).toEqual([])
  })

  it('that is put together is known, and who is excused is there', () => {
    const files = new Set(built.map((text) => text.split(':', 1)[0]))
    expect([...files].sort()).toEqual(Object.keys(BUILT).sort())
    const written = new Set(literals.map(({ file }) => file))
    expect(Object.keys(EXCUSED).filter((file) => !written.has(file))).toEqual([])
  })
})

describe('the check itself', () => {
  const check = (expression: RegExp, use: Expression['use']) => () =>
    expectProportionalOn({ file: '', expression, use })

  it.each([
    ['a tag that is never closed', /<br\b[^>]*>/gi, 'every'],
    ['blanks before a comma', /\s*,/, 'split'],
    ['a sign at either end', /^-+|-+$/g, 'every'],
    ['all ways to divide it', /^(?:a+)+$/, 'first'],
  ] as const)('finds %s', (_, expression, use) => {
    expect(check(expression, use)).toThrow()
  })

  it('lets pass what scans once', () => {
    expect(check(/^[a-z]+:\/\//i, 'first')).not.toThrow()
    expect(check(/[^a-z0-9]+/g, 'every')).not.toThrow()
  })
})
