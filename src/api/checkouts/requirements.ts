// Requirements of capture for a checkout, known before it is captured. Helpers make forms and rules from this list, and capture its
// refusals. The list depends on the goods, the destination and the amount due.

import { readDecimal } from '../../lib/money.ts'
import { emailRule, readEmail } from '../../lib/text.ts'
import { fieldRefusal, refusal, type ShopperRefusal } from '../../lib/words/refusals.ts'
import type { ExtraField } from '../products/schema.ts'
import { needsShipping, type PricedCheckout, type ShippingMethod } from './price.ts'
import type { CheckoutProductRow, CheckoutRow } from './read-store.ts'

/** One field of the capture body. */
export type CaptureField = {
  /** Path in the body: `['shipping', 'name']`. */
  readonly path: readonly string[]
  /** Label in a form. */
  readonly label: string
  /** The label without its context: `Size`, where the label is `Shirt: Size`. */
  readonly name: string
  readonly type:
    | 'email'
    | 'country'
    | 'region'
    | 'shipping_method'
    | 'gateway'
    | 'amount'
    | 'option'
    | ExtraField['type']
  readonly isRequired: boolean
  /** Only forms require it. Capture does not, so that a storefront without this field can still sell. */
  readonly isRequiredByFormsOnly: boolean
  /** The choices, if the checkout has its own list of them. */
  readonly options: readonly { readonly value: string; readonly label: string }[] | null
  /** Rules for a value that is given. */
  readonly rules: ValueRules
}

/** Rules under the names that forms use. */
type ValueRules = {
  readonly email?: true
  readonly number?: true
  /** The value must be one of these. */
  readonly options?: readonly string[]
}

/** Describes how a given value breaks the rules of its field; null if it does not. */
export function findBrokenRule(demand: CaptureField, value: string): { isMalformed: boolean; sentence: string } | null {
  const { email, number, options } = demand.rules
  const field = dottedPath(demand)
  if (email && readEmail(value) === null) return { isMalformed: true, sentence: emailRule(field) }
  if (number && readDecimal(value.trim()) === null) return { isMalformed: true, sentence: `${field} must be a number.` }
  if (options && !options.includes(value))
    return { isMalformed: false, sentence: `${field} must be one of ${options.join(', ')}.` }
  return null
}

/** Refusal for a shopper who left the field empty. */
export function refusalForMissingField(demand: CaptureField): ShopperRefusal {
  if (demand.type === 'option') return refusal('choose_option', { name: demand.name })
  return isExtraField(demand)
    ? refusal('missing_answer', { name: demand.name })
    : fieldRefusal(dottedPath(demand), true)
}

/** Refusal for a shopper who entered an invalid value. */
export const refusalForInvalidField = (demand: CaptureField): ShopperRefusal =>
  isExtraField(demand) ? refusal('wrong_answer', { name: demand.name }) : fieldRefusal(dottedPath(demand))

const isExtraField = ({ path: [part] }: CaptureField): boolean => part === 'extrafields'

/** `shipping.name`, as refusals name a field. */
export const dottedPath = ({ path }: CaptureField): string => path.join('.')

/** `shipping[name]`, as forms name a field. */
export const formName = ({ path: [first = '', ...rest] }: CaptureField): string =>
  first + rest.map((part) => `[${part}]`).join('')

/** Data of a product that the requirements depend on. Groups are only needed if options are still to be chosen. */
type DemandingProduct = Pick<
  CheckoutProductRow,
  | 'id'
  | 'collects_fullname'
  | 'collects_shipping_address'
  | 'collects_billing_address'
  | 'extra_fields'
  | 'variant_groups'
>

/** The products of the checkout, keyed by id. */
type Products = ReadonlyMap<string, DemandingProduct>

/**
 * Lists the fields in the order in which a form asks for them. Optional fields are listed if capture uses them.
 * `taxedBy` is the address that may need a region for the tax. Only a capture body can tell that it is the billing address.
 */
