// Name of a merchant's gateway in the output of commands.

import type { StoredConfig } from '../../api/payment-methods/store.ts'

export const describeGateway = (subject: string, { merchant_id, id, code, is_sandbox }: StoredConfig): string =>
  `${subject}: ${code} ${id} of merchant ${merchant_id}, ${is_sandbox ? 'sandbox' : 'live'}`
