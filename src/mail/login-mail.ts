// The mail with the link by which a customer logs in.

import { html } from './html.ts'
import {
  button,
  footerOf,
  heading,
  link,
  paragraph,
  smallPrint,
  textFooterOf,
  type WrittenMail,
  writePage,
} from './layout.ts'
import { oneLine } from './one-line.ts'
import type { MailShop } from './shop.ts'

export type LoginMail = {
  readonly link: string
  /** How long the link works. */
  readonly minutes: number
}

export function loginMail(shop: MailShop, { link: url, minutes }: LoginMail): WrittenMail {
  const name = oneLine(shop.name)
  const title = `Log in to ${name}`
  const howLong = `The link works once, within the next ${minutes} minutes.`
  const unasked = 'If you did not ask for it, leave it: without this mail nobody can log in.'
  const why = `You get this mail because somebody asked to log in to ${name} with your e-mail address.`
  const content = html`${heading(title)}
${paragraph('Press the button to log in. You need no password.')}
${button(shop, url, 'Log in')}
${smallPrint(`${howLong} ${unasked}`)}
${smallPrint(html`If the button does nothing, copy this address into your browser:<br>${link(shop, url, url)}`)}`
  return {
    subject: title,
    text: `${title}\n\nOpen this address to log in. You need no password.\n\n${url}\n\n${howLong}\n${unasked}\n\n${textFooterOf(shop, why)}\n`,
    html: writePage(shop, { title, preheader: howLong, content, footer: footerOf(shop, why) }),
  }
}
