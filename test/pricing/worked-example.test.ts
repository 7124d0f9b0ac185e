// @unit
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decimalText } from '../../src/lib/money.ts'
import { price } from '../../src/pricing/price.ts'
import { cartOf, lineOf } from './sample.ts'

const page = readFileSync('docs/pricing.md', 'utf8')
const rowsOfTable = (header: string): string[][] => {
  const [, table = ''] = page.split(`\n| ${header} |`)
  const [text = ''] = table.split('\n\n')
  return text
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
}

const cents = (text: string): number => Number(text.replace('.', ''))

// Line order is the order of ids.
const lines = rowsOfTable('line | price | options | quantity | kind').map(
  ([, name = '', unitPrice = '', option = '', quantity, kind], index) =>
    lineOf(`item_${index} ${name}`, cents(unitPrice), {
      optionDeltas: option === '' ? [] : [cents(option)],
      quantity: Number(quantity),
      isDigital: kind === 'digital',
      isTaxExempt: kind === 'exempt',
    }),
)

function figures(isIncluded: boolean): Map<string, string> {
  const rates = [
    { type: 'state', rate: 60_000, digitalRate: null },
    { type: 'city', rate: 25_000, digitalRate: 10_000 },
  ]
  const totals = price(
    cartOf(lines, {
      discount: { type: 'percentage', value: 100_000, productIds: [] },
      shipping: 750,
      tax: { rates, isIncluded, isOnShipping: true },
      giftCardBalance: 2000,
    }),
  )
  const shown = new Map<string, number>()
  for (const line of totals.lines) {
    const name = line.id.slice('item_0 '.length)
    shown.set(`line total of ${name}`, line.lineTotal)
    shown.set(`share of ${name}`, line.discountShare)
    shown.set(`taxable amount of ${name}`, line.taxableAmount)
    for (const { type, amount } of line.taxParts) shown.set(`tax of ${name}, ${type}`, amount)
  }
  shown.set('subtotal', totals.subtotal)
  shown.set('amount saved', totals.amountSaved)
  shown.set('shipping', totals.shipping)
  shown.set('tax of shipping', totals.shippingTax)
  shown.set('tax', totals.tax.amount)
  shown.set('total', totals.total)
  shown.set('total with tax', totals.totalWithTax)
  shown.set('gift card credit', totals.giftCardCredit)
  shown.set('total due', totals.totalDue)
  return new Map([...shown].map(([label, amount]) => [label, decimalText(amount, 'USD')]))
}

test('the page about prices shows the figures that are computed', () => {
  const rows = rowsOfTable('figure | prices exclude tax | prices include tax | because')
  const [excluded, included] = [figures(false), figures(true)]
  expect(rows.map(([, label, without, withTax]) => [label, without, withTax])).toEqual(
    rows.map(([, label = '']) => [label, excluded.get(label), included.get(label)]),
  )
  expect(rows.map(([, label]) => label).toSorted()).toEqual([...excluded.keys()].toSorted())
})
