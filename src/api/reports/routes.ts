// Endpoints of /v1/reports: the shop's sales by day. They cover the mode of the key, sandbox or live.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import { fileUrlsFor, urlOf } from '../assets/view.ts'
import { viewCurrency } from '../orders/money/view.ts'
import type { Slice } from '../slice.ts'
import { getOverview, parseReportPeriod, showCappedAmount } from './overview.ts'
import { findSpending, listLowStock, listSoldProducts } from './read-store.ts'
import { countSales } from './sales.ts'
import {
  LowItem,
  Overview,
  OverviewQuery,
  ProductList,
  ProductsQuery,
  SALES_DESCRIPTION,
  SoldProduct,
  Spending,
  StockList,
  StockQuery,
  Totals,
} from './schema.ts'
import { countSpending } from './spending.ts'

export const reports: Slice = {
  kinds: [Totals, Overview, SoldProduct, LowItem, Spending],
  sweeps: () => [countSales, countSpending],
  endpoints: [
    defineEndpoint({
      operation: 'customers.get_spending',
      permission: 'read',
      summary: 'Says how much a customer has spent in all, and for how many orders.',
      method: 'GET',
      path: '/v1/customers/:customer_id/spending',
      access: 'secret',
      params: Type.Object({ customer_id: Type.String({ description: 'The id of a customer: cstmr_…' }) }),
      status: 200,
      returns: Spending,
      handle: async ({ db, caller, params }) => {
        const rows = await findSpending(db, caller, params.customer_id)
        if (rows === null) throw notFound('customer')
        return {
          data: rows.map(({ currency, orders, spent }) => ({
            currency: viewCurrency(currency),
            orders,
            spent: showCappedAmount(spent, currency),
          })),
        }
      },
    }),
    defineEndpoint({
      operation: 'reports.overview',
      permission: 'read',
      summary: `Gives the sales of days, what is to be done about orders and goods, and what the shop still lacks. ${SALES_DESCRIPTION}`,
      method: 'GET',
      path: '/v1/reports/overview',
      access: 'secret',
      query: OverviewQuery,
      status: 200,
      returns: Overview,
      handle: (context) => getOverview(context, context.query),
    }),
    defineEndpoint({
      operation: 'reports.products',
      permission: 'read',
      summary:
        'Gives the products that brought most, at most a minute late. Sales are those of the overview, by product: what its lines came to, less discounts, without shipping and without tax that is added to prices.',
      method: 'GET',
      path: '/v1/reports/products',
      access: 'secret',
      query: ProductsQuery,
      status: 200,
      returns: ProductList,
      handle: async (context) => {
        const { db, caller, query } = context
        const { days } = await parseReportPeriod(context, query)
        const rows = await listSoldProducts(db, caller, days, query.limit)
        const fileUrls = await fileUrlsFor(context)
        return {
          data: rows.map(({ product_id, name, permalink, image, quantity, amount }) => ({
            product_id,
            name,
            permalink,
            image_url: image && urlOf(image, fileUrls),
            quantity,
            sales: showCappedAmount(amount, caller.currency),
          })),
        }
      },
    }),
    defineEndpoint({
      operation: 'reports.stock',
      permission: 'read',
      summary:
        'Gives the items that run out, of active products whose stock is counted: those with the fewest left first.',
      method: 'GET',
      path: '/v1/reports/stock',
      access: 'secret',
      query: StockQuery,
      status: 200,
      returns: StockList,
      handle: async ({ db, caller, query }) => {
        const rows = await listLowStock(db, caller, query.below, query.limit)
        return { data: rows.map((row) => ({ ...row, options: [...row.options] })) }
      },
    }),
  ],
}
