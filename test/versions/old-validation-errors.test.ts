// @unit
// The older form of validation errors, which a change applies to the operations it names.

import { describe, expect, it } from 'vitest'
import type { ApiReply, JsonData } from '../../src/versions/change.ts'
import { captureErrors } from '../../src/versions/changes/2020-08-26.ts'
import { checkoutErrors } from '../../src/versions/changes/2020-09-23.ts'
import { withOldErrors } from '../../src/versions/old-errors.ts'
import { endpoints } from './real.ts'
import { frozen, told } from './support.ts'

const { 'checkouts.capture': capture, ...others } = withOldErrors(['checkouts.capture', 'checkouts.live'])

const refusal = (error: JsonData, status = 422): ApiReply => frozen({ status, body: { error, status_code: status } })
const aged = (reply: ApiReply) => capture?.downError?.(reply, told)

describe('the older form of validation errors', () => {
  it('is given to each operation named, and to its errors only', () => {
    expect(Object.keys(others)).toEqual(['checkouts.live'])
    expect(Object.keys(capture ?? {})).toEqual(['downError'])
  })

  it('lists every sentence with the field as a form names it, in the order of the fields', () => {
    const errors = {
      'shipping.name': ['shipping.name is required.'],
      'line_items.item_1.quantity': ['It must be an integer.', 'It must be 1 or more.'],
      type: ['type must be one of cart, permalink.'],
    }
    expect(aged(refusal({ type: 'unprocessable_entity', message: 'A sentence.', errors }))).toEqual({
      status: 422,
      body: {
        error: {
          type: 'validation',
          message: [
            { param: 'shipping[name]', error: 'shipping.name is required.' },
            { param: 'line_items[item_1][quantity]', error: 'It must be an integer.' },
            { param: 'line_items[item_1][quantity]', error: 'It must be 1 or more.' },
            { param: 'type', error: 'type must be one of cart, permalink.' },
          ],
        },
        status_code: 422,
      },
    })
  })

  it.each([
    ['a rule that refuses', { type: 'not_valid', message: 'Sold out.', errors: { quantity: ['Sold out.'] } }, 422],
    ['a checkout that is not there', { type: 'not_found', message: 'There is no checkout token with that id.' }, 404],
    ['a body that cannot be read', { type: 'bad_request', message: 'The request body is not valid JSON.' }, 400],
    ['an error that names no fields', { type: 'unprocessable_entity', message: 'It does not fit.' }, 422],
    ['an error of another form', 'Something else.', 422],
  ])('leaves %s as it is', (_, error, status) => {
    const reply = refusal(error, status)
    expect(aged(reply)).toBe(reply)
  })

  it('was answered by every checkout route: by capture until 2020-08-26, by the others until 2020-09-23', () => {
    const routes = endpoints.filter(({ path }) => path.startsWith('/v1/checkouts')).map(({ operation }) => operation)
    expect(routes.length).toBeGreaterThan(10)
    expect(Object.keys(captureErrors.operations)).toEqual(['checkouts.capture'])
    expect([...Object.keys(checkoutErrors.operations), 'checkouts.capture'].sort()).toEqual(routes.sort())
  })
})
