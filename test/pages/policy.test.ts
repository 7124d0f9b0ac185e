// @unit
// What a browser may do on a page of the checkout, by the ways to pay that it offers.

import { describe, expect, it } from 'vitest'
import { gateways } from '../../src/gateways/index.ts'
import { policyOf, waysLetIn } from '../../src/pages/policy.ts'

const real = (...codes: readonly string[]) => codes.map((code) => ({ code, simulated: null }))
const madeUp = (...codes: readonly string[]) => codes.map((code) => ({ code, simulated: { means: [] } }))
const directives = (policy: string) =>
  Object.fromEntries(policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]))

const OWN = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

describe('the policy of a page', () => {
  it('lets in nothing but our own files where no provider has a script on it', () => {
    const none = policyOf([], { is_sandbox: false })
    const permissions = expect.stringMatching(/^accelerometer=\(\), camera=\(\), .*, payment=\(self\)$/)
    expect(none).toEqual({ content: OWN, opener: 'same-origin', permissions })
    expect(policyOf(real('manual', 'paypal', 'mollie', 'test_gateway', 'nobody'), { is_sandbox: true })).toEqual(none)
  })

  it('knows no host of a provider that is made up', () => {
    expect(policyOf(madeUp('stripe', 'square', 'razorpay', 'paypal'), { is_sandbox: true }).content).toBe(OWN)
  })

  it('names the hosts of each provider whose script is on the page, and of no other', () => {
    expect(directives(policyOf(real('stripe', 'manual'), { is_sandbox: false }).content)).toEqual({
      ...directives(OWN.replace(/; require-trusted.*$/, '')),
      'script-src': "'self' https://js.stripe.com https://*.js.stripe.com",
      'frame-src': 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
      'connect-src': "'self' https://api.stripe.com",
    })
    const both = policyOf(real('square', 'razorpay'), { is_sandbox: false }).content
    expect(both).not.toMatch(/stripe|sandbox/)
    expect(directives(both)['script-src']).toBe(
      "'self' https://web.squarecdn.com https://checkout.razorpay.com https://cdn.razorpay.com",
    )
  })

  it('names the hosts of the mode', () => {
    const { content } = policyOf(real('square'), { is_sandbox: true })
    expect(directives(content)).toMatchObject({
      'script-src': "'self' https://sandbox.web.squarecdn.com",
      'style-src': "'self' https://sandbox.web.squarecdn.com",
      'connect-src':
        "'self' https://sandbox.web.squarecdn.com https://pci-connect.squareupsandbox.com https://connect.squareupsandbox.com",
    })
    expect(content).not.toContain('squareup.com')
  })

  it('lets frames and forms of any bank in for Square, which is let in only while it is chosen', () => {
    const ways = ['paypal', 'square', 'stripe'].map((code) => ({ code, value: code, simulated: null }))
    const codes = (chosen: string) => waysLetIn(ways, chosen).map(({ code }) => code)
    expect([codes('paypal'), codes('stripe'), codes('square')]).toEqual([['stripe'], ['stripe'], ['square', 'stripe']])
    const trial = madeUp('square').map((way) => ({ ...way, value: 'square' }))
    expect(waysLetIn(trial, 'square')).toEqual([])
    const { content } = policyOf(waysLetIn(ways, 'square'), { is_sandbox: false })
    const ofBanks = { 'frame-src': expect.stringMatching(/^https: /), 'form-action': "'self' https:" }
    expect(directives(content)).toMatchObject(ofBanks)
    expect(content.replace(/(frame-src|form-action) [^;]*/g, '')).not.toMatch(/https:(?!\/\/)/)
    for (const chosen of ['paypal', 'stripe'])
      expect(policyOf(waysLetIn(ways, chosen), { is_sandbox: false }).content).not.toMatch(/square|https:(?!\/\/)/)
  })

  it('shows pictures of hosts that it is told', () => {
    const { content } = policyOf([], { is_sandbox: false, images: ['https://files.shop.example', 'data:'] })
    expect(directives(content)['img-src']).toBe("'self' data: https://files.shop.example")
  })

  it('allows nothing inline, but for style attributes where a script of a provider writes them', () => {
    for (const { code } of gateways)
      for (const is_sandbox of [true, false]) {
        const { content } = policyOf(real(code), { is_sandbox })
        expect(content.replace("style-src-attr 'unsafe-inline'", '')).not.toMatch(/unsafe|nonce|\*(?!\.)/)
        expect(content.includes('style-src-attr')).toBe(code === 'razorpay')
        expect(directives(content)['script-src']).not.toMatch(/https:(?!\/\/)|http:/)
      }
  })

  it('lets a page reach the windows that a provider opens, and only then', () => {
    expect(policyOf(real('razorpay'), { is_sandbox: false }).opener).toBe('same-origin-allow-popups')
    expect(policyOf(real('square', 'paypal'), { is_sandbox: false }).opener).toBe('same-origin')
    expect(policyOf(real('stripe'), { is_sandbox: false }).permissions).toContain(
      'payment=(self "https://js.stripe.com")',
    )
  })
})
