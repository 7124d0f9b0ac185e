// Builds the context of a page request, so that pages can call the same functions as the endpoints, in process.

import { withRequestSignal } from '../db/db.ts'
import type { Caller, Context, Services } from '../http/endpoint/endpoint.ts'
import { NO_PIECES } from '../http/endpoint/pieces.ts'
import type { PageRequest } from '../http/files/pages.ts'

const NO_BEHAVIOURS: ReadonlySet<string> = new Set()

export const contextFor = (services: Services, request: PageRequest, caller: Caller): Context => ({
  ...services,
  // Reads need no deadline.
  db: request.method === 'POST' ? withRequestSignal(services.db, request.deadline) : services.db,
  caller,
  params: {},
  query: {},
  body: {},
  origin: request.origin,
  lastingOrigin: request.lastingOrigin,
  url: request.origin + request.url,
  clientAddress: request.clientAddress,
  clientNetworks: request.clientNetworks,
  behaviours: NO_BEHAVIOURS,
  version: caller.apiVersion,
  get signal() {
    return request.deadline.signal
  },
  isClientWaiting: request.isClientWaiting,
  idempotencyKey: null,
  markNotFinal: () => undefined,
  reportLinesRead: request.reportLinesRead,
  pieces: NO_PIECES,
  refuseIfChanged: null,
  addFacts: () => undefined,
})

/** The shop for a request without a key. The URL of a page grants the same rights as a public key. */
export type PageCallerRow = {
  readonly merchant_id: number
  readonly is_sandbox: boolean
  readonly currency: string
  readonly api_version: string
  readonly is_disabled: boolean
  readonly full_sandbox: NonNullable<Caller['fullSandbox']>
}

export const pageCallerOf = (row: PageCallerRow): Caller => ({
  merchant_id: row.merchant_id,
  is_sandbox: row.is_sandbox,
  keyId: null,
  session: null,
  isSecret: false,
  currency: row.currency,
  apiVersion: row.api_version,
  isDisabled: row.is_disabled,
  fullSandbox: row.full_sandbox,
})
