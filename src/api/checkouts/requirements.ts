// What capture will demand for a checkout, told before it is asked: one list, from which helpers make forms and rules, and capture
// its refusals. It follows from what is bought, where it goes and what is left to pay.

import { readDecimal } from '../../lib/money.ts'
import { emailRule, readEmail } from '../../lib/text.ts'
import { fieldRefusal, type Refusal, refusal } from '../../lib/words/refusals.ts'
import type { ExtraField } from '../products/schema.ts'
import { hasToBeShipped, type PricedCheckout, type ShippingMethod } from './price.ts'
import type { CheckoutProductRow, CheckoutRow } from './read-store.ts'

/** One field of the body of capture. */
export type Demand = {
  /** Where it stands in the body: `['shipping', 'name']`. */
  readonly path: readonly string[]
  /** What a form calls it. */
  readonly label: string
  /** The same without that which it belongs to: `Size`, where the label is `Shirt: Size`. */
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
  /** Only a form insists on it: a storefront that has no such field sells all the same. */
  readonly isLeftToForms: boolean
  /** What can be chosen, where that is a list of the checkout's own. */
  readonly options: readonly { readonly value: string; readonly label: string }[] | null
  /** What a value must be, where one is given. */
  readonly rules: ValueRules
}

/** As forms name them. */
type ValueRules = {
  readonly email?: true
  readonly number?: true
  /** It is one of these. */
  readonly options?: readonly string[]
}

/** How a value that was given breaks the rules of its field, in a sentence; null when it does not. */
export function brokenRule(demand: Demand, value: string): { isMalformed: boolean; sentence: string } | null {
  const { email, number, options } = demand.rules
  const field = dottedPath(demand)
  if (email && readEmail(value) === null) return { isMalformed: true, sentence: emailRule(field) }
  if (number && readDecimal(value.trim()) === null) return { isMalformed: true, sentence: `${field} must be a number.` }
  if (options && !options.includes(value))
    return { isMalformed: false, sentence: `${field} must be one of ${options.join(', ')}.` }
  return null
}

/** What a shopper is told who left it empty. */
export function missingRefusal(demand: Demand): Refusal {
  if (demand.type === 'option') return refusal('choose_option', { name: demand.name })
  return isExtraField(demand)
    ? refusal('missing_answer', { name: demand.name })
    : fieldRefusal(dottedPath(demand), true)
}

/** What a shopper is told whose answer cannot be right. */
export const wrongRefusal = (demand: Demand): Refusal =>
  isExtraField(demand) ? refusal('wrong_answer', { name: demand.name }) : fieldRefusal(dottedPath(demand))

const isExtraField = ({ path: [part] }: Demand): boolean => part === 'extrafields'

/** `shipping.name`, as refusals name a field. */
export const dottedPath = ({ path }: Demand): string => path.join('.')

/** `shipping[name]`, as forms name a field. */
export const formName = ({ path: [first = '', ...rest] }: Demand): string =>
  first + rest.map((part) => `[${part}]`).join('')

/** What is to be known of a product. The groups only where something is left to choose of it. */
type DemandingProduct = Pick<
  CheckoutProductRow,
  | 'id'
  | 'collects_fullname'
  | 'collects_shipping_address'
  | 'collects_billing_address'
  | 'extra_fields'
  | 'variant_groups'
>

/** The products of the checkout by their ids. */
type Products = ReadonlyMap<string, DemandingProduct>

/**
 * In the order in which a form would ask. Fields that are not required are listed where capture makes use of them. `taxedBy`: the address
 * that may have to say more of where it is taxed; only the body of a capture tells that it is the billing address.
 */
export function demandsOf(
  row: CheckoutRow,
  { totals, methods, offered, method }: PricedCheckout,
  details: { readonly products: readonly DemandingProduct[] },
  taxedBy: 'shipping' | 'billing' = 'shipping',
): Demand[] {
  const products: Products = new Map(details.products.map((product) => [product.id, product]))
  const all = [...products.values()]
  const isShipped = hasToBeShipped(row)
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
    // Nobody asked for a billing address, but it was sent, and it decides the tax.
    ...(!isBilled && isBilledRegionNeeded ? [region('billing', true)] : []),
    ...(isShipped
      ? [
          demand(
            ['fulfillment', 'shipping_method'],
            'Shipping method',
            'shipping_method',
            // The one that was chosen counts, as long as it fits.
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
  path: Demand['path'],
  label: string,
  type: Demand['type'],
  isRequired: boolean,
  options: Demand['options'] = null,
  name = label,
): Demand => ({ path, label, name, type, isRequired, isLeftToForms: false, options, rules: rulesOf(type, options) })

const rulesOf = (type: Demand['type'], options: Demand['options']): ValueRules => ({
  ...(type === 'email' ? { email: true } : {}),
  ...(type === 'number' || type === 'amount' ? { number: true } : {}),
  ...(options === null ? {} : { options: options.map(({ value }) => value) }),
})

/**
 * Whether how it is sent or taxed depends on the region of the country that it goes to: without one it is taxed as the country is, and
 * methods for some regions alone are not offered.
 */
function isRegionNeeded(
  row: CheckoutRow,
  methods: readonly ShippingMethod[],
  taxedBy: 'shipping' | 'billing',
): boolean {
  const { shipping_country: country, shipping_method_id: chosenId } = row
  if (taxedBy === 'shipping' && isTaxedByRegion(row)) return true
  const chosen = methods.filter(({ id }) => id === chosenId)
  return (
    country !== null && (chosen.length > 0 ? chosen : methods).some(({ regions }) => Object.hasOwn(regions, country))
  )
}

/** Not where an integration sets the tax: it has looked at the place itself. */
const isTaxedByRegion = ({ is_taxed_by_region: isByRegion, external_tax: external }: CheckoutRow): boolean =>
  isByRegion && !external?.line_items

const region = (whose: 'shipping' | 'billing', isRequired: boolean): Demand =>
  demand([whose, 'county_state'], 'State or region', 'region', isRequired)

/** Capture demands no town and no region of it: storefronts are out there that ask for neither. */
const shippingAddress = (isRegionNeeded: boolean): Demand[] =>
  address('shipping', false, { ...region('shipping', isRegionNeeded), isLeftToForms: true })

/** A postal code is not demanded, nor a region where nothing goes by it: half of the world's addresses have none. */
const address = (whose: 'shipping' | 'billing', isTownRequired: boolean, itsRegion: Demand): Demand[] => [
  demand([whose, 'name'], 'Name', 'text', true),
  demand([whose, 'street'], 'Street', 'text', true),
  demand([whose, 'street_2'], 'Street, second line', 'text', false),
  demand([whose, 'town_city'], 'City', 'text', isTownRequired),
  itsRegion,
  demand([whose, 'postal_zip_code'], 'Postal code', 'text', false),
  demand([whose, 'country'], 'Country', 'country', true),
]

/** What is left to choose of a checkout's lines: also for who shows a form in which some of it has been chosen, and can be chosen again. */
export const optionDemands = (
  { lines }: Pick<CheckoutRow, 'lines'>,
  details: { readonly products: readonly DemandingProduct[] },
): Demand[] => {
  const products: Products = new Map(details.products.map((product) => [product.id, product]))
  return lines.flatMap((line) => missingOptions(line, products))
}

/** A line may lack options until it is captured: one of each group that nothing was chosen of. */
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
