// @sampled: `npm test` makes some, and deletes one. Moves are also proven without a browser (web/tree.test.ts).
// The tree of categories: made, moved by keys, buttons and dragging, edited, and deleted with a word on what that unlinks.

import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Category } from '../../../../src/api/categories/schema.ts'
import { isBrowserSkipped, proof } from '../../../support/browser.ts'
import { picture, Screen, shows } from '../screen.ts'
import { type DashboardShop, eyesOf, looksFine, looksGood, openDashboards } from '../support.ts'

const PATH = '/dashboard/categories'

/** Indented by their level: `Kitchen`, `  Mugs`. */
const treeOf = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.branch-name')].map((name) => {
      let level = -1
      for (let at = name; at !== null; at = at.parentElement.closest('.branch')) level += at.matches('.branch') ? 1 : 0
      return '  '.repeat(level) + name.textContent
    })`,
  )

const nameOf = (page: Page, name: string): Locator => page.locator('.branch-name', { hasText: name })

describe.skipIf(isBrowserSkipped)('categories', async () => {
  const { app, openShop, openDashboard } = await openDashboards()

  /** Each a second later: what nobody has placed stands by age. */
  const make = (shop: DashboardShop, name: string, more: object = {}) => {
    app.clock.advance(1)
    const slug = name.toLowerCase().replaceAll(' ', '-')
    return shop.api<Category>(201, 'POST', 'categories', { name, slug, ...more })
  }

  /** As the API has it: the top, and those under each. */
  const storedTree = async (shop: DashboardShop) => {
    type Node = { name: string; children?: Node[] }
    const lines = (nodes: readonly Node[], level: number): string[] =>
      nodes.flatMap(({ name, children = [] }) => ['  '.repeat(level) + name, ...lines(children, level + 1)])
    return lines(await shop.list<Node>('categories?parent_id=&depth=3&limit=50'), 0)
  }

  const becomes = async (page: Page, shop: DashboardShop, tree: readonly string[]) => {
    await expect.poll(() => treeOf(page)).toEqual(tree)
    await expect.poll(() => storedTree(shop)).toEqual(tree)
  }

  it('an empty shop makes its first, with another below it', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { ...eyesOf(0), path: PATH })
    await page.getByRole('heading', { name: 'No categories yet' }).waitFor()
    await looksGood(page)
    await page.locator('.empty').getByRole('link', { name: 'New category' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Men’s Shoes & Boots')
    await expect.poll(() => page.getByLabel('Name in addresses').inputValue()).toBe('mens-shoes-boots')
    await page.getByLabel('Name in addresses').fill('not a slug')
    await page.getByRole('button', { name: 'Create the category' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('Name in addresses').getAttribute('aria-invalid')).toBe('true')
    await looksGood(page)
    await page.getByLabel('Name in addresses').fill('shoes')
    await page.getByRole('button', { name: 'Create the category' }).click()
    await page.getByRole('heading', { level: 1, name: 'Men’s Shoes & Boots' }).waitFor()

    await page.locator('input[type=file]').setInputFiles(picture('shoe.png'))
    await expect.poll(() => page.locator('.pictures img').count()).toBe(1)
    await looksGood(page)
    await page.getByLabel('Description').fill('To walk in.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is saved').waitFor()

    await page.getByRole('link', { name: 'Categories', exact: true }).first().click()
    await page.getByRole('button', { name: 'Actions for Men’s Shoes & Boots' }).click()
    await page.getByRole('menuitem', { name: 'New one below' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Boots')
    await page.getByRole('button', { name: 'Create the category' }).click()
    await page.getByRole('heading', { level: 1, name: 'Boots' }).waitFor()
    await expect.poll(() => storedTree(shop)).toEqual(['Men’s Shoes & Boots', '  Boots'])
    const made = await shop.list<Category>('categories')
    expect(made.find(({ slug }) => slug === 'shoes')).toMatchObject({
      slug: 'shoes',
      description: 'To walk in.',
      assets: [{ filename: 'shoe.png' }],
    })
  })

  proof('are moved by the keyboard alone, and stay so', async () => {
    const shop = await openShop()
    for (const name of ['Kitchen', 'Bath', 'Garden']) await make(shop, name)
    const page = await openDashboard('owner', shop, { ...eyesOf(1), path: PATH })
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const focused = () => page.evaluate('document.activeElement.textContent')
    await nameOf(page, 'Kitchen').focus()
    await press('ArrowDown', 'ArrowDown')
    await expect.poll(focused).toBe('Garden')
    await press('Alt+ArrowUp')
    await becomes(page, shop, ['Kitchen', 'Garden', 'Bath'])
    // What is read after these moves arrives when the next one has been made, and is older than it: it is not shown.
    const nextMove = page.waitForResponse((answer) => answer.request().postData()?.includes('parent_id') === true)
    const arrivesLate = async (route: Route) => {
      const response = await route.fetch()
      await nextMove
      await route.fulfill({ response })
    }
    await page.route('**/dashboard/api/v1/categories?*', arrivesLate, { times: 1 })
    await press('Alt+ArrowUp', 'Alt+ArrowDown', 'Alt+ArrowDown')
    await becomes(page, shop, ['Kitchen', 'Bath', 'Garden'])
    await press('Alt+ArrowRight')
    await becomes(page, shop, ['Kitchen', 'Bath', '  Garden'])
    await shows(page.locator('.toasts'), /“Garden” is now 1 of 1, under “Bath”/)
    await expect.poll(focused).toBe('Garden')
    await press('Alt+ArrowLeft', 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp')
    await becomes(page, shop, ['Garden', 'Kitchen', 'Bath'])
    await page.reload()
    await becomes(page, shop, ['Garden', 'Kitchen', 'Bath'])
  })

  proof('are moved by buttons that a thumb can press', async () => {
    const shop = await openShop()
    const kitchen = await make(shop, 'Kitchen')
    await make(shop, 'Mugs', { parent_id: kitchen.id })
    await make(shop, 'Glasses', { parent_id: kitchen.id })
    await make(shop, 'Bath')
    const page = await openDashboard('owner', shop, { ...eyesOf(2), path: PATH })
    await page.getByRole('button', { name: 'Move Glasses' }).click()
    const bar = page.getByRole('group', { name: 'Move Glasses' })
    await bar.getByRole('button', { name: 'Up' }).click()
    await becomes(page, shop, ['Kitchen', '  Glasses', '  Mugs', 'Bath'])
    await expect.poll(() => bar.getByRole('button', { name: 'Up' }).getAttribute('aria-disabled')).toBe('true')
    await looksGood(page)
    await bar.getByRole('button', { name: 'Out of “Kitchen”' }).click()
    await becomes(page, shop, ['Kitchen', '  Mugs', 'Glasses', 'Bath'])
    await bar.getByRole('button', { name: 'Down' }).click()
    await bar.getByRole('button', { name: 'Under “Bath”' }).click()
    await becomes(page, shop, ['Kitchen', '  Mugs', 'Bath', '  Glasses'])
    await bar.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Below Kitchen' }).click()
    await expect.poll(() => treeOf(page)).toEqual(['Kitchen', 'Bath', '  Glasses'])
    await looksFine(page)
  })

  proof('are dragged before, behind and into one another, and never into themselves', async () => {
    const shop = await openShop()
    const kitchen = await make(shop, 'Kitchen')
    await make(shop, 'Mugs', { parent_id: kitchen.id })
    await make(shop, 'Bath')
    const page = await openDashboard('owner', shop, { path: PATH })
    const leaf = (name: string) => page.locator('.leaf', { has: nameOf(page, name) })
    const drag = async (from: string, to: string, part: number) => {
      const box = await leaf(to).boundingBox()
      await leaf(from).dragTo(leaf(to), { targetPosition: { x: 60, y: (box?.height ?? 0) * part } })
    }
    await drag('Bath', 'Kitchen', 0.1)
    await becomes(page, shop, ['Bath', 'Kitchen', '  Mugs'])
    await drag('Bath', 'Kitchen', 0.5)
    await becomes(page, shop, ['Kitchen', '  Mugs', '  Bath'])
    await drag('Kitchen', 'Mugs', 0.5)
    await drag('Bath', 'Mugs', 0.1)
    await becomes(page, shop, ['Kitchen', '  Bath', '  Mugs'])
  })

  it('deleting says what it unlinks', async () => {
    const shop = await openShop()
    const kitchen = await make(shop, 'Kitchen')
    const mugs = await make(shop, 'Mugs', { parent_id: kitchen.id })
    await make(shop, 'Big mugs', { parent_id: mugs.id })
    await shop.product({ name: 'Mug', price: 5, categories: [{ id: mugs.id }] })
    await shop.product({ name: 'Old mug', price: 5, active: false, categories: [{ id: mugs.id }] })
    const page = await openDashboard('owner', shop, { ...eyesOf(3), path: PATH })
    await looksGood(page)
    const step = new Screen(page)
    await step.more('Delete', 'Actions for Mugs')
    await shows(step.dialog, /Takes 2 products out of it\. They stay.*Moves “Big mugs” under “Kitchen”/s)
    await looksGood(page)
    await step.press('Delete the category')
    await becomes(page, shop, ['Kitchen', '  Big mugs'])
  })

  proof(
    'a move that is refused is taken back, and says why; a list that does not come offers to try again',
    async () => {
      const shop = await openShop()
      for (const name of ['Kitchen', 'Bath']) await make(shop, name)
      const page = await openDashboard('owner', shop, { path: PATH })
      const refusal = { status_code: 422, error: { type: 'not_valid', message: 'No room there.', errors: {} } }
      await page.route('**/dashboard/api/v1/categories/cat_*', (route) => route.fulfill({ status: 422, json: refusal }))
      await nameOf(page, 'Bath').focus()
      await page.keyboard.press('Alt+ArrowUp')
      await shows(page.locator('.toasts'), /It could not be moved: No room there\./)
      await becomes(page, shop, ['Kitchen', 'Bath'])
      const broken = { status_code: 400, error: { type: 'bad_request', message: 'Something broke.', errors: {} } }
      await page.route('**/dashboard/api/v1/categories?*', (route) => route.fulfill({ status: 400, json: broken }))
      await page.reload()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await looksGood(page)
      await page.unroute('**/dashboard/api/v1/categories?*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await becomes(page, shop, ['Kitchen', 'Bath'])
    },
  )
})
