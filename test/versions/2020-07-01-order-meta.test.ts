// The data of your own of an order: `meta` from 2020-07-01 on, `metadata` before, in replies and in requests.

import { describe, expect, it } from 'vitest'
import { registered } from './registered.ts'
import { frozen, told } from './support.ts'

const sent = (version: string, operation: string, body: Record<string, unknown>) => {
  const request = frozen({ params: { id: 'ord_1' }, query: {}, body: body as never })
  return registered.planFor(version, operation)?.upgrade?.(request, told).body ?? body
}

describe('the data of an order', () => {
  const order = frozen({ id: 'ord_1', meta: { note: 'x' }, shipping: { meta: { floor: 2 } } })

  it('is `metadata` in its place at 2020-06-17; that of an address is not', () => {
    const { meta, shipping } = order
    const aged = registered.ageKind('2020-06-17', 'order', order, told) as Record<string, unknown>
    expect(Object.keys(aged).slice(0, 3)).toEqual(['id', 'metadata', 'shipping'])
    expect(aged).toMatchObject({ metadata: meta, shipping })
  })

  it('is `meta` at 2020-07-01', () => {
    expect(registered.ageKind('2020-07-01', 'order', order, told)).toMatchObject(order)
  })
})

describe.each(['checkouts.capture', 'orders.update'])('the body of %s', (operation) => {
  it('may say `metadata` at 2020-06-17, which counts where `meta` is absent', () => {
    expect(sent('2020-06-17', operation, { metadata: { a: 1 } })).toEqual({ meta: { a: 1 } })
    expect(sent('2020-06-17', operation, { metadata: { a: 1 }, meta: { b: 2 } })).toEqual({ meta: { b: 2 } })
    expect(sent('2020-06-17', operation, { meta: null })).toEqual({ meta: null })
  })

  it('says `meta` at 2020-07-01', () => {
    expect(sent('2020-07-01', operation, { metadata: { a: 1 } })).toEqual({ metadata: { a: 1 } })
  })
})
