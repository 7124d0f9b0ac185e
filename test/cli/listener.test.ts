// @unit
// The loop of `cartwright listen`, with a service that is cut off, restarts, repeats itself and forgets, moment by moment.

import { expect, it } from 'vitest'
import { ApiRefusal, type Call, ServiceUnreachable } from '../../src/cli/client/call.ts'
import type { DeliveryToForward, ForwardResult } from '../../src/cli/developer/forward.ts'
import { runListener } from '../../src/cli/developer/listener.ts'
import { gate } from '../support/waiting.ts'

const pulled = (delivery: string, attempt = 1): DeliveryToForward => ({
  delivery,
  attempt,
  event: 'orders.create',
  headers: {},
  body: '{}',
})

const cut = () => new ServiceUnreachable('http://service does not answer (ECONNREFUSED).')

type Reply = readonly DeliveryToForward[] | Error

/** A service that gives one reply after the other to pulls, and refuses as many reports as it is told to. */
function scripted({ pulls, reports = [] }: { pulls: Reply[]; reports?: Error[] }) {
  const log: string[] = []
  const stop = new AbortController()
  let registered = 0
  let holding = 0
  let mostAtOnce = 0
  const call = (async (_method, path, body, { signal } = {}) => {
    if (path.endsWith('/answer')) {
      const refusal = reports.shift()
      const { attempt, status } = body as ForwardResult
      log.push(`${refusal === undefined ? 'reported' : 'not reported'} ${path.split('/')[5]} ${attempt} ${status}`)
      if (refusal !== undefined) throw refusal
      return {}
    }
    expect(path).toBe(`/v1/webhooks/wbhk_${registered}/pull`)
    expect(body).toEqual({ wait: 25, limit: expect.any(Number) })
    const reply = pulls.shift()
    // Whatever is forwarded and reported at once has been by then.
    await new Promise(setImmediate)
    if (reply instanceof Error) throw reply
    if (reply !== undefined) {
      log.push(`pulled ${reply.map(({ delivery }) => delivery).join()}`)
      return { data: reply.slice(0, (body as { limit: number }).limit) }
    }
    // Nothing more: as a long poll does, until the command is ended.
    stop.abort()
    signal?.throwIfAborted()
    return { data: [] }
  }) as Call
  const run = (forward: (one: DeliveryToForward) => Promise<ForwardResult> = answered) =>
    runListener({
      call,
      register: async () => `wbhk_${++registered}`,
      async forward(one) {
        log.push(`forwarded ${one.delivery} ${one.attempt}`)
        holding++
        mostAtOnce = Math.max(mostAtOnce, holding)
        try {
          return await forward(one)
        } finally {
          holding--
        }
      },
      news: {
        forwarded: () => undefined,
        connectionLost: () => log.push('cut'),
        reconnected: () => log.push('reconnected'),
        webhookDeleted: () => log.push('gone'),
        unreported: (count) => log.push(`unreported ${count}`),
      },
      ready: () => log.push('ready'),
      stop: stop.signal,
    })
  return { log, run, stop, mostAtOnce: () => mostAtOnce }
}

const answered = async ({ attempt }: DeliveryToForward): Promise<ForwardResult> => ({
  attempt,
  status: 200,
  ms: 1,
  error: null,
})

const slowly = async (one: DeliveryToForward): Promise<ForwardResult> => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  return answered(one)
}

it('a line that is cut is told once, and so is its return; the waits grow', async () => {
  const { log, run } = scripted({ pulls: [cut(), cut(), new ApiRefusal('Try again.', 503), [pulled('a')]] })
  const begun = performance.now()
  await run()
  expect(log).toEqual(['ready', 'cut', 'pulled a', 'reconnected', 'forwarded a 1', 'reported a 1 200'])
  // 250, 500 and 1,000 ms.
  expect(performance.now() - begun).toBeGreaterThan(1_700)
})

it('an answer that could not be reported is reported again before anything else is pulled, and forwarded once', async () => {
  // As many as are forwarded at once: the next pull waits for one of them.
  const { log, run } = scripted({
    pulls: [['a', 'b', 'c', 'd'].map((name) => pulled(name)), [pulled('e')]],
    reports: [cut(), new ApiRefusal('Try again.', 503)],
  })
  await run(slowly)
  const refused = log.findIndex((line) => line.startsWith('not reported'))
  expect(refused).toBeGreaterThan(0)
  expect(log.slice(refused, log.indexOf('pulled e'))).toEqual(
    expect.arrayContaining(['reported a 1 200', 'reported b 1 200', 'reported c 1 200', 'reported d 1 200']),
  )
  expect(log.filter((line) => line.startsWith('forwarded'))).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((name) => `forwarded ${name} 1`),
  )
})

it('what was forwarded and is given again is reported again, and not forwarded; another attempt is', async () => {
  const { log, run } = scripted({ pulls: [[pulled('a')], [pulled('a')], [pulled('a', 2)]] })
  await run()
  expect(log.filter((line) => line.startsWith('forwarded'))).toEqual(['forwarded a 1', 'forwarded a 2'])
  expect(log.filter((line) => line.startsWith('reported a 1'))).toHaveLength(2)
})

it('no more than four are forwarded at once, and no more are pulled than begin at once', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const { log, run, mostAtOnce } = scripted({
    pulls: [names.slice(0, 2).map((name) => pulled(name)), names.slice(2).map((name) => pulled(name)), [pulled('g')]],
  })
  // The first four end only when all of them have begun, however slow the machine is.
  let begun = 0
  const four = gate()
  await run(async (one) => {
    if (++begun === 4) setTimeout(four.open, 20)
    await four.opened
    return answered(one)
  })
  expect(mostAtOnce()).toBe(4)
  // The second pull had room for two of its four.
  expect(log.filter((line) => line.startsWith('forwarded'))).toEqual(
    ['a', 'b', 'c', 'd', 'g'].map((name) => `forwarded ${name} 1`),
  )
})

it('a webhook that was deleted is made again; one that is refused twice ends the command', async () => {
  const missing = () => new ApiRefusal('There is no webhook with that id. (404)', 404)
  const once = scripted({ pulls: [missing(), [pulled('a')]] })
  await once.run()
  expect(once.log).toEqual(['ready', 'gone', 'pulled a', 'forwarded a 1', 'reported a 1 200'])
  await expect(scripted({ pulls: [missing(), missing()] }).run()).rejects.toThrow('There is no webhook')
})

it('a key that is refused ends the command', async () => {
  const refused = new ApiRefusal('This API key is not valid. (401)', 401)
  await expect(scripted({ pulls: [refused] }).run()).rejects.toThrow('This API key is not valid.')
})

it('an answer that is refused for good is not reported for ever', async () => {
  const { log, run } = scripted({ pulls: [[pulled('a')], [pulled('b')]], reports: [new ApiRefusal('Gone.', 404)] })
  await run()
  expect(log.filter((line) => line.endsWith('200')).sort()).toEqual(['not reported a 1 200', 'reported b 1 200'])
})

it('whoever ends it while something is forwarded has it finished and reported', async () => {
  const { log, run, stop } = scripted({ pulls: [[pulled('a')], [pulled('b')]] })
  await run(async (one) => {
    stop.abort()
    return slowly(one)
  })
  expect(log).toEqual(['ready', 'pulled a', 'forwarded a 1', 'reported a 1 200'])
})
