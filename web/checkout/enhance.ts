// Progressive enhancement of the checkout page. Totals follow the input, a broken connection loses no input, and providers' forms work. A
// second press does not pay twice. ways.ts describes the contract between the page and its scripts.

import { ConnectionLost, Exchange, type ExchangeAnswer } from './exchange.ts'
import { clearSavedInput, readSavedInput, restoreInput, saveInput } from './keep.ts'
import { isControl, morph, stateOf, writeState } from './morph.ts'
import type { Charge, Fields, PanelContext, ProviderPanel, StartProviderPanel } from './ways.ts'

/** Inputs that can change the totals or the required fields. */
const COST_INPUTS =
  /^((shipping|billing)\[(country|county_state|town_city|postal_zip_code)\]|billing_same|fulfillment\[.*|line_items\[.*|discount_code|giftcard_code|pay_what_you_want)$/

const CHOICE_DELAY_MS = 100
/** Delay while the shopper is typing. */
const TYPING_DELAY_MS = 700
/** After this time the shopper may press again; the server makes one order of both presses. */
const UNLOCK_AFTER_MS = 30_000

function startForm(form: HTMLFormElement): void {
  const exchange = new Exchange(form, () => showStatus('offline'))
  const ways = new Map<HTMLElement, Promise<ProviderPanel>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isWarned = false
  const savedInput = readSavedInput(form)

  const status = document.querySelector<HTMLElement>('[data-status]')
  const statusText = (what: string) => form.getAttribute(`data-say-${what}`) ?? ''
  /** An empty `what` clears the status. */
  const showStatus = (what: string) => {
    const text = what && statusText(what)
    if (status !== null && status.textContent !== text) status.textContent = text
  }

  // Totals follow the input.

  const scheduleUpdate = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(update, ms)
  }

  async function update() {
    clearTimeout(timer)
    if (isBusy) return
    form.setAttribute('aria-busy', 'true')
    const slow = setTimeout(() => showStatus('updating'), 500)
    const answer = await exchange.post({ do: 'update' })
    clearTimeout(slow)
    // A newer request has replaced this one.
    if (answer === null) return
    form.removeAttribute('aria-busy')
    showStatus('')
    if (showAnswer(answer) && restoreInput(form, savedInput, true)) scheduleUpdate(0)
  }

  /** Replaces the live parts of the page with those of the answer. Returns false for another page, which the browser then opens. */
  function showAnswer({ page, url, sent, status: code }: ExchangeAnswer): boolean {
    const fresh = page.querySelector<HTMLFormElement>('form[data-checkout]')
    if (fresh === null) {
      location.assign(url)
      return false
    }
    toggleScriptElements(page)
    const focused = document.activeElement
    // Input typed since the request, by name. A field that moves, such as the town of another country, is a new element.
    const typedSince = new Map<string, string>()
    for (const [field, before] of sent)
      if (isControl(field) && field.isConnected && stateOf(field) !== before) typedSince.set(field.name, stateOf(field))
    for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
      // A nested live element is updated with the outer one.
      if (old.parentElement?.closest('[data-live]')) continue
      const next = page.querySelector(`[data-live="${CSS.escape(old.dataset.live ?? '')}"]`)
      if (next !== null) morph(old, next, sent)
    }
    for (const field of form.elements) {
      const value = isControl(field) && !sent.has(field) ? typedSince.get(field.name) : undefined
      if (isControl(field) && value !== undefined) writeState(field, value)
    }
    for (const field of form.querySelectorAll<HTMLInputElement>('input[type=hidden]')) {
      const next = fresh.elements.namedItem(field.name)
      if (next instanceof HTMLInputElement && next.type === 'hidden') field.value = next.value
    }
    // On a phone the order summary is folded. Unfold it if a line item has a problem.
    const folded = document.querySelector<HTMLDetailsElement>('.summary details:has(.line.bad)')
    if (folded) folded.open = true
    document.title = page.title
    if (code >= 400) document.querySelector<HTMLElement>('[data-problems], [autofocus]')?.focus()
    else if (focused instanceof HTMLElement && !focused.isConnected) restoreFocus(focused)
    startWays()
    for (const [panel, way] of ways)
      if (panel.isConnected) way.then(({ follow }) => follow?.(charge()), ignoreError)
      else ways.delete(panel)
    return true
  }

  function restoreFocus(lost: HTMLElement) {
    const name = lost.getAttribute('name') ?? 'do'
    const newField = lost.id
      ? document.getElementById(lost.id)
      : // All buttons that are not fields share this name.
        name !== 'do' && form.querySelector(`[name="${CSS.escape(name)}"]:not([hidden])`)
    if (!(newField instanceof HTMLElement)) return
    newField.focus()
    // Number inputs, for example, have no caret to set.
    if (newField instanceof HTMLInputElement && lost instanceof HTMLInputElement && newField.selectionStart !== null)
      newField.setSelectionRange(lost.selectionStart, lost.selectionEnd)
  }

  // Ways to pay with a provider's script.

  const charge = (): Charge => {
    const {
      amount = '0',
      minor = '0',
      currency = '',
    } = document.querySelector<HTMLElement>('[data-charge]')?.dataset ?? {}
    return { amount, minor: Number(minor), currency }
  }

  const inputOf = (name: string): string => {
    const field = form.elements.namedItem(name)
    return field !== null && 'value' in field ? String(field.value).trim() : ''
  }

  /** Null if another way is chosen or nothing is due. */
  const chosenPanel = (): HTMLElement | null => {
    const value = inputOf('payment[gateway]')
    return (
      [...form.querySelectorAll<HTMLElement>('[data-way][data-script]')].find((each) => each.dataset.value === value) ??
      null
    )
  }

  function startWays() {
    const panel = chosenPanel()
    if (panel === null || isBusy) return
    const isLetIn = form.dataset.scripts?.split(' ').includes(panel.dataset.way ?? '') ?? true
    if (isLetIn) loadWay(panel).catch(ignoreError)
    else reloadWithScript()
  }

  /** If this page's policy does not allow the script, load a page with a policy that does. The form keeps its input. */
  function reloadWithScript() {
    clearTimeout(timer)
    exchange.abort()
    saveInput(form, true)
    const button = document.createElement('button')
    Object.assign(button, { name: 'do', value: 'choose', hidden: true })
    form.append(button)
    form.requestSubmit(button)
    // Block payments until that page is loaded.
    isBusy = true
    form.setAttribute('aria-busy', 'true')
  }

  function loadWay(panel: HTMLElement): Promise<ProviderPanel> {
    const existingWay = ways.get(panel)
    if (existingWay !== undefined) return existingWay
    const panelContext: PanelContext = {
      form,
      panel,
      mount: panel.querySelector<HTMLElement>('[data-mount]') ?? panel,
      language: form.dataset.language ?? 'en',
      settings: JSON.parse(panel.dataset.settings ?? '{}'),
      charge,
      input: inputOf,
      address: (field) => {
        const isOwn = form.querySelector<HTMLInputElement>('[name=billing_same]')?.checked === false
        return (isOwn && inputOf(`billing[${field}]`)) || inputOf(`shipping[${field}]`) || inputOf(`billing[${field}]`)
      },
      show: (text) => sayAt(panel, text),
      text: statusText,
    }
    const way = import(panel.dataset.script ?? '').then(({ start }: { start: StartProviderPanel }) =>
      start(panelContext),
    )
    ways.set(panel, way)
    way.catch(() => {
      // The next press tries again.
      ways.delete(panel)
      panelContext.show(statusText('unavailable'))
    })
    return way
  }

  /** Lets the provider's script collect its fields, then sends them. Repeats while the server requests a verification. */
  async function payWithScript(panel: HTMLElement) {
    try {
      let mark = verification()
      // A verification of another way to pay no longer applies.
      if (mark?.dataset.verification !== panel.dataset.way) mark = null
      let fields = await (mark === null ? (await loadWay(panel)).pay() : verify(mark))
      while (fields !== null) {
        const answer = await exchange.post({ do: 'pay', ...fields }, true)
        if (answer === null || !showAnswer(answer)) return
        mark = verification()
        fields = mark && (await verify(mark))
      }
    } catch (error) {
      // The status already shows a broken connection. Any other error is a fault of the provider's script.
      if (!(error instanceof ConnectionLost)) sayAt(panel, statusText('unavailable'))
    }
    unlockForm()
  }

  const verification = () => document.querySelector<HTMLElement>('[data-verification]')

  const panelOf = ({ dataset }: HTMLElement) =>
    form.querySelector<HTMLElement>(`[data-way="${CSS.escape(dataset.verification ?? '')}"][data-script]`)

  async function verify(mark: HTMLElement): Promise<Fields | null> {
    const panel = panelOf(mark)
    return (panel && (await (await loadWay(panel)).verify?.(mark.dataset.param ?? ''))) ?? null
  }

  // Paying once.

  const payButtons = () => form.querySelectorAll<HTMLElement>('[name=do][value=pay]')

  function lockForm() {
    isBusy = true
    clearTimeout(timer)
    exchange.abort()
    // Not `disabled`, because a disabled button is not sent.
    for (const button of payButtons()) button.setAttribute('aria-disabled', 'true')
    form.setAttribute('aria-busy', 'true')
    showStatus('paying')
  }

  function unlockForm() {
    isBusy = false
    for (const button of payButtons()) button.removeAttribute('aria-disabled')
    form.removeAttribute('aria-busy')
    if (status?.textContent === statusText('paying')) showStatus('')
  }

  form.addEventListener('submit', (event) => {
    const button = event.submitter as HTMLButtonElement | null
    const action = button?.name === 'do' ? button.value : ''
    if (isBusy) return event.preventDefault()
    const quantity = button && form.querySelector<HTMLInputElement>(`input[name="${CSS.escape(button.name)}"]`)
    // The button sets another quantity, which may be 0.
    if (button && quantity && button.name.startsWith('line_items[')) {
      quantity.value = button.value
      saveInput(form)
    }
    if (action === 'update' || button?.name.startsWith('line_items[')) {
      event.preventDefault()
      return void update()
    }
    if (action !== 'pay') return
    saveInput(form, true)
    const panel = chosenPanel()
    // The browser would show its own error page. Its offline state can be wrong, so a second press is sent.
    if (panel === null && !navigator.onLine && !isWarned) {
      event.preventDefault()
      isWarned = true
      return showStatus('offline')
    }
    lockForm()
    if (panel === null) return void setTimeout(unlockForm, UNLOCK_AFTER_MS)
    event.preventDefault()
    payWithScript(panel)
  })
  // The page came back from the browser's cache in its old state.
  addEventListener('pageshow', (event) => event.persisted && unlockForm())

  form.addEventListener('change', ({ target }) => {
    saveInput(form)
    if (target instanceof HTMLInputElement && target.name === 'payment[gateway]') startWays()
    if (target instanceof Element && isControl(target) && COST_INPUTS.test(target.name)) scheduleUpdate(CHOICE_DELAY_MS)
  })
  form.addEventListener('input', ({ target }) => {
    saveInput(form)
    if (target instanceof HTMLInputElement && /^(line_items\[|pay_what_you_want$)/.test(target.name))
      scheduleUpdate(TYPING_DELAY_MS)
  })
  addEventListener('online', () => {
    isWarned = false
    exchange.hurry()
  })

  if (restoreInput(form, savedInput)) scheduleUpdate(0)
  startWays()
  const mark = verification()
  const panel = mark && panelOf(mark)
  if (panel) {
    lockForm()
    payWithScript(panel)
  }
}

const ignoreError = () => undefined

function sayAt(panel: HTMLElement, text: string): void {
  const problem = panel.querySelector('[data-problem]')
  if (problem !== null) problem.textContent = text
}

/**
 * Submits a product's form that leads straight to the checkout. It waits until the page is visible, and does not repeat when the shopper
 * comes back.
 */
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

/** Hides elements for browsers without scripts, and shows those for browsers with scripts. */
function toggleScriptElements(page: Document): void {
  for (const each of page.querySelectorAll<HTMLElement>('[data-without-script]')) each.hidden = true
  for (const each of page.querySelectorAll<HTMLElement>('[data-with-script]')) each.hidden = false
}

toggleScriptElements(document)
const paidToken = document.querySelector<HTMLElement>('[data-paid]')?.dataset.paid
if (paidToken) clearSavedInput(paidToken)
const checkout = document.querySelector<HTMLFormElement>('form[data-checkout]')
if (checkout !== null) startForm(checkout)
const straightOnForm = document.querySelector<HTMLFormElement>('form[data-straight-on]')
if (straightOnForm !== null) goStraightOn(straightOnForm)
// A waiting page reloads itself.
const { reload } = document.body.dataset
if (reload !== undefined) setTimeout(() => location.reload(), Number(reload) * 1_000)
