// Tells a merchant about a new order: what to do, what was bought, by whom, and where it goes.

import { toOneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { safeShopperText } from '../shopper-words.ts'
import {
  actionButton,
  addressColumns,
  footnotes,
  labelledRows,
  lineItemTable,
  list,
  mailIntroduction,
  totalsTable,
  writeOrderMail,
} from './parts.ts'
import {
  addressesOf,
  dateOf,
  extraFieldsOf,
  includedTaxOf,
  type LabelledValue,
  mailLineItems,
  noticesOf,
  paymentRows,
  type ReceiptOrder,
  subtotalRows,
  testSubjectPrefix,
  totalRow,
} from './receipt-order.ts'

/** The receipt's part of an order, plus fields that only the merchant sees. */
export type MerchantOrder = ReceiptOrder & {
  readonly customer: {
    readonly email: string
    readonly firstname?: string
    readonly lastname?: string
    readonly phone?: string
  }
  readonly fulfillment: {
    readonly physical: {
      readonly items: readonly { readonly status: string; readonly quantity_remaining: number }[]
    }
  }
}

/** `url`: address of the order in the dashboard; null if its public address is unknown. */
export function newOrderMail(
  shop: MailShop,
  order: MerchantOrder,
  { url }: { readonly url: string | null },
): WrittenMail {
  const name = toOneLine(shop.name)
  const reference = toOneLine(order.customer_reference)
  const total = totalRow(order)
  const pieces = order.order.line_items.reduce((sum, { quantity }) => sum + quantity, 0)
  return writeOrderMail(
    // Replies go to the customer. The line about questions is for the shop's customers only.
    { ...shop, supportEmail: '' },
    {
      subject: `${testSubjectPrefix(order)}New order ${reference}: ${total.value}`,
      preheader: `${countOf(pieces, 'piece')}. ${tasksOf(order).join(' ')}`,
      parts: [
        mailIntroduction(`New order ${reference}`, [`${dateOf(order)}, ${total.value}`], noticesOf(order)),
        ...(url === null ? [] : [actionButton(shop, url, 'Open the order')]),
        list('What is to be done', tasksOf(order)),
        lineItemTable('What was ordered', mailLineItems(order)),
        totalsTable(subtotalRows(order), total),
        footnotes(includedTaxOf(order)),
        labelledRows('Payment', paymentRows(order)),
        labelledRows('Customer', customerRows(order)),
        addressColumns(addressesOf(order)),
        labelledRows('Further details', extraFieldsOf(order)),
      ],
      why: `You get this mail because new orders of ${name} are mailed to this address. The shop's settings say where they go, and whether they do.`,
    },
  )
}

const countOf = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** State at the time of writing: an order that has been paid or shipped since needs less. */
function tasksOf(order: MerchantOrder): string[] {
  if (order.status === 'cancelled') return ['Nothing: it has been cancelled.']
  const { physical, digital } = order.fulfillment
  const openPieces = physical.items.reduce(
    (sum, item) => sum + (item.status === 'not_fulfilled' ? item.quantity_remaining : 0),
    0,
  )
  const payment = paymentTasksOf(order)
  const isUnpaid = payment.length > 0
  const ship = openPieces === 0 ? [] : [`Ship ${countOf(openPieces, 'piece')}${isUnpaid ? ', once it is paid' : ''}.`]
  const tasks = [...payment, ...ship]
  if (tasks.length > 0) return tasks
  return [digital.downloads.length > 0 ? 'Nothing: the customer has the downloads.' : 'Nothing.']
}

function paymentTasksOf({ status_payment, transactions }: MerchantOrder): string[] {
  if (transactions.some(({ status, status_reason }) => status === 'pending' && status_reason === 'gateway_failure'))
    return ['Look at the payment provider whether it was paid: nobody could be asked.']
  if (status_payment === 'authorized') return ['Take the payment: the payment provider holds it for you.']
  if (status_payment === 'not_paid' || status_payment === 'partially_paid')
    return ['Wait for the payment, and say so once it has come.']
  return []
}

/** The customer's own text, made safe so that nothing in it is a link. The address is valid by its form. */
const customerRows = ({ customer }: MerchantOrder): LabelledValue[] =>
  [
    { label: 'Name', value: safeShopperText([customer.firstname, customer.lastname].filter(Boolean).join(' ')) },
    { label: 'E-mail', value: toOneLine(customer.email) },
    { label: 'Phone', value: safeShopperText(customer.phone ?? '') },
  ].filter(({ value }) => value !== '')
