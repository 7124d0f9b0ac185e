// What runs behind the messages of payment providers. They come to an address of their own, outside of /v1: app.ts.

import type { Slice } from '../slice.ts'
import { lookIntoPayments, sweepUndecidedPayments } from './look.ts'
import { findKeysOfMessages } from './note.ts'
import { sweepOldMessages } from './store.ts'

export const providerMessages: Slice = {
  kinds: [],
  endpoints: [],
  jobs: (services) => [lookIntoPayments(services), findKeysOfMessages(services)],
  sweeps: () => [sweepOldMessages, sweepUndecidedPayments],
}
