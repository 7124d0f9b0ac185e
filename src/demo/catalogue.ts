// Creates the demo shop's catalogue with the functions that serve API requests.
// The products are in kitchen.ts, home.ts and downloads.ts. shelves.ts defines their types.

import { createAsset } from '../api/assets/asset.ts'
import type { WriteContext } from '../api/assets/view.ts'
import { createAttribute } from '../api/attributes/attribute.ts'
import { createCategory } from '../api/categories/category.ts'
import type { NewProduct } from '../api/products/body-schema.ts'
import { createProduct } from '../api/products/product.ts'
import type { ProductRow } from '../api/products/read-store.ts'
import { createVariant } from '../api/products/variants/variant.ts'
import { downloadProducts } from './downloads.ts'
import type { DemoFile } from './files.ts'
import { homeProducts } from './home.ts'
import { kitchenProducts } from './kitchen.ts'
import {
  type DemoCategory,
  type DemoProduct,
  type DemoVariant,
  demoAttributes,
  demoCategories,
  findDemoId,
  type IdsByName,
} from './shelves.ts'

/** Products in an order in which each related product comes after the products that name it. */
const orderedProducts: readonly DemoProduct[] = [...kitchenProducts, ...homeProducts, ...downloadProducts]

const hasOptions = ({ groups = {} }: DemoProduct): boolean => Object.keys(groups).length > 0

/**
 * Products in the order in which the shop shows them: products without options first. Most published storefronts have
 * no menu for options, and people who try one add the first product to the cart.
 */
export const demoProducts: readonly DemoProduct[] = [
  ...orderedProducts.filter((product) => !hasOptions(product)),
  ...orderedProducts.filter(hasOptions),
]

type DemoIds = {
  readonly assets: IdsByName
  readonly attributes: IdsByName
  /** Ids of each category and of its ancestors, nearest first. */
  readonly categories: ReadonlyMap<string, readonly string[]>
  readonly zones: IdsByName
  readonly products: Map<string, string>
}

/** `zones` holds ids of shipping zones by name. Returns the ids of the products by permalink. */
export async function createCatalogue(
  context: WriteContext,
  files: readonly DemoFile[],
  zones: IdsByName,
): Promise<IdsByName> {
  const assets = await createAssets(context, files)
  const attributes = new Map<string, string>()
  for (const body of demoAttributes) attributes.set(body.name, (await createAttribute(context, body)).id)
  const categories = new Map<string, readonly string[]>()
  for (const category of demoCategories) await createBranch(context, category, [], assets, categories)
  const ids: DemoIds = { assets, attributes, categories, zones, products: new Map() }
  // Reverse the order, because a related product must exist before another product names it.
  for (const product of [...orderedProducts].reverse()) {
    const sortOrder = (demoProducts.indexOf(product) + 1) * 10
    const record = await createProduct(context, productBody(product, sortOrder, ids, context.clock.now()))
    ids.products.set(product.permalink, record.id)
    for (const variant of product.variants ?? []) await addVariant(context, record, variant)
  }
  return ids.products
}

async function createAssets(context: WriteContext, files: readonly DemoFile[]) {
  const ids = new Map<string, string>()
  for (const { id, name, filename, isDownload, stored } of files) {
    const altText = isDownload ? undefined : describePicture(name)
    const body = { filename, private: isDownload, ...(altText === undefined ? {} : { description: altText }) }
    await createAsset(context, id, body, stored)
    ids.set(name, id)
  }
  return ids
}

/** Alternative text of a picture: the product and the option that it shows. */
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
  ancestorIds: readonly string[],
  assets: IdsByName,
  idsBySlug: Map<string, readonly string[]>,
) {
  const [parentId = null] = ancestorIds
  const body = { ...category, parent_id: parentId, assets: [findDemoId(assets, picture)] }
  const { id } = (await createCategory(context, body)).row
  idsBySlug.set(category.slug, [id, ...ancestorIds])
  for (const child of children) await createBranch(context, child, [id, ...ancestorIds], assets, idsBySlug)
}

/** Body of the request that would create the product. */
function productBody(product: DemoProduct, sortOrder: number, ids: DemoIds, now: Date): NewProduct {
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
            // The files were made for the demo, so everybody may download them as samples.
            packages: downloads.map(({ file, name }) => ({
              asset: findDemoId(ids.assets, file),
              name,
              is_sample: true,
            })),
            lifespan: lifespan ?? null,
          }
        : null,
      shipping_zones: zones?.map((name) => findDemoId(ids.zones, name)) ?? null,
    },
    assets: [...allPictures].map((picture) => findDemoId(ids.assets, picture)),
    categories: [...findDemoId(ids.categories, category)],
    attributes: Object.entries(values).map(([name, value]) => ({ id: findDemoId(ids.attributes, name), value })),
    related_products: related.map((permalink) => findDemoId(ids.products, permalink)),
    variant_groups: Object.entries(groups).map(([name, options]) => ({
      name,
      options: options.map(({ name, price = 0, picture }) => ({
        name,
        price,
        assets: picture === undefined ? null : [findDemoId(ids.assets, picture)],
      })),
    })),
  }
}

const pictureOf = ({ picture }: { picture?: string }): string[] => (picture === undefined ? [] : [picture])

const DAY_MS = 86_400_000

const dayAfter = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10)

async function addVariant(context: WriteContext, product: ProductRow, { options, ...fields }: DemoVariant) {
  const chosenOptions = product.variant_groups.map((group) => {
    const option = group.options.find(({ name }) => name === options[group.name])
    if (option === undefined) throw new Error(`${fields.sku} names no option of ${group.name}.`)
    return { group, option }
  })
  await createVariant(context, product.id, {
    options: Object.fromEntries(chosenOptions.map(({ group, option }) => [group.id, option.id])),
    ...fields,
    assets: chosenOptions.flatMap(({ option }) => option.assets ?? []),
  })
}
