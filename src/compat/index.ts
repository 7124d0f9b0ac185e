// Table of contents of the support for existing clients beyond the contract, as app.ts passes it to the server. Resources and the server
// contain none of it. The server calls `isOldClient` to recognise such a client. `oldClientPlanFor` (versions/apply.ts) derives its view of
// the newest version from the changes of older versions.
// Two cases are handled elsewhere: escaped links of storefronts (api/customers/login/link.ts), and a session beside `X-Authorization:
// undefined` (http/endpoint/serve.ts).

import type { Slice } from '../api/slice.ts'
import type { ClientForms, Compat } from '../http/endpoint/endpoint.ts'
import { rewriteCapture } from './capture-body.ts'
import { cartForms } from './carts.ts'
import { rewriteNewProduct, rewriteProductChanges } from './product-body.ts'
import { isSdk, NoScript, protectCheckout, renameTokenType, rewriteTarget, VERSION_HEADER } from './sdk.ts'

/** Keyed by operation, or by resource if the forms apply to all of its operations. */
export const FORMS: Readonly<Record<string, ClientForms>> = {
  carts: cartForms,
  'products.create': { rewriteBody: rewriteNewProduct },
  'products.update': { rewriteBody: rewriteProductChanges },
  'checkouts.create': { rewriteQuery: renameTokenType },
  'checkouts.capture': { rewriteBody: rewriteCapture },
}

export const compat: Compat = {
  versionHeader: VERSION_HEADER,
  rewriteTarget,
  isOldClient: isSdk,
  formsOf: (operation) => FORMS[operation] ?? FORMS[operation.slice(0, operation.indexOf('.'))] ?? null,
}

/** Endpoints that only old clients call. */
export const oldEndpoints: Slice = { kinds: [NoScript], endpoints: [protectCheckout] }
