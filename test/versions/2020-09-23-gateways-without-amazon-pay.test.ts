import { expect, it } from 'vitest'
import { registered } from './registered.ts'
import { frozen, told } from './support.ts'

const offered = { type: 'card', settings: {}, cards_accepted: ['visa'] }
const gateways = frozen({
  available: { test_gateway: true, stripe: false },
  available_count: 1,
  test_gateway: offered,
})

it('the gateways of a checkout list `amazon_pay`, which cannot be used, before 2020-09-23', () => {
  expect(registered.ageKind('2020-08-26', 'available_gateways', gateways, told)).toEqual({
    available: { test_gateway: true, stripe: false, amazon_pay: false },
    available_count: 1,
    test_gateway: offered,
  })
})

it('the gateways of a checkout do not list `amazon_pay` from 2020-09-23 on', () => {
  expect(registered.ageKind('2020-09-23', 'available_gateways', gateways, told)).toEqual(gateways)
})
