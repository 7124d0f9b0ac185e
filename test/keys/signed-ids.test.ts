import { describe, expect, test } from 'vitest'
import { newSignedId, verifySignedId } from '../../src/keys/signed-ids.ts'
import { isId, newId } from '../../src/lib/ids.ts'

const noon = new Date('2026-01-01T12:00:00.123Z')
const signer = { secret: Buffer.alloc(32, 7), signedValues: [12, true] }
const id = newSignedId('cart', noon, signer)

describe('a signed id', () => {
  test('looks like any other, and sorts by its time among them', () => {
    expect(isId('cart', id)).toBe(true)
    const before = newId('cart', new Date(noon.getTime() - 1))
    const after = newId('cart', new Date(noon.getTime() + 1))
    expect([after, id, before].sort()).toEqual([before, id, after])
  })

  test('tells its time to the millisecond, from 1970 to the last moment of a Date', () => {
    for (const moment of [0, 1, 61, 62, noon.getTime(), 2 ** 48, 8.64e15])
      expect(verifySignedId('cart', newSignedId('cart', new Date(moment), signer), signer)).toBe(moment)
  })

  test('is another each time, also within a millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newSignedId('cart', noon, signer))
    // Its time is 9 characters long, what is left to chance 8, and the signature 9.
    const parts = [(each: string) => each.slice(14, 22), (each: string) => each.slice(22)]
    expect(parts.map((part) => new Set(ids.map(part)).size)).toEqual([20_000, 20_000])
    // And every place of the signature takes all 62 characters.
    for (let place = 22; place < 31; place++) expect(new Set(ids.map((each) => each[place])).size).toBe(62)
  })

  test.each([
    ['with another secret', { ...signer, secret: Buffer.alloc(32, 8) }],
    ['of another shop', { ...signer, signedValues: [13, true] }],
    ['of the other mode', { ...signer, signedValues: [12, false] }],
    ['of a shop whose number is written with what follows', { ...signer, signedValues: ['12,true'] }],
  ])('is none %s', (_, other) => {
    expect(verifySignedId('cart', id, other)).toBeNull()
  })

  test('is none of another kind', () => {
    expect(verifySignedId('order', id, signer)).toBeNull()
    expect(verifySignedId('order', id.replace('cart_', 'ord_'), signer)).toBeNull()
  })

  test('is none with any one character changed', () => {
    for (let place = 0; place < id.length; place++) {
      const changed = id.slice(0, place) + (id[place] === '0' ? '1' : '0') + id.slice(place + 1)
      expect([place, verifySignedId('cart', changed, signer)]).toEqual([place, null])
    }
  })

  test.each(['', 'cart_', 'cart_x', `${id}0`, id.slice(0, -1), `${id.slice(0, -1)}é`, newId('cart', noon)])(
    'is not %s',
    (text) => expect(verifySignedId('cart', text, signer)).toBeNull(),
  )
})
