// @unit
// Whatever colours a shop has set, its pages can be read.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrast, TEXT_COLOR } from '../../../../src/lib/html/colors.ts'
import { themeCss, themePath } from '../../../../src/pages/checkout/theme.ts'

const SHEETS = { light: '#ffffff', dark: '#1c1c20' } as const
const TINTS = { light: '#f7f7f8', dark: '#232328' } as const

/** Properties by light and in the dark. */
function read(css: string): Readonly<Record<keyof typeof SHEETS, Readonly<Record<string, string>>>> {
  const [light = '', dark = ''] = css.split('@media')
  const all = (part: string) =>
    Object.fromEntries([...part.matchAll(/--([a-z-]+):(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]))
  return { light: all(light), dark: all(dark) }
}

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the colours of a shop', () => {
  it('can be read on what they stand on, by light and in the dark', () => {
    fc.assert(
      fc.property(color, color, (accent, background) => {
        const schemes = read(themeCss({ accent, background }))
        for (const scheme of ['light', 'dark'] as const) {
          const { [scheme]: of } = schemes
          const on = (one: string, other: string) => contrast(of[one] ?? '', of[other] ?? '')
          const onSheet = (one: string) => contrast(of[one] ?? '', SHEETS[scheme])
          for (const name of ['on-page', 'on-page-quiet', 'link-on-page'])
            expect(on(name, 'page')).toBeGreaterThanOrEqual(4.5)
          expect(on('on-accent', 'accent')).toBeGreaterThanOrEqual(4.5)
          expect(on('on-fill', 'fill')).toBeGreaterThanOrEqual(4.5)
          expect(onSheet('link')).toBeGreaterThanOrEqual(4.5)
          expect(contrast(of.link ?? '', TINTS[scheme])).toBeGreaterThanOrEqual(4.5)
          expect(onSheet('ink')).toBeGreaterThanOrEqual(4.5)
          expect(onSheet('accent')).toBeGreaterThanOrEqual(3)
          expect(onSheet('focus')).toBeGreaterThanOrEqual(3)
          expect(on('focus-on-page', 'page')).toBeGreaterThanOrEqual(3)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('stay what they are where they can be read', () => {
    const { light } = read(themeCss({ accent: '#0F5C63', background: '#f3f1ec' }))
    expect(light).toMatchObject({ accent: '#0f5c63', link: '#0f5c63', page: '#f3f1ec', 'on-accent': '#ffffff' })
  })

  it('fill a button as they were set, pale or not; its edge is what is made to be seen', () => {
    const { light, dark } = read(themeCss({ accent: '#fde047', background: null }))
    expect([light.fill, light['on-fill'], dark.fill]).toEqual(['#fde047', TEXT_COLOR, '#fde047'])
    expect(light.accent).not.toBe('#fde047')
  })

  it('turn from black to white in the dark, and not into a grey', () => {
    for (const accent of [null, '#000000', '#27272a'])
      expect(read(themeCss({ accent, background: null })).dark).toMatchObject({ accent: '#f4f4f5', fill: '#f4f4f5' })
    expect(read(themeCss({ accent: '#00002f', background: null })).dark.fill).toBe('#00002f')
  })

  it('are ours where the shop has none, or something that is none', () => {
    const ours = themeCss({ accent: null, background: null })
    expect(themeCss({ accent: 'red;}body{display:none', background: '' })).toBe(ours)
  })

  it('have an address that changes with them', () => {
    const one = themePath(7, { accent: '#0f5c63', background: null })
    expect(one).toMatch(/^\/checkout\/7\/theme\/[0-9a-f]{16}\.css$/)
    expect(themePath(7, { accent: '#0f5c64', background: null })).not.toBe(one)
  })
})
