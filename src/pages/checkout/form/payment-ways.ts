// The ways to pay that the page offers: of the gateways that the merchant has, those that can take this money.

import { servingRows } from '../../../api/payment-methods/available.ts'
import type { OfferRow } from '../../../api/payment-methods/store.ts'
import type { Payments } from '../../../gateways/gateway.ts'
import { findGateway, gateways } from '../../../gateways/index.ts'
import type { Caller } from '../../../http/endpoint/endpoint.ts'
import type { Means, WayToPay } from '../model.ts'

type WaysContext = { readonly caller: Caller; readonly payments: Pick<Payments, 'charging'> }

/** `rows`: all that the merchant has set up. In the order in which gateways are listed. */
export const waysToPay = (context: WaysContext, rows: readonly OfferRow[]): WayToPay[] =>
  gateways.flatMap((gateway) => {
    const serving = servingRows(gateway, rows, context.caller.isSandbox)
    if (serving === null) return []
    const isSimulated = serving[0]?.is_simulated ?? false
    const charging = context.payments.charging(gateway.code, isSimulated)
    if (charging === undefined) return []
    const { page, code } = gateway
    const only = charging.onlyCurrency?.(serving[0]?.config ?? {}) ?? null
    // The shopper who chose it could not pay.
    if (only !== null && only !== context.caller.currency) return []
    const way = {
      code,
      kind: page.kind,
      simulated: isSimulated && page.kind === 'script' ? { means: page.means } : null,
    }
    if (!gateway.isRepeatable) {
      const settings = gateway.publicSettings(serving[0]?.config ?? {})
      return [{ ...way, value: code, name: gateway.name, details: null, settings }]
    }
    return serving.map(({ id, config }) => {
      const { name = null, details = null, ...settings } = gateway.publicSettings(config)
      return { ...way, value: id, name: name ?? gateway.name, details, settings }
    })
  })

/** What confirms a made-up payment without a script; null where only the provider's own can. */
export function confirmationInputs({ code, kind, simulated }: WayToPay, param: string): Means['fields'] | null {
  const page = findGateway(code)?.page
  if (page === undefined || !('confirmedBy' in page) || (kind === 'script' && simulated === null)) return null
  return page.confirmedBy?.(param) ?? null
}
