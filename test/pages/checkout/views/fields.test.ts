// @unit
// What is demanded is asked for, once, with a label and with what browsers need to fill it in.

import { describe, expect, it } from 'vitest'
import { formName } from '../../../../src/api/checkouts/requirements.ts'
import { refusal } from '../../../../src/lib/words/refusals.ts'
import { payPage } from '../../../../src/pages/checkout/views/pay.ts'
import { attributesOf } from '../support.ts'
import {
  EMAIL,
  EVERYTHING,
  GATEWAY,
  GERMAN,
  liveOf,
  PROBLEMS,
  payModel,
  SHIPPED,
  SIMULATED,
  STRIPE,
  TEST_CARD,
  typed,
} from './samples.ts'

type Tag = Readonly<Record<string, string>>

/** Every element of these names, by its attributes. */
const tags = (text: string, names: string): Tag[] =>
  [...text.matchAll(new RegExp(`<(${names})\\b([^>]*)>`, 'g'))].map(([, tag = '', inner = '']) => ({
    tag,
    ...attributesOf(inner),
  }))

const inputsIn = (text: string) => tags(text, 'input|select|textarea')

/** Radios of one name are one input. */
const namesIn = (text: string) => {
  const seen = new Map<string, number>()
  const radios = new Set<string>()
  for (const { name = '', type = '' } of inputsIn(text)) {
    if (type === 'radio' && radios.has(name)) continue
    if (type === 'radio') radios.add(name)
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  return seen
}

describe('the form', () => {
  const countries = typed({ 'shipping[country]': 'US', 'billing[country]': 'GB' })
  const everything = payPage(payModel({ demands: EVERYTHING, typed: countries, ways: [TEST_CARD] })).text

  it('has exactly one input for everything that is required, and none twice', () => {
    const names = namesIn(everything)
    for (const demand of EVERYTHING.filter(({ isRequired }) => isRequired))
      expect([formName(demand), names.get(formName(demand))]).toEqual([formName(demand), 1])
    expect([...names].filter(([, count]) => count !== 1)).toEqual([])
  })

  it('asks for nothing but what is demanded, and what a courier may want to know', () => {
    const shipped = new Set(namesIn(payPage(payModel({ typed: typed(GERMAN), ways: [] })).text).keys())
    const demanded = new Set(SHIPPED.map(formName))
    const own = ['lang', 'expected_total', 'discount_code', 'giftcard_code']
    const courier = ['customer[phone]', 'shipping[delivery_instructions]']
    const others = [...shipped].filter(
      (name) => !demanded.has(name) && !own.includes(name) && !/^line_items/.test(name),
    )
    expect(others).toEqual(courier)
  })

  it('of what is not sent anywhere asks for no address, of what costs nothing for no payment', () => {
    const { text } = payPage(payModel({ demands: EMAIL, isShipped: false, live: liveOf({ lines: [], shipping: 0 }) }))
    const names = [...namesIn(text).keys()]
    expect(names).toEqual(['lang', 'customer[email]', 'discount_code', 'giftcard_code', 'expected_total'])
    expect(text).toContain('>Place order</button>')
  })

  it('tells browsers what each field of a person is', () => {
    const byName = new Map(inputsIn(everything).map((input) => [input.name, input]))
    const expected: Readonly<Record<string, string>> = {
      'customer[email]': 'email',
      'customer[firstname]': 'given-name',
      'customer[lastname]': 'family-name',
      'customer[phone]': 'tel',
      'shipping[country]': 'shipping country',
      'shipping[name]': 'shipping name',
      'shipping[street]': 'shipping address-line1',
      'shipping[street_2]': 'shipping address-line2',
      'shipping[town_city]': 'shipping address-level2',
      'shipping[county_state]': 'shipping address-level1',
      'shipping[postal_zip_code]': 'shipping postal-code',
      'billing[name]': 'billing name',
      'billing[postal_zip_code]': 'billing postal-code',
      'payment[card][number]': 'cc-number',
      'payment[card][expires]': 'cc-exp',
      'payment[card][cvc]': 'cc-csc',
    }
    for (const [name, autocomplete] of Object.entries(expected))
      expect([name, byName.get(name)?.autocomplete]).toEqual([name, autocomplete])
    for (const { tag, type = 'text', name, maxlength, autocomplete } of inputsIn(everything))
      if (tag !== 'select' && ['text', 'email', 'tel'].includes(type))
        expect([name, Number(maxlength) > 0, autocomplete !== undefined]).toEqual([name, true, true])
    expect(byName.get('customer[email]')).toMatchObject({ type: 'email', inputmode: 'email', autocapitalize: 'off' })
    expect(byName.get('customer[phone]')).toMatchObject({ type: 'tel', inputmode: 'tel' })
    expect(byName.get('shipping[postal_zip_code]')).toMatchObject({ inputmode: 'numeric' })
    expect(byName.get('billing[postal_zip_code]')?.inputmode).toBeUndefined()
  })

  it('says what is wrong above, with a link to each field, and at the field itself', () => {
    const { text } = payPage(payModel({ typed: typed(GERMAN), problems: PROBLEMS }))
    const [, summary = ''] = /data-problems>([\s\S]*?)<\/div>/.exec(text) ?? []
    const links = [...summary.matchAll(/href="#([^"]+)">([^<]+)</g)].map(([, id, said]) => [id, said])
    expect(links).toEqual([
      ['f-line_items-item_1abc-quantity', 'Only 1 of “Serving plate, large” is left.'],
      ['f-customer-email', 'Please check your e-mail address.'],
      ['f-shipping-street', 'Enter the street.'],
    ])
    const byId = new Map(inputsIn(text).map((input) => [input.id, input]))
    for (const [id] of links) {
      const input = byId.get(id)
      expect([id, input?.['aria-invalid']]).toEqual([id, 'true'])
      for (const described of (input?.['aria-describedby'] ?? '').split(' '))
        expect(text).toContain(`id="${described}"`)
    }
    expect(text).toContain('<title>Error: Checkout – Nordlicht Keramik</title>')
    expect(text).toMatch(/role="alert" tabindex="-1" autofocus/)
  })

  it('names what is wrong with no field of the page without a link', () => {
    const { text } = payPage(
      payModel({
        problems: [
          { path: null, shopperMessage: refusal('payment_provider_down') },
          { path: 'meta.x', shopperMessage: refusal('request_not_right') },
          { path: 'payment.stripe.payment_method_id', shopperMessage: refusal('missing_field', { field: 'payment' }) },
        ],
      }),
    )
    const [, summary = ''] = /data-problems>([\s\S]*?)<\/div>/.exec(text) ?? []
    expect([...summary.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)).toEqual(['f-payment-gateway'])
    expect(summary.match(/<li>/g)).toHaveLength(3)
  })

  it('updates, and does not pay, where somebody presses Enter', () => {
    const buttons = tags(payPage(payModel()).text, 'button')
    expect(buttons[0]).toMatchObject({ name: 'do', value: 'update', tabindex: '-1', 'aria-hidden': 'true' })
    expect(buttons.filter(({ value }) => value === 'pay')).toHaveLength(1)
  })

  it('offers what a simulated provider can do as radios that send it', () => {
    const { text } = payPage(payModel({ ways: [SIMULATED] }))
    const radios = inputsIn(text).filter(({ name }) => name === 'payment[stripe][payment_method_id]')
    expect(radios.map(({ type, value, checked }) => [type, value, checked])).toEqual([
      ['radio', 'pm_card_visa', ''],
      ['radio', 'pm_card_3ds', undefined],
      ['radio', 'pm_card_declined', undefined],
    ])
    expect(text).not.toContain('data-way=')
  })

  it('says at a real provider that its way needs scripting', () => {
    expect(payPage(payModel({ ways: [STRIPE] })).text).toContain('scripting must be on')
  })

  it('ticks that the bill goes where the parcel goes, until it is taken out', () => {
    const isTicked = (values: Readonly<Record<string, string>>) =>
      inputsIn(payPage(payModel({ demands: EVERYTHING, typed: typed(values) })).text).find(
        ({ name }) => name === 'billing_same',
      )?.checked === ''
    const ticks = [isTicked({}), isTicked({ billing_same: '1' }), isTicked({ 'customer[email]': '' })]
    expect(ticks).toEqual([true, true, false])
  })

  it('marks what may stay empty in words', () => {
    expect(everything).toMatch(/Apartment, building, company <span class="optional">\(optional\)/)
    expect(everything).not.toMatch(/>E-mail <span class="optional">/)
    const { text } = payPage(payModel({ demands: [...EMAIL, GATEWAY], isShipped: false }))
    expect(text).not.toContain('name="customer[firstname]"')
  })
})
