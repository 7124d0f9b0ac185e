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

/** All of them lead to this machine, to a network of one's own, or to what a cloud tells its machines. */
const HOSTS = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.0.0.1', '017700000001'],
  ...['0177.0.0.1', '127.0.0.1.', '0', '0.0.0.0', '0x0', '10.1', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost'],
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ],
  ...['[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[fe80::1]', '[fec0::1]'],
  ...[
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[100::1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:a9fe:a9fe]',
  ],
  ...['10.0.0.1', '10.255.255.255', '167772161', '0xa.1', '012.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ...[
    '192.168.255.255',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '169.254.170.2',
    '100.64.0.1',
    '100.100.100.200',
  ],
  ...['192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ...['255.255.255.255', '①②⑦.⓪.⓪.①', 'ip6-localhost'],
]

const connection = await cloneDatabase()
const lenient = await testApp({ connection, allowPrivateAddresses: true })
const { clock, dataDir } = lenient
const strict = await testApp({ connection, webhookPollMs: 20, clock, dataDir })

it('is none of these', async () => {
  expect(HOSTS.length).toBeGreaterThanOrEqual(60)
  const shops: { hooks: ReturnType<typeof webhooksOf>; made: Webhook[] }[] = []
  for (let at = 0; at < HOSTS.length; at += 20) {
    const { keys } = await openShop(lenient)
    const hooks = webhooksOf(lenient, keys)
    const made: Webhook[] = []
    // One that leads elsewhere than the canary is not to be connected to either; that shows by what is said.
    for (const host of HOSTS.slice(at, at + 20)) made.push(await hooks.create({ url: `http://${host}:${port}/` }))
    await hooks.attribute()
    shops.push({ hooks, made })
  }
  strict.startJobs()
  for (const { hooks, made } of shops)
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
