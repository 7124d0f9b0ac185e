// GET /v1/services/locale/countries and /v1/services/locale/{country_code}/subdivisions. test/versions/golden has their bodies.

import { describe, expect, it } from 'vitest'
import { viewCountries, viewSubdivisions } from '../../../src/api/locale/routes.ts'
import type { SubdivisionList } from '../../../src/api/locale/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { missing, replyOf } from '../../support/shop.ts'

const app = await sharedApp()
const { keys } = await app.merchant()
const get = (path: string, key = keys.sandbox.public) => app.call('GET', `/v1/services/locale/${path}`, { key })

const optionsIn = (html: string) => [...html.matchAll(/<option value="([^"]*)">([^<]*)<\/option>/g)]

describe('GET /v1/services/locale/{country_code}/subdivisions', () => {
  it('takes the code in small letters', async () => {
    expect((await get('ca/subdivisions')).text).toBe((await get('CA/subdivisions')).text)
  })

  it('keeps the order of the names in html where the codes are numbers', async () => {
    const { subdivisions, html } = (await get('JP/subdivisions')).body as SubdivisionList
    const options = optionsIn(html)
    expect(subdivisions).toMatchObject({ '01': 'Hokkaidô', '13': 'Tôkyô' })
    expect(options).toHaveLength(47)
    const names = options.map(([, , name]) => name ?? '')
    expect(names).toEqual([...names].sort(new Intl.Collator('en').compare))
  })

  it('gives an empty map for a country without regions', async () => {
    expect((await get('AQ/subdivisions')).body).toEqual({ subdivisions: {}, html: '' })
  })

  it.each(['XX', 'XXX', 'C', 'countries', 'constructor', 'chkt_1', '%20', '%F0%9F%87%A8%F0%9F%87%A6'])(
    'finds no country called %s',
    async (code) => {
      expect(await replyOf(get(`${code}/subdivisions`))).toEqual([404, missing('country')])
    },
  )
})

describe('names in html', () => {
  it('are escaped, also those that no dataset has', () => {
    const places = [{ code: '"><script>', name: `Côte d'Ivoire & <b>"Sons"</b>` }]
    const html =
      '<option value="&quot;&gt;&lt;script&gt;">Côte d&#39;Ivoire &amp; &lt;b&gt;&quot;Sons&quot;&lt;/b&gt;</option>'
    expect(viewCountries(places)).toEqual({ countries: { '"><script>': places[0]?.name }, html })
    expect(viewSubdivisions(places)).toEqual({ subdivisions: { '"><script>': places[0]?.name }, html })
  })
})
