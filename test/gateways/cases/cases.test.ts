// Every case of the catalogue is proven with every provider, or excluded with a reason; each test that is named exists and runs; and the page
// in docs/ says so. `npm run cases` (UPDATE_CASES=1) writes the page.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { namesIn } from '../../conformance/titles.ts'
import { CASE_IDS } from './catalogue.ts'
import { isExcluded, PROVIDERS, page, rowsOf, summary } from './page.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PAGE = join(ROOT, 'docs/payments/cases.md')
const PROOF = join(ROOT, 'docs/proof.md')
const SUMMARY = /\d+ cases × .*, each with the reason\./

it('has the 51 cases, and for each of them all four providers with tests or a reason', () => {
  expect(CASE_IDS).toEqual(Array.from({ length: 51 }, (_, index) => `F${index + 1}`))
  expect(Object.keys(PROVIDERS)).toEqual(['Stripe', 'Square', 'Razorpay', 'PayPal'])
  for (const [name, rows] of Object.entries(PROVIDERS)) expect([name, Object.keys(rows)]).toEqual([name, CASE_IDS])
  for (const [provider, row] of CASE_IDS.flatMap(rowsOf))
    if (isExcluded(row)) expect([provider, row.excluded]).toEqual([provider, expect.stringMatching(/^[A-Z].{20,}\.$/s)])
    else expect([provider, row.length]).not.toEqual([provider, 0])
})

it('names tests that exist, and that run', () => {
  const known = new Map<string, ReadonlySet<string>>()
  const namesOf = (file: string): ReadonlySet<string> => {
    const path = join(ROOT, file)
    const names = known.get(file) ?? (existsSync(path) ? namesIn(readFileSync(path, 'utf8')) : new Set())
    known.set(file, names)
    return names
  }
  const missing = CASE_IDS.flatMap((id) =>
    rowsOf(id).flatMap(([provider, row]) =>
      isExcluded(row)
        ? []
        : row.filter(({ file, name }) => !namesOf(file).has(name)).map(({ file, name }) => [id, provider, file, name]),
    ),
  )
  expect(missing).toEqual([])
})

it('is what docs/payments/cases.md says, and docs/proof.md counts', () => {
  const proof = readFileSync(PROOF, 'utf8').replace(SUMMARY, summary())
  if (process.env.UPDATE_CASES) {
    writeFileSync(PAGE, page())
    writeFileSync(PROOF, proof)
  }
  expect(readFileSync(PAGE, 'utf8')).toBe(page())
  expect(proof).toContain(summary())
  expect(readFileSync(PROOF, 'utf8')).toBe(proof)
})
