// What logging in leaves behind: tokens that nobody used in time, and keys that no session needs any more.

import type { Sweep } from '../../../jobs/schedule.ts'
import { inBatches } from '../../../jobs/sweeps.ts'
import { deleteSpentSessionKeys } from '../../../keys/session-keys.ts'
import { deleteExpiredLoginTokens } from './store.ts'

export const loginSweeps: readonly Sweep[] = [
  {
    name: 'expired-login-tokens',
    everySeconds: 900,
    run({ db, clock, signal }) {
      const moment = clock.now()
      return inBatches(signal, (limit) => deleteExpiredLoginTokens(db, moment, limit))
    },
  },
  {
    name: 'spent-session-keys',
    everySeconds: 3_600,
    run: ({ db, clock }) => deleteSpentSessionKeys(db, clock.now()),
  },
]
