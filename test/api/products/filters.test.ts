// What products are listed by beside their categories and texts: how few are left, pictures, attributes. Each is asked for what it finds, and
// for how many.

import { beforeAll, describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { base64, pdf, png, upload } from '../assets/support.ts'
import { openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const stranger = await openShop(app)
const key = shop.keys.sandbox.secret
type Listed = { data: { name: string }[]; meta: { pagination: { total: number } } }

const made = async (path: string, body: unknown, by = key) =>
  ((await app.call('POST', `/v1/${path}`, { key: by, body })).body as { id: string }).id

const ids: Record<string, string> = {}

beforeAll(async () => {
  const attribute = (name: string, type: string, more = {}) =>
    made('attributes', { name, description: '', type, ...more })
  ids.cloth = await attribute('Cloth', 'short_text')
  ids.hidden = await attribute('Buyer', 'short_text', { is_public: false })
  ids.weight = await attribute('Weight', 'number')
  ids.made = await attribute('Made', 'checkbox')
  const options = ['Small', 'Large'].map((label) => ({ value: label.charAt(0).toLowerCase(), label }))
  ids.sizes = await attribute('Sizes', 'options', { is_multiselect: true, options })
  ids.picture = (await upload(app, key, { filename: 'a.png', contents: base64(png()) })).id
  ids.paper = (await upload(app, key, { filename: 'a.pdf', contents: base64(pdf()) })).id
  const stock = (available: number) => ({ inventory: { managed: true, available } })
  const attributes = (values: Record<string, unknown>) => ({
    attributes: Object.entries(values).map(([name, value]) => ({ id: ids[name], value })),
  })
  await shop.create({ name: 'Hat', ...stock(0), assets: [ids.picture], ...attributes({ cloth: 'Wolle ü', weight: 5 }) })
  await shop.create({ name: 'Cap', ...stock(4), ...attributes({ cloth: 'Felt', made: true, sizes: ['s', 'l'] }) })
  await shop.create({ name: 'Sock', ...stock(5), assets: [ids.paper], ...attributes({ sizes: ['l'], hidden: 'Eve' }) })
  await shop.create({ name: 'Song', active: false, ...attributes({ cloth: 'Felt', weight: 2.5 }) })
  const shirt = await shop.create({
    name: 'Shirt',
    ...stock(50),
    variant_groups: [{ name: 'Size', options: [{ name: 'S' }] }],
  })
  const [group] = shirt.variant_groups
  await app.call('POST', `/v1/products/${shirt.id}/variants`, {
    key,
    body: { options: { [group?.id ?? '']: group?.options[0]?.id }, inventory: 2 },
  })
  await stranger.create({ name: 'Theirs', ...stock(0), price: 1 })
})

/** The names in order, after seeing that they are as many as the list says. */
async function found(query: string, by = key): Promise<string[]> {
  const { data, meta } = await shop.succeed<Listed>(200, 'GET', `?sortBy=created&${query}`, undefined, by)
  expect(data.length).toBe(meta.pagination.total)
  return data.map(({ name }) => name)
}

describe('stock_below', () => {
  it('finds what is counted and nearly gone, also by a variant, in the mode that is asked for', async () => {
    expect(await found('stock_below=5')).toEqual(['Hat', 'Cap', 'Shirt'])
    expect(await found('stock_below=1')).toEqual(['Hat'])
    expect(await found('stock_below=5&active=false')).toEqual([])
    expect(await found('stock_below=20&query=sock')).toEqual(['Sock'])
    await shop.update((await shop.create({ name: 'Live' })).id, { inventory: { managed: true, available: 1 } })
    // Of live there are none left, as nobody has counted them there.
    expect(await found('stock_below=5&query=Live', shop.keys.live.secret)).toEqual(['Live'])
  })
})

describe('has_image', () => {
  it('tells those with a picture from those without', async () => {
    expect(await found('has_image=true')).toEqual(['Hat'])
    expect(await found('has_image=false&active=true&query=so')).toEqual(['Sock'])
    expect((await found('has_image=false')).sort()).toEqual(['Cap', 'Live', 'Shirt', 'Sock', 'Song'])
    expect(await found('has_image=true&stock_below=5')).toEqual(['Hat'])
  })
})

describe('attribute', () => {
  const by = (name: string, value: string) => `attribute[${ids[name]}]=${encodeURIComponent(value)}`

  it('finds the very value, of each type, and of options each that is chosen', async () => {
    expect(await found(by('cloth', 'Felt'))).toEqual(['Cap', 'Song'])
    expect(await found(by('cloth', 'Wolle ü'))).toEqual(['Hat'])
    expect(await found(by('cloth', 'felt'))).toEqual([])
    expect(await found(by('weight', '5.0'))).toEqual(['Hat'])
    expect(await found(by('weight', '2.5'))).toEqual(['Song'])
    expect(await found(by('made', 'true'))).toEqual(['Cap'])
    expect(await found(by('sizes', 'l'))).toEqual(['Cap', 'Sock'])
    expect(await found(by('sizes', 's'))).toEqual(['Cap'])
    expect(await found(by('sizes', 'Small'))).toEqual([])
    expect(await found('attribute[attr_x]=Felt')).toEqual([])
  })

  it('goes with all else, and with other attributes', async () => {
    expect(await found(`${by('cloth', 'Felt')}&${by('sizes', 'l')}`)).toEqual(['Cap'])
    expect(await found(`${by('cloth', 'Felt')}&active=true`)).toEqual(['Cap'])
    expect(await found(`${by('cloth', 'Felt')}&stock_below=5&has_image=false&query=cap`)).toEqual(['Cap'])
    expect(await found(`${by('cloth', 'Felt')}&sortDirection=desc`)).toEqual(['Song', 'Cap'])
  })

  it('tells nobody else what they are not shown', async () => {
    expect(await found(by('hidden', 'Eve'))).toEqual(['Sock'])
    expect(await found(by('hidden', 'Eve'), shop.keys.sandbox.public)).toEqual([])
    expect(await found(by('cloth', 'Felt'), shop.keys.sandbox.public)).toEqual(['Cap'])
    expect(await found(by('cloth', 'Felt'), stranger.keys.sandbox.secret)).toEqual([])
  })

  it('is refused where it is no such thing', async () => {
    expect((await shop.call('GET', '?attribute=Felt')).status).toBe(422)
    const six = Array.from({ length: 6 }, (_, index) => `attribute[a${index}]=x`).join('&')
    expect((await shop.call('GET', `?${six}`)).status).toBe(422)
  })
})
