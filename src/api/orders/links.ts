// Whose orders a request is about, and the addresses that they show: signed links to what was bought as a download.

import type { Context, Services } from '../../http/endpoint.ts'
import { signedQuery } from '../../lib/signature.ts'
import type { Owner } from './store.ts'

/** The secret that signs the links of downloads. */
const DOWNLOAD_SECRET = 'downloads'

/** The last second of the year 9999. */
const NEVER = 253_402_300_799

/** One download of one order, as a signature names it. */
export const grantedDownload = (merchantId: number, orderId: string, id: string) =>
  ({ purpose: 'download', merchantId, id: `${orderId}/${id}` }) as const

export const downloadSecret = ({ signingSecret }: Pick<Services, 'signingSecret'>) => signingSecret(DOWNLOAD_SECRET)

export type OrderAddresses = {
  /** Scheme and host that addresses begin with. */
  readonly origin: string
  /**
   * `expires` is the end of the download itself, null where it has none or where that is not known before it is paid. Nothing less: the
   * link is in receipts and in events, which are read weeks later. What it opens is decided when it is used: paid for, not revoked, not
   * used up.
   */
  linkTo(merchantId: number, orderId: string, id: string, expires: number | null): string
}

/** For whoever changes an order: the reply's addresses, and those of all that outlives it: events, jobs, mails. */
export type OwnerAddresses = OrderAddresses & { readonly lasting: OrderAddresses }

/**
 * `origin`: of the request; of a job, the lasting one that it was given. `lastingOrigin`: where the two differ. Ask before a transaction is
 * opened.
 */
export async function orderAddresses(
  services: Pick<Services, 'signingSecret'>,
  origin: string,
  lastingOrigin = origin,
): Promise<OwnerAddresses> {
  const secret = await downloadSecret(services)
  return { ...addressesAt(origin, secret), lasting: addressesAt(lastingOrigin, secret) }
}

const addressesAt = (origin: string, secret: Uint8Array): OrderAddresses => ({
  origin,
  linkTo(merchantId, orderId, id, expires) {
    const grant = { ...grantedDownload(merchantId, orderId, id), expires: expires ?? NEVER }
    return `${origin}/fulfill/${merchantId}/${orderId}/${id}?${signedQuery(secret, grant)}`
  },
})

/** Whose orders, and by which addresses they are shown. */
export type OrderOwner = Owner & {
  /** What `orderAddresses(…)` gives. */
  readonly addresses: OwnerAddresses
}

export const ownerOf = async (
  context: Pick<Context, 'caller' | 'origin' | 'lastingOrigin' | 'signingSecret'>,
): Promise<OrderOwner> => ({
  merchantId: context.caller.merchantId,
  isSandbox: context.caller.isSandbox,
  addresses: await orderAddresses(context, context.origin, context.lastingOrigin),
})
