// What the pages of the checkout show, as data. Rules make it, views write HTML of it, and neither computes a figure: every sum is one of
// `Live` or of `Order`, as price() has given it.

import type { Demand } from '../../api/checkouts/requirements.ts'
import type { Live } from '../../api/checkouts/schema.ts'
import { CHECKOUT_LANGUAGES } from '../../api/merchants/settings.ts'
import type { Order } from '../../api/orders/schema.ts'
import type { Product } from '../../api/products/schema.ts'
import type { Refusal } from '../../lib/words/refusals.ts'

/** Those among which a shop chooses. */
export const LANGUAGES = CHECKOUT_LANGUAGES

export type Language = (typeof LANGUAGES)[number]

/** The shop as a shopper sees it on every page. */
export type PageShop = {
  readonly merchantId: number
  readonly name: string
  readonly logo: { readonly url: string; readonly shape: 'square' | 'circle' | 'rectangle' | null } | null
  /** Empty where the shop has none that a mail program takes. */
  readonly supportEmail: string
  readonly isSandbox: boolean
  /** The shop takes no orders. */
  readonly isClosed: boolean
  readonly currency: string
  /** Which languages its pages have; never empty. */
  readonly languages: readonly Language[]
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
  /** Where the shopper goes on afterwards: the storefront. */
  readonly returnUrl: string | null
  /** Of the style sheet with the shop's colours. */
  readonly themePath: string
}

/** What every page is told besides what it is about. */
export type PageFrame = {
  readonly shop: PageShop
  readonly language: Language
  /** The address of this page without its query: links to the other languages begin with it. */
  readonly path: string
  /** What its query has to say wherever it is linked to: `sandbox=true` on the page of a product. */
  readonly kept?: string
}

/** By the names of inputs (`shipping[name]`), as they were sent; what was not sent is not in it. Never anything of a card. */
export type Typed = ReadonlyMap<string, string>

/** The input by which a page that has refused a code says so. */
export const refusedName = (path: string): string => `refused_${path}`

/** `path`: dotted, as refusals name a field (`shipping.name`); null where it is about no field. */
export type FieldProblem = { readonly path: string | null; readonly said: Refusal }

/**
 * `card`: fields of a card on our own page, for trying out alone. `details`: how to pay is shown, nothing is asked. `redirect`: the shopper
 * goes to the provider and comes back. `script`: by the provider's own script, and not without one.
 */
export type WayToPay = {
  /** What the form sends as `payment[gateway]`: a code, or the id of one of several that the merchant has set up. */
  readonly value: string
  readonly code: string
  readonly name: string
  readonly kind: 'card' | 'details' | 'redirect' | 'script'
  /** Of `details`: what the merchant wrote, as plain text. */
  readonly details: string | null
  /** What the provider's script has to be told; what shoppers may know. */
  readonly settings: Readonly<Record<string, string | null>>
  /** Made up, in a sandbox, before there is an account: no provider's script is loaded. `means`: what can be tried. */
  readonly simulated: { readonly means: readonly Means[] } | null
}

/** One way in which a simulated payment can go: what the form sends for it, by names of inputs. */
export type Means = { readonly id: string; readonly fields: Readonly<Record<string, string>> }

/** What stands above the form, before anything else is read. `before`: what was due when the shopper last looked, where that has changed. */
export type Notice = {
  readonly tone: 'bad' | 'changed' | 'good'
  readonly said: Refusal
  readonly before?: Live
}

/** The shopper's bank wants to see the shopper: the provider's script shows it, and sends the form again. */
export type Verification = {
  readonly way: WayToPay
  /** As the provider's script takes it: a client secret, an order. */
  readonly param: string
  /** Inputs that confirm it without a script, as only the test gateway can; null elsewhere. */
  readonly confirmedBy: Readonly<Record<string, string>> | null
}

/** `quantity`: what it had. `isThere`: whether it could be put back. */
export type LeftOutLine = {
  readonly id: string
  readonly name: string
  readonly quantity: number
  readonly isThere: boolean
}

/** The page on which one pays. */
export type PayModel = PageFrame & {
  readonly tokenId: string
  readonly typed: Typed
  /** What capture will demand, in the order in which to ask. */
  readonly demands: readonly Demand[]
  readonly live: Live
  /** What of the checkout the form does not want, in its order. */
  readonly leftOut: readonly LeftOutLine[]
  /** By their ids, the lines that cannot be had as they are: how many can be, which may be none. */
  readonly mostOf: ReadonlyMap<string, number>
  readonly isShipped: boolean
  /** ISO 3166-1 alpha-2, of those that it can be sent to. */
  readonly shippingCountries: readonly string[]
  readonly ways: readonly WayToPay[]
  /** The codes of those whose scripts the policy of this page lets in. */
  readonly scripts: readonly string[]
  /** The page was loaded again because another way was chosen: it opens there. */
  readonly isWayJustChosen: boolean
  readonly problems: readonly FieldProblem[]
  readonly notice: Notice | null
  readonly verification: Verification | null
}

/** After paying. */
export type ReceiptModel = PageFrame & {
  readonly order: Order
  /** What the merchant wrote on how to pay, of an order that is to be paid by hand. */
  readonly howToPay: string | null
  /** How the merchant calls that way to pay. */
  readonly wayName: string | null
}

/** One sentence and what can be done: waiting, gone, closed, on to the provider. */
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
  readonly said: Refusal | null
  /** Where the shopper goes on: the provider's page, the checkout, the storefront. */
  readonly next: string | null
  /** After so many seconds the browser goes there, or loads the page again where there is none. */
  readonly refreshSeconds: number | null
}

/** The link of a cart that was ordered: it asks for the e-mail address of the order. */
export type OrderedModel = PageFrame & {
  /** The address that was typed and is wrong; null where nothing was typed. */
  readonly refused: string | null
}

/** A product that is sold by a link of its own. */
export type ProductModel = PageFrame & {
  readonly product: Product
  readonly typed: Typed
  readonly problems: readonly FieldProblem[]
  /** The link asked for the checkout at once (`?checkout=true`), and nothing is left to choose: a script posts the form by itself. */
  readonly goesStraightOn: boolean
}
