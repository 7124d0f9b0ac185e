// The discount of a cart, a checkout or an order names its products as `product_ids`. Before, `product_id` named one, or was null.

import { type ApiChange, assignField, chainEdits, firstEntryOf, renameField } from '../change.ts'

export const appliedDiscountProductIds = {
  summary:
    'The discount of a cart, a checkout or an order names its products as the list `product_ids` instead of one as `product_id`.',
  kinds: {
    applied_discount: chainEdits(
      assignField('product_ids', firstEntryOf('product_ids')),
      renameField('product_ids', 'product_id'),
    ),
  },
} satisfies ApiChange
