// What logging in leaves behind: tokens that nobody used in time, and keys that no session needs any more.

import type { Sweep } from '../../../jobs/schedule.ts'
import { sweepOf } from '../../../jobs/sweeps.ts'
import { deleteSpentSessionKeys } from '../../../keys/session-keys.ts'

export const loginSweeps: readonly Sweep[] = [
  sweepOf('login_tokens', {
    name: 'expired-login-tokens',
    everySeconds: 900,
    column: 'expires_at',
    key: ['merchant_id', 'token_hash'],
  }),
  {
    name: 'spent-session-keys',
    everySeconds: 3_600,
    run: ({ db, clock }) => deleteSpentSessionKeys(db, clock.now()),
  },
]
