// The registry of API versions, newest first. It reads as the API's changelog and alone gives a change its date.
// A change file is imported here by name and listed under the version that brought it (see README.md).

import assetWithoutMerchantId from './2020-08-12-asset-without-merchant-id.ts'
import productById from './2020-08-12-product-by-id.ts'
import assetAttributesInline from './2020-09-23-asset-attributes-inline.ts'
import categoryUpdatePartial from './2020-09-23-category-update-partial.ts'
import productUpdated from './2020-11-18-product-updated.ts'
import productVariantGroups from './2021-03-10-product-variant-groups.ts'
import imageInsteadOfMedia from './2021-09-29-image-instead-of-media.ts'
import assetDeleteWithoutBody from './2022-07-21-asset-delete-without-body.ts'
import categoryDeleteWithoutBody from './2022-07-21-category-delete-without-body.ts'
import type { Version } from './change.ts'

/** The version that business code is written for; new merchants get it. */
export const HEAD = '2022-07-21'

export const versions: readonly Version[] = [
  { date: HEAD, changes: [assetDeleteWithoutBody, categoryDeleteWithoutBody] },
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
  { date: '2021-03-31', changes: [] },
  { date: '2021-03-17', changes: [] },
  { date: '2021-03-10', changes: [productVariantGroups] },
  { date: '2021-03-03', changes: [] },
  { date: '2020-11-18', changes: [productUpdated] },
  { date: '2020-09-23', changes: [assetAttributesInline, categoryUpdatePartial] },
  { date: '2020-08-26', changes: [] },
  { date: '2020-08-12', changes: [assetWithoutMerchantId, productById] },
  { date: '2020-07-29', changes: [] },
  { date: '2020-07-01', changes: [] },
  { date: '2020-06-17', changes: [] },
  // The initial version: nothing is older, so it can never hold a change.
  { date: '2020-02-01', changes: [] },
]
