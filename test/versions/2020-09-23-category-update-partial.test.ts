// Updating a category: any field alone, and `slug` and `name` always before 2020-09-23.

import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'

const app = await testApp()
const { keys } = await app.merchant()
const key = keys.sandbox.secret
const made = await app.call('POST', '/v1/categories', { key, body: { slug: 'shoes', name: 'Shoes' } })
const shoes = made.body as { id: string; slug: string; name: string }

const put = async (version: string, body: unknown) => {
  const answer = await app.call('PUT', `/v1/categories/${shoes.id}`, { key, version, body })
  return [answer.status, answer.body]
}

const refusal = (errors: Record<string, string[]>, message: string) => [
  422,
  { error: { type: 'unprocessable_entity', message, errors }, status_code: 422 },
]

describe('updating a category', () => {
  it('requires slug and name at 2020-08-26', async () => {
    const slug = ['slug is required.']
    const name = ['name is required.']
    expect(await put('2020-08-26', {})).toEqual(refusal({ slug, name }, 'slug is required. (and 1 more error)'))
    expect(await put('2020-08-26', { slug: 'shoes' })).toEqual(refusal({ name }, 'name is required.'))
    expect(await put('2020-08-26', { name: 'Shoes' })).toEqual(refusal({ slug }, 'slug is required.'))
  })

  it('takes the rest with both at 2020-08-26', async () => {
    const body = { slug: 'shoes', name: 'Shoes', description: 'All of them.' }
    expect(await put('2020-08-26', body)).toEqual([200, { ...shoes, ...body }])
    expect(await put('2020-08-26', { ...body, description: '' })).toEqual([200, shoes])
  })

  it('requires neither at 2020-09-23', async () => {
    expect(await put('2020-09-23', { description: 'New.' })).toEqual([200, { ...shoes, description: 'New.' }])
    expect(await put('2020-09-23', { description: '' })).toEqual([200, shoes])
  })
})
