// Permalinks: unique among a merchant's products, given or made from the name, also when requests come at once.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { notValid } from '../../support/shop.ts'
import { openShop } from './support.ts'

const app = await testApp()
const shop = await openShop(app)

const TAKEN = notValid({ permalink: ['permalink must be unique, and another of your products has this one.'] })

describe('a permalink', () => {
  it.each([
    ['Crème brûlée, 2 pcs', 'creme-brulee-2-pcs'],
    ['  --Hello,   World!-- ', 'hello-world'],
    ['ﬁne Ⅳ', 'fine-iv'],
    ['x'.repeat(255), 'x'.repeat(100)],
  ])('is made from the name %s', async (name, permalink) => {
    expect((await shop.create({ name })).permalink).toBe(permalink)
  })

  it('is made up where nothing of the name can be part of an address', async () => {
    const [one, other] = [await shop.create({ name: '靴下' }), await shop.create({ name: '靴下' })]
    expect(one.permalink).toMatch(/^[0-9a-z]{8}$/)
    expect(other.permalink).not.toBe(one.permalink)
  })

  it('gets a number when the name is taken, and random characters after a few', async () => {
    const permalinks = []
    for (let count = 0; count < 7; count++) permalinks.push((await shop.create({ name: 'Sock' })).permalink)
    expect(permalinks.slice(0, 5)).toEqual(['sock', 'sock-2', 'sock-3', 'sock-4', 'sock-5'])
    expect(permalinks[5]).toMatch(/^sock-[0-9a-z]{8}$/)
    expect(new Set(permalinks).size).toBe(7)
  })

  it('that is given and taken is refused, on creation and on update', async () => {
    const [taken, other] = [await shop.create({ permalink: 'taken' }), await shop.create({ permalink: 'other' })]
    const created = await shop.call('POST', '', { name: 'Thing', price: 1, permalink: 'taken' })
    const updated = await shop.call('PUT', `/${other.id}`, { permalink: 'taken', name: 'Changed' })
    expect([created.status, created.body, updated.status, updated.body]).toEqual([422, TAKEN, 422, TAKEN])
    expect(await shop.get(other.id)).toEqual(other)
    expect((await shop.update(taken.id, { permalink: 'taken' })).permalink).toBe('taken')
  })

  it('may be the same in two shops', async () => {
    const other = await openShop(app)
    await shop.create({ permalink: 'shared' })
    expect((await other.create({ permalink: 'shared' })).permalink).toBe('shared')
  })

  it('stays when the name changes', async () => {
    const { id } = await shop.create({ name: 'Before' })
    expect((await shop.update(id, { name: 'After' })).permalink).toBe('before')
  })

  it('is free again once its product is deleted', async () => {
    const { id } = await shop.create({ permalink: 'again' })
    await shop.call('DELETE', `/${id}`)
    expect((await shop.create({ permalink: 'again' })).permalink).toBe('again')
  })

  it('is given to one of twelve requests that ask for it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => shop.call('POST', '', { name: 'Race', price: 1, permalink: 'race' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(422)])
    for (const { status, body } of answers) if (status === 422) expect(body).toEqual(TAKEN)
  })

  it('differs for twelve products of one name that are created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => shop.call('POST', '', { name: 'Twelve', price: 1 })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
    const permalinks = answers.map(({ body }) => (body as Product).permalink)
    expect(new Set(permalinks).size).toBe(12)
    expect(permalinks).toContain('twelve')
  })

  it('is given to one of two products that change to it at once', async () => {
    const [one, other] = [await shop.create(), await shop.create()]
    const answers = await Promise.all([one, other].map(({ id }) => shop.call('PUT', `/${id}`, { permalink: 'both' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})
