// @unit
import { describe, expect, test } from 'vitest'
import { currencies, currencyOf, findCurrency } from '../../src/lib/currencies.ts'

const codesWith = (exponent: number) => currencies.filter((one) => one.exponent === exponent).map(({ code }) => code)

describe('the table of currencies', () => {
  test('P4: the exponents are those of ISO 4217', () => {
    expect(codesWith(0).join(' ')).toBe('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF')
    expect(codesWith(3).join(' ')).toBe('BHD IQD JOD KWD LYD OMR TND')
    expect(codesWith(4).join(' ')).toBe('CLF UYW')
    expect(codesWith(2)).toHaveLength(currencies.length - 26)
  })

  test('codes are three capitals, sorted, each once', () => {
    const codes = currencies.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)].sort())
    for (const code of codes) expect(code).toMatch(/^[A-Z]{3}$/)
    expect(codes.length).toBeGreaterThan(150)
  })

  test('every symbol is short, without blanks, digits or signs that could be read as part of the number', () => {
    for (const { symbol, name } of currencies) {
      expect(symbol).toMatch(/^[^\s\d,+-]{1,4}$/u)
      expect(name.trim()).toBe(name)
      expect(name).not.toBe('')
    }
  })

  test('withdrawn currencies and codes without a minor unit are not in it', () => {
    for (const code of ['DEM', 'HRK', 'XAU', 'XXX', 'XTS', 'BTC']) expect(findCurrency(code)).toBeUndefined()
  })

  test('codes are exact, and names of Object.prototype are not currencies', () => {
    for (const code of ['usd', 'USD ', '', 'constructor', '__proto__', 'toString']) {
      expect(findCurrency(code)).toBeUndefined()
      expect(() => currencyOf(code)).toThrow(RangeError)
    }
    expect(findCurrency('USD')).toEqual({ code: 'USD', exponent: 2, symbol: '$', name: 'US Dollar' })
  })
})
