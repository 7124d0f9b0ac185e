// @unit
// What is given to the server for existing clients: each name is one of the API, and each part has a form for it.

import { describe, expect, test } from 'vitest'
import { slices } from '../../src/app.ts'
import { cartForms } from '../../src/compat/carts.ts'
import { compat, FORMS, oldEndpoints } from '../../src/compat/index.ts'
import { notFound } from '../../src/lib/errors.ts'

const operations = slices.flatMap(({ endpoints }) => endpoints.map(({ operation }) => operation))
const SDK = { 'x-chec-agent': 'commerce.js/v2' }

describe('the forms of existing clients', () => {
  test('are named by operations, or by resources, that the API has', () => {
    const known = new Set([...operations, ...operations.map((operation) => operation.split('.')[0])])
    expect(Object.keys(FORMS).filter((name) => !known.has(name))).toEqual([])
  })

  test('are those of every operation of carts, of three bodies and one query, and of nothing else', () => {
    const expected = operations.filter(
      (operation) =>
        operation.startsWith('carts.') ||
        ['products.create', 'products.update', 'checkouts.create', 'checkouts.capture'].includes(operation),
    )
    expect(operations.filter((operation) => compat.formsOf(operation) !== null)).toEqual(expected)
    expect(compat.formsOf('cartsomething.list')).toBeNull()
  })

  test('leave an error alone that is not about a thing inside of a cart, or not for the SDK', () => {
    const gone = notFound('cart')
    const line = notFound('line_item')
    expect(cartForms.rewriteError?.(gone, SDK)).toBe(gone)
    expect(cartForms.rewriteError?.(line, {})).toBe(line)
    expect(cartForms.rewriteError?.(line, SDK)).toMatchObject({ status: 422, type: 'not_valid' })
  })
})

test('the endpoints that only old clients call are among what is served', () => {
  for (const endpoint of oldEndpoints.endpoints) expect(operations).toContain(endpoint.operation)
})
