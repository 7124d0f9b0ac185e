// The mails of a shop: recipient, occasion, and setting of each.

export type MailKind = 'login' | 'receipt' | 'shipment' | 'refund' | 'cancellation' | 'new_order'

type Kind = {
  readonly kind: MailKind
  readonly to: 'customer' | 'merchant'
  /** Path of the setting in the API. */
  readonly setting: string
  readonly name: string
  readonly label: string
  readonly hint: string
}

export const KINDS: readonly Kind[] = [
  {
    kind: 'receipt',
    to: 'customer',
    setting: 'notifications.customer.orders',
    name: 'Receipt',
    label: 'Receipt of an order',
    hint: 'When somebody has ordered, with links to downloads.',
  },
  {
    kind: 'shipment',
    to: 'customer',
    setting: 'notifications.customer.shipments',
    name: 'Parcel on its way',
    label: 'Parcel on its way',
    hint: 'One for each parcel, with its tracking number.',
  },
  {
    kind: 'refund',
    to: 'customer',
    setting: 'notifications.customer.refunds',
    name: 'Refund',
    label: 'Refund',
    hint: 'When money went back, also where you did it at the payment provider.',
  },
  {
    kind: 'cancellation',
    to: 'customer',
    setting: 'notifications.customer.cancellations',
    name: 'Cancelled order',
    label: 'Cancelled order',
    hint: 'With what was given back.',
  },
  {
    kind: 'login',
    to: 'customer',
    setting: 'notifications.customer.login_token',
    name: 'Login link',
    label: 'Login link',
    hint: 'Off: customers cannot log in by mail.',
  },
  {
    kind: 'new_order',
    to: 'merchant',
    setting: 'notifications.merchant.orders',
    name: 'New order',
    label: 'New order',
    hint: 'One for each, also in the sandbox.',
  },
]

export const kindName = (kind: string): string =>
  KINDS.find((each) => each.kind === kind)?.name ?? kind.replaceAll('_', ' ')
