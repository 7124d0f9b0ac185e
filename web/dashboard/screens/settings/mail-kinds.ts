// The mails of a shop: occasion and setting of each.

import type { PreviewMailKind } from '../../../../src/mail/previews.ts'

type MailKind = {
  readonly kind: PreviewMailKind
  /** Path of the setting in the API; it also tells who gets the mail. */
  readonly setting: `notifications.${'customer' | 'merchant'}.${string}`
  readonly name: string
  /** Label of the setting, if it differs from the name. */
  readonly label?: string
  readonly hint: string
}

export const KINDS: readonly MailKind[] = [
  {
    kind: 'receipt',
    setting: 'notifications.customer.orders',
    name: 'Receipt',
    label: 'Receipt of an order',
    hint: 'When somebody has ordered, with links to downloads.',
  },
  {
    kind: 'shipment',
    setting: 'notifications.customer.shipments',
    name: 'Parcel on its way',
    hint: 'One for each parcel, with its tracking number.',
  },
  {
    kind: 'refund',
    setting: 'notifications.customer.refunds',
    name: 'Refund',
    hint: 'When money went back, also where you did it at the payment provider.',
  },
  {
    kind: 'cancellation',
    setting: 'notifications.customer.cancellations',
    name: 'Cancelled order',
    hint: 'With what was given back.',
  },
  {
    kind: 'login',
    setting: 'notifications.customer.login_token',
    name: 'Login link',
    hint: 'Off: customers cannot log in by mail.',
  },
  {
    kind: 'new_order',
    setting: 'notifications.merchant.orders',
    name: 'New order',
    hint: 'One for each, also in the sandbox.',
  },
]

export const kindName = (kind: string): string =>
  KINDS.find((each) => each.kind === kind)?.name ?? kind.replaceAll('_', ' ')
