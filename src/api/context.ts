// What most rules are handed: the part of a request's context that the demo shop and tests can make without a request.

import type { Caller, Context } from '../http/endpoint/endpoint.ts'

export type RuleContext = Pick<Context, 'db' | 'clock'> & {
  readonly caller: Pick<Caller, 'merchantId' | 'isSandbox' | 'currency'>
}
