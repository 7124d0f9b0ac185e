// Where deliveries never go, whatever a webhook's address says: it is looked at again when the connection is made, as a name may lead
// elsewhere by then. The webhooks were saved by a service that allows private addresses; the one that sends does not.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { openShop } from '../../support/shop.ts'
import { type Webhook, webhooksOf } from './support.ts'

let connections = 0
const canary = createServer((socket) => {
  connections++
  socket.destroy()
})
await new Promise<void>((resolve) => canary.listen(0, '::', resolve))
afterAll(() => void canary.close())
const { port } = canary.address() as AddressInfo

/** All of them lead to this machine, to a network of one's own, or to what a cloud tells its machines. lib/addresses has all forms. */
const HOSTS = [
  ...['127.0.0.1', '2130706433', '0x7f.0.0.1', '0.0.0.0', 'localhost', 'a.localhost', '①②⑦.⓪.⓪.①', 'ip6-localhost'],
  ...[
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[fd00:ec2::254]',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
  ],
]

const connection = await cloneDatabase()
const lenient = await testApp({ connection, allowPrivateAddresses: true })
const { clock, dataDir } = lenient
const strict = await testApp({ connection, webhookPollMs: 20, clock, dataDir })

it('is none of these', async () => {
  const hooks = webhooksOf(lenient, (await openShop(lenient)).keys)
  const made: Webhook[] = []
  // One that leads elsewhere than the canary is not to be connected to either; that shows by what is said.
  for (const host of HOSTS) made.push(await hooks.create({ url: `http://${host}:${port}/` }))
  await hooks.attribute()
  strict.startJobs()
  for (const { id, url } of made) {
    await hooks.settled(id, ['retrying'])
    const [delivery] = await hooks.deliveries(id)
    expect([url, delivery?.last_status, delivery?.last_error]).toEqual([
      url,
      null,
      expect.stringMatching(
        /^The address does not lead to a server on the public internet|name of the host (is not known|could not be looked up)/,
      ),
    ])
  }
  expect(connections).toBe(0)
})
