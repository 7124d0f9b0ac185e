// Jobs and sweeps behind the messages of payment providers. The messages arrive at a URL outside of /v1: app.ts.

import type { Slice } from '../slice.ts'
import { findKeysOfMessages } from './note.ts'
import { pollPayments, sweepUndecidedPayments } from './poll.ts'
import { sweepOldMessages } from './store.ts'

export const providerMessages: Slice = {
  kinds: [],
  endpoints: [],
  jobs: (services) => [pollPayments(services), findKeysOfMessages(services)],
  sweeps: () => [sweepOldMessages, sweepUndecidedPayments],
}
