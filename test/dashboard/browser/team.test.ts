// The people of a shop: invited, made something else, removed; and what somebody does with an account of their own.

import { describe, expect, it } from 'vitest'
import { isBrowserSkipped } from '../../support/browser.ts'
import { codeAt } from '../second-factor-support.ts'
import { Browser } from '../support.ts'
import { hasRows, isNowhere, rowsOf, Screen, shows } from './screen.ts'
import { eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

describe.skipIf(isBrowserSkipped)('people', async () => {
  const house = await openDashboards()
  const { app, openShop, openPage, openDashboard } = house

  it('somebody is invited, joins, has the role, gets another, and is removed; the last owner stays', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { ...eyesOf(2), path: '/dashboard/team' })
    const step = new Screen(page)
    await hasRows(page, 'Team', 1)
    await shows(rowsOf(page, 'Team').first(), /The last owner cannot leave/)
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await step.dialog.getByLabel('E-mail').fill('pat@example.com')
    await step.dialog.getByLabel('Name').fill('Pat')
    await step.dialog.getByLabel('Role').selectOption('Packer')
    await looksFine(page)
    await step.press('Invite')
    const link = await step.takeSecret()
    await hasRows(page, 'Team', 2)
    await shows(rowsOf(page, 'Team').filter({ hasText: 'pat@example.com' }), /Packer.*Invited/s)

    const joining = await openPage({ path: new URL(link).pathname })
    await joining.getByRole('heading', { name: 'Join Paper & Ink' }).waitFor()
    await looksGood(joining)
    await joining.getByLabel('Password').fill('short')
    await joining.getByRole('button', { name: 'Join' }).click()
    await expect.poll(() => joining.getByLabel('Password').getAttribute('aria-invalid')).toBe('true')
    await joining.getByLabel('Password').fill('a long enough password')
    await joining.getByRole('button', { name: 'Join' }).click()
    await joining.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Orders' }).waitFor()
    const ways = () => joining.getByRole('navigation', { name: 'Dashboard' }).getByRole('link').allTextContents()
    expect(await ways()).not.toContain('API keys')

    await page.reload()
    await step.more('Change the role', 'Actions for Pat')
    await step.dialog.getByLabel('Role').selectOption('Developer')
    await looksFine(page)
    await step.press('Make Pat developer')
    await step.dialog.waitFor({ state: 'detached' })
    await shows(rowsOf(page, 'Team').filter({ hasText: 'pat@example.com' }), /Developer/)
    await looksGood(page)
    await joining.reload()
    await new Screen(joining).logIn({ email: 'pat@example.com', password: 'a long enough password' })
    await expect.poll(ways).toContain('API keys')

    await step.more('Remove', 'Actions for Pat')
    await step.press('Remove Pat')
    await hasRows(page, 'Team', 1)
    expect((await new Browser(app).logIn('pat@example.com', 'a long enough password')).status).toBe(401)
  })

  it('a second factor is switched on, the next login asks for its code, and sessions elsewhere are ended', async () => {
    const shop = await openShop()
    const elsewhere = new Browser(app)
    await elsewhere.logIn(shop.owner.email, shop.owner.password)
    const page = await openDashboard('owner', shop, { ...eyesOf(3), path: '/dashboard/account' })
    const step = new Screen(page)
    await hasRows(page, 'Where I am logged in', 2)
    await looksGood(page)
    await page.getByRole('button', { name: /^End the session of Firefox/ }).click()
    await step.press('End the session')
    await hasRows(page, 'Where I am logged in', 1)
    expect((await elsewhere.send('GET', '/dashboard/api/session')).status).toBe(401)

    const factor = page.getByRole('region', { name: 'Second factor' })
    await factor.getByRole('button', { name: 'Switch on' }).click()
    await step.press('Show the secret')
    const secret = (await step.dialog.locator('.factor-secret').textContent()) ?? ''
    await expect
      .poll(() => step.dialog.getByRole('link', { name: 'Open in the app' }).getAttribute('href'))
      .toMatch(/^otpauth:\/\/totp\//)
    await step.dialog.getByLabel(/six digits/).fill(codeAt(secret, app.clock.now()))
    await step.dialog.getByLabel('Your password').fill('not this one')
    await step.press('Switch on')
    await step.dialog.getByRole('alert').waitFor()
    await expect.poll(() => step.dialog.getByLabel('Your password').getAttribute('aria-invalid')).toBe('true')
    await step.dialog.getByLabel('Your password').fill(shop.owner.password)
    await step.dialog.getByLabel(/six digits/).fill('000000')
    await step.press('Switch on')
    await expect.poll(() => step.dialog.getByLabel(/six digits/).getAttribute('aria-invalid')).toBe('true')
    await looksFine(page)
    await step.dialog.getByLabel(/six digits/).fill(codeAt(secret, app.clock.now()))
    await step.press('Switch on')
    await step.dialog.getByRole('heading', { name: 'Ten spare codes' }).waitFor()
    await looksFine(page)
    const codes = (await step.takeSecret()).split('\n')
    expect(codes).toHaveLength(10)
    await isNowhere(page, codes[0] ?? '-')
    await factor.getByRole('button', { name: 'Switch off' }).waitFor()

    app.clock.advance(30)
    const login = async (code: string) => {
      const other = await openPage()
      await new Screen(other).logIn(shop.owner)
      await other.getByLabel('Code').fill(code)
      await other.getByRole('button', { name: 'Log in', exact: true }).click()
      return other
    }
    const other = await login(codeAt(secret, app.clock.now()))
    await other.locator('#content h1').waitFor()
    await (await login(codes[0] ?? '')).locator('#content h1').waitFor()

    await page.getByLabel('Present password').fill('not this one')
    await page.getByLabel('New password').fill('an altogether new password')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('Present password').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Present password').fill(shop.owner.password)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Your password is changed').waitFor()
    await factor.getByRole('button', { name: 'Switch off' }).click()
    await step.dialog.getByLabel('Your password').fill('an altogether new password')
    await step.press('Switch off')
    await factor.getByRole('button', { name: 'Switch on' }).waitFor()
    expect((await new Browser(app).logIn(shop.owner.email, 'an altogether new password')).status).toBe(200)
  })
})
