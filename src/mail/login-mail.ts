// The mail with a customer's login link.

import { html } from '../lib/html/html.ts'
import { toOneLine } from '../lib/text.ts'
import {
  button,
  heading,
  link,
  type MailShop,
  mailFooter,
  mailTextFooter,
  paragraph,
  smallPrint,
  type WrittenMail,
  writePage,
} from './layout.ts'

type LoginMail = {
  readonly link: string
  /** Lifetime of the link. */
  readonly minutes: number
  readonly is_sandbox: boolean
}

/** Same notice as in a receipt: the reader may know the shop and mistake its sandbox for it. */
const TEST_NOTICE = 'This is a test. The link logs you in where nothing is paid and nothing is sent.'

export function loginMail(shop: MailShop, { link: url, minutes, is_sandbox }: LoginMail): WrittenMail {
  const name = toOneLine(shop.name)
  const title = `Log in to ${name}`
  const subject = `${is_sandbox ? '[Test] ' : ''}${title}`
  const notices = is_sandbox ? [TEST_NOTICE] : []
  const lifetime = `The link works once, within the next ${minutes} minutes.`
  const ignoreHint = 'If you did not ask for it, leave it: without this mail nobody can log in.'
  const why = `You get this mail because somebody asked to log in to ${name} with your e-mail address.`
  const content = html`${heading(title)}
${notices.map((notice) => paragraph(html`<strong>${notice}</strong>`))}
${paragraph('Press the button to log in. You need no password.')}
${button(shop, url, 'Log in')}
${smallPrint(`${lifetime} ${ignoreHint}`)}
${smallPrint(html`If the button does nothing, copy this address into your browser:<br>${link(shop, url, url)}`)}`
  return {
    subject,
    text: `${[title, ...notices].join('\n')}\n\nOpen this address to log in. You need no password.\n\n${url}\n\n${lifetime}\n${ignoreHint}\n\n${mailTextFooter(shop, why)}\n`,
    html: writePage(shop, { title: subject, preheader: lifetime, content, footer: mailFooter(shop, why) }),
  }
}
