// The shape of a merchant's categories: who stands below and above whom, and which moves would close a circle.
// No I/O: it works on what the stores have read.

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
  /** Everything below a category, `depth` levels of it. Those at the last level carry no list of their own. */
  below(id: string, depth: number): Branch[]
  /** The way from the top down to the category itself. */
  trail(id: string): Link[]
}

/**
 * `nodes` hold all that will be asked for, in the order in which siblings are shown; `starts` are categories that need only be
 * found, not listed as anybody's child. Each is looked at once: a page of 200 in a tree of thousands must not search it 200 times.
 */
export function treeOf(nodes: readonly Node[], starts: readonly Node[]): Tree {
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

/** A category about to be put somewhere. */
type Placement = {
  /** Null for one that does not exist yet. */
  id: string | null
  /** The parent it shall have and all that stand above that one, from the parent to the top, as they stand now. */
  way: readonly string[]
  /** The children it shall have; undefined leaves them as they are. */
  children: readonly string[] | undefined
}

/**
 * Throws when the category would come to stand below itself. Every link that a placement changes begins or ends at the category
 * or leads to its former parent, so a circle can only be one that its own way to the top runs into.
 */
export function refuseCircle({ id, way, children }: Placement): void {
  const above = new Set(way)
  const problems = new Problems()
  children?.forEach((child, index) => {
    if (child === id || above.has(child))
      problems.refused(`children.${index}`, 'must not be the category itself or one that it stands under')
  })
  // Where children are given, the child on the way is one that is let go (else it is refused above): it takes the category's
  // former place, so the category may move below it. The two change places.
  const at = id === null ? -1 : way.indexOf(id)
  if (at === 0 || (at > 0 && children === undefined))
    problems.refused('parent_id', 'must not be the category itself or one that stands below it')
  problems.throwIfAny()
}
