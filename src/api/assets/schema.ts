// The asset as the API shows it, and the bodies that create and change one.

import { type Static, Type } from 'typebox'
import { kind, nullable, oneOf, pageQuery, Timestamp } from '../../http/endpoint/schema.ts'

type AssetMeta = Record<string, unknown> | string[]
type Dimensions = { width: number; height: number }

const MetaSent = Type.Unsafe<AssetMeta | null>({
  type: ['array', 'object', 'null'],
  items: { type: 'string' },
  additionalProperties: true,
  description: 'Data of your own, a list of strings or an object; kept as sent.',
})

const PIXELS = { minimum: 1, maximum: 1_000_000 }

export const Asset = kind('asset', {
  id: Type.String(),
  url: Type.String({ description: 'Where the file is served. That of a private asset works for an hour.' }),
  description: nullable(Type.String()),
  is_image: Type.Boolean(),
  filename: Type.String({ description: 'As it was uploaded.' }),
  file_extension: Type.String(),
  file_size: Type.Integer({ description: 'In bytes.' }),
  image_dimensions: Type.Unsafe<Dimensions | []>({
    type: ['object', 'array'],
    properties: { width: { type: 'integer' }, height: { type: 'integer' } },
    items: {},
    description: 'In pixels. An empty list for what is not an image.',
  }),
  meta: Type.Unsafe<AssetMeta>({
    type: ['object', 'array'],
    additionalProperties: true,
    items: {},
    description:
      'Data of your own; kept as sent. While the file at the url that made it cannot be fetched, source_unreachable: true stands beside it, and the asset shows a placeholder.',
  }),
  private: Type.Boolean({ description: 'Served through signed, expiring addresses only.' }),
  pending: Type.Boolean({ description: 'Waits for its upload to be finished, and is not served until then.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export type Asset = Static<typeof Asset>

export const DEFAULT_ASSET_LIMIT = 15

export const AssetListQuery = Type.Object({
  ...pageQuery(DEFAULT_ASSET_LIMIT),
  sortDirection: Type.Unsafe<'asc' | 'desc'>({
    ...oneOf(['asc', 'desc']),
    default: 'asc',
    description: 'asc: oldest first; desc: newest first.',
  }),
})

const Description = Type.Optional(nullable(Type.String({ maxLength: 10_000 })))

export const CreateAsset = Type.Object({
  filename: Type.String({ minLength: 1, maxLength: 255 }),
  contents: Type.Optional(
    Type.String({
      description: 'The file in base64, or a base64 data: URL; 2 MB at most. Counts where url is given too.',
    }),
  ),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'Where to fetch the file from; 10 MB at most. Where nobody answers, a sandbox key gets an asset with a placeholder, and the file is tried again for a day.',
    }),
  ),
  pending: Type.Optional(
    Type.Boolean({ description: 'true, with neither contents nor url: answers an address to upload the file to.' }),
  ),
  image_dimensions: Type.Optional(
    Type.Object(
      { width: Type.Optional(Type.Integer(PIXELS)), height: Type.Optional(Type.Integer(PIXELS)) },
      { description: 'Read from the image unless given.' },
    ),
  ),
  description: Description,
  meta: Type.Optional(MetaSent),
  private: Type.Optional(Type.Boolean({ description: 'false unless given.' })),
})

export type CreateAsset = Static<typeof CreateAsset>

export const UpdateAsset = Type.Object({
  pending: Type.Optional(Type.Boolean({ description: 'The upload is finished; true and false mean the same.' })),
  description: Description,
  meta: Type.Optional(MetaSent),
})

export type UpdateAsset = Static<typeof UpdateAsset>

const saved = { id: Type.String(), url: Type.String() }

export const CreatedAsset = kind('created_asset', {
  ...saved,
  upload_url: Type.Optional(Type.String({ description: 'PUT the bytes of the file here, without a key.' })),
  upload_expires: Type.Optional(Timestamp),
})

export type CreatedAsset = Static<typeof CreatedAsset>

export const UpdatedAsset = kind('updated_asset', saved)

export type UpdatedAsset = Static<typeof UpdatedAsset>

/** Objects that use an asset. */
export const AssetUses = kind('asset_uses', {
  data: Type.Array(
    Type.Object({
      type: oneOf(['merchant', 'category', 'product'], {
        description: 'product: also where one of its options or variants shows it, or where it is downloaded.',
      }),
      id: Type.String(),
      name: Type.String(),
    }),
  ),
  total: Type.Integer({ description: 'Of all, also those that are not named.' }),
})
export type AssetUses = Static<typeof AssetUses>
