// Makes the demo shop's catalogue through the rules that requests go through. What it sells: kitchen.ts, home.ts, downloads.ts; how that
// is written down: shelves.ts.

import { createAsset } from '../api/assets/asset.ts'
import type { WriteContext } from '../api/assets/view.ts'
import { createAttribute } from '../api/attributes/attribute.ts'
import { createCategory } from '../api/categories/category.ts'
import type { NewProduct } from '../api/products/body-schema.ts'
import { createProduct } from '../api/products/product.ts'
import type { ProductRow } from '../api/products/read-store.ts'
import { createVariant } from '../api/products/variants/variant.ts'
import { downloads } from './downloads.ts'
import type { DemoFile } from './files.ts'
import { home } from './home.ts'
import { kitchen } from './kitchen.ts'
import {
  type DemoCategory,
  type DemoProduct,
  type DemoVariant,
  demoAttributes,
  demoCategories,
  type Ids,
  idOf,
} from './shelves.ts'

/** In an order in which a related product comes after those that name it. */
const shelves: readonly DemoProduct[] = [...kitchen, ...home, ...downloads]

const hasOptions = ({ groups = {} }: DemoProduct): boolean => Object.keys(groups).length > 0

/**
 * In the order in which the shop shows them. Most published storefronts have no menu for options, and whoever tries one there puts the first
 * product into the cart: so those without options come first.
 */
export const demoProducts: readonly DemoProduct[] = [
  ...shelves.filter((product) => !hasOptions(product)),
  ...shelves.filter(hasOptions),
]

type DemoIds = {
  readonly assets: Ids
  readonly attributes: Ids
  /** Each category with those that it stands in. */
  readonly categories: ReadonlyMap<string, readonly string[]>
  readonly zones: Ids
  readonly products: Map<string, string>
}

/** `zones`: ids of shipping zones by their names. Gives the ids of the products by their permalinks. */
export async function createCatalogue(context: WriteContext, files: readonly DemoFile[], zones: Ids): Promise<Ids> {
  const assets = await createAssets(context, files)
  const attributes = new Map<string, string>()
  for (const body of demoAttributes) attributes.set(body.name, (await createAttribute(context, body)).id)
  const categories = new Map<string, readonly string[]>()
  for (const category of demoCategories) await createBranch(context, category, [], assets, categories)
  const ids: DemoIds = { assets, attributes, categories, zones, products: new Map() }
  // From the last to the first: a related product has to be there when it is named.
  for (const product of [...shelves].reverse()) {
    const sortOrder = (demoProducts.indexOf(product) + 1) * 10
    const record = await createProduct(context, bodyOf(product, sortOrder, ids, context.clock.now()))
    ids.products.set(product.permalink, record.id)
    for (const variant of product.variants ?? []) await addVariant(context, record, variant)
  }
  return ids.products
}

async function createAssets(context: WriteContext, files: readonly DemoFile[]) {
  const ids = new Map<string, string>()
  for (const { id, name, filename, isDownload, stored } of files) {
    const shows = isDownload ? undefined : describePicture(name)
    const body = { filename, private: isDownload, ...(shows === undefined ? {} : { description: shows }) }
    await createAsset(context, id, body, stored)
    ids.set(name, id)
  }
  return ids
}

/** The text that stands for a picture where it cannot be seen: the product, and the option that it shows. */
function describePicture(picture: string): string | undefined {
  for (const { name, groups = {}, pictures } of demoProducts) {
    const option = Object.values(groups)
      .flat()
      .find((candidate) => candidate.picture === picture)
    if (option) return `${name}, ${option.name}`
    if (pictures.includes(picture)) return name
  }
  return undefined
}

async function createBranch(
  context: WriteContext,
  { children = [], picture, ...category }: DemoCategory,
  above: readonly string[],
  assets: Ids,
  paths: Map<string, readonly string[]>,
) {
  const [parentId = null] = above
  const body = { ...category, parent_id: parentId, assets: [idOf(assets, picture)] }
  const { id } = (await createCategory(context, body)).row
  paths.set(category.slug, [id, ...above])
  for (const child of children) await createBranch(context, child, [id, ...above], assets, paths)
}

/** The body that a request would send. */
function bodyOf(product: DemoProduct, sortOrder: number, ids: DemoIds, now: Date): NewProduct {
  const { category, pictures, weight, downloads, lifespan, attributes, availableInDays, groups = {}, ...rest } = product
  const { related = [], variants, zones, ...fields } = rest
  const values = {
    ...attributes,
    ...(availableInDays === undefined ? {} : { 'Available from': dayAfter(now, availableInDays) }),
  }
  const allPictures = new Set([...pictures, ...Object.values(groups).flatMap((options) => options.flatMap(pictureOf))])
  return {
    ...fields,
    sort_order: sortOrder,
    seo: { title: `${product.name} | Cartwright Demo`, description: product.description },
    delivery: {
      physical: weight !== undefined,
      weight: weight ?? null,
      digital: downloads
        ? {
            // Drawn for this shop, to be tried out: there is nothing to keep back.
            packages: downloads.map(({ file, name }) => ({ asset: idOf(ids.assets, file), name, is_sample: true })),
            lifespan: lifespan ?? null,
          }
        : null,
      shipping_zones: zones?.map((name) => idOf(ids.zones, name)) ?? null,
    },
    assets: [...allPictures].map((picture) => idOf(ids.assets, picture)),
    categories: [...idOf(ids.categories, category)],
    attributes: Object.entries(values).map(([name, value]) => ({ id: idOf(ids.attributes, name), value })),
    related_products: related.map((permalink) => idOf(ids.products, permalink)),
    variant_groups: Object.entries(groups).map(([name, options]) => ({
      name,
      options: options.map(({ name, price = 0, picture }) => ({
        name,
        price,
        assets: picture === undefined ? null : [idOf(ids.assets, picture)],
      })),
    })),
  }
}

const pictureOf = ({ picture }: { picture?: string }): string[] => (picture === undefined ? [] : [picture])

const DAY_MS = 86_400_000

const dayAfter = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10)

async function addVariant(context: WriteContext, product: ProductRow, { options, ...fields }: DemoVariant) {
  const chosen = product.variant_groups.map((group) => {
    const option = group.options.find(({ name }) => name === options[group.name])
    if (option === undefined) throw new Error(`${fields.sku} names no option of ${group.name}.`)
    return { group, option }
  })
  await createVariant(context, product.id, {
    options: Object.fromEntries(chosen.map(({ group, option }) => [group.id, option.id])),
    ...fields,
    assets: chosen.flatMap(({ option }) => option.assets ?? []),
  })
}
