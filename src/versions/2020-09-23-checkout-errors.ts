// Checkout routes say which fields are missing or badly formed as all others do; before, in a form of their own.
import type { Change } from './change.ts'
import { answeredInOldForm } from './old-validation-errors.ts'

/** Each route under /v1/checkouts by name, but for capture, which changed earlier. A test fails on one that is left out. */
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

export default {
  summary:
    'Validation errors of checkout routes have the type `unprocessable_entity` and `errors` by field; before, the type `validation` and as `message` a list of `{param, error}`. Capture is not among them.',
  operations: answeredInOldForm(OPERATIONS),
} satisfies Change
