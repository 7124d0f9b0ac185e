// @unit @sampled: the proof tries more amounts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencies, currencyOf } from '../../src/lib/currencies.ts'
import { decimalText, MAX_AMOUNT, MAX_TOTAL, parseAmount, priceOf, readDecimal } from '../../src/lib/money.ts'
import { size } from '../support/proof.ts'

const anyCurrency = fc.constantFrom(...currencies.map(({ code }) => code))
const anyTotal = fc.integer({ min: -MAX_TOTAL, max: MAX_TOTAL })
const RUNS = { numRuns: size(1_500, 5_000) }

/** The exact value of decimal text in units of 10^-exponent; throws when it has more decimals. */
function unitsOf(text: string, exponent: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  expect(fraction.length).toBeLessThanOrEqual(exponent)
  return BigInt(whole + fraction.padEnd(exponent, '0'))
}

describe('priceOf', () => {
  test.each([
    [0, 'USD', 0, '0.00', '$0.00', '0.00 USD'],
    [5, 'USD', 0.05, '0.05', '$0.05', '0.05 USD'],
    [1999, 'USD', 19.99, '19.99', '$19.99', '19.99 USD'],
    [4900, 'USD', 49, '49.00', '$49.00', '49.00 USD'],
    [100_000, 'USD', 1000, '1,000.00', '$1,000.00', '1,000.00 USD'],
    [-150, 'USD', -1.5, '-1.50', '-$1.50', '-1.50 USD'],
    [-123_456_789, 'EUR', -1_234_567.89, '-1,234,567.89', '-€1,234,567.89', '-1,234,567.89 EUR'],
    [0, 'JPY', 0, '0', '¥0', '0 JPY'],
    [1200, 'JPY', 1200, '1,200', '¥1,200', '1,200 JPY'],
    [1, 'KWD', 0.001, '0.001', 'KWD0.001', '0.001 KWD'],
    [1_234_567, 'KWD', 1234.567, '1,234.567', 'KWD1,234.567', '1,234.567 KWD'],
    [1999, 'SEK', 19.99, '19.99', 'kr19.99', '19.99 SEK'],
  ])('%d %s', (minor, code, raw, formatted, formatted_with_symbol, formatted_with_code) => {
    expect(priceOf(minor, code)).toStrictEqual({ raw, formatted, formatted_with_symbol, formatted_with_code })
  })

  test('a negative zero is shown as zero', () => {
    expect(priceOf(-0, 'USD')).toStrictEqual(priceOf(0, 'USD'))
  })

  test('P2: raw, as JSON prints it, is the integer over 10^exponent exactly, and formatted has the decimals of the currency', () => {
    fc.assert(
      fc.property(anyTotal, anyCurrency, (minor, code) => {
        const { exponent } = currencyOf(code)
        const { raw, formatted } = priceOf(minor, code)
        expect(unitsOf(JSON.stringify(raw), exponent)).toBe(BigInt(minor))
        expect(unitsOf(formatted.replaceAll(',', ''), exponent)).toBe(BigInt(minor))
        expect(formatted).toMatch(exponent === 0 ? /^-?\d{1,3}(,\d{3})*$/ : /^-?\d{1,3}(,\d{3})*\.\d+$/)
        expect((formatted.split('.')[1] ?? '').length).toBe(exponent)
      }),
      RUNS,
    )
  })

  test('P3: the forms with symbol and code hold the digits of formatted and nothing else of their own', () => {
    fc.assert(
      fc.property(anyTotal, anyCurrency, (minor, code) => {
        const { formatted, formatted_with_symbol, formatted_with_code } = priceOf(minor, code)
        const sign = minor < 0 ? '-' : ''
        expect(formatted_with_code).toBe(`${formatted} ${code}`)
        expect(formatted_with_symbol).toBe(sign + currencyOf(code).symbol + formatted.slice(sign.length))
      }),
      RUNS,
    )
  })

  test('refuses what is not a whole amount that can be shown exactly, and unknown currencies', () => {
    for (const minor of [0.5, Number.NaN, Number.POSITIVE_INFINITY, MAX_TOTAL + 1, -MAX_TOTAL - 1, 2 ** 53, 1e21])
      expect(() => priceOf(minor, 'USD')).toThrow(RangeError)
    expect(() => priceOf(1, 'usd')).toThrow(RangeError)
  })
})

describe('decimalText', () => {
  test.each([
    [123_450, 'USD', '1234.50'],
    [-5, 'USD', '-0.05'],
    [1200, 'JPY', '1200'],
    [1, 'KWD', '0.001'],
  ])('%d %s is %s', (minor, code, text) => {
    expect(decimalText(minor, code)).toBe(text)
  })
})

