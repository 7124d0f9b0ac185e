// The ids of downloads: `dwnld_…` from 2020-11-18 on, before that `ful_…`, and each is found again by the id that was shown.

import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '../../src/versions/change.ts'
import { registered } from './registered.ts'
import { frozen, told } from './support.ts'

const BODY = '0123456789ABCDEFGHIJabcdef'
const file = frozen({
  id: `dwnld_${BODY}`,
  name: 'Book',
  access_link: `http://localhost/fulfill/1/ord_1/dwnld_${BODY}?s=1`,
})
const shownAt = (version: string) => registered.ageKind(version, 'download_package', file, told)

const found = (version: string, operation: string, id: string) => {
  const request: ApiRequest = { params: frozen({ id: 'ord_1', package_id: id }), query: {}, body: {} }
  const upgraded = registered.planFor(version, operation)?.upgrade?.(request, told) ?? request
  return upgraded.params
}

describe('the id of a download', () => {
  it('begins with ful_ at 2020-09-23, and its link stays as it is', () => {
    expect(shownAt('2020-09-23')).toEqual({ ...file, id: `ful_${BODY}` })
    expect(Object.keys(shownAt('2020-09-23') as object)).toEqual(Object.keys(file))
  })

  it('begins with dwnld_ at 2020-11-18', () => {
    expect(shownAt('2020-11-18')).toEqual(file)
  })

  it.each(['orders.get_package', 'orders.update_package'])(
    'is taken in both forms by %s at 2020-09-23',
    (operation) => {
      for (const prefix of ['ful_', 'dwnld_'])
        expect(found('2020-09-23', operation, prefix + BODY)).toEqual({ id: 'ord_1', package_id: file.id })
    },
  )

  it('is taken as it is called today, and no otherwise, at 2020-11-18', () => {
    expect(found('2020-11-18', 'orders.get_package', `ful_${BODY}`)).toEqual({ id: 'ord_1', package_id: `ful_${BODY}` })
  })
})
