// The registry of API versions, newest first. It doubles as the changelog of the API. A change gets its date only here. Change files are
// imported by name and listed under the version that brought them (see README.md).

import type { Version } from './change.ts'
import { discountProductIds, orderPayments } from './changes/2020-06-17.ts'
import { orderMeta } from './changes/2020-07-01.ts'
import { appliedDiscountProductIds } from './changes/2020-07-29.ts'
import {
  assetWithoutMerchantId,
  liveWithoutFutureCharges,
  orderTransactions,
  orderWithoutFutureCharges,
  productById,
} from './changes/2020-08-12.ts'
import { captureErrors } from './changes/2020-08-26.ts'
import {
  assetAttributesInline,
  categoryUpdatePartial,
  checkoutErrors,
  checkoutProducts,
  gatewaysWithoutAmazonPay,
  orderCollected,
} from './changes/2020-09-23.ts'
import { cartUpdated, downloadIds, giftCardUpdated, productUpdated } from './changes/2020-11-18.ts'
import { lineSelectedOptions, optionQuantity, productVariantGroups } from './changes/2021-03-10.ts'
import { cartOptions } from './changes/2021-03-31.ts'
import { imageInsteadOfMedia } from './changes/2021-09-29.ts'
import {
  assetDeleteWithoutBody,
  cartDiscount,
  cartMutationsBare,
  categoryDeleteWithoutBody,
  discountList,
  orderPartialRefunds,
} from './changes/2022-07-21.ts'

/** Version that the code is written for, and that new merchants get. */
export const HEAD = '2022-07-21'

export const versions: readonly Version[] = [
  {
    date: HEAD,
    changes: [
      discountList,
      assetDeleteWithoutBody,
      cartDiscount,
      cartMutationsBare,
      categoryDeleteWithoutBody,
      orderPartialRefunds,
    ],
  },
  { date: '2021-10-06', changes: [] },
  { date: '2021-09-29', changes: [imageInsteadOfMedia] },
  { date: '2021-09-22', changes: [] },
  { date: '2021-07-28', changes: [] },
  { date: '2021-07-21', changes: [] },
  { date: '2021-07-14', changes: [] },
  { date: '2021-06-23', changes: [] },
  { date: '2021-06-09', changes: [] },
  { date: '2021-06-02', changes: [] },
  { date: '2021-05-19', changes: [] },
  { date: '2021-05-05', changes: [] },
  { date: '2021-04-28', changes: [] },
  { date: '2021-04-13', changes: [] },
  { date: '2021-03-31', changes: [cartOptions] },
  { date: '2021-03-17', changes: [] },
  { date: '2021-03-10', changes: [lineSelectedOptions, optionQuantity, productVariantGroups] },
  { date: '2021-03-03', changes: [] },
  { date: '2020-11-18', changes: [cartUpdated, downloadIds, giftCardUpdated, productUpdated] },
  {
    date: '2020-09-23',
    changes: [
      assetAttributesInline,
      categoryUpdatePartial,
      checkoutErrors,
      checkoutProducts,
      gatewaysWithoutAmazonPay,
      orderCollected,
    ],
  },
  { date: '2020-08-26', changes: [captureErrors] },
  {
    date: '2020-08-12',
    changes: [
      assetWithoutMerchantId,
      liveWithoutFutureCharges,
      orderTransactions,
      orderWithoutFutureCharges,
      productById,
    ],
  },
  { date: '2020-07-29', changes: [appliedDiscountProductIds] },
  { date: '2020-07-01', changes: [orderMeta] },
  { date: '2020-06-17', changes: [discountProductIds, orderPayments] },
  // The initial version. Nothing is older, so it can never hold a change.
  { date: '2020-02-01', changes: [] },
]
