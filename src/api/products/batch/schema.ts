// The request and the reply of a batch of product changes.

import { type Static, Type } from 'typebox'
import { Amount, kind, nullable, oneOf, Timestamp } from '../../../http/endpoint/schema.ts'
import { UpdateProduct } from '../body-schema.ts'

/** Limit of products: as many as a list shows at once, and few enough for a reply with all results. */
export const MAX_PRODUCTS = 200

const ids = (maxItems: number, description: string) =>
  Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems, description }))

export const CreateBatch = Type.Object({
  ids: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_PRODUCTS,
    description: 'The products, each once. They are changed in this order.',
  }),
  changes: Type.Optional(
    Type.Object(UpdateProduct.properties, { description: 'What each of them becomes, as for one product.' }),
  ),
  price: Type.Optional(
    Type.Object(
      {
        add: Type.Optional(
          Type.Unsafe<number | string>({ ...Amount, description: 'Added to the price of each; may be negative.' }),
        ),
        multiply: Type.Optional(
          Type.Unsafe<number | string>({
            ...Amount,
            description: 'From 0 to 1000, with at most six decimals: 1.1 is ten percent more.',
          }),
        ),
      },
      {
        description:
          'In place of changes.price. Each price is multiplied and rounded to the currency, a half up, and then added to. A product whose price would be below 0 stays as it is and is refused. Prices of variants stay.',
      },
    ),
  ),
  categories: Type.Optional(
    Type.Object(
      {
        add: ids(200, 'Ids of categories that each product is put into.'),
        remove: ids(200, 'Ids of categories that each product is taken out of.'),
      },
      { description: 'In place of changes.categories: of the categories of each product, all others stay.' },
    ),
  ),
  delete: Type.Optional(Type.Boolean({ description: 'Deletes the products. Cannot be combined with other changes.' })),
})

export const ProductBatch = kind('product_batch', {
  id: Type.String(),
  state: oneOf(['running', 'done'], { description: 'done: every product has been processed.' }),
  total: Type.Integer(),
  done: Type.Integer({ description: 'How many have been worked through, those that were refused included.' }),
  refused: Type.Integer({ description: 'How many of them were refused, and are as they were.' }),
  dry_run: Type.Boolean({ description: 'Nothing is written: each entry says what would become of it.' }),
  created: Timestamp,
  results: Type.Array(
    Type.Object({
      id: nullable(Type.String(), { description: 'null: a product that is not made yet, or would be made.' }),
      name: nullable(Type.String(), { description: 'null where there is no such product.' }),
      state: oneOf(['waiting', 'changed', 'unchanged', 'refused'], {
        description: 'unchanged: it was already as an imported line says.',
      }),
      message: nullable(Type.String(), { description: 'Why it was refused, as a request for it alone would be.' }),
      line: nullable(Type.Integer(), {
        description: 'Of an import: the line in the file, counted from 1.',
      }),
      errors: Type.Array(
        Type.Object({
          column: nullable(Type.String()),
          message: Type.String({
            description: 'A sentence that names the column, or the field of the product that the column sets.',
          }),
        }),
        { description: 'Of an import: what is wrong with which column; null where it is about the whole line.' },
      ),
    }),
    { description: 'In the order in which they were sent.' },
  ),
})

export type BatchBody = Static<typeof CreateBatch>
export type ProductBatch = Static<typeof ProductBatch>
