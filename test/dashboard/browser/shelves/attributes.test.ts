// @alone
// Attributes: each type made and changed as the API has it, options in their order, and deleted with a word on what that unlinks.

import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../../../src/api/attributes/schema.ts'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { rowsOf, Step, shows } from '../developer-support.ts'
import { eyesOf, looksFine } from '../orders-support.ts'
import { type DashboardShop, looksGood, openDashboards, PATIENT, shoot } from '../support.ts'

const PATH = '/dashboard/attributes'

const attributesOf = async (shop: DashboardShop): Promise<Attribute[]> =>
  (await shop.succeed<{ data: Attribute[] }>(200, 'GET', 'attributes', undefined, shop.keys.sandbox.secret)).data

describe.skipIf(isBrowserSkipped)('attributes', async () => {
  const { app, openShop, openDashboard } = await openDashboards()

  it.each(eyesOf(1))('one with options is made, changed and deleted ($width px, $scheme)', async (eyes) => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { ...eyes, path: PATH })
    await page.getByRole('heading', { name: 'No attributes yet' }).waitFor()
    await looksGood(page)
    await shoot(page, 'attributes-empty')
    await page.locator('.empty').getByRole('link', { name: 'New attribute' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Material')
    await page.getByLabel('Type').selectOption('Choice from a list')
    for (const [index, label] of ['Cotton', 'Wool', 'Silk'].entries()) {
      await page.getByRole('button', { name: 'Add an option' }).click()
      await page.getByRole('textbox', { name: `Option ${index + 1}` }).fill(label)
    }
    await page.getByLabel('Value in the API').nth(1).fill('Cotton')
    await page.getByRole('button', { name: 'Create the attribute' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('Value in the API').nth(1).getAttribute('aria-invalid')).toBe('true')
    await looksGood(page)
    await shoot(page, 'attribute-error')
    await page.getByLabel('Value in the API').nth(1).fill('wool')
    await page.getByRole('button', { name: 'Move Silk up' }).click()
    await page.getByLabel('A product may have several of these').check()
    await page.getByLabel('Usual value').selectOption('Silk')
    await page.getByRole('button', { name: 'Create the attribute' }).click()
    await expect.poll(() => rowsOf(page, 'Attributes').count(), PATIENT).toBe(1)
    const [made] = await attributesOf(shop)
    expect(made).toMatchObject({
      name: 'Material',
      type: 'options',
      is_multiselect: true,
      is_public: true,
      required: false,
      default_value: 'Silk',
    })
    expect(made?.options.map(({ value, label }) => [value, label])).toEqual([
      ['Cotton', 'Cotton'],
      ['Silk', 'Silk'],
      ['wool', 'Wool'],
    ])

    await page.getByRole('link', { name: 'Material' }).click()
    await page.getByRole('textbox', { name: 'Option 1' }).fill('Organic cotton')
    await page.getByRole('button', { name: 'Take Silk away' }).click()
    await page.getByLabel('Usual value').selectOption('Nothing')
    await page.getByLabel('Must be filled in').check()
    await looksGood(page)
    await shoot(page, 'attribute')
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await page.getByRole('button', { name: 'Save' }).click()
    const [cotton, , wool] = made?.options ?? []
    expect((await sent).postDataJSON()).toEqual({
      required: true,
      default_value: null,
      options: [
        { id: cotton?.id, label: 'Organic cotton', value: 'Cotton' },
        { id: wool?.id, label: 'Wool', value: 'wool' },
      ],
    })
    await page.getByText('is saved').waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    const step = new Step(page)
    await shows(step.dialog, /Takes “Material” away from every product that has it/)
    await looksFine(page)
    await shoot(page, 'attribute-delete')
    await step.press('Delete the attribute')
    await page.getByRole('heading', { name: 'No attributes yet' }).waitFor()
    await expect.poll(() => attributesOf(shop)).toEqual([])
  })

  it('each type is made with its default as the API has it, and listed', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { path: PATH })
    const make = async (
      name: string,
      type: string,
      fill: (label: ReturnType<typeof page.getByLabel>) => Promise<unknown>,
    ) => {
      app.clock.advance(1)
      await page.goto(`${new URL(page.url()).origin}${PATH}/new`)
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByLabel('Type').selectOption(type)
      await fill(page.getByLabel('Usual value'))
      await page.getByRole('button', { name: 'Create the attribute' }).click()
      await rowsOf(page, 'Attributes').filter({ hasText: name }).waitFor()
    }
    await make('Maker', 'Short text', (field) => field.fill('Ada'))
    await make('Story', 'Long text', (field) => field.fill('Long ago.'))
    await make('Pages', 'Whole number', (field) => field.fill('12'))
    await make('Printed', 'Date', (field) => field.fill('2026-02-03'))
    await make('Signed', 'Box to tick', (field) => field.selectOption('Ticked'))
    await make('Fit', 'One of a few (radio buttons)', async () => {
      await page.getByRole('button', { name: 'Add an option' }).click()
      await page.getByRole('textbox', { name: 'Option 1' }).fill('Slim')
    })
    expect(
      (await attributesOf(shop)).map(({ type, default_value, options }) => [type, default_value, options.length]),
    ).toEqual([
      ['short_text', 'Ada', 0],
      ['long_text', 'Long ago.', 0],
      ['number', 12, 0],
      ['date', '2026-02-03', 0],
      ['checkbox', true, 0],
      ['radio', null, 1],
    ])
    await looksGood(page)
    await shoot(page, 'attributes')
    // Another type: what was a number is no default of a text.
    await page.getByRole('link', { name: 'Fit' }).click()
    await page.getByLabel('Type').selectOption('Short text')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is saved').waitFor()
    await expect.poll(async () => (await attributesOf(shop)).at(-1)).toMatchObject({ type: 'short_text', options: [] })
  })
})
