// Reports many new orders to a merchant in one mail, so that the mailbox does not fill up.

import { toOneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { actionButton, list, mailIntroduction, writeOrderMail } from './parts.ts'

export type OrderDigest = {
  readonly is_sandbox: boolean
  readonly orders: number
  /** Customer references of the first orders. */
  readonly references: readonly string[]
  /** Address of the orders in the dashboard; null if its public address is unknown. */
  readonly url: string | null
}

export function orderDigestMail(shop: MailShop, { is_sandbox, orders, references, url }: OrderDigest): WrittenMail {
  const name = toOneLine(shop.name)
  const count = `${orders.toLocaleString('en')} more new ${orders === 1 ? 'order' : 'orders'}`
  const rest = orders - references.length
  const why = is_sandbox
    ? 'These are orders of the sandbox: nobody has paid.'
    : 'They are free or not paid yet. You still get a mail of its own for each order that is paid.'
  return writeOrderMail(
    // Nobody has a question here. The line about questions is for the shop's customers only.
    { ...shop, supportEmail: '' },
    {
      subject: `${is_sandbox ? '[Test] ' : ''}${count} at ${name}`,
      preheader: why,
      parts: [
        mailIntroduction(`${count}`, [
          'So many orders came in within one hour that these were gathered in this mail.',
          why,
          'If you did not expect them, somebody may be placing orders without meaning to pay.',
        ]),
        ...(url === null ? [] : [actionButton(shop, url, 'Open your orders')]),
        list('Orders', [
          ...references.map((reference) => toOneLine(reference)),
          ...(rest > 0 ? [`and ${rest.toLocaleString('en')} more`] : []),
        ]),
      ],
      why: `You get this mail because new orders of ${name} are mailed to this address. The shop's settings say where they go, and whether they do.`,
    },
  )
}
