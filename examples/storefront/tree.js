// The shop's categories as a tree, without branches that contain no products.

import { make } from './dom.js'

/** Converts the API's flat list into roots, each with full `children` and `above`: the path from the top. */
export function treeOf(categories) {
  const nodes = new Map(categories.map((category) => [category.id, { ...category, children: [], parent: null }]))
  const roots = []
  for (const node of nodes.values()) {
    node.parent = nodes.get(node.parent_id) ?? null
    const siblings = node.parent?.children ?? roots
    siblings.push(node)
  }
  const isFull = (node) => {
    node.children = node.children.filter(isFull)
    return node.products > 0 || node.children.length > 0
  }
  return { roots: roots.filter(isFull), find: (slug) => [...nodes.values()].find((node) => node.slug === slug) ?? null }
}

/** Returns the path from the top to the category itself; empty for none. */
export function pathOf(node) {
  const path = []
  for (let at = node; at && !path.includes(at); at = at.parent) path.unshift(at)
  return path
}

export const categoryHref = ({ slug }) => `#/category/${encodeURIComponent(slug)}`

/** Maximum number of categories shown open beside the products. With more, only the shopper's branch is open. */
const ALL_OPEN = 30

/** `current`: null for all products, undefined if no category is current. */
export function treeLinks({ roots }, current) {
  const open = pathOf(current)
  const count = (nodes) => nodes.reduce((sum, { children }) => sum + 1 + count(children), 0)
  const isAllOpen = count(roots) <= ALL_OPEN
  const branch = (nodes) =>
    make(
      'ul',
      {},
      nodes.map((node) =>
        make(
          'li',
          {},
          link(node.name, categoryHref(node), node === current),
          node.children.length > 0 && (isAllOpen || open.includes(node)) ? branch(node.children) : null,
        ),
      ),
    )
  const list = branch(roots)
  list.prepend(make('li', {}, link('All products', '#/', current === null)))
  return list
}

const link = (text, href, isCurrent) => make('a', { href, 'aria-current': isCurrent ? 'page' : null }, text)

/** The direct subcategories, with pictures. */
export const tiles = (nodes) =>
  nodes.length === 0
    ? null
    : make(
        'ul',
        { className: 'tiles' },
        nodes.map((node) => {
          const asset = node.assets?.find(({ is_image: isImage }) => isImage)
          return make(
            'li',
            {},
            make(
              'a',
              { href: categoryHref(node) },
              asset ? make('img', { src: asset.url, alt: '', width: 640, height: 640, decoding: 'async' }) : null,
              make('span', {}, node.name),
            ),
          )
        }),
      )
