// What a shop sets up before it sells: its own record, files, attributes, categories, where it ships and taxes, codes, cards, gateways.

import type { Scene } from '../scene.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

type Zone = { id: string; methods: { id: string }[] }

export type Terms = {
  picture: string
  file: string
  attribute: string
  category: string
  zone: string
  method: string
}

export async function setUpTerms(scene: Scene): Promise<Terms> {
  const { picture, file } = await files(scene)
  await scene.ask('merchants.update', {
    body: { description: 'Shirts and books', support_email: 'help@example.com', logo: picture },
  })
  await scene.ask('merchants.get')
  await scene.ask('merchants.get', { case: 'secret', status: 200, key: scene.keys.secret })
  const attribute = await attributes(scene)
  const category = await categories(scene, picture)
  const { zone, method } = await places(scene)
  await gateways(scene)
  return { picture, file, attribute, category, zone, method }
}

async function files({ ask, prepare }: Scene) {
  const { id: picture } = await ask('assets.create', {
    body: { filename: 'shirt.png', contents: PIXEL, description: 'A shirt', meta: { season: 'summer' } },
  })
  await ask('assets.create', { case: 'pending', status: 201, body: { filename: 'later.png', pending: true } })
  const text = { filename: 'book.pdf', contents: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64'), private: true }
  const { id: file } = await prepare('assets.create', { body: text })
  await ask('assets.get', { params: { asset_id: picture } })
  await ask('assets.get', { case: 'private', status: 200, params: { asset_id: file } })
  await ask('assets.list', { query: { limit: 2 } })
  const { id: other } = await prepare('assets.create', { body: { filename: 'old.png', contents: PIXEL } })
  await ask('assets.update', { params: { asset_id: other }, body: { description: 'An old one' } })
  await ask('assets.delete', { params: { asset_id: other } })
  await ask('assets.delete', { case: 'unknown', status: 404, params: { asset_id: other } })
  return { picture, file }
}

async function attributes({ ask, prepare }: Scene) {
  const body = { name: 'Fabric', description: '', type: 'options', options: [{ value: 'linen' }, { value: 'wool' }] }
  const { id } = await ask('attributes.create', { body })
  await ask('attributes.get', { params: { id } })
  await ask('attributes.list')
  await ask('attributes.update', { params: { id }, body: { required: false, meta: { shown: 'first' } } })
  const { id: other } = await prepare('attributes.create', { body: { name: 'Old', description: '', type: 'number' } })
  await ask('attributes.delete', { params: { id: other } })
  return id
}

async function categories({ ask, prepare }: Scene, picture: string) {
  const { id } = await ask('categories.create', { body: { slug: 'clothes', name: 'Clothes', assets: [picture] } })
  const child = { slug: 'shirts', name: 'Shirts', parent_id: id }
  const { id: below } = await prepare('categories.create', { body: child })
  await ask('categories.get', { params: { id }, query: { include: 'breadcrumbs' } })
  await ask('categories.list')
  await ask('categories.update', { params: { id }, body: { slug: 'clothes', name: 'Clothing' } })
  // Before 2020-09-23 both the slug and the name were needed.
  await ask('categories.update', { case: 'partial', status: 200, params: { id }, body: { description: 'To wear' } })
  await ask('categories.delete', { params: { id: below } })
  await ask('categories.delete', { case: 'unknown', status: 404, params: { id: below } })
  return id
}

async function places({ ask, prepare }: Scene) {
  const methods = [{ description: 'Post', price: 5, on_own: 1 }]
  const zone = await ask<Zone>('shipping_zones.create', { body: { name: 'Home', countries: ['US'], methods } })
  await ask('shipping_zones.get', { params: { id: zone.id } })
  await ask('shipping_zones.list')
  await ask('shipping_zones.update', { params: { id: zone.id }, body: { countries: ['US', 'CA'] } })
  const other = await prepare('shipping_zones.create', { body: { name: 'Away', countries: ['FR'], methods: [] } })
  await ask('shipping_zones.delete', { params: { id: other.id } })

  const { id } = await ask('tax_zones.create', { body: { country: 'US', rates: [{ type: 'state', rate: 0.05 }] } })
  await ask('tax_zones.get', { params: { id } })
  await ask('tax_zones.list')
  await ask('tax_zones.update', { params: { id }, body: { rates: [{ type: 'state', rate: 0.06 }] } })
  await ask('shipping_zones.for_address', { query: { country: 'US', region: 'CA', price: 20, quantity: 2 } })
  const { id: untaxed } = await prepare('tax_zones.create', { body: { country: 'FR', rates: [] } })
  await ask('tax_zones.delete', { params: { id: untaxed } })
  return { zone: zone.id, method: zone.methods[0]?.id ?? '' }
}

async function gateways({ ask, prepare }: Scene) {
  const { id } = await ask('gateways.create', { body: { code: 'manual', config: { name: 'Transfer' } } })
  await ask('gateways.get', { params: { id } })
  await ask('gateways.list')
  await ask('gateways.list_types')
  await ask('gateways.update', { params: { id }, body: { config: { name: 'Bank transfer' } } })
  await ask('gateways.test', { params: { id } })
  const { id: other } = await prepare('gateways.create', { body: { code: 'manual', config: { name: 'Cheque' } } })
  await ask('gateways.delete', { params: { id: other } })
}
