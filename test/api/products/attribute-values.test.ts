// Attributes on products: what each type accepts, how values are shown, and to whom.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { notValidField } from '../../support/shop.ts'
import { addAttribute, openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const OPTIONS = { options: [{ value: 's', label: 'Small' }, { value: 'm', label: 'Medium' }, { value: 'l' }] }
const SMALL = { label: 'Small', value: 's' }
const MEDIUM = { label: 'Medium', value: 'm' }

const attributes = {
  short_text: await addAttribute(app, shop, 'short_text'),
  long_text: await addAttribute(app, shop, 'long_text'),
  number: await addAttribute(app, shop, 'number'),
  checkbox: await addAttribute(app, shop, 'checkbox'),
  boxes: await addAttribute(app, shop, 'checkbox', OPTIONS),
  date: await addAttribute(app, shop, 'date'),
  options: await addAttribute(app, shop, 'options', OPTIONS),
  several: await addAttribute(app, shop, 'options', { ...OPTIONS, is_multiselect: true }),
  radio: await addAttribute(app, shop, 'radio', OPTIONS),
  empty: await addAttribute(app, shop, 'options'),
}

type Name = keyof typeof attributes

describe('the value of an attribute', () => {
  it.each<[Name, unknown, unknown]>([
    ['short_text', 'Wool', 'Wool'],
    ['long_text', '<p>\nLong 🧦</p>', '<p>\nLong 🧦</p>'],
    ['number', -0.25, -0.25],
    ['checkbox', false, false],
    ['boxes', ['m', 's'], [SMALL, MEDIUM]],
    ['boxes', 's', [SMALL]],
    ['date', '2024-02-29', '2024-02-29'],
    ['options', 'm', [MEDIUM]],
    ['options', [MEDIUM], [MEDIUM]],
    ['several', ['s', 'l'], [SMALL, { label: 'l', value: 'l' }]],
    ['several', [], null],
    ['radio', { value: 's' }, [SMALL]],
    ['short_text', null, null],
    ['short_text', '', null],
    ['short_text', undefined, null],
  ])('of type %s may be %j and is shown as %j', async (name, value, shown) => {
    const { id, attributes: attached } = await shop.create({ attributes: [{ id: attributes[name].id, value }] })
    const entry = { ...attributes[name], value: shown }
    expect([attached, (await shop.get(id)).attributes]).toEqual([[entry], [entry]])
  })

  const CHOICE = "one value of the attribute's options (s, m, l)"
  it.each<[Name, unknown, string]>([
    ['short_text', 3, 'a string of at most 65535 characters, as the attribute is of type short_text'],
    ['long_text', ['a'], 'a string of at most 65535 characters, as the attribute is of type long_text'],
    ['number', '3', 'a number, as the attribute is of type number'],
    ['checkbox', 'true', 'true or false, as the attribute is a checkbox'],
    ['boxes', ['s', 'x'], "a list of values of the attribute's options (s, m, l)"],
    ['boxes', true, "a list of values of the attribute's options (s, m, l)"],
    ['date', '2023-02-29', 'a date written as YYYY-MM-DD, as the attribute is of type date'],
    ['date', 1700000000, 'a date written as YYYY-MM-DD, as the attribute is of type date'],
    ['options', 'Small', CHOICE],
    ['options', ['s', 'm'], CHOICE],
    ['radio', { label: 'Small' }, CHOICE],
    ['several', ['s', null], "a list of values of the attribute's options (s, m, l)"],
    ['several', ['s', { value: 's' }], "a list of values of the attribute's options (s, m, l), each at most once"],
    ['empty', 's', "one value of the attribute's options (none, as it has no options yet)"],
  ])('of type %s may not be %j', async (name, value, accepted) => {
    const fine = name === 'short_text' ? [] : [{ id: attributes.short_text.id, value: 'fine' }]
    const sent = [...fine, { id: attributes[name].id, value }]
    expect(await shop.ask('POST', '', { name: 'Thing', price: 1, attributes: sent })).toEqual(
      notValidField(`attributes.${fine.length}.value`, `must be ${accepted}.`),
    )
  })

  it('is the default where none is given, and nothing where null is', async () => {
    const text = await addAttribute(app, shop, 'short_text', { default_value: 'Wool' })
    const choice = await addAttribute(app, shop, 'radio', { ...OPTIONS, default_value: 'm' })
    const product = await shop.create({ attributes: [{ id: text.id }, { id: choice.id }] })
    expect(product.attributes.map(({ value }) => value)).toEqual(['Wool', [MEDIUM]])
    const emptied = await shop.update(product.id, { attributes: [{ id: text.id, value: null }] })
    expect(emptied.attributes).toEqual([{ ...text, value: null }])
  })

  it('is needed where the attribute is required and has no default', async () => {
    const needed = await addAttribute(app, shop, 'short_text', { required: true })
    const defaulted = await addAttribute(app, shop, 'number', { required: true, default_value: 3 })
    for (const value of [undefined, null, ''])
      expect(await shop.ask('POST', '', { name: 'Thing', price: 1, attributes: [{ id: needed.id, value }] })).toEqual(
        notValidField('attributes.0.value', 'is required: the attribute is required and has no default value.'),
      )
    const product = await shop.create({ attributes: [{ id: needed.id, value: 'x' }, { id: defaulted.id }] })
    expect(product.attributes.map(({ value }) => value)).toEqual(['x', 3])
    expect((await shop.create()).attributes).toEqual([])
  })

  it('shows the label of today, and loses an option that is deleted', async () => {
    const size = await addAttribute(app, shop, 'options', { ...OPTIONS, is_multiselect: true })
    const { id } = await shop.create({ attributes: [{ id: size.id, value: ['s', 'm'] }] })
    const key = shop.keys.sandbox.secret
    const options = [{ value: 's', label: 'Tiny' }, { value: 'l' }]
    await app.call('PUT', `/v1/attributes/${size.id}`, { key, body: { options } })
    expect((await shop.get(id)).attributes).toEqual([{ ...size, value: [{ label: 'Tiny', value: 's' }] }])
  })

  it('is null once the attribute has become a type that it does not fit', async () => {
    const attribute = await addAttribute(app, shop, 'short_text')
    const { id } = await shop.create({ attributes: [{ id: attribute.id, value: 'Wool' }] })
    const key = shop.keys.sandbox.secret
    for (const type of ['number', 'checkbox', 'options']) {
      await app.call('PUT', `/v1/attributes/${attribute.id}`, { key, body: { type } })
      expect((await shop.get(id)).attributes).toEqual([{ ...attribute, value: null }])
    }
  })

  it('is shown to a public key only where the attribute is public', async () => {
    const secret = await addAttribute(app, shop, 'number', { is_public: false })
    const sent = [secret, attributes.number].map(({ id }, index) => ({ id, value: index + 1 }))
    const { id } = await shop.create({ attributes: sent })
    const open = { ...attributes.number, value: 2 }
    expect((await shop.get(id)).attributes).toEqual([{ ...secret, value: 1 }, open])
    expect((await shop.get(id, shop.keys.sandbox.public)).attributes).toEqual([open])
  })

  it('goes when its attribute is deleted', async () => {
    const attribute = await addAttribute(app, shop, 'number')
    const { id } = await shop.create({ attributes: [{ id: attribute.id, value: 1 }] })
    await app.call('DELETE', `/v1/attributes/${attribute.id}`, { key: shop.keys.sandbox.secret })
    expect((await shop.get(id)).attributes).toEqual([])
  })

  it('stands once for each attribute', async () => {
    const sent = [1, 2].map((value) => ({ id: attributes.number.id, value }))
    expect(await shop.ask('POST', '', { name: 'Thing', price: 1, attributes: sent })).toEqual(
      notValidField('attributes.1.id', 'is listed twice.'),
    )
  })
})
