// Logging in by a link in a mail: no password, and nothing to remember.

import { isLoggedIn, takeEnded } from './account.js'
import { config } from './config.js'
import { field, make } from './dom.js'
import { clearFaults, faultsBox, findFaults, forgiveOnChange, showFault, showFaults } from './form.js'
import { commerce, sentenceOf } from './shop.js'

/** `token`: from the link in the mail. */
export async function showLogin(token) {
  if (token !== undefined) return exchangeLink(token)
  if (isLoggedIn()) return goOn()
  return loginView(takeEnded() ? 'Your login has ended. Please log in again.' : null)
}

/** For views that only a logged-in customer may see. */
export const askToLogIn = () =>
  loginView(takeEnded() ? 'Your login has ended. Please log in again.' : 'Log in to see your orders.')

async function exchangeLink(token) {
  try {
    await commerce.customer.getToken(token)
    return goOn()
  } catch (error) {
    if (error?.data === undefined) throw error
    return loginView('This link has been used, or its 15 minutes are over. Ask for another one here.')
  }
}

/** Replaces the URL, so that the token disappears and "back" skips it. */
function goOn() {
  location.replace('#/account')
  return { title: 'Welcome back', content: [make('p', {}, 'You are logged in.')] }
}

function loginView(sentence) {
  const view = make('div', { className: 'login' })
  view.append(sentence ? make('p', { className: 'notice', role: 'status' }, sentence) : '', loginForm(view))
  return { title: 'Log in', content: [view] }
}

function loginForm(view) {
  const email = make('input', {
    name: 'email',
    type: 'email',
    required: true,
    autocomplete: 'email',
    inputMode: 'email',
    'data-missing': 'Enter your e-mail address.',
    'data-wrong': 'Enter an e-mail address such as name@example.com.',
  })
  const button = make('button', {}, 'Mail me a link')
  const form = make(
    'form',
    { noValidate: true },
    faultsBox(),
    make('p', {}, 'We mail you a link that logs you in. There is no password to remember.'),
    field('E-mail', email),
    button,
    make('p', { className: 'note' }, 'New here? Your account begins with your first order.'),
  )
  forgiveOnChange(form)
  let isAsking = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isAsking) return
    clearFaults(form)
    const faults = findFaults(form)
    if (faults.length > 0) return showFaults(form, faults)
    isAsking = true
    try {
      // The link leads back to this page. The token comes after the #, so no server receives it.
      await commerce.customer.login(email.value.trim(), `${location.origin}${location.pathname}#/login/{token}`)
      showSent(view, email.value.trim())
    } catch (error) {
      if (error?.statusCode === 429)
        showFault(form, '', 'A link is on its way already. Please wait a minute before you ask for another.')
      else if (error?.data?.error.errors?.email) showFaults(form, [[email, email.dataset.wrong]])
      else showFault(form, '', sentenceOf(error))
    } finally {
      isAsking = false
    }
  })
  return form
}

function showSent(view, address) {
  const another = make('button', { type: 'button', className: 'plain another' }, 'Use another address')
  another.addEventListener('click', () => {
    view.replaceChildren(loginForm(view))
    view.querySelector('input').focus()
  })
  const heading = make('h2', { tabIndex: -1 }, 'Check your e-mail')
  view.replaceChildren(
    make(
      'div',
      { className: 'notice' },
      heading,
      make(
        'p',
        {},
        'If ',
        make('strong', {}, address),
        ' has ordered here before, a link is on its way. It works once, for 15 minutes.',
      ),
      config.mailIsKept ? keptNote() : null,
    ),
    make('p', {}, another),
  )
  heading.focus()
}

/** Without a mail server, mails are stored for the shop's operator to read. */
const keptNote = () =>
  make(
    'div',
    { className: 'sandbox' },
    make(
      'p',
      {},
      make('strong', {}, 'This is a sandbox'),
      ' without a mail server, so the mail is kept. Print the newest one in a terminal, in the folder that the shop was started in:',
    ),
    make('pre', { tabIndex: 0 }, make('code', {}, 'npm run cartwright -- mail last')),
    make('p', { className: 'note' }, 'Where it is installed as a command: ', make('code', {}, 'cartwright mail last')),
  )
