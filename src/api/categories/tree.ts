// The tree of a merchant's categories: descendants, ancestors, and moves that would form a cycle. No I/O: it works on rows that the stores
// have read.

import { Problems } from '../../lib/problems.ts'

export type Node = {
  readonly id: string
  readonly parent_id: string | null
  readonly slug: string
  readonly name: string
}

type Link = { id: string; slug: string; name: string }

type Branch = Link & { children?: Branch[] }

export type Tree = {
  /** The descendants of a category, down to `depth` levels. Those at the last level have no `children`. */
  below(id: string, depth: number): Branch[]
  /** Breadcrumbs from the top to the category itself. */
  trail(id: string): Link[]
}

/**
 * Builds a tree. `nodes` are in the order of siblings and include all categories the caller needs. `starts` are the shown categories:
 * `trail` finds them, but `below` lists them only if `nodes` has them. Each node is indexed once, because a page of 200 categories must not
 * search thousands of nodes 200 times.
 */
export function buildCategoryTree(nodes: readonly Node[], starts: readonly Node[]): Tree {
  const byId = new Map<string, Node>()
  const byParent = new Map<string, Node[]>()
  for (const start of starts) byId.set(start.id, start)
  for (const node of nodes) {
    byId.set(node.id, node)
    if (node.parent_id === null) continue
    const siblings = byParent.get(node.parent_id)
    if (siblings === undefined) byParent.set(node.parent_id, [node])
    else siblings.push(node)
  }

  const below = (id: string, depth: number): Branch[] => {
    if (depth === 0) return []
    const children = byParent.get(id) ?? []
    if (depth === 1) return children.map(linkTo)
    return children.map((child) => ({ ...linkTo(child), children: below(child.id, depth - 1) }))
  }

  const trail = (id: string): Link[] => {
    const links: Link[] = []
    let node = byId.get(id)
    while (node !== undefined) {
      links.push(linkTo(node))
      node = node.parent_id === null ? undefined : byId.get(node.parent_id)
    }
    return links.reverse()
  }

  return { below, trail }
}

const linkTo = ({ id, slug, name }: Node): Link => ({ id, slug, name })

/** A category about to be created or moved. */
type Placement = {
  /** Null for a new category. */
  id: string | null
  /** New parent and its current ancestors, from the parent to the top. */
  parentPath: readonly string[]
  /** New children. Undefined leaves them unchanged. */
  children: readonly string[] | undefined
}

/**
 * Throws if the category would become its own descendant. Links change only for the category, its new children and the children it drops.
 * Dropped children move to its former parent. So a cycle must run through `parentPath`.
 */
export function refuseCategoryCycle({ id, parentPath, children }: Placement): void {
  const above = new Set(parentPath)
  const problems = new Problems()
  children?.forEach((child, index) => {
    if (child === id || above.has(child))
      problems.refused(`children.${index}`, 'must not be the category itself or one of its ancestors')
  })
  // The new parent may lie below the category only if `children` drops the child that leads to it. A child that is kept is refused above.
  // The dropped child takes the category's former place, so the category may move below it.
  const indexOnPath = id === null ? -1 : parentPath.indexOf(id)
  if (indexOnPath === 0 || (indexOnPath > 0 && children === undefined))
    problems.refused('parent_id', 'must not be the category itself or one of its descendants')
  problems.throwIfAny()
}
