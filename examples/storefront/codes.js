// A discount code and a gift card: enter them, show their value, remove them. Both stay with the token until it is paid.

import { config } from './config.js'
import { complain, field, make, say } from './dom.js'
import { commerce, sentenceOf } from './shop.js'

/** `onLive` receives the new sums. Pass all sums to `show`, so that it displays the applied codes. */
export function codesPart(token, onLive) {
  const money = (raw) => new Intl.NumberFormat('en', { style: 'currency', currency: token.currency.code }).format(raw)
  const discount = codeRow({
    label: 'Discount code',
    button: 'Apply',
    check: (code) => commerce.checkout.checkDiscount(token.id, { code }),
    read: (live) => [live.discount].flat()[0],
    text: ({ code }) => `Discount ${code}`,
    worth: ({ amount_saved: saved }) => `saves ${saved.formatted_with_symbol}`,
    onLive,
  })
  const card = codeRow({
    label: 'Gift card',
    button: 'Redeem',
    check: (code) => commerce.checkout.checkGiftcard(token.id, { code }),
    read: (live) => [live.giftcard].flat()[0],
    text: ({ code }) => `Gift card ${code}`,
    worth: ({ credit, balance }) =>
      `pays ${credit.formatted_with_symbol}${balance > 0 ? `, ${money(balance)} stays on it` : ''}`,
    onLive,
  })
  const hint = config.tryCodes ? make('p', { className: 'note hint' }, config.tryCodes) : null
  return {
    element: make(
      'fieldset',
      { id: 'codes' },
      make('legend', {}, 'Discount and gift card'),
      make('div', { className: 'code-rows' }, discount.element, card.element),
      hint,
    ),
    show: (live) => {
      discount.show(live)
      card.show(live)
    },
  }
}

function codeRow({ label, button, check, read, text, worth, onLive }) {
  // Without a name, so that it is not sent with the order.
  const id = `code-${label.replaceAll(' ', '-').toLowerCase()}`
  const code = make('input', { id, type: 'text', autocomplete: 'off', maxLength: 100, autocapitalize: 'characters' })
  code.spellcheck = false
  const apply = make('button', { type: 'button', className: 'second' }, button)
  const entered = field(label, code)
  entered.querySelector('.optional').remove()
  const entry = make('div', { className: 'code' }, entered, apply)
  const applied = make('p', { className: 'applied', hidden: true })
  let shown = null

  const show = (live) => {
    const found = read(live) ?? null
    entry.hidden = found !== null
    applied.hidden = found === null
    shown = found
    if (found === null) return
    const remove = make(
      'button',
      { type: 'button', className: 'plain', 'aria-label': `Remove ${text(found)}` },
      'Remove',
    )
    remove.addEventListener('click', () => run('', () => code.focus()))
    const isFocused = applied.contains(document.activeElement)
    applied.replaceChildren(make('span', {}, make('strong', {}, text(found)), ` ${worth(found)}`), remove)
    if (isFocused) remove.focus()
  }

  async function run(typed, then) {
    complain(code, null)
    apply.disabled = true
    try {
      // A rejected code is no error: `valid` tells, and `live` contains the sums in any case.
      const { valid, message, live } = await check(typed)
      onLive(live)
      if (!valid) {
        complain(code, message)
        return code.focus()
      }
      code.value = ''
      say(shown ? `${shown.code} ${worth(shown)}.` : `${label} removed.`)
      then()
    } catch (error) {
      complain(code, sentenceOf(error))
      code.focus()
    } finally {
      apply.disabled = false
    }
  }

  const enter = () => {
    const typed = code.value.trim()
    if (typed !== '') return run(typed, () => applied.querySelector('button')?.focus())
    complain(code, label === 'Gift card' ? 'Enter the code of a gift card.' : 'Enter a discount code.')
    code.focus()
  }
  apply.addEventListener('click', enter)
  // Enter would submit the whole form.
  code.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    enter()
  })
  return { element: make('div', { className: 'code-row' }, entry, applied), show }
}
