// Makes docs/payments/cases.md of the catalogue and its proofs.

import { CASE_IDS, CASES, type CaseId, type Excluded, type Row, type Rows } from './catalogue.ts'
import { paypal } from './paypal.ts'
import { razorpay } from './razorpay.ts'
import { square } from './square.ts'
import { stripe } from './stripe.ts'

export const PROVIDERS: Readonly<Record<string, Rows>> = {
  Stripe: stripe,
  Square: square,
  Razorpay: razorpay,
  PayPal: paypal,
}

const NAMES = Object.keys(PROVIDERS)

export const rowsOf = (id: CaseId): readonly (readonly [provider: string, row: Row])[] =>
  Object.entries(PROVIDERS).map(([name, rows]) => [name, rows[id]])

export const isExcluded = (row: Row): row is Excluded => 'excluded' in row

/** How many pairs of a case and a provider are proven by tests, and how many there are not. */
export function counts() {
  const rows = CASE_IDS.flatMap(rowsOf).map(([, row]) => row)
  const tests = new Set(rows.flatMap((row) => (isExcluded(row) ? [] : row.map(({ file, name }) => `${file} ${name}`))))
  return { cases: CASE_IDS.length, pairs: rows.length, excluded: rows.filter(isExcluded).length, tests: tests.size }
}

/** The sentence that docs/proof.md has too. */
export function summary(): string {
  const { cases, pairs, excluded, tests } = counts()
  return `${cases} cases × ${NAMES.length} providers: ${pairs - excluded} of ${pairs} are proven by ${tests} tests, and ${excluded} cannot happen, each with the reason.`
}

const opening = () => `# What can happen to a payment

What goes wrong between a shop, a shopper and a payment provider, what comes of it here, and the tests that prove it with each of the four. There is nothing to set up here: a
merchant reads the second sentence of a case to know what an order then says, and looks into the tests only to see whether that is so. What to do is on the
[page of each provider](README.md).
${summary()}

\`npm run cases\` writes this page from \`test/gateways/cases\`; \`test/gateways/cases/cases.test.ts\` fails when a test named there does not exist
or is switched off, when a case or a provider is missing, and when this page is not what comes of it. A server stands in the place of each provider
(\`test/gateways/doubles\`), and is held to what the provider publishes. Tests under \`$code\` run for each of the four in turn.

In the table: how many tests prove it; –: the provider has no such case. The numbers are those of the catalogue, not of the proofs in
[proof.md](../proof.md).

Two departures from the catalogue, which has 402 for both: who comes back after a payment's time is over (F6), and who sends a signature that does not fit (F31), is
answered 422. Nothing was asked of the provider then, and nothing was declined: what was sent does not belong to a payment that waits. 422 names the field, and the
right one may still pay (F31); a 402 would tell the storefront that the shopper's payment had failed.
`

const mark = (row: Row): string => (isExcluded(row) ? '–' : String(row.length))

const table = (): string =>
  [
    `| | Case | ${NAMES.join(' | ')} |`,
    `|---|---|${NAMES.map(() => '---|').join('')}`,
    ...CASE_IDS.map(
      (id) =>
        `| [${id}](#${id.toLowerCase()}) | ${CASES[id][0]} | ${rowsOf(id)
          .map(([, row]) => mark(row))
          .join(' | ')} |`,
    ),
    '',
  ].join('\n')

/** Without the folder and the ending, which all of them have. */
const placeOf = (file: string): string => file.replace(/^test\//, '').replace(/\.test\.ts$/, '')

const linesOf = ([provider, row]: readonly [string, Row]): string[] =>
  isExcluded(row)
    ? [`- ${provider}: none. ${row.excluded}`]
    : [`- ${provider}:`, ...row.map(({ file, name }) => `  - \`${placeOf(file)}\` ${name.replaceAll(/[<>]/g, '\\$&')}`)]

const sectionOf = (id: CaseId): string =>
  [`## ${id}`, '', `${CASES[id][0]}. ${CASES[id][1]}.`, '', ...rowsOf(id).flatMap(linesOf), ''].join('\n')

export const page = (): string => [opening(), table(), ...CASE_IDS.map(sectionOf)].join('\n')
