// @unit
// Controls of a form: what was changed, what is sent, and what they show again. The DOM is of a few lines, as far as controls.ts asks it.

import { afterAll, describe, expect, it, vi } from 'vitest'
import { loadWeb } from './load.ts'

class Element extends EventTarget {
  name = ''
  type = 'text'
  disabled = false
  dataset: Record<string, string> = {}
  value = ''
  defaultValue = ''
  checked = false
  defaultChecked = false
}
class Input extends Element {}
class TextArea extends Element {}
type Option = { value: string; text: string; selected: boolean; defaultSelected: boolean }
class Select extends Element {
  options: Option[] = []
}
const ELEMENTS = { HTMLInputElement: Input, HTMLSelectElement: Select, HTMLTextAreaElement: TextArea }
for (const [name, value] of Object.entries(ELEMENTS)) vi.stubGlobal(name, value)
afterAll(() => void vi.unstubAllGlobals())

type Form = { elements: object[] }
type Controls = {
  controlsOf(form: Form | null): Element[]
  valuesOf(form: Form, isSent: (control: Element) => boolean): unknown
  isChanged(control: Element): boolean
  defaultOf(control: Element): string
  defaultTextOf(control: Element): string
  controlText(control: Element): string
  resetControl(control: Element): void
  restoreControl(control: Element, typed: string): void
}
const { controlsOf, valuesOf, isChanged, defaultOf, defaultTextOf, controlText, resetControl, restoreControl } =
  await loadWeb<Controls>('parts/form/controls.ts')

const text = (name: string, value: string, more: Partial<Element> = {}) =>
  Object.assign(new Input(), { name, value, defaultValue: value, ...more })
const box = (name: string, checked: boolean, more: Partial<Element> = {}) =>
  Object.assign(new Input(), { name, type: 'checkbox', value: 'on', checked, defaultChecked: checked, ...more })
function select(name: string, chosen: string, ...values: string[]) {
  const options = values.map((value) => {
    const isChosen = value === chosen
    return { value, text: value.toUpperCase(), selected: isChosen, defaultSelected: isChosen }
  })
  return Object.assign(new Select(), { name, value: chosen, options })
}
function choose(control: Select, value: string) {
  control.value = value
  for (const option of control.options) option.selected = option.value === value
}

const sentOf = (...elements: object[]) => valuesOf({ elements }, () => true)

describe('values', () => {
  it('are nested by the dots of their names, and numbers, JSON and boxes are what they are', () => {
    const as = (kind: string, more = {}) => ({ dataset: { as: kind, ...more } })
    expect(
      sentOf(
        text('name', ' Mug '),
        text('address.city', 'Berlin'),
        text('address.lines.first', '1'),
        text('price', '12.50', as('number')),
        text('amount', 'a lot', as('number')),
        text('options', '[1]', as('json')),
        text('nothing', '', as('json')),
        text('password', ' secret ', as('password')),
        text('sku', '', as('text', { empty: 'null' })),
        text('key', '', as('text', { empty: 'nothing' })),
        text('note', ''),
        box('active', false),
        box('size', true, { type: 'radio', value: 'large' }),
        box('size', false, { type: 'radio', value: 'small' }),
        select('country', 'DE', 'DE', 'US'),
      ),
    ).toEqual({
      name: 'Mug',
      address: { city: 'Berlin', lines: { first: '1' } },
      price: 12.5,
      amount: 'a lot',
      options: [1],
      password: ' secret ',
      sku: null,
      note: '',
      active: false,
      size: 'large',
      country: 'DE',
    })
  })

  it('are those of controls with a name that are on', () => {
    const [named, nameless, off] = [text('name', 'x'), text('', 'x'), text('off', 'x', { disabled: true })]
    expect(controlsOf({ elements: [named, nameless, off, new EventTarget()] })).toEqual([named])
    expect(controlsOf(null)).toEqual([])
  })

  it('are sent where they were changed', () => {
    const [name, active, country] = [text('name', 'Mug'), box('active', true), select('country', 'DE', 'DE', 'US')]
    const changed = () => valuesOf({ elements: [name, active, country] }, isChanged)
    expect(changed()).toEqual({})
    name.value = 'Cup'
    active.checked = false
    choose(country, 'US')
    expect(changed()).toEqual({ name: 'Cup', active: false, country: 'US' })
    for (const control of [name, active, country]) resetControl(control)
    const shown = [name.value, active.checked, country.options.map(({ selected }) => selected)]
    expect(shown).toEqual(['Mug', true, [true, false]])
  })
})

describe('a control', () => {
  it('says what it showed at first, for comparing and for people', () => {
    const all = [text('a', 'x'), text('a', 'x', { dataset: { shown: 'Ex' } }), box('b', true), box('b', false)]
    expect(all.map(defaultOf)).toEqual(['x', 'x', 'true', 'false'])
    expect(all.map(defaultTextOf)).toEqual(['x', 'Ex', 'on', 'off'])
    const list = select('c', 'de', 'de', 'us')
    choose(list, 'us')
    expect([defaultOf(list), defaultTextOf(list)]).toEqual(['de', 'DE'])
    expect([defaultOf(select('c', '')), defaultTextOf(select('c', ''))]).toEqual(['', ''])
  })

  it('has what was typed put back', () => {
    const [name, active] = [text('name', 'Mug'), box('active', true)]
    name.value = 'Cup'
    active.checked = false
    const typed = [controlText(name), controlText(active)] as const
    resetControl(name)
    resetControl(active)
    restoreControl(name, typed[0])
    restoreControl(active, typed[1])
    expect([name.value, active.checked]).toEqual(['Cup', false])
  })

  it('that keeps its value by itself is told to', () => {
    const part = text('options', '[1]', { dataset: { as: 'json' } })
    const told: unknown[] = []
    part.addEventListener('put-value', (event) => told.push((event as CustomEvent).detail))
    resetControl(part)
    restoreControl(part, '[2]')
    expect([told, part.value]).toEqual([[null, '[2]'], '[1]'])
  })
})