export function listCaptureFields(
  row: CheckoutRow,
  { totals, methods, offered, method }: PricedCheckout,
  details: { readonly products: readonly DemandingProduct[] },
  taxedBy: 'shipping' | 'billing' = 'shipping',
): CaptureField[] {
  const products: Products = new Map(details.products.map((product) => [product.id, product]))
  const all = [...products.values()]
  const isShipped = needsShipping(row)
  const hasAddress = isShipped || all.some(({ collects_shipping_address }) => collects_shipping_address)
  const isNamed = all.some(({ collects_fullname }) => collects_fullname)
  const isBilled = all.some(({ collects_billing_address }) => collects_billing_address)
  const isBilledRegionNeeded = taxedBy === 'billing' && isTaxedByRegion(row) && row.taxed_in.region === null
  return [
    ...row.lines.flatMap((line) => missingOptions(line, products)),
    demand(['customer', 'email'], 'E-mail', 'email', true),
    demand(['customer', 'firstname'], 'First name', 'text', isNamed),
    demand(['customer', 'lastname'], 'Last name', 'text', isNamed),
    ...(hasAddress ? shippingAddress(isRegionNeeded(row, methods, taxedBy)) : []),
    ...(isBilled ? address('billing', true, region('billing', isBilledRegionNeeded)) : []),
    // The billing address is not collected, but it was sent and decides the tax.
    ...(!isBilled && isBilledRegionNeeded ? [region('billing', true)] : []),
    ...(isShipped
      ? [
          demand(
            ['fulfillment', 'shipping_method'],
            'Shipping method',
            'shipping_method',
            // A chosen method counts while it fits.
            method === null,
            offered.map(({ id, description }) => ({ value: id, label: description })),
          ),
        ]
      : []),
    ...all.flatMap(({ extra_fields }) =>
      extra_fields.map(({ id, name, type, is_required, options }) =>
        demand(
          ['extrafields', id],
          name,
          type,
          is_required,
          options?.map((value) => ({ value, label: value })) ?? null,
        ),
      ),
    ),
    ...(totals.payWhatYouWant.isEnabled ? [demand(['pay_what_you_want'], 'Amount', 'amount', false)] : []),
    ...(totals.totalDue > 0 ? [demand(['payment', 'gateway'], 'Payment', 'gateway', true)] : []),
  ]
}

const demand = (
  path: CaptureField['path'],
  label: string,
  type: CaptureField['type'],
  isRequired: boolean,
  options: CaptureField['options'] = null,
  name = label,
): CaptureField => ({
  path,
  label,
  name,
  type,
  isRequired,
  isRequiredByFormsOnly: false,
  options,
  rules: rulesOf(type, options),
})

const rulesOf = (type: CaptureField['type'], options: CaptureField['options']): ValueRules => ({
  ...(type === 'email' ? { email: true } : {}),
  ...(type === 'number' || type === 'amount' ? { number: true } : {}),
  ...(options === null ? {} : { options: options.map(({ value }) => value) }),
})

/**
 * True if shipping or tax depends on the region of the destination. Without a region, the tax of the country applies, and methods for some
 * regions are not offered.
 */
function isRegionNeeded(
  row: CheckoutRow,
  methods: readonly ShippingMethod[],
  taxedBy: 'shipping' | 'billing',
): boolean {
  const { shipping_country: country, shipping_method_id: chosenId } = row
  if (taxedBy === 'shipping' && isTaxedByRegion(row)) return true
  const choice = methods.filter(({ id }) => id === chosenId)
  return (
    country !== null && (choice.length > 0 ? choice : methods).some(({ regions }) => Object.hasOwn(regions, country))
  )
}

/** False if an integration sets the tax, because it has checked the place itself. */
const isTaxedByRegion = ({ is_taxed_by_region: isByRegion, external_tax: external }: CheckoutRow): boolean =>
  isByRegion && !external?.line_items

const region = (kind: 'shipping' | 'billing', isRequired: boolean): CaptureField =>
  demand([kind, 'county_state'], 'State or region', 'region', isRequired)

/** Capture requires neither town nor region of it, because existing storefronts ask for neither. */
const shippingAddress = (isRegionNeeded: boolean): CaptureField[] =>
  address('shipping', false, { ...region('shipping', isRegionNeeded), isRequiredByFormsOnly: true })

/** Requires no postal code, and a region only if something depends on it. Many addresses in the world have neither. */
const address = (kind: 'shipping' | 'billing', isTownRequired: boolean, itsRegion: CaptureField): CaptureField[] => [
  demand([kind, 'name'], 'Name', 'text', true),
  demand([kind, 'street'], 'Street', 'text', true),
  demand([kind, 'street_2'], 'Street, second line', 'text', false),
  demand([kind, 'town_city'], 'City', 'text', isTownRequired),
  itsRegion,
  demand([kind, 'postal_zip_code'], 'Postal code', 'text', false),
  demand([kind, 'country'], 'Country', 'country', true),
]

/** Options that the lines still lack. Also serves a form in which the shopper can choose some of them again. */
export const listOptionFields = (
  { lines }: Pick<CheckoutRow, 'lines'>,
  details: { readonly products: readonly DemandingProduct[] },
): CaptureField[] => {
  const products: Products = new Map(details.products.map((product) => [product.id, product]))
  return lines.flatMap((line) => missingOptions(line, products))
}

/** A line may lack options until capture: one of each group without a choice. */
function missingOptions({ id, product_id, name, groups }: CheckoutRow['lines'][number], products: Products) {
  const open = new Set(groups.filter(({ option_id }) => option_id === null).map(({ group_id }) => group_id))
  return (products.get(product_id)?.variant_groups ?? [])
    .filter((group) => open.has(group.id))
    .map((group) =>
      demand(
        ['line_items', id, 'variants', group.id],
        `${name}: ${group.name}`,
        'option',
        true,
        group.options.map((option) => ({ value: option.id, label: option.name })),
        group.name,
      ),
    )
}
