// @unit
// Every case of docs/payments/cases.md has a test for each provider, or a row there that says why it cannot happen. Titles name their cases: (F22).

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { namesIn } from '../conformance/titles.ts'

const PROVIDERS = ['stripe', 'square', 'razorpay', 'paypal']
const page = readFileSync(join(import.meta.dirname, '../../docs/payments/cases.md'), 'utf8')
const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))

const casesIn = (text: string): string[] => text.match(/\bF\d+\b/g) ?? []
const CASES = rows.flatMap(([, id = '']) => (/^F\d+$/.test(id) ? [id] : []))
const pairs = (providers: readonly string[], cases: readonly string[]) =>
  providers.flatMap((provider) => cases.map((id) => `${id} ${provider}`))

/** Each needs a reason. */
const impossible = rows.flatMap(([, provider = '', cases = '', why = '']) =>
  PROVIDERS.includes(provider.toLowerCase()) && why !== '' ? pairs([provider.toLowerCase()], casesIn(cases)) : [],
)

/** The pairs that tests below a folder name in their titles. */
function provenIn(folder: string, providers: readonly string[]): string[] {
  const files = readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(import.meta.dirname, folder, file), 'utf8'))
    .flatMap((text) => [...namesIn(text)].flatMap((name) => pairs(providers, casesIn(name))))
}

const ownTests = PROVIDERS.flatMap((provider) => provenIn(provider, [provider]))

it('proves every case with every provider, or says why it cannot happen', () => {
  expect(CASES).toEqual(Array.from({ length: 51 }, (_, index) => `F${index + 1}`))
  const settled = new Set([...ownTests, ...provenIn('every-provider', PROVIDERS), ...impossible])
  expect(pairs(PROVIDERS, CASES).filter((pair) => !settled.has(pair))).toEqual([])
})

it('knows each case that a title names, and calls none impossible that a provider has tests for', () => {
  expect(ownTests.filter((pair) => impossible.includes(pair) || !CASES.includes(pair.split(' ')[0] ?? ''))).toEqual([])
})
