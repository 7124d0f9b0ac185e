// Payment outside the shop, such as a bank transfer or cash. The merchant describes how to pay and later confirms the money.

import { optionalField, publicField } from './config-fields.ts'
import type { GatewayAdapter, GatewayDefinition, PendingOutcome } from './gateway.ts'

const PENDING: PendingOutcome = { kind: 'pending', reason: 'awaiting_capture' }

/** No provider exists to query. Whatever happens, the shopper owes the money. */
const adapter: GatewayAdapter = {
  problemsOf: () => ({}),
  charge: async () => PENDING,
  lookUp: async () => PENDING,
  cancel: async () => PENDING,
  refund: async ({ key }) => ({ kind: 'refunded', transactionId: key }),
}

export const manual: GatewayDefinition = {
  code: 'manual',
  name: 'Manual payment',
  description:
    'Bank transfer, cash, an invoice: you say how to pay, and mark the order as paid when the money has come.',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: true,
  config: {
    name: publicField('What shoppers choose, such as Bank transfer.'),
    details: { ...optionalField('How to pay, shown to the shopper.'), label: 'How to pay', isLong: true },
  },
  page: { kind: 'details' },
  publicSettings: ({ name = null, details = null }) => ({ name, details }),
  createAdapter: () => adapter,
}
