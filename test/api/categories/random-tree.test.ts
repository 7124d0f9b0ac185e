// @sampled: `npm test` tries one seed.
// Random creations, moves and deletions, compared after every step with a model that is too simple to be wrong:
// a map of parents that is searched from end to end.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { isProof, size } from '../../support/proof.ts'
import { openShop, type Shop } from './support.ts'

const STEPS = size(80, 200)

const app = await sharedApp()

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Slug → the slug of its parent. Insertion order is the order of age. */
type Model = Map<string, string | null>

const above = (model: Model, slug: string): string[] => {
  const parent = model.get(slug) ?? null
  return parent === null ? [] : [...above(model, parent), parent]
}

const childrenIn = (model: Model, parent: string) => [...model.keys()].filter((slug) => model.get(slug) === parent)

const hasCircle = (model: Model) =>
  [...model.keys()].some((slug) => {
    let at: string | null = slug
    for (let steps = 0; at !== null; steps++) {
      if (steps > model.size) return true
      at = model.get(at) ?? null
    }
    return false
  })

type Shown = { slug: string; children?: Shown[] }

const below = (model: Model, slug: string, depth: number): Shown[] =>
  depth === 0
    ? []
    : childrenIn(model, slug).map((child) =>
        depth === 1 ? { slug: child } : { slug: child, children: below(model, child, depth - 1) },
      )

const listed = (model: Model, depth: number) =>
  [...model.keys()].map((slug) => ({
    slug,
    parent: model.get(slug) ?? null,
    children: below(model, slug, depth),
    breadcrumbs: [...above(model, slug), slug],
  }))

/** What the API lists, with slugs for ids. */
async function list(shop: Shop, ids: Map<string, string>, depth: number) {
  const slugs = new Map([...ids].map(([slug, id]) => [id, slug]))
  const bare = ({ slug, children }: Shown): Shown => ({ slug, ...(children ? { children: children.map(bare) } : {}) })
  return (await shop.list(`?limit=200&depth=${depth}&include=breadcrumbs`)).map((category) => ({
    slug: category.slug,
    parent: category.parent_id === null ? null : slugs.get(category.parent_id),
    children: category.children.map(bare),
    breadcrumbs: category.breadcrumbs?.map(({ slug }) => slug),
  }))
}

describe('the tree of categories', () => {
  it.each(isProof ? [1, 2, 3] : [1])(
    'is what a simple model says after every one of 200 random changes (seed %i)',
    async (seed) => {
      const random = numbers(seed)
      const shop = await openShop(app)
      const ids = new Map<string, string>()
      let model: Model = new Map()
      let refusals = 0

      const pick = (): string => [...model.keys()][random(model.size)] ?? ''
      const some = () => [...new Set(Array.from({ length: random(3) }, pick))].filter((slug) => slug !== '')
      const idOf = (slug: string | null) => (slug === null ? null : (ids.get(slug) ?? null))

      for (let step = 0; step < STEPS; step++) {
        const next: Model = new Map(model)
        const kind = random(10)
        const parent = random(4) === 0 || model.size === 0 ? null : pick()
        let answer: { status: number; body: unknown; text: string }
        app.clock.advance(1)
        if (kind < 4 || model.size === 0) {
          const slug = `c${step}`
          const children = some()
          next.set(slug, parent)
          for (const child of children) next.set(child, slug)
          answer = await shop.post({ slug, name: slug, parent_id: idOf(parent), children: children.map(idOf) })
          if (answer.status === 201) ids.set(slug, (answer.body as { id: string }).id)
        } else if (kind < 8) {
          const slug = pick()
          const children = random(2) === 0 ? undefined : some()
          const isMoved = children === undefined || random(2) === 0
          if (children !== undefined) {
            for (const child of childrenIn(model, slug)) next.set(child, model.get(slug) ?? null)
            for (const child of children) next.set(child, slug)
          }
          if (isMoved) next.set(slug, children?.includes(slug) ? slug : parent)
          answer = await shop.put(ids.get(slug) ?? '', {
            ...(isMoved ? { parent_id: idOf(parent) } : {}),
            ...(children === undefined ? {} : { children: children.map(idOf) }),
          })
        } else {
          const slug = pick()
          for (const child of childrenIn(model, slug)) next.set(child, model.get(slug) ?? null)
          next.delete(slug)
          answer = await shop.delete(ids.get(slug) ?? '')
        }
        const isRefused = hasCircle(next)
        if (isRefused) refusals++
        else model = next
        expect([step, answer.text, answer.status === 422]).toEqual([step, answer.text, isRefused])
        const depth = step % 4
        expect(await list(shop, ids, depth)).toEqual(listed(model, depth))
      }
      // Else the steps would have tested less than they seem to.
      expect(refusals).toBeGreaterThan(5)
      expect(model.size).toBeGreaterThan(5)
    },
  )
})
