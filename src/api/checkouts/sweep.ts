// The sweep of checkout tokens that have expired. A reply never shows one; this only gives their space back.

import { sweepOf } from '../../jobs/sweeps.ts'

export const sweepExpiredCheckouts = sweepOf('checkouts', {
  name: 'expired-checkouts',
  everySeconds: 3_600,
  column: 'expires_at',
})
