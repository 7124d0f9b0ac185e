// Texts about a file, and the objects that use it.

import type { Asset, AssetUses } from '../../../../src/api/assets/schema.ts'

/** The source URL of the file does not answer, so a placeholder is shown. */
export const isUnreachable = ({ meta }: Asset): boolean => !Array.isArray(meta) && meta.source_unreachable === true

/** "JPG, 1200 × 800, 340 KB" */
export function factsOf({ file_extension, file_size, image_dimensions }: Asset): string {
  const size = 'width' in image_dimensions ? `${image_dimensions.width} × ${image_dimensions.height}` : null
  return [file_extension.toUpperCase(), size, file_size > 0 ? sizeText(file_size) : null].filter(Boolean).join(', ')
}

/** An object that shows or sells a file. */
export type FileUse = AssetUses['data'][number]

export const FILE_USERS: Readonly<Record<FileUse['type'], readonly [word: string, href: (id: string) => string]>> = {
  product: ['Product', (id) => `/dashboard/products/${id}`],
  category: ['Category', (id) => `/dashboard/categories/${id}`],
  merchant: ['Shop', () => '/dashboard/settings/shop'],
}

const MB = 1_048_576

/** "1.3 MB" */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < MB) return `${Math.round(bytes / 1_024)} KB`
  return `${(bytes / MB).toFixed(1).replace(/\.0$/, '')} MB`
}
