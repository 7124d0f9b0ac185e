// @proof @alone: it starts a service.
// `cartwright listen` beside a running service: what arrives at a receiver, how often, and what the service knows of it, also after a kill.

import { statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { type Delivery, openReceiver, type Received } from '../api/webhooks/support.ts'
import { createVerifier } from '../api/webhooks/verifiers.ts'
import { freePort } from '../http/harness.ts'
import { call, launch, type Program, type Running, run, secretOf, start, timeout, usedDataDir } from './support.ts'

const nameOf = ({ body }: Received) => (body.payload as { name?: string }).name ?? ''

/** Answers 200 unless told otherwise, by the name of what the event is about. */
async function openNamedReceiver() {
  const answers = new Map<string, (answer: ServerResponse) => void>()
  const { url, received } = await openReceiver((one, answer) => {
    const how = answers.get(nameOf(one))
    if (how === undefined) answer.end('taken')
    else how(answer)
  })
  return { url: `${url}?from=here`, of: (name: string) => received.filter((one) => nameOf(one) === name), answers }
}

type Registered = { id: string; description: string; subscribed_events: string[] }

describe('listen', { timeout }, () => {
  let server: Running
  let receiver: Awaited<ReturnType<typeof openNamedReceiver>>
  let env: Record<string, string>
  let key: string

  beforeAll(async () => {
    env = { PORT: String(await freePort()) }
    receiver = await openNamedReceiver()
    server = await start({ dataDir: await usedDataDir(), env })
    key = secretOf(server)
  }, timeout)

  const listen = async (...more: string[]): Promise<Program> => {
    const program = launch(['listen', '--forward-to', receiver.url, ...more], { dataDir: server.dataDir, env })
    await program.until(() => program.stderr.includes('Press Ctrl-C to stop.'))
    return program
  }
  const makeCategory = async (name: string) => {
    const made = await call(`${server.url}/v1/categories`, key, 'POST', { name, slug: name })
    expect(made.status).toBe(201)
    return (made.body as { id: string }).id
  }
  /** The command's own, and not the one that the demo shop has. */
  const webhooks = async () =>
    ((await call(`${server.url}/v1/webhooks`, key)).body as { data: Registered[] }).data.filter(({ description }) =>
      description.startsWith('cartwright listen'),
    )
  const deliveries = async () => {
    const [webhook] = await webhooks()
    return ((await call(`${server.url}/v1/webhooks/${webhook?.id}/deliveries`, key)).body as { data: Delivery[] }).data
  }
  const deliveryOf = async (object: string) => (await deliveries()).find((each) => each.object_id === object)

  it('forwards what happens, as it is signed, and says so; the secret stays the same', async () => {
    const printed = await run(['listen', '--print-secret'], { dataDir: server.dataDir, env })
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S{44}\n$/), stderr: '' })
    const secret = printed.stdout.trim()
    expect(statSync(join(server.dataDir, 'listen.json')).mode & 0o777).toBe(0o600)

    const program = await listen()
    // Answered 500 the first time: comes again by the service's own table, five seconds later, which a later test sees.
    receiver.answers.set('again', (answer) => {
      receiver.answers.delete('again')
      answer.writeHead(500).end('not yet')
    })
    await makeCategory('again')
    const id = await makeCategory('first')
    await expect.poll(() => receiver.of('first')).toHaveLength(1)
    const [first] = receiver.of('first')
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'cartwright-attempt': '1',
      'cartwright-mode': 'sandbox',
      'content-length': String(Buffer.byteLength(first?.text ?? '')),
    })
    // Nothing that the service would not send itself.
    expect(Object.keys(first?.headers ?? {}).sort()).toEqual([
      ...['cartwright-attempt', 'cartwright-delivery', 'cartwright-mode', 'connection', 'content-length'],
      ...['content-type', 'host', 'service-version', 'user-agent', 'webhook-id', 'webhook-signature'],
      'webhook-timestamp',
    ])
    createVerifier(secret, systemClock).accepts(first)
    await program.until(() => program.stdout.includes(id))
    // A line, without colours where nobody looks at a terminal.
    expect(program.stdout).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}categories\\.create +${id} +200 {2}\\d+ ms$`, 'm'),
    )
    expect(program.stdout).toMatch(/ {2}categories\.create +cat_\w+ +500 {2}\d+ ms$/m)
    await expect.poll(() => deliveryOf(id)).toMatchObject({ state: 'delivered', attempts_made: 1, last_status: 200 })

    program.process.kill('SIGINT')
    expect(await program.ended).toMatchObject({ code: 0 })
  })

  it('is the same webhook the next time, with other events; what happened meanwhile is forwarded; --json', async () => {
    const [before] = await webhooks()
    const id = await makeCategory('meanwhile')
    // Nobody takes it for the command that has gone: it would wait for the end of that lease.
    await pause(600)
    expect(await deliveryOf(id)).toMatchObject({ state: 'pending', attempts_made: 0 })
    const program = await listen('--events', 'categories.create,orders.create', '--json')
    expect(await webhooks()).toMatchObject([
      { id: before?.id, subscribed_events: ['categories.create', 'orders.create'] },
    ])
    await program.until(() => program.stdout.includes('\n'))
    expect(JSON.parse(program.stdout)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      event: 'categories.create',
      object_id: expect.stringMatching(/^cat_/),
      delivery: expect.stringMatching(/^dlvr_/),
      attempt: 1,
      status: 200,
      ms: expect.any(Number),
      error: null,
    })
    program.process.kill('SIGTERM')
    expect(await program.ended).toMatchObject({ code: 0 })
    expect(receiver.of('meanwhile')).toHaveLength(1)
  })

  it('survives a service that is killed while something is forwarded: it arrives once, and its answer is reported', async () => {
    const program = await listen()
    let release: () => void = () => undefined
    receiver.answers.set('held', (answer) => {
      release = () => answer.end('late')
    })
    const held = await makeCategory('held')
    await expect.poll(() => receiver.of('held')).toHaveLength(1)
    await server.kill9()
    release()
    await program.until(() => program.stderr.includes('Retrying'))
    server = await start({ dataDir: server.dataDir, env })
    const after = await makeCategory('after')
    await expect.poll(() => receiver.of('after')).toHaveLength(1)
    for (const id of [held, after])
      await expect.poll(() => deliveryOf(id)).toMatchObject({ state: 'delivered', attempts_made: 1 })
    expect(receiver.of('held')).toHaveLength(1)
    await program.until(() => program.stderr.includes('Connected again.'))
    expect(program.stderr.match(/Retrying/g)).toHaveLength(1)
    // The one that was answered 500 at first.
    await program.until(() => / 200 {2}\d+ ms {2}attempt 2$/m.test(program.stdout))
    const [one, two, ...others] = receiver.of('again').map(({ headers }) => headers)
    expect([one?.['cartwright-attempt'], two?.['cartwright-attempt'], others]).toEqual(['1', '2', []])
    expect(one?.['webhook-id']).toBe(two?.['webhook-id'])
    program.process.kill('SIGINT')
    expect(await program.ended).toMatchObject({ code: 0 })
  })

  it('ended by Ctrl-C it waits for what it forwards; a second one ends it at once', async () => {
    receiver.answers.set('unfinished', () => undefined)
    const hurried = await listen()
    await makeCategory('unfinished')
    await expect.poll(() => receiver.of('unfinished')).toHaveLength(1)
    hurried.process.kill('SIGINT')
    await hurried.until(() => hurried.stderr.includes('Finishing the deliveries in progress.'))
    await pause(1_100)
    hurried.process.kill('SIGINT')
    expect(await hurried.ended).toMatchObject({ code: 130 })
  })
})
