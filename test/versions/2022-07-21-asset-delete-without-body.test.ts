import { expect, it } from 'vitest'
import { base64, png, upload } from '../api/assets/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret

const remove = async (version: string) => {
  const { id } = await upload(app, key, { filename: 'a.png', contents: base64(png()) })
  return app.call('DELETE', `/v1/assets/${id}`, { key, version })
}

it('deleting an asset answers 200 with {deleted: true} before 2022-07-21', async () => {
  const answer = await remove('2021-10-06')
  expect([answer.status, answer.body]).toEqual([200, { deleted: true }])
})

it('deleting an asset answers 204 with nothing from 2022-07-21 on', async () => {
  const answer = await remove('2022-07-21')
  expect([answer.status, answer.text]).toEqual([204, ''])
})

it('an asset that does not exist stays a 404 in every version', async () => {
  const answer = await app.call('DELETE', '/v1/assets/ast_unknown', { key, version: '2021-10-06' })
  expect([answer.status, answer.body]).toEqual([
    404,
    { error: { type: 'not_found', message: 'There is no asset with that id.' }, status_code: 404 },
  ])
})
