// How a product of the demo shop is written down: as a request would give it, with names where a request has ids.

import type { NewProduct } from '../api/products/body-schema.ts'

export type DemoOption = { readonly name: string; readonly price?: number; readonly picture?: string }

export type DemoVariant = {
  /** Names of groups, each with the name of its option. */
  readonly options: Readonly<Record<string, string>>
  readonly sku: string
  readonly inventory: number
  /** Instead of the product's price and what its options add. */
  readonly price?: number
}

export type DemoProduct = Pick<
  NewProduct,
  'price' | 'active' | 'tax_exempt' | 'pay_what_you_want' | 'inventory' | 'extra_fields' | 'collects'
> & {
  readonly name: string
  readonly permalink: string
  readonly sku: string
  readonly description: string
  readonly category: string
  /** Files of demo/pictures without their ending; the first one leads. Those of its options need not be named again. */
  readonly pictures: readonly string[]
  /** Grams; left out where nothing is shipped. */
  readonly weight?: number
  /** Names of the shipping zones that it is sent to; left out: all. */
  readonly zones?: readonly string[]
  /** Files of demo/downloads and what they are called. */
  readonly downloads?: readonly { readonly file: string; readonly name: string }[]
  readonly lifespan?: NonNullable<NonNullable<NonNullable<NewProduct['delivery']>['digital']>['lifespan']>
  /** Values by the names of attributes. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** For the attribute "Available from": a day that lies ahead whenever the shop is made. */
  readonly availableInDays?: number
  readonly groups?: Readonly<Record<string, readonly DemoOption[]>>
  readonly variants?: readonly DemoVariant[]
  /** Permalinks of products that stand further down in the list. */
  readonly related?: readonly string[]
}
