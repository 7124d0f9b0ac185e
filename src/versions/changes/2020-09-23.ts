// Assets, categories, checkouts, and the flags of collected data of orders.

import {
  type ApiChange,
  assignField,
  chainEdits,
  copyFields,
  dropFields,
  isJsonObject,
  type JsonData,
  type JsonObject,
  renameField,
} from '../change.ts'
import { withOldErrors } from '../old-errors.ts'

// Details of a file are fields of the asset, and an asset has a description. Before, they were inside `data`.

const NESTED = new Set(['filename', 'file_extension', 'file_size', 'image_dimensions'])

/** `data` takes the place of the first field that moves into it. Inside it, the name and the extension also have shorter names. */
function nest(asset: JsonObject): JsonObject {
  const data: Record<string, JsonData> = {}
  const nested = copyFields(asset, (aged, field, content) => {
    if (NESTED.has(field)) {
      data[field] = content
      aged.data = data
    } else if (field !== 'description') aged[field] = content
  })
  if (data.file_extension !== undefined) data.ext = data.file_extension
  if (data.filename !== undefined) data.name = data.filename
  return nested
}

export const assetAttributesInline = {
  summary:
    'The file name, extension, size and dimensions of assets stand in the asset itself instead of under `data`, where the first two also were `name` and `ext`; and assets have a `description`.',
  kinds: { asset: nest },
} satisfies ApiChange

// An update of a category may leave out the slug and the name; before, both were required.

export const categoryUpdatePartial = {
  summary: 'Updating a category no longer requires `slug` and `name`.',
  behaviours: ['category-update-needs-slug-and-name'],
} satisfies ApiChange

// Checkout routes report missing and malformed fields like all others; before, in a form of their own.

/** All routes under /v1/checkouts except capture, which changed earlier. A test fails if one is missing. */
const OPERATIONS = [
  'checkouts.create',
  'checkouts.get',
  'checkouts.live',
  'checkouts.update',
  'checkouts.check_quantity',
  'checkouts.check_variant',
  'checkouts.check_discount',
  'checkouts.check_giftcard',
  'checkouts.check_shipping',
  'checkouts.check_pay_what_you_want',
  'checkouts.check_is_free',
  'checkouts.shipping_options',
  'checkouts.set_tax_zone',
  'checkouts.location_from_ip',
  'checkouts.validation',
  'checkouts.fields',
  'checkouts.receipt',
  'checkouts.protect',
]

export const checkoutErrors = {
  summary:
    'Validation errors of checkout routes have the type `unprocessable_entity` and `errors` by field; before, the type `validation` and as `message` a list of `{param, error}`. Capture is not among them.',
  operations: withOldErrors(OPERATIONS),
} satisfies ApiChange

// Checkout tokens list the bought items as `products`, beside `line_items`; before, only as `line_items`. Removing `products` therefore
// loses nothing.

export const checkoutProducts = {
  summary: 'Checkout tokens list what is bought as `products`; before, only as `line_items`.',
  kinds: { checkout_token: dropFields('products') },
} satisfies ApiChange

// The gateways of a checkout no longer list `amazon_pay`; before, they did. It was never usable here.

const withAmazonPay = ({ available = {} }: JsonObject) => ({
  ...(isJsonObject(available) ? available : {}),
  amazon_pay: false,
})

export const gatewaysWithoutAmazonPay = {
  summary: 'The gateways of a checkout no longer list `amazon_pay`.',
  kinds: { available_gateways: assignField('available', withAmazonPay) },
} satisfies ApiChange

// Flags of orders are in the past tense, `collected_…`; before, in the present tense of the checkout.

const toPresentTense = (conditionals: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(conditionals).map(([flag, value]) => [flag.replace(/^collected_/, 'collects_'), value]),
  )

export const orderCollected = {
  summary: 'The flags `collects_…` and `collects` of orders are now called `collected_…` and `collected`.',
  kinds: {
    order: chainEdits(
      assignField('conditionals', ({ conditionals = {} }) =>
        isJsonObject(conditionals) ? toPresentTense(conditionals) : conditionals,
      ),
      renameField('collected', 'collects'),
    ),
  },
} satisfies ApiChange
