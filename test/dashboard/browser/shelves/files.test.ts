// @sampled: `npm test` uploads some.
// Files: uploaded by the button and by dropping, described, marked where they could not be fetched, and deleted with a word on where they are used.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import type { Asset } from '../../../../src/api/assets/schema.ts'
import { pdf, png, pngOf } from '../../../api/assets/support.ts'
import { isBrowserSkipped, proof } from '../../../support/browser.ts'
import { Screen, shows } from '../screen.ts'
import { type DashboardShop, eyesOf, looksFine, looksGood, openDashboards } from '../support.ts'

const PATH = '/dashboard/files'

const filesOf = (shop: DashboardShop) => shop.list<Asset>('assets?limit=50')

const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

describe.skipIf(isBrowserSkipped)('files', async () => {
  const { openShop, openDashboard } = await openDashboards({ allowPrivateAddresses: true })
  const away = createServer((_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    away.closeAllConnections()
    away.close()
  })

  const upload = (shop: DashboardShop, filename: string, more: object = { contents: png(30, 20).toString('base64') }) =>
    shop.api<{ id: string }>(201, 'POST', 'assets', { filename, ...more })

  it('are uploaded, small and large; what fails stays with its reason', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { ...eyesOf(2), path: PATH })
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    await looksGood(page)
    await page
      .locator('input[type=file]')
      .setInputFiles([
        file('small.png', png(40, 30)),
        file('large.png', pngOf(3_000_000)),
        file('page.html', Buffer.from('<p>not a picture</p>')),
      ])
    await expect.poll(() => page.locator('.file-card').count()).toBe(2)
    await shows(page.locator('.uploads'), /page\.html.*must be a file of an accepted type/s)
    await shows(page.locator('.file-card', { hasText: 'large.png' }), /PNG, 1 × 1, 2\.9 MB/)
    await looksGood(page)
    await page.getByRole('button', { name: 'Take page.html away' }).click()
    await page.locator('.uploads').waitFor({ state: 'detached' })
    await page.getByLabel('For buyers only').check()
    await page.locator('input[type=file]').setInputFiles(file('book.pdf', pdf()))
    await shows(page.locator('.file-card', { hasText: 'book.pdf' }), /For buyers only/)
    const stored = (await filesOf(shop)).filter((each) => !each.pending).map((each) => [each.filename, each.private])
    expect(stored.toSorted()).toEqual([
      ['book.pdf', true],
      ['large.png', false],
      ['small.png', false],
    ])
  })

  proof('one is described, shown where it is used, and deleting says so', async () => {
    const shop = await openShop()
    const { id } = await upload(shop, 'mug.png')
    await upload(shop, 'gone.png', { url: `http://127.0.0.1:${(away.address() as AddressInfo).port}/gone.png` })
    await shop.product({ name: 'Blue mug', price: 9, assets: [{ id }] })
    await shop.api(201, 'POST', 'categories', { name: 'Mugs', slug: 'mugs', assets: [id] })
    const page = await openDashboard('owner', shop, { ...eyesOf(3), path: PATH })
    await shows(page.locator('.file-card', { hasText: 'gone.png' }), /Could not be fetched/)
    await shows(page.locator('.message').first(), /1 file on this page could not be fetched/)
    await looksGood(page)
    await page.getByRole('link', { name: 'gone.png' }).click()
    await page.getByText('This could not be fetched from the address given for it').waitFor()
    await looksFine(page)
    await page.getByRole('link', { name: 'Files', exact: true }).first().click()

    await page.getByRole('link', { name: 'mug.png' }).click()
    await page.getByLabel('What it shows').fill('A blue mug on a table')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The description is saved').waitFor()
    const uses = page.getByRole('region', { name: 'Where it is used' })
    await shows(uses, /Blue mug.*Product/s)
    await shows(uses, /Mugs.*Category/s)
    await looksGood(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    const step = new Screen(page)
    await shows(step.dialog, /Takes it away from product “Blue mug”\./)
    await shows(step.dialog, /Takes it away from category “Mugs”\./)
    await looksFine(page)
    await step.press('Delete the file')
    await expect.poll(() => page.locator('.file-card').count()).toBe(1)
    await expect.poll(async () => (await filesOf(shop)).map(({ filename }) => filename)).toEqual(['gone.png'])
  })
})
