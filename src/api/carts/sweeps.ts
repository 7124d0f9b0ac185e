// What happens to carts later: those that have expired are deleted, with their lines.

import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches } from '../../jobs/sweeps.ts'
import { deleteExpiredCarts } from './store.ts'

/** Nobody is shown a cart from the moment it expires, so that an hour more or less matters to the disk alone. */
export const sweepExpiredCarts: Sweep = {
  name: 'expired-carts',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const moment = clock.now()
    return inBatches(signal, (limit) => deleteExpiredCarts(db, moment, limit))
  },
}
