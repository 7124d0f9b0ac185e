// What is known of an asset's file stands in the asset itself, and an asset has a description; before, it stood in `data`.
import type { Change, JsonObject } from './change.ts'

const NESTED = ['filename', 'file_extension', 'file_size', 'image_dimensions']

/** `data` takes the place of the first field that moves into it. */
function nest(asset: JsonObject): JsonObject {
  const data = Object.fromEntries(Object.entries(asset).filter(([field]) => NESTED.includes(field)))
  const aged = Object.entries(asset).flatMap(([field, content]) => {
    if (field === 'description') return []
    if (!NESTED.includes(field)) return [[field, content] as const]
    return field === Object.keys(data)[0] ? [['data', data] as const] : []
  })
  return Object.fromEntries(aged)
}

export default {
  summary:
    'The file name, extension, size and dimensions of assets stand in the asset itself instead of under `data`, and assets have a `description`.',
  kinds: { asset: nest },
} satisfies Change
