// A file as the API returns it, and texts about it.

import type { ListPage } from '../../parts/list/list.tsx'

export type ShopFile = {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly is_image: boolean
  readonly filename: string
  readonly file_extension: string
  readonly file_size: number
  readonly image_dimensions: { readonly width: number; readonly height: number } | readonly []
  readonly meta: Readonly<Record<string, unknown>> | readonly unknown[]
  readonly private: boolean
  readonly pending: boolean
  readonly created_at: number
}

export type ListedFiles = ListPage<ShopFile>

/** The source URL of the file does not answer, so a placeholder is shown. */
export const isUnreachable = ({ meta }: ShopFile): boolean =>
  !Array.isArray(meta) && (meta as Readonly<Record<string, unknown>>).source_unreachable === true

/** "JPG, 1200 × 800, 340 KB" */
export function factsOf({ file_extension, file_size, image_dimensions }: ShopFile): string {
  const size = 'width' in image_dimensions ? `${image_dimensions.width} × ${image_dimensions.height}` : null
  return [file_extension.toUpperCase(), size, file_size > 0 ? sizeText(file_size) : null].filter(Boolean).join(', ')
}

/** An object that shows or sells a file. */
export type FileUse = { readonly type: string; readonly id: string; readonly name: string }

export type FileUses = { readonly data: readonly FileUse[]; readonly total: number }

const PLACES: Readonly<Record<string, readonly [word: string, href: (id: string) => string | null]>> = {
  product: ['Product', (id) => `/dashboard/products/${id}`],
  variant: ['Variant', () => null],
  category: ['Category', (id) => `/dashboard/categories/${id}`],
  merchant: ['Shop', () => '/dashboard/settings/shop'],
}

export const useTypeName = ({ type }: FileUse): string =>
  PLACES[type]?.[0] ?? `${type[0]?.toUpperCase()}${type.slice(1).replaceAll('_', ' ')}`

export const fileUseHref = ({ type, id }: FileUse): string | null => PLACES[type]?.[1](id) ?? null

const MB = 1_048_576

/** "1.3 MB" */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < MB) return `${Math.round(bytes / 1_024)} KB`
  return `${(bytes / MB).toFixed(1).replace(/\.0$/, '')} MB`
}
