// Choices of the form and the filters: all entries of a short list of the API, such as the categories.

import { useEffect, useState } from 'preact/hooks'
import type { Category } from '../../../../src/api/categories/schema.ts'
import { call } from '../../api.ts'
import type { PickItem } from '../../parts/form/combobox.tsx'
import type { ListPage } from '../../parts/list/list.tsx'

export const toPicked = ({ id, name }: Pick<Category, 'id' | 'name'>): PickItem => ({ id, label: name })

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
