// Tells a merchant that a webhook fails or was switched off.

import { html } from '../lib/html/html.ts'
import { heading, type MailShop, paragraph, type WrittenMail, writePage } from './layout.ts'

export type WebhookNotice = {
  readonly url: string
  readonly is_sandbox: boolean
  readonly failingSince: Date | null
  readonly lastError: string | null
  /** Null: the webhook is still on, but fails. */
  readonly disabledReason: 'gone' | 'failures' | null
}

const WHY = 'You get this mail because the shop has this webhook.'

export function webhookMail(shop: MailShop, notice: WebhookNotice): WrittenMail {
  const { title, sentences } = textOf(notice)
  const content = html`${heading(title)}${sentences.map((sentence) => paragraph(sentence))}`
  return {
    subject: title,
    text: [title, '', ...sentences.flatMap((sentence) => [sentence, '']), `-- \n${WHY}`].join('\n'),
    html: writePage(shop, { title, preheader: sentences[0] ?? '', content, footer: html`${WHY}` }),
  }
}

function textOf({ url, is_sandbox, failingSince, lastError, disabledReason }: WebhookNotice) {
  const mode = is_sandbox ? 'sandbox' : 'live'
  const since = failingSince === null ? '' : ` since ${failingSince.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const lastAttempt = lastError === null ? [] : [`The last attempt ended so: ${lastError}`]
  if (disabledReason === 'gone')
    return {
      title: 'A webhook was switched off: its receiver is gone',
      sentences: [
        `The receiver of the ${mode} webhook ${url} answered 410, which means that it is gone for good. Nothing more is sent to it.`,
        'If that was a mistake, switch the webhook on again and send what was missed.',
      ],
    }
  if (disabledReason === 'failures')
    return {
      title: 'A webhook was switched off: nothing has arrived for five days',
      sentences: [
        `Nothing has arrived at the ${mode} webhook ${url}${since}. It was switched off.`,
        ...lastAttempt,
        'What it missed is kept as long as its events are: once the receiver works, switch the webhook on again and send what was missed.',
      ],
    }
  return {
    title: 'A webhook does not answer',
    sentences: [
      `Nothing has arrived at the ${mode} webhook ${url}${since}. It is tried again by itself.`,
      ...lastAttempt,
      'After five days without an answer it is switched off.',
    ],
  }
}
