// A product for links to the checkout page, which several screens offer.

import type { Product } from '../../../../src/api/products/schema.ts'
import type { ListPage } from '../../parts/list/list.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'

/** Any product that is for sale, to look at its checkout page. Its links lead to the current mode. Undefined if there is none. */
export function useProductForSale(isNeeded = true): Product | undefined {
  const may = useMay()
  const path = isNeeded && may('products.list') ? '/v1/products?limit=1&active=1' : null
  return useQuery<ListPage<Product>>(path).data?.data[0]
}
