// Products as a table: what is on the screen is exported, changed elsewhere, tried, and brought back.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { eyesOf, looksFine } from './orders-support.ts'
import { apiOf } from './products-support.ts'
import { looksGood, openDashboards, PATIENT, shoot } from './support.ts'

describe.skipIf(isBrowserSkipped)('products as a table', async () => {
  const house = await openDashboards()
  const { app, openShop, openDashboard } = house

  it.each(eyesOf(2))(
    'are exported, changed, tried without changing anything, and imported ($width px, $scheme)',
    async (eyes) => {
      const shop = await openShop()
      const { api, get } = apiOf(shop)
      const mug = await shop.product({ name: 'Mug', price: 10 })
      await shop.product({ name: 'Jar', price: 8, active: false })
      const page = await openDashboard('owner', shop, { ...eyes, path: '/dashboard/products?active=true' })
      const arriving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export these 1' }).click()
      const table = await readFile((await (await arriving).path()) ?? '', 'utf8')
      expect(table).toContain('Mug')
      expect(table).not.toContain('Jar')
      await page.getByRole('link', { name: 'Import' }).click()
      await page.getByRole('heading', { level: 1, name: 'Import products' }).waitFor()
      await looksFine(page)
      await shoot(page, 'products-import')
      const csv = ['id,name,price', `${mug.id},Cup,12`, ',Bowl,20', ',Plate,much'].join('\n')
      const worker = app.startJobs()
      const says = (words: string) =>
        expect
          .poll(() => {
            worker.poke()
            return page.getByRole('status').filter({ hasText: words }).count()
          }, PATIENT)
          .toBeGreaterThan(0)
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
      await says('2 lines can be imported, 1 line cannot')
      const refused = page.getByRole('row').filter({ hasText: 'Refused' })
      await expect.poll(() => refused.textContent()).toMatch(/Plate.*Line 4.*price/)
      await expect.poll(async () => (await get(mug.id)).name).toBe('Mug')
      await looksGood(page)
      await shoot(page, 'products-import-tried')
      await page.getByRole('button', { name: 'Import 2 lines' }).click()
      await page.getByRole('heading', { level: 1, name: 'Change of many products' }).waitFor()
      await says('Done: 2 products changed, 1 refused')
      await worker.stop()
      const { data } = await api<{ data: Product[] }>(200, 'GET', 'products?sortBy=name')
      expect(data.map(({ name, price }) => [name, price.raw])).toEqual([
        ['Bowl', 20],
        ['Cup', 12],
        ['Jar', 8],
      ])
    },
  )
})
