// Mails to dashboard users: an invitation, a password reset link, and a notice about a login from a new browser.

import { html } from '../lib/html/html.ts'
import { toOneLine } from '../lib/text.ts'
import { button, heading, link, type MailShop, paragraph, smallPrint, type WrittenMail, writePage } from './layout.ts'

type Letter = {
  readonly title: string
  readonly sentences: readonly string[]
  readonly action?: { readonly label: string; readonly url: string }
  readonly notes: readonly string[]
  readonly why: string
}

function writeMail(shop: MailShop, { title, sentences, action, notes, why }: Letter): WrittenMail {
  const content = html`${heading(title)}
${sentences.map((sentence) => paragraph(sentence))}
${action === undefined ? [] : [button(shop, action.url, action.label)]}
${notes.map((note) => smallPrint(note))}
${action === undefined ? [] : [smallPrint(html`If the button does nothing, copy this address into your browser:<br>${link(shop, action.url, action.url)}`)]}`
  const lines = [title, ...sentences, ...(action === undefined ? [] : [action.url]), ...notes]
  return {
    subject: title,
    text: `${lines.join('\n\n')}\n\n-- \n${toOneLine(shop.name)}\n${why}\n`,
    html: writePage(shop, { title, preheader: sentences[0] ?? title, content, footer: html`${why}` }),
  }
}

const accountReason = (shop: MailShop) =>
  `You get this mail because you have an account for the dashboard of ${toOneLine(shop.name)}.`

export const resetMail = (shop: MailShop, { url, lasts }: { url: string; lasts: string }): WrittenMail =>
  writeMail(shop, {
    title: `A new password for ${toOneLine(shop.name)}`,
    sentences: ['Somebody, probably you, has asked for a new password for the dashboard.'],
    action: { label: 'Choose a new password', url },
    notes: [
      `The link works once, within the next ${lasts}.`,
      'If you did not ask for it, leave it: your password stays as it is.',
    ],
    why: accountReason(shop),
  })

type Invitation = { readonly url: string; readonly lasts: string; readonly role: string; readonly by: string }

export const invitationMail = (shop: MailShop, { url, lasts, role, by }: Invitation): WrittenMail =>
  writeMail(shop, {
    title: `Work with ${toOneLine(shop.name)}`,
    sentences: [`${toOneLine(by)} invites you to the dashboard of ${toOneLine(shop.name)}, as ${role}.`],
    action: { label: 'Accept and choose a password', url },
    notes: [
      `The link works once, within the next ${lasts}.`,
      'If you do not know this shop, leave it: nothing happens.',
    ],
    why: `You get this mail because somebody of ${toOneLine(shop.name)} has entered your e-mail address.`,
  })

type NewDevice = { readonly agent: string; readonly address: string; readonly at: Date; readonly url: string | null }

export const newDeviceMail = (shop: MailShop, { agent, address, at, url }: NewDevice): WrittenMail =>
  writeMail(shop, {
    title: `A new login to ${toOneLine(shop.name)}`,
    sentences: [
      'Somebody has logged in to the dashboard with your password, in a browser that was not known before.',
      `When: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC. From: ${toOneLine(address)}. Browser: ${toOneLine(agent) || 'not told'}.`,
      'If it was you, all is well.',
    ],
    ...(url === null ? {} : { action: { label: 'See where you are logged in', url } }),
    notes: ['If it was not you, change your password now: that ends every other session.'],
    why: accountReason(shop),
  })
