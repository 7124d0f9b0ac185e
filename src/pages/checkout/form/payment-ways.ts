// Lists the ways to pay on the page: the merchant's gateways that can take this payment.

import { findUsableRows } from '../../../api/payment-methods/available.ts'
import type { OfferRow } from '../../../api/payment-methods/store.ts'
import type { PaymentGateways } from '../../../gateways/gateway.ts'
import { findGateway, gateways } from '../../../gateways/index.ts'
import type { Caller } from '../../../http/endpoint/endpoint.ts'
import type { SimulatedResult, WayToPay } from '../model.ts'

type WaysContext = { readonly caller: Caller; readonly payments: Pick<PaymentGateways, 'findAdapter'> }

/** `rows`: all gateways that the merchant has set up. The result has the order of the gateway list. */
export const listWaysToPay = (context: WaysContext, rows: readonly OfferRow[]): WayToPay[] =>
  gateways.flatMap((gateway) => {
    const serving = findUsableRows(gateway, rows, context.caller.is_sandbox)
    if (serving === null) return []
    const isSimulated = serving[0]?.is_simulated ?? false
    const adapter = context.payments.findAdapter(gateway.code, isSimulated)
    if (adapter === undefined) return []
    const { page, code } = gateway
    const onlyCurrency = adapter.onlyCurrency?.(serving[0]?.config ?? {}) ?? null
    // Skip a gateway that does not take the currency, because the shopper could not pay by it.
    if (onlyCurrency !== null && onlyCurrency !== context.caller.currency) return []
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

/** Inputs that confirm a simulated payment without a script; null if only the provider's script can. */
export function confirmationInputs(
  { code, kind, simulated }: WayToPay,
  param: string,
): SimulatedResult['fields'] | null {
  const page = findGateway(code)?.page
  if (page === undefined || !('confirmedBy' in page) || (kind === 'script' && simulated === null)) return null
  return page.confirmedBy?.(param) ?? null
}
