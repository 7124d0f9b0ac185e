// @proof: every way in and out of the dashboard. `npm test` logs in once, in shelves/new-merchant.test.ts.
// Coming in: wrong passwords, a browser that keeps no cookie, plain HTTP from elsewhere, a forgotten password, several shops, an invitation.

import { describe, expect, it } from 'vitest'
import { mailServer } from '../../mail/mail-server.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { codeAt, switchOnSecondFactor } from '../second-factor-support.ts'
import { Browser, invite, sharePassword } from '../support.ts'
import { Screen } from './screen.ts'
import { looksGood, openDashboards } from './support.ts'

describe.skipIf(isBrowserSkipped)('coming in', async () => {
  const house = await openDashboards()
  const { app, origin, openShop, openPage } = house

  it('D2: after six wrong passwords it says how long to wait, and then the right one opens', async () => {
    const shop = await openShop()
    const page = await openPage({ path: '/dashboard/orders' })
    await page.clock.install()
    await page.reload()
    const dashboard = new Screen(page)
    for (let guess = 0; guess < 6; guess++) {
      await dashboard.alert.waitFor({ state: guess === 0 ? 'detached' : 'visible' })
      const button = page.getByRole('button', { name: /^Log in$|^Wait/ })
      if (/^Wait/.test((await button.textContent()) ?? '')) break
      await Promise.all([
        page.waitForResponse((answer) => answer.request().method() === 'POST'),
        dashboard.logIn({ email: shop.owner.email, password: `wrong ${guess}` }),
      ])
    }
    const waiting = page.getByRole('button', { name: /^Wait \d+ s$/ })
    await waiting.waitFor()
    await expect.poll(() => waiting.isDisabled()).toBe(true)
    await looksGood(page)
    app.clock.advance(20 * 60)
    await page.clock.fastForward(20 * 60_000)
    await dashboard.logIn(shop.owner)
    await page.locator('#content').waitFor()
    // Whoever asked for a screen is shown it after the login.
    expect(new URL(page.url()).pathname).toBe('/dashboard/orders')
  })

  it('D3: a browser that keeps no cookie is told so, instead of being asked for the password again and again', async () => {
    const shop = await openShop()
    const page = await openPage()
    // The answers come without their cookies: as from a browser that throws them away.
    await page.route('**/dashboard/api/session', async (route) => {
      const request = route.request()
      const payload = request.postData()
      const { statusCode: status, body } = await app.server.inject({
        method: request.method() as 'GET' | 'POST',
        url: '/dashboard/api/session',
        headers: {
          host: new URL(origin).host,
          origin,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        ...(payload === null ? {} : { payload }),
      })
      await route.fulfill({ status, contentType: 'application/json', body })
    })
    const dashboard = new Screen(page)
    await dashboard.logIn(shop.owner)
    await expect.poll(() => dashboard.alert.textContent()).toContain('did not keep the cookie')
    await looksGood(page)
  })

  it('D3: over plain HTTP from another machine a page says which setting is missing, and nothing asks for a password', async () => {
    const page = await openPage()
    const { body, headers } = await app.server.inject({
      url: '/dashboard',
      remoteAddress: '203.0.113.9',
      headers: { host: 'shop.example' },
    })
    expect(body).toMatch(/TLS_CERT[\s\S]*TRUST_PROXY|TRUST_PROXY[\s\S]*TLS_CERT/)
    expect(body).not.toContain('<script')
    await page.route(`${origin}/dashboard`, (route) =>
      route.fulfill({ status: 403, body, headers: headers as Record<string, string> }),
    )
    await page.goto(`${origin}/dashboard`)
    await looksGood(page)
  })

  it('says that no mail is sent where there is no mail server, and refuses a made-up link', async () => {
    const page = await openPage({ path: '/dashboard/forgotten' })
    await page.getByLabel('E-mail').fill('nobody@example.com')
    await page.getByRole('button', { name: 'Mail the link' }).click()
    await page.getByRole('heading', { name: 'This server sends no mail' }).waitFor()
    await looksGood(page)
    await page.goto(`${origin}/dashboard/reset/${'0'.repeat(43)}`)
    await page.getByLabel('New password').fill('a new and long password')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('alert').waitFor()
    await looksGood(page)
  })

  it('has who owns several shops choose one, and opens that one', async () => {
    const email = 'several@example.com'
    const first = await openShop({ email, name: 'Paper & Ink' })
    // One password for both, as people have it.
    await sharePassword(app, first, await openShop({ email, name: 'Pots & Pans' }))
    const page = await openPage()
    const dashboard = new Screen(page)
    await dashboard.logIn(first.owner)
    await page.getByText('This address has several shops.').waitFor()
    await looksGood(page)
    await page.getByRole('button', { name: 'Pots & Pans' }).click()
    await page.getByRole('navigation', { name: 'Dashboard' }).waitFor()
    const name: string = await page.evaluate(
      "fetch('/dashboard/api/session').then((answer) => answer.json()).then(({ merchant }) => merchant.name)",
    )
    expect(name).toBe('Pots & Pans')
  })

  it('has a forgotten password set anew by the mailed link, which then opens', async () => {
    const server = await mailServer()
    const mailing = await openDashboards({ mailServer: server.settings() })
    const worker = mailing.app.startJobs()
    const shop = await mailing.openShop()
    const page = await mailing.openPage()
    const dashboard = new Screen(page)
    await page.getByRole('link', { name: 'Forgotten your password?' }).click()
    await page.getByLabel('E-mail').fill(shop.owner.email)
    await page.getByRole('button', { name: 'Mail the link' }).click()
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    const linkOf = () => {
      const mail = server.deliveries.find(
        ({ to, mail: { text } }) => to.includes(shop.owner.email) && /\/reset\//.test(text ?? ''),
      )
      return /http:\/\/localhost:\d+\/dashboard\/reset\/\w+/.exec(mail?.mail.text ?? '')?.[0] ?? null
    }
    await expect.poll(linkOf).not.toBeNull()
    await page.goto(linkOf() ?? '')
    await page.getByLabel('New password').fill('a new and long password')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
    await looksGood(page)
    await page.getByRole('link', { name: 'Log in' }).click()
    await dashboard.logIn({ email: shop.owner.email, password: 'a new and long password' })
    await page.getByRole('navigation', { name: 'Dashboard' }).waitFor()
    await worker.stop()
  })

  it('asks whoever has an account already for its password and code before an invitation takes effect', async () => {
    const [mine, shop] = [await openShop(), await openShop({ name: 'Second Shop' })]
    const owning = new Browser(app)
    await owning.logIn(mine.owner.email, mine.owner.password)
    const { secret } = await switchOnSecondFactor(app, owning, mine.owner.password)
    const inviting = new Browser(app)
    await inviting.logIn(shop.owner.email, shop.owner.password)
    const token = (await invite(inviting, mine.owner.email)).split('/').at(-1)
    const page = await openPage({ path: `/dashboard/invitation/${token}`, width: 360 })
    await page.getByText('This e-mail address already has an account here').waitFor()
    const own = page.getByLabel('Password of your account')
    await own.fill('not this one')
    await page.getByLabel('Password for this shop').fill('a long enough password')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => own.getAttribute('aria-invalid')).toBe('true')
    await looksGood(page)
    await own.fill(mine.owner.password)
    await page.getByRole('button', { name: 'Join' }).click()
    app.clock.advance(30)
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Join' }).click()
    await expect.poll(() => page.getByLabel('Code').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Code').fill(codeAt(secret, app.clock.now()))
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('heading', { name: 'To do' }).waitFor()
  })
})
