// Queries of reports, and the reports as the API shows them.

import { type Static, Type } from 'typebox'
import { kind, nested, nestedOrNull, nullable, Price } from '../../http/endpoint/schema.ts'
import { MAX_COUNTED_TASKS } from './read-store.ts'

/** Maximum number of days in a report, both ends included. */
export const MAX_DAYS = 366

export const SALES_DESCRIPTION =
  'Sales are what was ordered, with tax and shipping and less discounts, whether it is paid yet or not, on the day on which it was ordered. Orders that were cancelled are left out, as soon as they are; what is given back for an order that stands does not lessen it.'

const day = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))

const days = {
  from: day('The first day, YYYY-MM-DD; 29 days before `to` unless given.'),
  to: day(
    `The last day; today in the shop's time zone unless given. At most ${MAX_DAYS} days after \`from\`, both included.`,
  ),
}

export const OverviewQuery = Type.Object({
  ...days,
  compare: Type.Optional(
    Type.Boolean({
      description: 'Gives the sums of as many days before `from` as `previous`, which is null otherwise.',
    }),
  ),
})

const MAX_ROWS = 100

const limit = (usual: number) =>
  Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: usual, description: `At most so many: 1 to ${MAX_ROWS}.` })

export const ProductsQuery = Type.Object({ ...days, limit: limit(5) })

/** The database keeps items with fewer left than this in order. */
const MAX_LOW_STOCK = 20
export const LOW_STOCK = 5

export const StockQuery = Type.Object({
  below: Type.Integer({
    minimum: 1,
    maximum: MAX_LOW_STOCK,
    default: LOW_STOCK,
    description: `Items of which fewer are left than this: 1 to ${MAX_LOW_STOCK}.`,
  }),
  limit: limit(20),
})

export const Totals = kind('report_totals', {
  sales: nested(Price),
  orders: Type.Integer(),
  average: nested(Price),
  returning_share: nullable(Type.Number(), {
    description: 'Which part of the orders came of customers who had ordered before: 0 to 1. null where there is none.',
  }),
})

export type Totals = Static<typeof Totals>

const upTo = (description: string) =>
  Type.Integer({ description: `${description} ${MAX_COUNTED_TASKS} stands for that many or more.` })

export const Overview = kind('report_overview', {
  from: Type.String(),
  to: Type.String(),
  time_zone: Type.String({ description: 'In which the days begin and end: that of the merchant.' }),
  totals: nested(Totals),
  previous: nestedOrNull(Totals),
  days: Type.Array(Type.Object({ day: Type.String(), sales: nested(Price), orders: Type.Integer() }), {
    description: 'Each day from `from` to `to`.',
  }),
  to_do: Type.Object({
    unshipped: upTo('Orders that orders.list finds by status=unshipped.'),
    unpaid: upTo('Orders that orders.list finds by status=unpaid.'),
    failing_webhooks: Type.Integer({ description: 'Webhooks to which nothing arrives any more.' }),
    low_stock: upTo(`Items of which fewer than ${LOW_STOCK} are left.`),
  }),
  check_list: Type.Object(
    {
      product: Type.Boolean({ description: 'A product is active.' }),
      shipping: Type.Boolean({ description: 'There is a shipping zone.' }),
      gateway: Type.Boolean({
        description:
          'A shopper can pay in this mode. In the sandbox the test gateway is on unless it was switched off.',
      }),
      key: Type.Boolean({ description: 'There is an API key of this mode.' }),
      test_purchase: Type.Boolean({ description: 'The sandbox has an order.' }),
    },
    { description: 'What a shop needs before it sells, and whether it has it.' },
  ),
})

export type Overview = Static<typeof Overview>

export const SoldProduct = kind('report_product', {
  product_id: Type.String(),
  name: Type.String({ description: 'As it is called now; as it was called when it was sold where it is gone.' }),
  permalink: nullable(Type.String(), { description: 'null where the product is gone.' }),
  image_url: nullable(Type.String()),
  quantity: Type.Integer(),
  sales: nested(Price),
})

export type SoldProduct = Static<typeof SoldProduct>

export const LowItem = kind('report_stock_item', {
  product_id: Type.String(),
  variant_id: nullable(Type.String(), { description: 'null where it is the stock of the product itself.' }),
  name: Type.String({ description: 'Of the product.' }),
  options: Type.Array(Type.Object({ group_name: Type.String(), option_name: Type.String() })),
  available: Type.Integer(),
})

export type LowItem = Static<typeof LowItem>

export const Spending = kind('customer_spending', {
  data: Type.Array(
    Type.Object({
      currency: Type.Object({ code: Type.String(), symbol: Type.String() }),
      orders: Type.Integer({ description: 'For which something was paid, and not all of it given back.' }),
      spent: Type.Unsafe<Static<typeof Price>>({
        ...nested(Price),
        description: 'What was paid for them, by gift card too, less what was given back.',
      }),
    }),
    { description: 'One for each currency in which the customer has ordered, at most a minute late.' },
  ),
})

export type Spending = Static<typeof Spending>

export const ProductList = Type.Object({ data: Type.Array(nested(SoldProduct)) })

export type ProductList = Static<typeof ProductList>

export const StockList = Type.Object({ data: Type.Array(nested(LowItem)) })

export type StockList = Static<typeof StockList>
