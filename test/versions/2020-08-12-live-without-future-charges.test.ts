import { expect, it } from 'vitest'
import { registered } from './registered.ts'
import { frozen, told } from './support.ts'

const live = frozen({ merchant_id: 7, line_items: [], discount: [] })

it('live totals carry an empty list `future_charges` before 2020-08-12', () => {
  expect(registered.ageKind('2020-07-29', 'live', live, told)).toEqual({ ...live, future_charges: [] })
  expect(registered.ageKind('2020-02-01', 'live', live, told)).toEqual({ ...live, future_charges: [] })
})

it('live totals do not speak of future charges from 2020-08-12 on', () => {
  expect(registered.ageKind('2020-08-12', 'live', live, told)).toEqual(live)
})
