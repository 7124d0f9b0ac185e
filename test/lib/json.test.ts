// @unit
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/lib/errors.ts'
import { findForbiddenText, MAX_JSON_DEPTH, parseRequestJson, refuseInfinity } from '../../src/lib/json.ts'
import { expectProportional } from './proportional.ts'

function refusal(text: string): string {
  try {
    parseRequestJson(text)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.type === 'bad_request') return error.message
    throw error
  }
  return 'accepted'
}

const nestedLists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('parseJson', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__') && !JSON.stringify(value).includes('constructor'))
        for (const indent of [0, 2]) {
          const text = JSON.stringify(value, null, indent)
          expect(parseRequestJson(text)).toStrictEqual(JSON.parse(text))
        }
      }),
    )
  })

  test('text that is not JSON is a 400', () => {
    const hostile = ['{', '{"a":1,}', "{'a':1}", 'NaN', '01', '1 2', '"', ' ', '\0', '"\n"', '{}{}', '\uFEFF']
    for (const text of hostile)
      expect(refusal(text), text).toMatch(/^The request body is not valid JSON(: look at character \d+)?\.$/)
    expect(refusal('')).toBe('The request body is empty. Send a JSON object.')
  })

  test('brackets inside strings do not count, whatever is escaped around them', () => {
    const deep = '[{'.repeat(50)
    for (const value of [deep, `"${deep}`, `\\${deep}`, `\\"${deep}\\`, `\\\\"${deep}`, `${deep}"`])
      expect(parseRequestJson(JSON.stringify({ [value]: value }))).toEqual({ [value]: value })
    // A string that ends in an escaped backslash is over: what follows counts.
    expect(refusal(`["\\\\",${nestedLists(20)}]`)).toMatch(/deeper/)
    expect(refusal(`["\\\\\\"",${nestedLists(20)}]`)).toMatch(/deeper/)
  })

  test('agrees with a plain count of the levels on any value', () => {
    const levels = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levels)) : 0
    const deep = fc
      .tuple(fc.jsonValue({ maxDepth: 4 }), fc.string(), fc.integer({ min: 12, max: 22 }))
      .map(([core, key, wraps]) => {
        let value: unknown = core
        for (let wrap = 0; wrap < wraps; wrap++) value = wrap % 2 === 0 ? [value, key] : { [`k${key}`]: value }
        return value
      })
    fc.assert(
      fc.property(deep, (value) => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('__proto__') && !text.includes('constructor'))
        expect(refusal(text) === 'accepted').toBe(levels(value) <= MAX_JSON_DEPTH)
      }),
    )
  })

  test('takes time in proportion to the text', () => {
    for (const unit of ['\\"', '\\\\', '"', '""', '\\', '"\\"', '[]', '{"a":'])
      expectProportional(unit, 500_000, (size) => refusal(`"${unit.repeat(size)}`))
  })
})

describe('findForbiddenText', () => {
  const LONE = '\uD800'

  test('every spelling of the escapes is found through the text', () => {
    for (const text of ['\\u0000', '\\uD800', '\\udBfF', '\\uDc00', '\\udfff', LONE].map((sign) => `{"a":"${sign}"}`))
      expect(findForbiddenText(parseRequestJson(text), text), text).toBe('a')
  })

  test('a value whose text is clean is not walked', () => {
    const value = {
      get a(): string {
        throw new Error('walked')
      },
    }
    expect(findForbiddenText(value, '{"a":"clean é 👍"}')).toBeNull()
    expect(() => findForbiddenText(value, '{"a":"\\u0000"}')).toThrow('walked')
  })

  test('with and without the text, the answer is the same', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\0', '\uD83D', '\uDE00', '\\', 'u0000', 'ud800', '"', 'é') })
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (value) => {
        const json = JSON.stringify(value)
        expect(findForbiddenText(JSON.parse(json), json)).toBe(findForbiddenText(JSON.parse(json)))
      }),
    )
  })

  test('the path is short and can be sent itself', () => {
    const path = findForbiddenText({ [`${'😀'.repeat(5000)}`]: '\0' }) ?? ''
    expect(path.length).toBeLessThanOrEqual(200)
    expect(findForbiddenText(path)).toBeNull()
    const cut = findForbiddenText({ [`a${'😀'.repeat(5000)}`]: '\0' }) ?? ''
    expect(findForbiddenText(cut)).toBeNull()
  })
})

describe('refuseInfinity', () => {
  test('a value whose text is clean is not walked', () => {
    const value = {
      get a(): number {
        throw new Error('walked')
      },
    }
    expect(() => refuseInfinity(value, '{"a":12345678901234567890}')).not.toThrow()
    expect(() => refuseInfinity(value, '{"a":1e5}')).toThrow('walked')
  })

  test('takes time in proportion to the text', () => {
    for (const unit of ['1', `${'1'.repeat(308)}x`, '1e', '1e+'])
      expectProportional(unit, 1_000_000, (size) => refuseInfinity('', unit.repeat(Math.ceil(size / unit.length))))
  })
})
