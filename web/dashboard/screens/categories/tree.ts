// Categories as a tree: parents, order and moves. The API returns a flat list, with siblings in their order.

import type { Category } from '../../../../src/api/categories/schema.ts'
import type { ListPage } from '../../parts/list/list.tsx'
import { useQuery } from '../../use-query.ts'

const PAGE = 200

const pathOf = (page: number) => `/v1/categories?limit=${PAGE}&depth=0&page=${page}`

/** Number of categories shown: five pages of the API. */
export const MOST_CATEGORIES = 5 * PAGE

/** All of the shop's categories, page by page. */
export function useCategories() {
  const first = useQuery<ListPage<Category>>(pathOf(1))
  const pages = first.data?.meta.pagination.total_pages ?? 0
  const second = useQuery<ListPage<Category>>(pages > 1 ? pathOf(2) : null)
  const third = useQuery<ListPage<Category>>(pages > 2 ? pathOf(3) : null)
  const fourth = useQuery<ListPage<Category>>(pages > 3 ? pathOf(4) : null)
  const fifth = useQuery<ListPage<Category>>(pages > 4 ? pathOf(5) : null)
  const queries = [first, second, third, fourth, fifth].slice(0, Math.max(1, Math.min(pages, 5)))
  const isWhole = queries.every(({ data }) => data !== undefined)
  return {
    data: isWhole ? queries.flatMap(({ data }) => data?.data ?? []) : undefined,
    total: first.data?.meta.pagination.total ?? 0,
    problem: queries.find(({ problem }) => problem !== null)?.problem ?? null,
    isLoading: queries.some(({ isLoading }) => isLoading),
    reload: () => {
      for (const { reload } of queries) reload()
    },
  }
}

export type CategoryTreeData = readonly Category[]

export const childCategoriesOf = (all: CategoryTreeData, id: string | null): CategoryTreeData =>
  all.filter(({ parent_id }) => parent_id === id)

export const findCategoryById = (all: CategoryTreeData, id: string | null): Category | undefined =>
  id === null ? undefined : all.find((each) => each.id === id)

/** From the top down to the category itself. */
export function categoryPathTo(all: CategoryTreeData, id: string): CategoryTreeData {
  const way: Category[] = []
  let next = findCategoryById(all, id)
  while (next !== undefined && !way.includes(next)) {
    way.unshift(next)
    next = findCategoryById(all, next.parent_id)
  }
  return way
}

/** In the order in which they are read from top to bottom, each with its level: 0 at the top. */
export function flattenTree(
  all: CategoryTreeData,
  under: string | null = null,
  level = 0,
): { readonly category: Category; readonly level: number }[] {
  return childCategoriesOf(all, under).flatMap((category) => [
    { category, level },
    ...flattenTree(all, category.id, level + 1),
  ])
}

export type MoveStep = 'up' | 'down' | 'in' | 'out'

/** Target of a move: the parent, and the sibling that follows; null: at the end. */
export type TreePosition = { readonly parent: string | null; readonly before: string | null }

/** Target of the step; null if the step is impossible. */
export function placeAfter(all: CategoryTreeData, id: string, step: MoveStep): TreePosition | null {
  const category = findCategoryById(all, id)
  if (category === undefined) return null
  const siblings = childCategoriesOf(all, category.parent_id)
  const at = siblings.indexOf(category)
  const former = siblings[at - 1]
  if (step === 'up') return former === undefined ? null : { parent: category.parent_id, before: former.id }
  if (step === 'down')
    return at + 1 === siblings.length ? null : { parent: category.parent_id, before: siblings[at + 2]?.id ?? null }
  if (step === 'in') return former === undefined ? null : { parent: former.id, before: null }
  const parent = findCategoryById(all, category.parent_id)
  if (parent === undefined) return null
  return { parent: parent.parent_id, before: nextSiblingId(all, parent) }
}

/** Id of the next sibling. */
export function nextSiblingId(all: CategoryTreeData, category: Category): string | null {
  const siblings = childCategoriesOf(all, category.parent_id)
  return siblings[siblings.indexOf(category) + 1]?.id ?? null
}

/** Null if the category would be below itself, or if nothing would change. */
export function moveCategory(
  all: CategoryTreeData,
  id: string,
  { parent, before }: TreePosition,
): CategoryTreeData | null {
  const category = findCategoryById(all, id)
  if (category === undefined || before === id) return null
  if (parent !== null && categoryPathTo(all, parent).includes(category)) return null
  if (parent === category.parent_id && nextSiblingId(all, category) === before) return null
  const others = all.filter((each) => each !== category)
  const at = before === null ? others.length : others.findIndex((each) => each.id === before)
  return [...others.slice(0, at), { ...category, parent_id: parent }, ...others.slice(at)]
}

/** “Mugs” is now 2 of 3, under “Kitchen”. */
export function describePosition(all: CategoryTreeData, id: string): string {
  const category = findCategoryById(all, id)
  if (category === undefined) return ''
  const siblings = childCategoriesOf(all, category.parent_id)
  const parent = findCategoryById(all, category.parent_id)
  const under = parent === undefined ? 'at the top' : `under “${parent.name}”`
  return `“${category.name}” is now ${siblings.indexOf(category) + 1} of ${siblings.length}, ${under}`
}
