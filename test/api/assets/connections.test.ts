// @sampled: the proof sends fifty files of 2 MB at once.
// Uploads over real sockets: connections that break, bodies without a length, and many at once.

import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Connection, errorBody, listen, until } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { isProof } from '../../support/proof.ts'
import { atOnce } from '../../support/shop.ts'
import { base64, countAssets, download, filesOnDisk, pathOf, png, pngOf, upload } from './support.ts'

const app = await testApp()
const port = await listen(app)
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const presign = () => upload(app, key, { filename: 'a.png', pending: true })
const get = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body as Record<string, unknown>

/** Sends the beginning of a request's bytes and hangs up. */
const hangUpAfter = (bytes: Buffer) =>
  new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => socket.destroy()))
    socket.once('close', () => resolve())
    socket.once('error', () => undefined)
  })

describe('a connection that is cut at every tenth of its way', () => {
  const bytes = pngOf(400_000)

  it('leaves no asset when the file comes with the request', async () => {
    const body = Buffer.from(JSON.stringify({ filename: 'a.png', contents: base64(bytes) }))
    const head = `POST /v1/assets HTTP/1.1\r\nHost: x\r\nX-Authorization: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    for (let tenth = 0; tenth < 10; tenth++)
      await hangUpAfter(Buffer.concat([Buffer.from(head), body.subarray(0, (body.length * tenth) / 10)]))
    await new Promise((resolve) => setTimeout(resolve, 200))
    await expect.poll(() => filesOnDisk(app)).toEqual([])
    expect(await countAssets(app, shop.id)).toBe(0)
  })

  it('leaves a presigned upload pending, without a file, and it can be sent again', async () => {
    const { id, url, upload_url } = await presign()
    const head = `PUT ${pathOf(upload_url)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length}\r\n\r\n`
    for (let tenth = 0; tenth < 10; tenth++)
      await hangUpAfter(Buffer.concat([Buffer.from(head), bytes.subarray(0, (bytes.length * tenth) / 10)]))
    await new Promise((resolve) => setTimeout(resolve, 200))
    await expect.poll(() => filesOnDisk(app)).toEqual([])
    expect(await get(id)).toMatchObject({ pending: true, file_size: 0 })
    expect((await app.call('PUT', `/v1/assets/${id}`, { key, body: { pending: false } })).status).toBe(422)

    expect((await new Connection(port).send(head).send(bytes).answer()).status).toBe(204)
    await app.call('PUT', `/v1/assets/${id}`, { key, body: { pending: false } })
    expect((await download(app, url)).bytes.equals(bytes)).toBe(true)
    expect(app.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })
})

describe('PUT to the upload address over a socket', () => {
  it('takes a body without a length, in chunks', async () => {
    const { id, upload_url } = await presign()
    const bytes = pngOf(300_000)
    const status = await new Promise((resolve, reject) => {
      const outgoing = request({ port, method: 'PUT', path: pathOf(upload_url) }, (reply) => {
        reply.resume()
        resolve(reply.statusCode)
      })
      outgoing.once('error', reject)
      for (let at = 0; at < bytes.length; at += 70_000) outgoing.write(bytes.subarray(at, at + 70_000))
      outgoing.end()
    })
    expect(status).toBe(204)
    expect(await get(id)).toMatchObject({ file_size: bytes.length })
  })

  it('tells a client that announces too much before it has sent it, and closes', async () => {
    const { upload_url } = await presign()
    const connection = new Connection(port).send(
      `PUT ${pathOf(upload_url)} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n`,
    )
    const answer = await connection.answer()
    expect(answer.body).toEqual(
      errorBody(413, 'payload_too_large', 'The file is larger than the 10 MB (10485760 bytes) accepted here.'),
    )
    expect(answer.headers.connection).toBe('close')
    await connection.closed
  })

  it('cuts an endless body off at 10 MB, answers 413, closes, and keeps nothing', async () => {
    const { id, upload_url } = await presign()
    const before = await filesOnDisk(app)
    const connection = new Connection(port).send(
      `PUT ${pathOf(upload_url)} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 1), Buffer.from('\r\n')])
    let sent = 0
    const more = () => {
      while (!connection.socket.destroyed && sent < 100_000_000) {
        sent += 65_536
        if (!connection.socket.write(chunk)) break
      }
    }
    connection.socket.on('drain', more)
    more()
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } })
    await connection.closed
    expect(sent).toBeLessThan(50_000_000)
    expect(await filesOnDisk(app)).toEqual(before)
    expect(await get(id)).toMatchObject({ pending: true, file_size: 0 })
  })

  it('keeps the connection after a refusal of a body that it has read', async () => {
    const { upload_url } = await presign()
    const connection = new Connection(port)
    const text = 'this is not a picture'
    const head = `PUT ${pathOf(upload_url)} HTTP/1.1\r\nHost: x\r\nContent-Length: `
    expect((await connection.send(`${head}${text.length}\r\n\r\n${text}`).answer()).status).toBe(422)
    expect((await connection.send(`${head}${png().length}\r\n\r\n`).send(png()).answer()).status).toBe(204)
  })

  it('a client that stops reading a file lets go of it', async () => {
    const { url } = await upload(app, key, { filename: 'a.png', contents: base64(pngOf(2_000_000)) })
    const connection = new Connection(port).send(`GET ${pathOf(url)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => connection.rest.length > 0, 'the first bytes have come')
    connection.socket.destroy()
    await connection.closed
    expect((await download(app, url)).status).toBe(200)
  })
})

describe.runIf(isProof)('fifty uploads of 2 MB at once', () => {
  it('all succeed, and memory does not grow with the sum of them', async () => {
    const bytes = pngOf(2 * 1024 * 1024)
    const body = Buffer.from(JSON.stringify({ filename: 'a.png', contents: base64(bytes) }))
    const before = process.memoryUsage()
    let heap = 0
    let rss = 0
    const watch = setInterval(() => {
      const now = process.memoryUsage()
      heap = Math.max(heap, now.heapUsed - before.heapUsed)
      rss = Math.max(rss, now.rss - before.rss)
    }, 5)
    const send = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { 'x-authorization': key, 'content-type': 'application/json', 'content-length': body.length }
        const outgoing = request({ port, method: 'POST', path: '/v1/assets', headers }, (reply) => {
          reply.resume()
          resolve(reply.statusCode)
        })
        outgoing.once('error', reject)
        outgoing.end(body)
      })
    const rows = await countAssets(app, shop.id)
    const statuses = await atOnce(50, send)
    clearInterval(watch)
    expect(statuses).toEqual(Array(50).fill(201))
    expect(await countAssets(app, shop.id)).toBe(rows + 50)
    expect(heap).toBeLessThan(120_000_000)
    expect(rss).toBeLessThan(700_000_000)
  })
})
