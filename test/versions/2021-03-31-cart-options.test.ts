import { describe, expect, it } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import { openCarts } from './carts.ts'

const { shop, shirt, mug, group, red, blue, call, ask } = await openCarts()
const variant = (await shop.call('POST', `/${shirt.id}/variants`, { options: { [group.id]: blue.id } })).body as {
  id: string
}
const RED = { [group.id]: red.id }
const BLUE = { [group.id]: blue.id }

/** What a new cart holds after one add, at the newest version. */
async function added(version: string, body: Record<string, unknown>) {
  const { id } = await ask<Cart>('GET', '')
  await ask('POST', `/${id}`, version, body)
  const { line_items } = await ask<Cart>('GET', `/${id}`)
  return line_items.map((line) => [line.product_id, line.quantity, line.selected_options.map((each) => each.option_id)])
}

describe('what is chosen, as `variant`', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['a map of groups to options', { variant: RED }, [red.id]],
    ['the id of a variant', { variant: variant.id }, [blue.id]],
    ['null', { variant: null }, []],
    ['an empty map', { variant: {} }, []],
    ['left out', {}, []],
    ['`options` beside it, which counts', { variant: RED, options: BLUE }, [blue.id]],
    ['empty `options` beside it, which count', { variant: RED, options: {} }, []],
    ['`variant_id` beside it, which counts', { variant: RED, variant_id: variant.id }, [blue.id]],
    ['the newer name alone', { options: BLUE }, [blue.id]],
    ['null beside the newer name', { variant: null, options: BLUE }, [blue.id]],
  ])('is taken at 2021-03-17: %s', async (_what, choice, options) => {
    expect(await added('2021-03-17', { id: shirt.id, quantity: 3, ...choice })).toEqual([[shirt.id, 3, options]])
  })

  it('is sent as null with a product that has nothing to choose, at 2020-02-01', async () => {
    expect(await added('2020-02-01', { id: mug.id, variant: null })).toEqual([[mug.id, 1, []]])
  })

  it('is taken when a line is changed, at 2021-03-17, and null changes nothing', async () => {
    const { id } = await ask<Cart>('GET', '')
    const before = await ask<Cart>('POST', `/${id}`, undefined, { id: shirt.id, options: RED })
    const line = `/${id}/items/${before.line_items[0]?.id}`
    const chosen = async () =>
      (await ask<Cart>('GET', `/${id}`)).line_items.map((each) => [
        each.quantity,
        ...each.selected_options.map((selected) => selected.option_id),
      ])
    await ask('PUT', line, '2021-03-17', { variant: BLUE })
    expect(await chosen()).toEqual([[1, blue.id]])
    await ask('PUT', line, '2021-03-17', { quantity: 4, variant: null })
    expect(await chosen()).toEqual([[4, blue.id]])
  })

  it.each([
    ['a number', 7],
    ['a list', [red.id]],
    ['an unknown option', { [group.id]: `optn_${'0'.repeat(26)}` }],
    ['an unknown variant', `vrnt_${'0'.repeat(26)}`],
  ])('is refused at 2021-03-17: %s', async (_what, choice) => {
    const { id } = await ask<Cart>('GET', '')
    expect((await call('POST', `/${id}`, '2021-03-17', { id: shirt.id, variant: choice })).status).toBe(422)
    expect((await ask<Cart>('GET', `/${id}`)).line_items).toEqual([])
  })

  it('means nothing at 2021-03-31', async () => {
    expect(await added('2021-03-31', { id: shirt.id, variant: RED })).toEqual([[shirt.id, 1, []]])
  })
})
