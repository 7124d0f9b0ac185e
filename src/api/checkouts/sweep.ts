// The sweep of checkout tokens that have expired. A reply never shows one; this only gives their space back.

import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches } from '../../jobs/sweeps.ts'
import { deleteCheckoutsExpiredBy } from './store.ts'

export const sweepExpiredCheckouts: Sweep = {
  name: 'expired-checkouts',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const moment = clock.now()
    return inBatches(signal, (limit) => deleteCheckoutsExpiredBy(db, moment, limit))
  },
}
