// The data of the checkout pages. Rules create it, and views turn it into HTML. Neither computes a figure: every sum is part of `Live` or
// `Order`, as price() computed it.

import type { CaptureField } from '../../api/checkouts/requirements.ts'
import type { Live } from '../../api/checkouts/schema.ts'
import { CHECKOUT_LANGUAGES } from '../../api/merchants/settings.ts'
import type { Order } from '../../api/orders/schema.ts'
import type { Product } from '../../api/products/schema.ts'
import type { ShopperRefusal } from '../../lib/words/refusals.ts'

/** Languages from which a shop chooses. */
export const LANGUAGES = CHECKOUT_LANGUAGES

export type Language = (typeof LANGUAGES)[number]

/** The shop as every page shows it. */
export type PageShop = {
  readonly merchant_id: number
  readonly name: string
  readonly logo: { readonly url: string; readonly shape: 'square' | 'circle' | 'rectangle' | null } | null
  /** Empty if the shop has no valid e-mail address. */
  readonly supportEmail: string
  readonly is_sandbox: boolean
  /** True if the shop takes no orders. */
  readonly isClosed: boolean
  readonly currency: string
  /** Languages of the shop's pages; never empty. */
  readonly languages: readonly Language[]
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
  /** Address of the storefront, where the shopper continues afterwards. */
  readonly returnUrl: string | null
  /** Path of the style sheet with the shop's colours. */
  readonly themePath: string
}

/** Data that every page needs besides its content. */
export type PageFrame = {
  readonly shop: PageShop
  readonly language: Language
  /** Path of this page without its query; links to the other languages use it. */
  readonly path: string
  /** Query parameter that every link to the page must repeat: `sandbox=true` on a product page. */
  readonly keptQuery?: string
}

/** Input values by input name (`shipping[name]`). Inputs that were not sent are missing. It never contains card data. */
export type TypedInputs = ReadonlyMap<string, string>

/** Name of the hidden input that repeats a refused code. */
export const refusedCodeInput = (path: string): string => `refused_${path}`

/** `path`: dotted name of the field, as refusals have it (`shipping.name`); null if the problem is not about a field. */
export type FieldProblem = { readonly path: string | null; readonly shopperMessage: ShopperRefusal }

/**
 * `card`: card fields on our own page, only for tests. `details`: shows instructions and asks for nothing. `redirect`: the shopper goes
 * to the provider and returns. `script`: needs the provider's own script.
 */
export type WayToPay = {
  /** Value of `payment[gateway]` in the form: a code, or the id of one of several configured gateways. */
  readonly value: string
  readonly code: string
  readonly name: string
  readonly kind: 'card' | 'details' | 'redirect' | 'script'
  /** The merchant's instructions for `details`, as plain text. */
  readonly details: string | null
  /** Settings for the provider's script; shoppers may see them. */
  readonly settings: Readonly<Record<string, string | null>>
  /**
   * Set if the sandbox simulates the provider before the merchant has an account. No provider script is loaded. `means`: the possible
   * results.
   */
  readonly simulated: { readonly means: readonly SimulatedResult[] } | null
}

/** One possible result of a simulated payment: the form values for it, by input name. */
export type SimulatedResult = { readonly id: string; readonly fields: Readonly<Record<string, string>> }

/** A message at the top of the form. `before`: the checkout that the shopper saw last, if the amount due has changed. */
export type Notice = {
  readonly tone: 'bad' | 'changed' | 'good'
  readonly shopperMessage: ShopperRefusal
  readonly before?: Live
}

/** The bank must verify the shopper. The provider's script shows the verification and sends the form again. */
export type PageVerification = {
  readonly way: WayToPay
  /** Parameter of the provider's script: a client secret or an order id. */
  readonly param: string
  /** Inputs that confirm the payment without a script; only the test gateway has them. */
  readonly confirmedBy: Readonly<Record<string, string>> | null
}

/** A line item that the shopper has removed. `quantity`: the former quantity. `isThere`: true if it can be restored. */
export type RemovedLine = {
  readonly id: string
  readonly name: string
  readonly quantity: number
  readonly isThere: boolean
}

/** The page where the shopper pays. */
export type PayModel = PageFrame & {
  readonly tokenId: string
  readonly typed: TypedInputs
  /** Fields that capture will demand, in the order of the form. */
  readonly demands: readonly CaptureField[]
  readonly live: Live
  /** Line items that the shopper has removed, in their order. */
  readonly removedLines: readonly RemovedLine[]
  /** Maximum quantity of each line item that is not fully available; may be 0. Keyed by line item id. */
  readonly mostOf: ReadonlyMap<string, number>
  readonly isShipped: boolean
  /** ISO 3166-1 alpha-2 codes of the countries that the shop ships to. */
  readonly shippingCountries: readonly string[]
  readonly ways: readonly WayToPay[]
  /** Codes of the ways to pay that the page's policy allows to load scripts. */
  readonly scripts: readonly string[]
  /** True if the page was reloaded because the shopper chose another way to pay; that way opens first. */
  readonly isWayJustChosen: boolean
  readonly problems: readonly FieldProblem[]
  readonly notice: Notice | null
  readonly verification: PageVerification | null
}

/** The page after the payment. */
export type ReceiptModel = PageFrame & {
  readonly order: Order
  /** The merchant's payment instructions for an order that is paid manually. */
  readonly howToPay: string | null
  /** The merchant's name for that way to pay. */
  readonly wayName: string | null
}

/** A page with one message and a next step: waiting, gone, closed, redirect to the provider. */
export type MessageModel = PageFrame & {
  readonly kind:
    | 'waiting'
    | 'still_waiting'
    | 'to_provider'
    | 'not_paid'
    | 'too_late'
    | 'cart_empty'
    | 'all_gone'
    | 'gone'
    | 'closed'
    | 'not_secure'
    | 'too_many'
    | 'failed'
  readonly shopperMessage: ShopperRefusal | null
  /** Next URL: the provider's page, the checkout or the storefront. */
  readonly next: string | null
  /** Seconds until the browser opens `next`, or reloads the page if there is none. */
  readonly refreshSeconds: number | null
}

/** The page behind a cart link after the order: it asks for the order's e-mail address. */
export type OrderedModel = PageFrame & {
  /** The wrong address that was typed; null before the first try. */
  readonly refused: string | null
}

/** The page of a product that has its own link. */
export type ProductModel = PageFrame & {
  readonly product: Product
  readonly typed: TypedInputs
  readonly problems: readonly FieldProblem[]
  /** True if the link requests the checkout at once (`?checkout=true`) and nothing is left to choose. A script then posts the form. */
  readonly goesStraightOn: boolean
}
