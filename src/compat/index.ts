// Table of contents: all that existing clients need beside the contract, as app.ts hands it to the server. Resources and the server know
// none of it. Who is an old client, the server asks here; what such a client sees of the newest version is made of the changes of older
// ones (versions/apply.ts, `oldClientPlanFor`).
// Two things stand where they are read: links as storefronts escape them (api/customers/login/link.ts), and a session beside
// `X-Authorization: undefined` (http/endpoint/serve.ts).

import type { Slice } from '../api/slice.ts'
import type { ClientForms, Compat } from '../http/endpoint/endpoint.ts'
import { rewriteCapture } from './capture-body.ts'
import { cartForms } from './carts.ts'
import { rewriteNewProduct, rewriteProductChanges } from './product-body.ts'
import { isSdk, NoScript, protectCheckout, renameTokenType, rewriteTarget, VERSION_HEADER } from './sdk.ts'

/** By operation, or by its resource where all of its operations have them. */
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
