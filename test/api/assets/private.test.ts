import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { sharedApp } from '../../support/app.ts'
import { base64, download, eventsOf, pathOf, pdf, png, upload } from './support.ts'

const app = await sharedApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const bytes = pdf('secret')
const create = () => upload(app, key, { filename: 'plan.pdf', contents: base64(bytes), private: true })
const NOT_FOUND = errorBody(404, 'not_found', 'There is no file with that id.')

describe('a private asset', () => {
  it('is shown with an address that is signed anew each time and works for an hour', async () => {
    const { id, url } = await create()
    const expires = Math.floor(app.clock.now().getTime() / 1_000) + 3_600
    expect(url).toMatch(
      new RegExp(`^http://localhost:80/files/${shop.id}/${id}/plan\\.pdf\\?expires=${expires}&signature=[\\w-]{43}$`),
    )
    app.clock.advance(10)
    const later = (await app.call('GET', `/v1/assets/${id}`, { key })).body as { url: string; private: boolean }
    expect(later.private).toBe(true)
    expect(later.url).toContain(`expires=${expires + 10}&`)
    const [listed] = ((await app.call('GET', '/v1/assets', { key })).body as { data: object[] }).data
    expect(listed).toEqual(later)

    app.clock.advance(3_589)
    const served = await download(app, url)
    expect(served.bytes.equals(bytes)).toBe(true)
    expect(served.headers['cache-control']).toBe('private, max-age=1')
    app.clock.advance(1)
    expect((await app.call('GET', pathOf(url))).body).toEqual(NOT_FOUND)
    expect((await download(app, later.url)).status).toBe(200)
  })

  it('is answered like one that does not exist without the signature, or with any part of it altered', async () => {
    const { id, url } = await create()
    const second = await create()
    const unknown = await app.call('GET', `/files/${shop.id}/${id.replace(/.{5}$/, 'aaaaa')}/plan.pdf`)
    expect(unknown.body).toEqual(NOT_FOUND)
    const [path = '', query = ''] = pathOf(url).split('?')
    const [, foreignQuery = ''] = second.url.split('?')
    const altered = [
      path,
      `${path}?${query.replace(/expires=\d+/, 'expires=99999999999')}`,
      `${path}?${query.slice(0, -1)}`,
      `${path}?${foreignQuery}`,
      `${path}?${query.split('&')[0]}`,
    ]
    for (const address of altered) {
      const answer = await app.call('GET', address)
      expect(answer.text, address).toBe(unknown.text)
      expect(answer.status).toBe(404)
      expect((await app.call('HEAD', address, { headers: { 'if-none-match': '*' } })).status).toBe(404)
    }
    expect((await download(app, url)).status).toBe(200)
  })

  it('leaves no signature in its events', async () => {
    const merchant = await app.merchant()
    const body = { filename: 'a.png', contents: base64(png()), private: true }
    const { id } = await upload(app, merchant.keys.sandbox.secret, body)
    const [event] = await eventsOf(app, merchant.id)
    expect(event?.payload).toMatchObject({ url: `http://localhost:80/files/${merchant.id}/${id}/a.png` })
  })
})
