// What journeys about products share: pictures to upload, and what somebody does on the page of a product.

import type { Locator, Page } from 'playwright-core'
import type { Product } from '../../../src/api/products/schema.ts'
import { pngOf } from '../../api/assets/support.ts'
import type { Body } from '../../support/shop.ts'
import type { DashboardShop } from './support.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The API of the merchant, which sets up and tells what came of it. */
export const apiOf = (shop: DashboardShop) => {
  const { secret } = shop.keys.sandbox
  const api = <T>(status: number, method: Method, path: string, body?: Body) =>
    shop.succeed<T>(status, method, path, body, secret)
  return {
    api,
    get: (id: string) => api<Product>(200, 'GET', `products/${id}`),
    category: (name: string) => api<{ id: string }>(201, 'POST', 'categories', { name, slug: name.toLowerCase() }),
    attribute: (body: Body) => api<{ id: string }>(201, 'POST', 'attributes', { description: '', ...body }),
  }
}

export const picture = (name: string, bytes = 300) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(pngOf(bytes)),
})

export class ProductScreen {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  section(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true })
  }

  field(label: string): Locator {
    return this.page.getByLabel(label, { exact: true }).and(this.page.locator('input, select, textarea'))
  }

  get pictures(): Locator {
    return this.page.getByRole('list', { name: 'Pictures in their order' }).getByRole('listitem')
  }

  /** Names of the pictures in their order. */
  async pictureNames(): Promise<(string | null)[]> {
    const images = await this.pictures.locator('img').all()
    return Promise.all(images.map((image) => image.getAttribute('alt')))
  }

  async upload(...files: ReturnType<typeof picture>[]) {
    const before = await this.pictures.count()
    await this.section('Pictures').locator('input[type=file]').setInputFiles(files)
    await this.pictures.nth(before + files.length - 1).waitFor()
  }

  /** Finds something by typing and takes it. */
  async pick(label: string, text: string) {
    const box = this.page.getByRole('combobox', { name: label })
    await box.fill(text)
    await this.page.getByRole('listbox', { name: label }).getByRole('option', { name: text }).click()
  }

  /** An option with its choices, each with what it adds to the price. */
  async addOption(name: string, choices: readonly (readonly [name: string, price: string])[]) {
    const section = this.section('Options')
    await section.getByRole('button', { name: 'Add an option' }).click()
    const group = section.locator('.option-group').last()
    await group.getByLabel('Name of the option').fill(name)
    for (const [index, [choice, price]] of choices.entries()) {
      if (index > 0) await group.getByRole('button', { name: `Add a choice to ${name}` }).click()
      await group.getByLabel(`Choice ${index + 1} of ${name}`).fill(choice)
      if (price !== '') await group.getByLabel(`What ${choice} adds to the price`).fill(price)
    }
  }

  async save(words = 'Save') {
    await this.page.getByRole('button', { name: words, exact: true }).click()
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator('.toast').filter({ hasText: text })
  }

  get dialog(): Locator {
    return this.page.locator('dialog.dialog[open]')
  }
}
