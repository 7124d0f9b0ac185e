// A screen of the dashboard as people use it: they log in, go somewhere, search, press buttons, fill in dialogs and forms.

import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { pngOf } from '../../api/assets/support.ts'

export type Login = { readonly email: string; readonly password: string }

type Name = string | RegExp

export class Screen {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** The error at the login or in a form. */
  get alert(): Locator {
    return this.page.getByRole('alert')
  }

  /** The dialog that is open. */
  get dialog(): Locator {
    return this.page.locator('dialog.dialog[open]')
  }

  get sandboxBar(): Locator {
    return this.page.getByText('Sandbox: no money moves')
  }

  get links(): Locator {
    return this.page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link')
  }

  button(name: Name): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' })
  }

  section(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true })
  }

  field(label: string): Locator {
    return this.page.getByLabel(label, { exact: true }).and(this.page.locator('input, select, textarea'))
  }

  toast(text: Name): Locator {
    return this.page.locator('.toast').filter({ hasText: text })
  }

  /** A button at the head of the page. */
  action(name: string): Locator {
    return this.page.locator('.page-actions').getByRole('button', { name, exact: true })
  }

  heading(name: Name, level?: number): Promise<void> {
    return this.page
      .getByRole('heading', { name, ...(level === undefined ? {} : { level }) })
      .first()
      .waitFor()
  }

  async logIn({ email, password }: Login) {
    await this.page.getByLabel('E-mail').fill(email)
    await this.page.getByLabel('Password').fill(password)
    await this.button('Log in').click()
  }

  /** In the dialog above the page, after a session has ended. */
  async logInAgain({ password }: Pick<Login, 'password'>) {
    const dialog = this.page.getByRole('dialog', { name: 'Log in again' })
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  async goTo(name: string) {
    await this.page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name, exact: true }).click()
    await this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }

  async switchTo(mode: 'Sandbox' | 'Live') {
    await this.page.getByRole('group', { name: 'Mode' }).getByRole('button', { name: mode, exact: true }).click()
    await this.sandboxBar.waitFor({ state: mode === 'Sandbox' ? 'visible' : 'detached' })
  }

  /** Opens the search and types; gives the results. */
  async search(text: string): Promise<Locator> {
    await this.page.keyboard.press('Control+k')
    await this.page.getByRole('combobox').fill(text)
    return this.page.getByRole('listbox', { name: 'Found' }).getByRole('option')
  }

  /** Chooses an entry of the menu at the head of the page, or of the row that `menu` names. */
  async more(name: string, menu = 'More actions') {
    await this.button(menu).click()
    await this.page.getByRole('menuitem', { name, exact: true }).click()
  }

  /** Presses a button of the dialog. */
  async press(name: Name) {
    await this.dialog.getByRole('button', { name }).click()
  }

  /** Presses the button that ends the dialog. */
  async finish(name: Name) {
    await this.press(name)
    await this.dialog.waitFor({ state: 'detached' })
  }

  /** Sentences in which the dialog announces its effects. */
  async says(): Promise<string[]> {
    const sentences = this.dialog.locator('.says li')
    await sentences.first().waitFor()
    await expect.poll(() => sentences.allTextContents()).not.toContain('Asking what that comes to…')
    return sentences.allTextContents()
  }

  /** A secret is shown once, and closed by "I have kept …". */
  async takeSecret(): Promise<string> {
    const shown = await this.dialog.locator('[data-secret]').textContent()
    await this.finish(/^I have kept/)
    return shown ?? ''
  }

  /** Finds something by typing and takes it. */
  async pick(label: string, text: string) {
    await this.page.getByRole('combobox', { name: label }).fill(text)
    await this.page.getByRole('listbox', { name: label }).getByRole('option', { name: text }).click()
  }

  async save(words = 'Save') {
    await this.button(words).click()
  }

  /** States at the head of an order. */
  states(): Promise<string[]> {
    return this.page.locator('.page-title .badge').allTextContents()
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

  /** Adds an option to a product, with its choices and their surcharges. */
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
}

export const picture = (name: string, bytes = 300) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(pngOf(bytes)),
})

export const rowsOf = (page: Page, table: string): Locator =>
  page.getByRole('table', { name: table, exact: true }).locator('tbody tr')

export const hasRows = (page: Page, table: string, count: number) =>
  expect.poll(() => rowsOf(page, table).count()).toBe(count)

export const shows = (locator: Locator, text: Name) =>
  expect
    .poll(() => locator.textContent())
    .toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text))

/** The text is neither on the page nor in the browser's storage. */
export async function isNowhere(page: Page, secret: string) {
  const kept = await page.evaluate<string>(
    'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage })',
  )
  expect(kept).not.toContain(secret)
}

/** The body of the PUT that `act` causes. It returns when the form knows the answer. */
export async function sentBy(page: Page, act: () => Promise<void>): Promise<unknown> {
  const request = page.waitForRequest((each) => each.method() === 'PUT' && each.url().includes('/v1/'))
  await act()
  const sent = (await request).postDataJSON()
  await expect.poll(() => page.locator('form[aria-busy]').count()).toBe(0)
  return sent
}

/** Presses an export, and gives the lines of the file. */
export async function exported(page: Page, button: Name): Promise<string[]> {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const stream = await (await saving).createReadStream()
  const text = Buffer.concat(await stream.toArray()).toString()
  return text.trim().split(/\r?\n/)
}

/** Where the focus is: the label of a field, or the words of a button or a link. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const at = document.activeElement
    return (at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim()
  })()`)

export async function tabTo(page: Page, name: string) {
  for (let steps = 0; steps < 60; steps++) {
    if ((await focused(page)).startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not come to ${name}.`)
}
