// What is known of an asset's file stands in the asset itself, and an asset has a description; before, it stood in `data`.
import { type Change, copyFields, type Json, type JsonObject } from './change.ts'

const NESTED = new Set(['filename', 'file_extension', 'file_size', 'image_dimensions'])

/** `data` takes the place of the first field that moves into it. */
function nest(asset: JsonObject): JsonObject {
  const data: Record<string, Json> = {}
  return copyFields(asset, (aged, field, content) => {
    if (NESTED.has(field)) {
      data[field] = content
      aged.data = data
    } else if (field !== 'description') aged[field] = content
  })
}

export default {
  summary:
    'The file name, extension, size and dimensions of assets stand in the asset itself instead of under `data`, and assets have a `description`.',
  kinds: { asset: nest },
} satisfies Change
