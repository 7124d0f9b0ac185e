// The registry of API versions, newest first. It reads as the API's changelog and alone gives a change its date.
// A change file is imported here by name and listed under the version that brought it (see README.md).

import discountProductIds from './2020-06-17-discount-product-ids.ts'
import orderPayments from './2020-06-17-order-payments.ts'
import orderMeta from './2020-07-01-order-meta.ts'
import appliedDiscountProductIds from './2020-07-29-applied-discount-product-ids.ts'
import assetWithoutMerchantId from './2020-08-12-asset-without-merchant-id.ts'
import liveWithoutFutureCharges from './2020-08-12-live-without-future-charges.ts'
import orderTransactions from './2020-08-12-order-transactions.ts'
import orderWithoutFutureCharges from './2020-08-12-order-without-future-charges.ts'
import productById from './2020-08-12-product-by-id.ts'
import captureErrors from './2020-08-26-capture-errors.ts'
import assetAttributesInline from './2020-09-23-asset-attributes-inline.ts'
import categoryUpdatePartial from './2020-09-23-category-update-partial.ts'
import checkoutErrors from './2020-09-23-checkout-errors.ts'
import checkoutProducts from './2020-09-23-checkout-products.ts'
import gatewaysWithoutAmazonPay from './2020-09-23-gateways-without-amazon-pay.ts'
import orderCollected from './2020-09-23-order-collected.ts'
import cartUpdated from './2020-11-18-cart-updated.ts'
import downloadIds from './2020-11-18-download-ids.ts'
import giftCardUpdated from './2020-11-18-gift-card-updated.ts'
import productUpdated from './2020-11-18-product-updated.ts'
import lineSelectedOptions from './2021-03-10-line-selected-options.ts'
import productVariantGroups from './2021-03-10-product-variant-groups.ts'
import cartOptions from './2021-03-31-cart-options.ts'
import imageInsteadOfMedia from './2021-09-29-image-instead-of-media.ts'
import assetDeleteWithoutBody from './2022-07-21-asset-delete-without-body.ts'
import cartDiscount from './2022-07-21-cart-discount.ts'
import cartMutationsBare from './2022-07-21-cart-mutations-bare.ts'
import categoryDeleteWithoutBody from './2022-07-21-category-delete-without-body.ts'
import type { Version } from './change.ts'

/** The version that business code is written for; new merchants get it. */
export const HEAD = '2022-07-21'

export const versions: readonly Version[] = [
  { date: HEAD, changes: [assetDeleteWithoutBody, cartDiscount, cartMutationsBare, categoryDeleteWithoutBody] },
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
  { date: '2021-03-10', changes: [lineSelectedOptions, productVariantGroups] },
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
  // The initial version: nothing is older, so it can never hold a change.
  { date: '2020-02-01', changes: [] },
]
