// Warns a merchant that unusually many payments are declined, for example while somebody tests stolen cards.

import { toOneLine } from '../lib/text.ts'
import type { MailShop, WrittenMail } from './layout.ts'
import { actionButton, list, mailIntroduction, writeOrderMail } from './orders/parts.ts'

export type DeclineNotice = {
  readonly is_sandbox: boolean
  /** Declined attempts within the last hour. */
  readonly declines: number
  /** Attempts to pay within the last hour, declined ones included. */
  readonly attempts: number
  /** Address of the orders in the dashboard; null if its public address is unknown. */
  readonly url: string | null
}

export function declineMail(shop: MailShop, { is_sandbox, declines, attempts, url }: DeclineNotice): WrittenMail {
  const name = toOneLine(shop.name)
  const title = 'Many payments are being declined'
  const count = `Within the last hour, ${declines} of ${attempts} attempts to pay at ${name} were declined.`
  return writeOrderMail(
    // Nobody reads replies to this mail. The line about questions is for the shop's customers only.
    { ...shop, supportEmail: '' },
    {
      subject: `${is_sandbox ? '[Test] ' : ''}${title} at ${name}`,
      preheader: count,
      parts: [
        mailIntroduction(
          title,
          [
            ...(is_sandbox ? ['This is about the sandbox: no money is involved.'] : []),
            count,
            'It looks like this when somebody tries out stolen cards. A problem at your payment provider can look the same.',
          ],
          ['Nothing was switched off: your customers can still pay.'],
        ),
        list('What you can do', [
          'Look at the newest payments in the dashboard of your payment provider.',
          'Switch on its protection against card testing, for example 3-D Secure for every card.',
          'Check new orders before you ship them, and refund those that you do not trust: the owner of the card may dispute them.',
          'Ask your payment provider for help if it goes on.',
        ]),
        ...(url === null ? [] : [actionButton(shop, url, 'Open your orders')]),
      ],
      why: `You get this mail because mails to ${name} itself go to this address. This warning is sent once a day at most.`,
    },
  )
}
