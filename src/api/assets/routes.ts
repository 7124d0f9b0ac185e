// Endpoints, jobs and sweeps of /v1/assets.

import { Type } from 'typebox'
import {
  asModeSharedEndpoints,
  CREATES,
  DELETES,
  defineEndpoint,
  READS,
  UPDATES,
} from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { paginate, parsePageQuery } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { deleteAsset, updateAsset } from './asset.ts'
import { removeFile, sweepPendingAssets, sweepUnknownFiles } from './jobs.ts'
import { findAssetUses } from './read-store.ts'
import { refetchJob } from './refetch.ts'
import {
  Asset,
  AssetListQuery,
  AssetUses,
  CreateAsset,
  CreatedAsset,
  DEFAULT_ASSET_LIMIT,
  UpdateAsset,
  UpdatedAsset,
} from './schema.ts'
import { findAsset, listAssets } from './store.ts'
import { presignAsset, uploadAsset } from './upload.ts'
import { fileUrlsFor, urlOf, viewAsset, viewUses } from './view.ts'

/** Maximum number of uses in a reply, for categories and for products separately. */
const MAX_USES = 100

/**
 * A file of 2 MB takes 2.8 MB in base64. The limit is higher, so that a slightly larger file gets the error about
 * the size of files.
 */
const BODY_LIMIT = 4_194_304

const Id = Type.Object({ asset_id: Type.String({ description: 'The id of an asset: ast_…' }) })

export const assets: Slice = {
  kinds: [Asset, AssetUses, CreatedAsset, UpdatedAsset],
  endpoints: asModeSharedEndpoints([
    defineEndpoint({
      operation: 'assets.list',
      permission: 'see',
      summary: 'Lists assets, oldest first unless asked otherwise.',
      ...READS,
      access: 'secret',
      path: '/v1/assets',
      query: AssetListQuery,
      returns: listOf(Asset),
      handle: async (context) => {
        const page = parsePageQuery(context.query, DEFAULT_ASSET_LIMIT)
        const { rows, total } = await listAssets(context.db, context.caller, page, context.query.sortDirection)
        const fileUrls = await fileUrlsFor(context)
        return paginate(
          rows.map((row) => viewAsset(row, fileUrls)),
          total,
          page,
          context.url,
        )
      },
    }),
    defineEndpoint({
      operation: 'assets.get',
      permission: 'see',
      summary: 'Gives one asset.',
      ...READS,
      access: 'secret',
      path: '/v1/assets/:asset_id',
      params: Id,
      returns: Asset,
      handle: async (context) => {
        const row = await findAsset(context.db, context.caller, context.params.asset_id)
        if (row === null) throw notFound('asset')
        return viewAsset(row, await fileUrlsFor(context))
      },
    }),
    defineEndpoint({
      operation: 'assets.list_uses',
      permission: 'see',
      summary: `Tells where an asset is used: the shop, categories and products that show or deliver it. At most ${MAX_USES} categories and as many products are named; total counts all.`,
      ...READS,
      access: 'secret',
      path: '/v1/assets/:asset_id/uses',
      params: Id,
      returns: AssetUses,
      handle: async (context) => {
        const uses = await findAssetUses(context.db, context.caller, context.params.asset_id, MAX_USES)
        if (uses === null) throw notFound('asset')
        return viewUses(uses)
      },
    }),
    defineEndpoint({
      operation: 'assets.create',
      permission: 'write',
      summary: 'Stores a file that is sent along or fetched, or gives an address to upload it to.',
      ...CREATES,
      path: '/v1/assets',
      body: CreateAsset,
      bodyLimit: BODY_LIMIT,
      returns: CreatedAsset,
      handle: async (context) => {
        if (context.body.contents === undefined && context.body.url === undefined) {
          const { row, ...upload } = await presignAsset(context)
          return { id: row.id, url: urlOf(row, await fileUrlsFor(context)), ...upload }
        }
        const row = await uploadAsset(context)
        return { id: row.id, url: urlOf(row, await fileUrlsFor(context)) }
      },
    }),
    defineEndpoint({
      operation: 'assets.update',
      permission: 'write',
      summary: 'Finishes an upload, or changes the description or meta of an asset.',
      ...UPDATES,
      path: '/v1/assets/:asset_id',
      params: Id,
      body: UpdateAsset,
      returns: UpdatedAsset,
      handle: async (context) => {
        const row = await updateAsset(context, context.params.asset_id, context.body)
        return { id: row.id, url: urlOf(row, await fileUrlsFor(context)) }
      },
    }),
    defineEndpoint({
      operation: 'assets.delete',
      permission: 'write',
      summary:
        'Deletes an asset and its file, for good, and detaches it from whatever shows it. A file that products deliver, or buyers may still download, stays.',
      ...DELETES,
      path: '/v1/assets/:asset_id',
      params: Id,
      handle: (context) => deleteAsset(context, context.params.asset_id),
    }),
  ]),
  jobs: (services) => [removeFile(services), refetchJob(services)],
  sweeps: (services) => [sweepPendingAssets(services), sweepUnknownFiles(services)],
}
