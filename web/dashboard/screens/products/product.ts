// Products and related objects that the screens read, as the API returns them.

import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api.ts'
import type { PickItem } from '../../parts/form/combobox.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import type { Price } from '../../parts/show/values.tsx'

export type { ListPage as ProductListPage }

export type Asset = {
  readonly id: string
  readonly url: string
  readonly filename: string
  readonly is_image: boolean
  readonly description: string | null
}

export type OptionValue = { readonly label: string; readonly value: string }

export type AttributeValue = string | number | boolean | readonly OptionValue[] | null

export type ExtraField = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly options: readonly string[] | null
}

export type VariantGroup = {
  readonly id: string
  readonly name: string
  readonly options: readonly { readonly id: string; readonly name: string; readonly price: Price }[]
}

export type Digital = {
  readonly packages: readonly { readonly asset: string; readonly name: string; readonly is_sample: boolean }[]
  readonly lifespan: {
    readonly duration: number | null
    readonly period: string | null
    readonly download_limit: number | null
  } | null
}

export type Product = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly active: boolean
  readonly permalink: string
  readonly sku: string | null
  readonly price: Price
  readonly inventory: {
    readonly managed: boolean
    readonly available: number
    readonly held?: number
    readonly on_hand?: number
  }
  readonly is: { readonly pay_what_you_want: boolean; readonly tax_exempt: boolean }
  readonly image: Asset | null
  readonly assets: readonly Asset[]
  readonly categories: readonly { readonly id: string; readonly name: string }[]
  readonly related_products: readonly { readonly id: string; readonly name: string }[]
  readonly attributes: readonly { readonly id: string; readonly name: string; readonly value: AttributeValue }[]
  readonly extra_fields: readonly ExtraField[]
  readonly variant_groups: readonly VariantGroup[]
  readonly delivery?: {
    readonly physical: boolean
    readonly weight: number | null
    readonly digital: Digital
    readonly shipping_zones: readonly string[] | null
  }
  readonly checkout_url: { readonly display: string }
}

export type ProductFormAttribute = {
  readonly id: string
  readonly name: string
  readonly type: 'short_text' | 'long_text' | 'options' | 'number' | 'checkbox' | 'date' | 'radio'
  readonly required: boolean
  readonly is_multiselect: boolean
  readonly default_value: string | number | boolean | null
  readonly options: readonly OptionValue[]
}

export type NamedObject = { readonly id: string; readonly name: string }

export const toPicked = ({ id, name }: NamedObject): PickItem => ({ id, label: name })

/** Address of the list as it was left, with its filters and its page. */
export const productListView = { address: '/dashboard/products' }

const MOST_PAGES = 10

/** All entries of a short list, read page by page. Empty until they are loaded. */
export function useEvery<T>(path: string | null): readonly T[] {
  const [all, setAll] = useState<readonly T[]>([])
  useEffect(() => {
    if (path === null) return
    const controller = new AbortController()
    const readPages = async () => {
      const entries: T[] = []
      for (let page = 1; page <= MOST_PAGES; page++) {
        const { data, meta } = await call<ListPage<T>>('GET', `${path}?limit=200&page=${page}`, {
          signal: controller.signal,
        })
        entries.push(...data)
        if (page >= meta.pagination.total_pages) break
      }
      setAll(entries)
    }
    // If the list cannot be read, nothing can be chosen, but the rest of the form works.
    readPages().catch(() => undefined)
    return () => controller.abort()
  }, [path])
  return all
}
