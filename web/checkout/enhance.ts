// Makes the page of the checkout livelier where scripts run: totals follow what is typed, nothing typed is lost with the line, providers' forms work,
// and a second press does not pay twice. What page and scripts have agreed on: ways.ts.

import { type Answer, Exchange, Lost } from './exchange.ts'
import { forget, keep, readKept, restore } from './keep.ts'
import { isControl, morph, stateOf, write } from './morph.ts'
import type { Charge, Fields, PanelOf, StartWay, Way } from './ways.ts'

/** Changes of these change what is due, or what is asked. */
const COSTS =
  /^((shipping|billing)\[(country|county_state|town_city|postal_zip_code)\]|billing_same|fulfillment\[.*|line_items\[.*|discount_code|giftcard_code|pay_what_you_want)$/

const CHOSEN_MS = 100
/** While somebody is at it. */
const TYPING_MS = 700
/** Whoever was sent nowhere by then may press again: the server makes one order of both. */
const GIVEN_BACK_MS = 30_000

function startForm(form: HTMLFormElement): void {
  const exchange = new Exchange(form, () => say('offline'))
  const ways = new Map<HTMLElement, Promise<Way>>()
  let timer = 0
  let isBusy = false
  let isWarned = false
  const kept = readKept(form)

  const status = document.querySelector<HTMLElement>('[data-status]')
  const saying = (what: string) => form.getAttribute(`data-say-${what}`) ?? ''
  /** Empty: there is nothing to say any more. */
  const say = (what: string) => {
    const text = what && saying(what)
    if (status !== null && status.textContent !== text) status.textContent = text
  }

  // What is due follows what is typed.

  const later = (ms: number) => {
    clearTimeout(timer)
    timer = window.setTimeout(update, ms)
  }

  async function update() {
    clearTimeout(timer)
    if (isBusy) return
    form.setAttribute('aria-busy', 'true')
    const slow = window.setTimeout(() => say('updating'), 500)
    const answer = await exchange.post({ do: 'update' })
    clearTimeout(slow)
    // Another has taken its place.
    if (answer === null) return
    form.removeAttribute('aria-busy')
    say('')
    if (show(answer) && restore(form, kept, true)) later(0)
  }

  /** Puts what was answered in the place of what was shown. False where it is another page, to which the browser goes. */
  function show({ page, url, sent, status: code }: Answer): boolean {
    const fresh = page.querySelector<HTMLFormElement>('form[data-checkout]')
    if (fresh === null) {
      location.assign(url)
      return false
    }
    adapt(page)
    const focused = document.activeElement
    // Typed since it was asked for, by name: what moves to another place, as the town of another country does, is a new field there.
    const typedSince = new Map<string, string>()
    for (const [field, before] of sent)
      if (isControl(field) && field.isConnected && stateOf(field) !== before) typedSince.set(field.name, stateOf(field))
    for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
      // What stands in another goes with it.
      if (old.parentElement?.closest('[data-live]')) continue
      const next = page.querySelector(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
      if (next !== null) morph(old, next, sent)
    }
    for (const field of form.elements) {
      const value = isControl(field) && !sent.has(field) ? typedSince.get(field.name) : undefined
      if (isControl(field) && value !== undefined) write(field, value)
    }
    for (const field of form.querySelectorAll<HTMLInputElement>('input[type=hidden]')) {
      const next = fresh.elements.namedItem(field.name)
      if (next instanceof HTMLInputElement && next.type === 'hidden') field.value = next.value
    }
    // On a phone the order is folded: what is wrong in it is shown.
    const folded = document.querySelector<HTMLDetailsElement>('.summary details:has(.line.bad)')
    if (folded) folded.open = true
    document.title = page.title
    if (code >= 400) document.querySelector<HTMLElement>('[data-problems], [autofocus]')?.focus()
    else if (focused instanceof HTMLElement && !focused.isConnected) focusAgain(focused)
    startWays()
    for (const [panel, way] of ways)
      if (panel.isConnected) way.then(({ follow }) => follow?.(charge()), ignore)
      else ways.delete(panel)
    return true
  }

  function focusAgain(lost: HTMLElement) {
    const name = lost.getAttribute('name') ?? 'do'
    const again = lost.id
      ? document.getElementById(lost.id)
      : // All buttons that are no field of their own have this name.
        name !== 'do' && form.querySelector(`[name="${CSS.escape(name)}"]:not([hidden])`)
    if (!(again instanceof HTMLElement)) return
    again.focus()
    // Numbers, say, have no caret that could be set.
    if (again instanceof HTMLInputElement && lost instanceof HTMLInputElement && again.selectionStart !== null)
      again.setSelectionRange(lost.selectionStart, lost.selectionEnd)
  }

  // Ways to pay by a provider's script.

  const charge = (): Charge => {
    const {
      amount = '0',
      minor = '0',
      currency = '',
    } = document.querySelector<HTMLElement>('[data-charge]')?.dataset ?? {}
    return { amount, minor: Number(minor), currency }
  }

  const typed = (name: string): string => {
    const field = form.elements.namedItem(name)
    return field !== null && 'value' in field ? String(field.value).trim() : ''
  }

  /** Null where another way is chosen, or nothing is due. */
  const chosenPanel = (): HTMLElement | null => {
    const value = typed('payment[gateway]')
    return (
      [...form.querySelectorAll<HTMLElement>('[data-way][data-script]')].find((each) => each.dataset.value === value) ??
      null
    )
  }

  function startWays() {
    const panel = chosenPanel()
    if (panel === null || isBusy) return
    const isLetIn = form.dataset.scripts?.split(' ').includes(panel.dataset.way ?? '') ?? true
    if (isLetIn) wayOf(panel).catch(ignore)
    else choose()
  }

  /** What the policy of this page does not let in comes with a page whose policy does: the same form, as it is filled in. */
  function choose() {
    clearTimeout(timer)
    exchange.abort()
    keep(form, true)
    const button = document.createElement('button')
    Object.assign(button, { name: 'do', value: 'choose', hidden: true })
    form.append(button)
    form.requestSubmit(button)
    // Until it is there, nothing is paid here.
    isBusy = true
    form.setAttribute('aria-busy', 'true')
  }

  function wayOf(panel: HTMLElement): Promise<Way> {
    const started = ways.get(panel)
    if (started !== undefined) return started
    const told: PanelOf = {
      form,
      panel,
      mount: panel.querySelector<HTMLElement>('[data-mount]') ?? panel,
      language: form.dataset.language ?? 'en',
      settings: JSON.parse(panel.dataset.settings ?? '{}'),
      charge,
      typed,
      address: (field) => {
        const isOwn = form.querySelector<HTMLInputElement>('[name=billing_same]')?.checked === false
        return (isOwn && typed(`billing[${field}]`)) || typed(`shipping[${field}]`) || typed(`billing[${field}]`)
      },
      say: (text) => sayAt(panel, text),
      saying,
    }
    const way = import(panel.dataset.script ?? '').then(({ start }: { start: StartWay }) => start(told))
    ways.set(panel, way)
    way.catch(() => {
      // The next press tries again.
      ways.delete(panel)
      told.say(saying('unavailable'))
    })
    return way
  }

  /** Lets the provider's script do its part, and sends what it gives; until the server wants nothing more of it. */
  async function payBy(panel: HTMLElement) {
    try {
      let mark = verification()
      // What another way to pay waits for is over with this one.
      if (mark?.dataset.verification !== panel.dataset.way) mark = null
      let fields = await (mark === null ? (await wayOf(panel)).pay() : verify(mark))
      while (fields !== null) {
        const answer = await exchange.post({ do: 'pay', ...fields }, true)
        if (answer === null || !show(answer)) return
        mark = verification()
        fields = mark && (await verify(mark))
      }
    } catch (error) {
      // That the line is gone was said. Everything else is something that the provider's script should not have done.
      if (!(error instanceof Lost)) sayAt(panel, saying('unavailable'))
    }
    release()
  }

  const verification = () => document.querySelector<HTMLElement>('[data-verification]')

  async function verify(mark: HTMLElement): Promise<Fields | null> {
    const { verification: code, param = '' } = mark.dataset
    const panel = form.querySelector<HTMLElement>(`[data-way="${CSS.escape(code ?? '')}"][data-script]`)
    return (panel && (await (await wayOf(panel)).verify?.(param))) ?? null
  }

  // Paying, once.

  const payButtons = () => form.querySelectorAll<HTMLElement>('[name=do][value=pay]')

  function hold() {
    isBusy = true
    clearTimeout(timer)
    exchange.abort()
    // Not `disabled`: what is disabled is not sent.
    for (const button of payButtons()) button.setAttribute('aria-disabled', 'true')
    form.setAttribute('aria-busy', 'true')
    say('paying')
  }

  function release() {
    isBusy = false
    for (const button of payButtons()) button.removeAttribute('aria-disabled')
    form.removeAttribute('aria-busy')
    if (status?.textContent === saying('paying')) say('')
  }

  form.addEventListener('submit', (event) => {
    const button = event.submitter as HTMLButtonElement | null
    const doing = button?.name === 'do' ? button.value : ''
    if (isBusy) return event.preventDefault()
    const quantity = button && form.querySelector<HTMLInputElement>(`input[name="${CSS.escape(button.name)}"]`)
    // Another quantity at the press of a button, which may be none.
    if (button && quantity && button.name.startsWith('line_items[')) {
      quantity.value = button.value
      keep(form)
    }
    if (doing === 'update' || button?.name.startsWith('line_items[')) {
      event.preventDefault()
      return void update()
    }
    if (doing !== 'pay') return
    keep(form, true)
    const panel = chosenPanel()
    // The browser would show a page of its own. It is wrong about it at times: whoever presses again is believed.
    if (panel === null && !navigator.onLine && !isWarned) {
      event.preventDefault()
      isWarned = true
      return say('offline')
    }
    hold()
    if (panel === null) return void setTimeout(release, GIVEN_BACK_MS)
    event.preventDefault()
    payBy(panel)
  })
  // Back from another page, with everything as it was left.
  addEventListener('pageshow', (event) => event.persisted && release())

  form.addEventListener('change', ({ target }) => {
    keep(form)
    if (target instanceof HTMLInputElement && target.name === 'payment[gateway]') startWays()
    if (target instanceof Element && isControl(target) && COSTS.test(target.name)) later(CHOSEN_MS)
  })
  form.addEventListener('input', ({ target }) => {
    keep(form)
    if (target instanceof HTMLInputElement && /^(line_items\[|pay_what_you_want$)/.test(target.name)) later(TYPING_MS)
  })
  addEventListener('online', () => {
    isWarned = false
    exchange.hurry()
  })

  if (restore(form, kept)) later(0)
  startWays()
  const mark = verification()
  const panel =
    mark && form.querySelector<HTMLElement>(`[data-way="${CSS.escape(mark.dataset.verification ?? '')}"][data-script]`)
  if (panel) {
    hold()
    payBy(panel)
  }
}

const ignore = () => undefined

function sayAt(panel: HTMLElement, text: string): void {
  const problem = panel.querySelector('[data-problem]')
  if (problem !== null) problem.textContent = text
}

/** A product's form that leads to the checkout at once: when somebody looks at it, and not again when they come back. */
function goStraightOn(form: HTMLFormElement): void {
  const isUnseen = (document as { prerendering?: boolean }).prerendering || document.visibilityState === 'hidden'
  if (isUnseen) {
    for (const name of ['prerenderingchange', 'visibilitychange'])
      document.addEventListener(name, () => goStraightOn(form), { once: true })
    return
  }
  if (history.state?.hasGoneOn) return
  history.replaceState({ hasGoneOn: true }, '')
  form.requestSubmit()
}

/** What is for those without scripts goes, and what is for those with them comes. */
function adapt(page: Document): void {
  for (const each of page.querySelectorAll<HTMLElement>('[data-without-script]')) each.hidden = true
  for (const each of page.querySelectorAll<HTMLElement>('[data-with-script]')) each.hidden = false
}

adapt(document)
const paid = document.querySelector<HTMLElement>('[data-paid]')?.dataset.paid
if (paid) forget(paid)
const checkout = document.querySelector<HTMLFormElement>('form[data-checkout]')
if (checkout !== null) startForm(checkout)
const straight = document.querySelector<HTMLFormElement>('form[data-straight-on]')
if (straight !== null) goStraightOn(straight)
// A page that waits for somebody else.
const { reload } = document.body.dataset
if (reload !== undefined) window.setTimeout(() => location.reload(), Number(reload) * 1_000)