describe('parseAmount', () => {
  const minorOf = (value: unknown, code = 'USD', allowNegative = false) => {
    const parsed = parseAmount(value, code, { allowNegative })
    return parsed.ok ? parsed.minor : parsed.reason
  }

  test.each([
    [19.99, 'USD', 1999],
    ['19.99', 'USD', 1999],
    [0, 'USD', 0],
    [-0, 'USD', 0],
    ['-0.00', 'USD', 0],
    [1.1, 'USD', 110],
    [1.005e3, 'USD', 100_500],
    ['007.50', 'USD', 750],
    [10_000_000_000, 'USD', MAX_AMOUNT],
    [1200, 'JPY', 1200],
    ['1.234', 'KWD', 1234],
    [0.0001, 'CLF', 1],
    [1_000_000_000_000, 'JPY', MAX_AMOUNT],
  ])('%s in %s is %d', (value, code, minor) => {
    expect(minorOf(value, code)).toBe(minor)
  })

  test('what is not a plain decimal is refused', () => {
    const texts = ['', ' 5', '5 ', '+5', '1,000', '0x10', '1e3', '.5', '5.', '--5', '-', '５', '5\n', '9'.repeat(1e6)]
    const numbers = [Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-7]
    const others = [5n, null, undefined, true, [5], {}, new Date(0)]
    const hostile: unknown[] = [...texts, ...numbers, ...others]
    hostile.push({ valueOf: () => 5 }, { toString: () => '5' }, new Number(5), Symbol('5'))
    for (const value of hostile)
      expect(parseAmount(value, 'USD', { allowNegative: true }), String(value).slice(0, 30)).toEqual({
        ok: false,
        reason: 'The amount must be a number or a decimal string such as 12.00, in USD.',
      })
  })

  test('more decimals than the currency has are refused, even zeros', () => {
    const rule = 'The amount must have at most 2 decimals, as USD has.'
    for (const value of [0.1 + 0.2, 19.999, '19.990', '0.001', 0.001]) expect(minorOf(value)).toBe(rule)
    expect(minorOf('10.0', 'JPY')).toBe('The amount must be a whole number, as JPY has no decimals.')
    expect(minorOf('1.2345', 'KWD')).toBe('The amount must have at most 3 decimals, as KWD has.')
  })

  test('negative amounts are refused unless the caller allows them', () => {
    expect(minorOf(-1.5)).toBe('The amount must not be negative.')
    expect(minorOf('-0.01')).toBe('The amount must not be negative.')
    expect(minorOf(-1.5, 'USD', true)).toBe(-150)
    expect(minorOf('-1.50', 'USD', true)).toBe(-150)
  })

  test('10^12 minor units are the bound, on both sides', () => {
    expect(minorOf('10000000000.01')).toBe('The amount must be at most 10,000,000,000.00 USD.')
    expect(minorOf(1_000_000_000_001, 'JPY')).toBe('The amount must be at most 1,000,000,000,000 JPY.')
    expect(minorOf(2 ** 53 + 2)).toBe('The amount must be at most 10,000,000,000.00 USD.')
    expect(minorOf(-10_000_000_000, 'USD', true)).toBe(-MAX_AMOUNT)
    expect(minorOf('-10000000000.01', 'USD', true)).toBe('The amount must be at most 10,000,000,000.00 USD below zero.')
  })

  test('takes as much as a total may be, where it names one', () => {
    expect(parseAmount('9999999999999.99', 'USD', { max: MAX_TOTAL })).toEqual({ ok: true, minor: MAX_TOTAL })
    expect(parseAmount('10000000000000.00', 'USD', { max: MAX_TOTAL })).toEqual({
      ok: false,
      reason: 'The amount must be at most 9,999,999,999,999.99 USD.',
    })
  })

  test('the sentence begins with the field when it is told', () => {
    expect(parseAmount(-1, 'USD', { field: 'price' })).toEqual({ ok: false, reason: 'price must not be negative.' })
  })

  test('P1, P2: what is printed is read back to the same integer, as number and as text', () => {
    fc.assert(
      fc.property(fc.integer({ min: -MAX_AMOUNT, max: MAX_AMOUNT }), anyCurrency, (minor, code) => {
        const expected = { ok: true, minor: minor === 0 ? 0 : minor }
        expect(parseAmount(priceOf(minor, code).raw, code, { allowNegative: true })).toStrictEqual(expected)
        expect(parseAmount(decimalText(minor, code), code, { allowNegative: true })).toStrictEqual(expected)
      }),
      RUNS,
    )
  })

  test('anything at all gives a whole amount within the bound or a sentence, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.string()), anyCurrency, (value, code) => {
        const parsed = parseAmount(value, code)
        if (parsed.ok)
          expect(Number.isInteger(parsed.minor) && parsed.minor >= 0 && parsed.minor <= MAX_AMOUNT).toBe(true)
        else expect(parsed.reason).toMatch(/^The amount must .+\.$/)
      }),
      RUNS,
    )
  })
})

describe('readDecimal', () => {
  test('keeps every digit', () => {
    expect(readDecimal(0.0725)).toEqual({ units: 725n, scale: 4 })
    expect(readDecimal('12345678901234567890.10')).toEqual({ units: 1234567890123456789010n, scale: 2 })
    expect(readDecimal('-0.5')).toEqual({ units: -5n, scale: 1 })
    expect(readDecimal('1e3')).toBeNull()
    expect(readDecimal('1'.repeat(41))).toBeNull()
  })
})
