// @unit
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/lib/errors.ts'
import { findForbiddenText, MAX_DEPTH, parseJson, refuseInfinity } from '../../src/lib/json.ts'
import { expectProportional } from './proportional.ts'

function refusal(text: string): string {
  try {
    parseJson(text)
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
          expect(parseJson(text)).toStrictEqual(JSON.parse(text))
        }
      }),
    )
  })

  test('reads null, as one client sends with every GET', () => {
    expect(parseJson('null')).toBeNull()
  })

  test('ignores a byte order mark', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 })
  })

  test('text that is not JSON is a 400', () => {
    const hostile = [
      '{',
      '}',
      '[',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      'undefined',
      'NaN',
      '01',
      '1 2',
      '"',
      '"\\"',
    ]
    hostile.push(
      ' ',
      '\0',
      '"\0"',
      '"\n"',
      '{"a":1}x',
      '\\',
      '"\\x41"',
      '//',
      '{"a":1}{"b":2}',
      '\uFEFF',
      '\uFEFF\uFEFF{}',
      'тру',
    )
    for (const text of hostile)
      expect(refusal(text), text).toMatch(/^The request body is not valid JSON(: look at character \d+)?\.$/)
    expect(refusal('')).toBe('The request body is empty. Send a JSON object.')
  })

  test('the message says where, when the engine knows', () => {
    expect(refusal('{"a":1,}')).toMatch(/^The request body is not valid JSON(: look at character 8)?\.$/)
  })

  test('no message repeats the body', () => {
    const card = '4242424242424242'
    const broken = [
      `{"number":"${card}"`,
      `{"number":${card}x}`,
      `${card}"`,
      `{"n":"${card}" at position ${card}`,
      `"at position ${card}`,
    ]
    broken.push(`{"${card}":tru}`, `x at position ${card}`, `{"__proto__":"${card}"}`, `${'['.repeat(30)}"${card}"`)
    for (const text of broken) {
      expect(refusal(text)).not.toContain('4242')
      expect(refusal(text)).not.toBe('accepted')
    }
  })

  test('X18: prototype poisoning is refused, in every spelling and at every depth', () => {
    const corpus = [
      '{"__proto__":{"x":1}}',
      '{"a":[{"__proto__":{"x":1}}]}',
      '{"\\u005f\\u005fproto__":{"x":1}}',
      '{"__proto__" : null}',
    ]
    corpus.push(
      '{"constructor":{"prototype":{"x":1}}}',
      '{"a":{"constructor":{"prototype":{"x":1}}}}',
      '{"__proto__":[]}',
      '{"__pr\\u006fto__":1}',
    )
    for (const text of corpus) {
      expect(refusal(text), text).toBe(
        'The request body uses a key that is not accepted: __proto__, or prototype inside constructor.',
      )
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    }
  })

  test('the words may appear where they do no harm', () => {
    for (const text of [
      '{"a":"__proto__"}',
      '{"constructor":"Smith"}',
      '{"prototype":1}',
      '["__proto__"]',
      '{"constructor":{"name":"x"}}',
    ])
      expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  test('X20: twenty levels are read and the twenty-first is refused', () => {
    expect(parseJson(nestedLists(MAX_DEPTH))).toBeDefined()
    expect(parseJson('{"a":'.repeat(MAX_DEPTH) + 1 + '}'.repeat(MAX_DEPTH))).toBeDefined()
    const rule = 'The request body is nested deeper than the 20 levels accepted here.'
    expect(refusal(nestedLists(MAX_DEPTH + 1))).toBe(rule)
    expect(refusal('{"a":['.repeat(11))).toBe(rule)
    expect(refusal('['.repeat(5_000_000))).toBe(rule)
  })

  test('breadth is not depth', () => {
    expect(parseJson(`[${'[],'.repeat(1000)}{}]`)).toHaveLength(1001)
  })

  test('brackets inside strings do not count, whatever is escaped around them', () => {
    const deep = '[{'.repeat(50)
    for (const value of [deep, `"${deep}`, `\\${deep}`, `\\"${deep}\\`, `\\\\"${deep}`, `${deep}"`])
      expect(parseJson(JSON.stringify({ [value]: value }))).toEqual({ [value]: value })
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
        expect(refusal(text) === 'accepted').toBe(levels(value) <= MAX_DEPTH)
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

  test.each([
    [{ a: 'x\0' }, 'a'],
    [{ a: { b: [{ c: 'ok' }, { c: '\0' }] } }, 'a.b.1.c'],
    [{ a: LONE }, 'a'],
    [{ a: '\uDC00\uD800' }, 'a'],
    [['ok', 'x\uDFFF'], '1'],
    ['\0', 'body'],
    [{ 'k\0ey': 1 }, 'k\uFFFDey'],
    [{ a: { [`${LONE}x`]: 1 } }, 'a.\uFFFDx'],
    [{ '': '\0' }, 'body'],
  ])('%j is found at %s', (value, path) => {
    expect(findForbiddenText(value)).toBe(path)
    expect(findForbiddenText(value, JSON.stringify(value))).toBe(path)
  })

  test('every other text passes', () => {
    const texts = [
      '',
      'a',
      '\u0001',
      '\u202E',
      '👩‍👩‍👧',
      '\u{10FFFF}',
      '\uFFFD',
      'e\u0301',
      '\\u0000',
      '\\ud800',
      '\r\n',
      '<script>',
      '\uE000',
    ]
    for (const text of texts) {
      const value = { [text]: [text, { a: text }], n: 0, b: true, z: null }
      expect(findForbiddenText(value), JSON.stringify(text)).toBeNull()
      expect(findForbiddenText(value, JSON.stringify(value)), JSON.stringify(text)).toBeNull()
    }
    expect(findForbiddenText(JSON.parse('"\\ud83d\\ude00"'), '"\\ud83d\\ude00"')).toBeNull()
  })

  test('values that are not text pass', () => {
    for (const value of [null, undefined, 0, true, [], {}]) expect(findForbiddenText(value)).toBeNull()
  })

  test('every spelling of the escapes is found through the text', () => {
    for (const text of [
      '{"a":"\\u0000"}',
      '{"a":"\\uD800"}',
      '{"a":"\\udBfF"}',
      '{"a":"\\uDc00"}',
      '{"a":"\\udfff"}',
      `{"a":"${LONE}"}`,
    ])
      expect(findForbiddenText(parseJson(text), text), text).toBe('a')
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
  const refused = (text: string) => {
    try {
      refuseInfinity(JSON.parse(text), text)
    } catch (error) {
      return Object.keys((error as ApiError).errors ?? {})
    }
    return null
  }

  test('names the first number that JSON could not write again', () => {
    for (const number of [
      '1e309',
      '-1e309',
      '1E+400',
      '1.5e999',
      '9'.repeat(310),
      `${'9'.repeat(300)}e9`,
      `1${'0'.repeat(309)}.5`,
    ])
      expect(refused(`{"a":[{"b":${number}}]}`), number.slice(0, 20)).toEqual(['a.0.b'])
  })

  test('lets every other number pass, and numbers in text', () => {
    for (const number of [
      '0',
      '1e308',
      '1e-400',
      '-1.7e308',
      `1${'0'.repeat(308)}`,
      '9007199254740993',
      `0.${'1'.repeat(500)}`,
    ])
      expect(refused(`{"a":[${number}],"b":"1e999","1e999":null}`), number.slice(0, 20)).toBeNull()
  })

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
