// @alone: it listens for uncaught exceptions.
// A connection that ends while the pool hands it to a transaction: an error nobody listens to ends the process. A small server makes it happen.

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'

const message = (type: string, body: Buffer | string = ''): Buffer => {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}
const READY = message('Z', 'I')
const AUTHENTICATED = message('R', Buffer.alloc(4))
const NOT_CITUS = message('C', 'SELECT 0\0')
const DONE = Buffer.concat([message('1'), message('2'), message('n'), message('C', 'UPDATE 1\0')])
const FATAL = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')

it('fails the transaction and nothing else', async () => {
  const crashes: unknown[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    // It ends with this connection: there is no other to go on with.
    server.close()
    socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATED, READY]))
      // The pool asks first whether it is Citus.
      socket.once('data', () => {
        socket.write(Buffer.concat([NOT_CITUS, READY]))
        socket.once('data', () => setTimeout(() => socket.end(Buffer.concat([DONE, READY, FATAL])), 20))
      })
    })
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const db = openPool({ host: '127.0.0.1', port, user: 'x', database: 'x', ssl: false }, { size: 1, waitMs: 10_000 })
  afterAll(async () => {
    await db.close()
    for (const socket of sockets) socket.destroy()
  })
  const onCrash = (error: unknown) => void crashes.push(error)
  process.prependListener('uncaughtException', onCrash)
  const [first, second] = await Promise.allSettled([
    db.run(statement('test.handover', 'update x set y = 1'), {}),
    // Waits for the only connection there is.
    db.transaction(async () => 'begun'),
  ])
  process.off('uncaughtException', onCrash)
  expect(first).toEqual({ status: 'fulfilled', value: 1 })
  expect(second).toMatchObject({ status: 'rejected', reason: { status: 503 } })
  expect(crashes).toEqual([])
})
