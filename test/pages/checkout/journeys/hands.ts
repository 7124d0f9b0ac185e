// What a shopper does to a page, by pointer or by keyboard alone: fields are filled in, choices made, buttons pressed. Whoever has a keyboard gets to
// each thing by Tab and Shift+Tab, in so many steps at most, and sees at every step where the focus is: that is what fails a test here.

import type { Locator, Page } from 'playwright-core'

type Hands = {
  fill(field: Locator, value: string): Promise<void>
  /** Of a list. */
  select(field: Locator, value: string): Promise<void>
  /** A radio button or a box. */
  check(control: Locator): Promise<void>
  /** A button, a link, or what unfolds something. */
  press(control: Locator): Promise<void>
  leave(field: Locator): Promise<void>
}

const byKeyboard = new WeakSet<Page>()

/** Whatever is done to this page from now on is done by keyboard. */
export function useKeyboard(page: Page): Page {
  byKeyboard.add(page)
  return page
}

const handsAt = (control: Locator): Hands => (byKeyboard.has(control.page()) ? keyboard : pointer)

export async function fill(field: Locator, value: string) {
  const isList = (await field.evaluate((element) => element.tagName)) === 'SELECT'
  await handsAt(field)[isList ? 'select' : 'fill'](field, value)
}
export const check = (control: Locator) => handsAt(control).check(control)
export const press = (control: Locator) => handsAt(control).press(control)
/** Goes on from a field: what was typed counts from then on. */
export const leave = (field: Locator) => handsAt(field).leave(field)

const pointer: Hands = {
  fill: (field, value) => field.fill(value),
  select: async (field, value) => void (await field.selectOption(value)),
  check: (control) => control.check(),
  press: (control) => control.click({ noWaitAfter: true }),
  leave: (field) => field.blur(),
}

/** More than a form of ours has. Who has to go further is lost. */
const MOST_TABS = 50
const MOST_CHOICES = 60
/** For a page that still moves. */
const SETTLED_MS = 3_000

const keyboard: Hands = {
  async fill(field, value) {
    await reach(field)
    const { keyboard: keys } = field.page()
    await keys.press('ControlOrMeta+a')
    await keys.press('Delete')
    await keys.type(value)
  },
  async select(field, value) {
    await reach(field)
    // Not by its first letters: whether a letter begins a new word hangs on how long ago the last one was.
    for (let presses = 0; presses < MOST_CHOICES; presses++) {
      if ((await field.inputValue()) === value) return
      const isBelow = await field.evaluate(isBelowChosen, value)
      await field.page().keyboard.press(isBelow ? 'ArrowDown' : 'ArrowUp')
    }
    throw new Error(`Nobody gets to ${value} by pressing arrows.`)
  },
  async check(control) {
    await reach(control)
    const key = (await control.getAttribute('type')) === 'radio' ? 'ArrowDown' : 'Space'
    for (let presses = 0; presses < MOST_CHOICES; presses++) {
      if (await control.isChecked()) return
      await control.page().keyboard.press(key)
    }
    throw new Error(`Nobody gets to choose ${control}.`)
  },
  async press(control) {
    await reach(control)
    await pressEnter(control)
  },
  leave: (field) => field.page().keyboard.press('Tab'),
}

/**
 * A key that closes the window it is pressed in takes the frame away between its way down and its way up; the browser then may never say that the
 * key has come up, and whoever waits for that waits for ever. What was pressed is gone in that case, which is waited for as well.
 */
async function pressEnter(control: Locator): Promise<void> {
  const pressed = control.page().keyboard.press('Enter')
  const gone = control.waitFor({ state: 'detached' }).catch(() => pressed)
  await Promise.race([pressed, gone])
}

const isBelowChosen = new Function(
  'list',
  'value',
  'return [...list.options].findIndex((each) => each.value === value) > list.selectedIndex',
) as (list: unknown, value: string) => boolean

type Stop = {
  readonly isThere: boolean
  readonly isBehind: boolean
  /** What has the focus, as a person would name it. */
  readonly name: string
  readonly faults: readonly string[]
}

/** Where the focus is, seen from what it is to come to. Of a group of radio buttons one alone can be reached by Tab. */
const lookFrom = new Function(
  'target',
  `const focus = document.activeElement
   if (!document.hasFocus() || focus === null || focus === document.body || focus === document.documentElement)
     return { isThere: false, isBehind: false, name: 'nothing', faults: [] }
   const isSameGroup = focus.type === 'radio' && target.type === 'radio' && focus.name === target.name
   const label = focus.closest('label') ?? focus.labels?.[0] ?? null
   const words = focus.getAttribute('aria-label') ?? label?.innerText ?? (focus.innerText || focus.title)
   const faults = []
   // What only has the focus to be read first is nothing to press. What is in a frame is looked at in there.
   if (focus.tabIndex >= 0 && focus.tagName !== 'IFRAME') {
     if (!words?.trim()) faults.push('has no name')
     const isDrawn = (each) => {
       const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(each)
       return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && !/, 0\\)$/.test(outlineColor)
     }
     if (![focus, label].some((each) => each !== null && isDrawn(each))) faults.push('does not show that it has the focus')
     const { left, top, width, height } = focus.getBoundingClientRect()
     const [x, y] = [left + width / 2, top + height / 2]
     if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) faults.push('is out of sight, at ' + Math.round(x) + ', ' + Math.round(y) + ' of ' + innerWidth + ', ' + innerHeight)
     else {
       const shown = document.elementFromPoint(x, y)
       const isSeen = shown !== null && (focus.contains(shown) || label?.contains(shown) || shown === label)
       if (!isSeen) faults.push('is covered by ' + (shown?.outerHTML ?? 'nothing').slice(0, 80))
     }
   }
   return {
     isThere: focus === target || isSameGroup,
     isBehind: Boolean(focus.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING),
     name: focus.tagName.toLowerCase() + ' ' + (focus.name ?? '') + ' "' + (words ?? '').trim() + '"',
     faults,
   }`,
) as (target: unknown) => Stop

/** Goes there as people do: onwards, or back where it lies behind. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor()
  const way: string[] = []
  for (let tabs = 0; tabs <= MOST_TABS; tabs++) {
    const stop = await lookAt(target)
    if (stop.isThere) return
    way.push(stop.name)
    await target.page().keyboard.press(stop.isBehind ? 'Shift+Tab' : 'Tab')
  }
  throw new Error(`Nobody gets to ${target} by keyboard. The focus went over ${way.join(', ')}.`)
}

/** A page that scrolls or is exchanged may take a moment: what is wrong then as well is wrong. */
async function lookAt(target: Locator): Promise<Stop> {
  const end = performance.now() + SETTLED_MS
  for (;;) {
    const stop = await target.evaluate(lookFrom)
    if (stop.faults.length === 0) return stop
    if (performance.now() > end) throw new Error(`What has the focus, ${stop.name}, ${stop.faults.join(', ')}.`)
    await target.page().waitForTimeout(50)
  }
}
