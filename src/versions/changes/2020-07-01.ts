// Custom data of an order is called `meta`; before, `metadata`.

import { type ApiChange, renameField, renameRequestField } from '../change.ts'

const fromOlder = { up: renameRequestField('metadata', 'meta') }

export const orderMeta = {
  summary: 'The field `metadata` of orders, in replies and in requests, is now called `meta`.',
  kinds: { order: renameField('meta', 'metadata') },
  operations: { 'checkouts.capture': fromOlder, 'orders.update': fromOlder },
} satisfies ApiChange
