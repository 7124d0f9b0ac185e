// The endpoints of products as a table: /v1/products/export and /v1/products/import.

import { Type } from 'typebox'
import { defineEndpoint, type Endpoint } from '../../../http/endpoint/endpoint.ts'
import { ProductBatch } from '../batch/schema.ts'
import { ExportQuery } from '../body-schema.ts'
import { COLUMN_NAMES } from './columns.ts'
import { exportProducts } from './export.ts'
import { importProducts, MAX_IMPORT_LINES } from './import.ts'

/** Time limit, enough for a hundred thousand products and a slow reader. */
const EXPORT_MS = 600_000

/** Enough for two thousand products with descriptions of four thousand characters. */
const BODY_LIMIT = 10_485_760

export const tableEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operation: 'products.export',
    permission: 'read',
    summary: `Gives products as a table, comma-separated in UTF-8 with a byte order mark: the same filters as the list, all that match, in its order. Columns: ${COLUMN_NAMES.join(', ')}. A text that a spreadsheet would take for a formula begins with an apostrophe. The table can be changed and imported again.`,
    method: 'GET',
    path: '/v1/products/export',
    access: 'secret',
    query: ExportQuery,
    noStore: true,
    deadlineMs: EXPORT_MS,
    status: 200,
    media: 'text/csv',
    handle: (context) => exportProducts(context, context.query),
  }),
  defineEndpoint({
    operation: 'products.import',
    permission: 'write',
    summary: `Reads products from a table with the columns of the export, of which any may be left out. A line with an id changes that product, as far as its cells differ from it; one without makes a product. At most ${MAX_IMPORT_LINES} lines, each by itself. Goes on after the answer, like a batch, and is asked for as one. At most ten batches and imports of a shop wait.`,
    method: 'POST',
    path: '/v1/products/import',
    access: 'secret',
    body: Type.Object({
      csv: Type.String({
        minLength: 1,
        description: 'The whole table as text. Between the cells may stand commas, semicolons or tabs.',
      }),
      dry_run: Type.Optional(
        Type.Boolean({
          description: 'Nothing is written: each line says what would become of it. false unless given.',
        }),
      ),
    }),
    bodyLimit: BODY_LIMIT,
    limited: true,
    status: 202,
    returns: ProductBatch,
    handle: (context) => importProducts(context, context.body),
  }),
]
