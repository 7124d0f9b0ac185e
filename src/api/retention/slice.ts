// No resource of its own: what of all the others is kept, for how long and how much of it.

import type { Slice } from '../slice.ts'
import { expirySweeps } from './expiry.ts'
import { forgottenCarts, sandboxQuota } from './quotas.ts'

export const retention: Slice = {
  endpoints: [],
  kinds: [],
  sweeps: ({ retention: { sandboxDays, sandboxQuota: most, liveCarts } }) => [
    ...expirySweeps(sandboxDays),
    sandboxQuota(most),
    ...(liveCarts === 0 ? [] : [forgottenCarts(liveCarts)]),
  ],
}
