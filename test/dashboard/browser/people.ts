// What people do at the dashboard, whichever screen they are at: log in, go somewhere, search, change between sandbox and live.

import type { Locator, Page } from 'playwright-core'
import type { Login } from './support.ts'

export class Dashboard {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** What is wrong, at the login or in a dialog. */
  get alert(): Locator {
    return this.page.getByRole('alert')
  }

  get heading(): Locator {
    return this.page.getByRole('heading', { level: 1 })
  }

  get sandboxBar(): Locator {
    return this.page.getByText('Sandbox: no money moves')
  }

  async logIn({ email, password }: Login) {
    await this.page.getByLabel('E-mail').fill(email)
    await this.page.getByLabel('Password').fill(password)
    await this.page.getByRole('button', { name: 'Log in', exact: true }).click()
  }

  /** After a session has ended, above the page. */
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

  /** Opens the search and types; gives what was found. */
  async search(text: string): Promise<Locator> {
    await this.page.keyboard.press('Control+k')
    await this.page.getByRole('combobox').fill(text)
    return this.page.getByRole('listbox', { name: 'Found' }).getByRole('option')
  }
}
