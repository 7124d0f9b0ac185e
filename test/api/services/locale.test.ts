// GET /v1/services/locale/countries and /v1/services/locale/{country_code}/subdivisions.

import { describe, expect, it } from 'vitest'
import {
  type CountryList,
  type SubdivisionList,
  viewCountries,
  viewSubdivisions,
} from '../../../src/api/locale/routes.ts'
import { sharedApp } from '../../support/app.ts'
import { toldOf } from '../words.ts'

const app = await sharedApp()
const { keys } = await app.merchant()
const get = (path: string, key = keys.sandbox.public) => app.call('GET', `/v1/services/locale/${path}`, { key })

const optionsIn = (html: string) => [...html.matchAll(/<option value="([^"]*)">([^<]*)<\/option>/g)]

describe('GET /v1/services/locale/countries', () => {
  it('gives every country by its code, in the order of the names, and the same as option tags', async () => {
    const answer = await get('countries')
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*'])
    const { countries, html, ...rest } = answer.body as CountryList
    expect(rest).toEqual({})
    expect(countries).toMatchObject({
      CA: 'Canada',
      DE: 'Germany',
      GB: 'United Kingdom',
      JP: 'Japan',
      US: 'United States',
    })
    const codes = Object.keys(countries)
    expect(codes.length).toBeGreaterThan(240)
    expect(codes.filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([])
    const names = Object.values(countries)
    expect(names).toEqual([...names].sort(new Intl.Collator('en').compare))
    const options = optionsIn(html)
    expect(options.map(([text]) => text).join('')).toBe(html)
    expect(options.map(([, code]) => code)).toEqual(codes)
    expect(html).toContain('<option value="CA">Canada</option>')
  })
})

describe('GET /v1/services/locale/{country_code}/subdivisions', () => {
  it('gives the regions by the short form of their codes, and the same as option tags', async () => {
    const subdivisions = {
      AB: 'Alberta',
      BC: 'British Columbia',
      MB: 'Manitoba',
      NB: 'New Brunswick',
      NL: 'Newfoundland and Labrador',
      NT: 'Northwest Territories',
      NS: 'Nova Scotia',
      NU: 'Nunavut',
      ON: 'Ontario',
      PE: 'Prince Edward Island',
      QC: 'Quebec',
      SK: 'Saskatchewan',
      YT: 'Yukon',
    }
    const html = Object.entries(subdivisions)
      .map(([code, name]) => `<option value="${code}">${name}</option>`)
      .join('')
    const answer = await get('CA/subdivisions')
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ subdivisions, html })])
    expect((await get('ca/subdivisions')).text).toBe(answer.text)
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
      const answer = await get(`${code}/subdivisions`)
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: toldOf({ type: 'not_found', message: 'There is no country with that id.' }), status_code: 404 },
      ])
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
