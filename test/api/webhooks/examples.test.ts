// The receivers of examples/webhooks, each run as its first lines say, where its language is installed: they accept what the signing code signs,
// handle it once, and refuse all else.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSecret } from '../../../src/api/webhooks/secret.ts'
import { buildSignedDelivery, type SignedDelivery } from '../../../src/api/webhooks/sending/sign.ts'
import { newId } from '../../../src/lib/ids.ts'
import { freePort } from '../../http/harness.ts'

const folder = fileURLToPath(new URL('../../../examples/webhooks/', import.meta.url))

type Language = {
  readonly file: string
  readonly command: string
  /** What it takes to run the file; a port is given where the program cannot choose one by itself. */
  readonly argsOf: (file: string, port: number) => string[]
  readonly choosesPort: boolean
}

const asFile = { argsOf: (file: string) => [file], choosesPort: true }
const LANGUAGES: readonly Language[] = [
  { file: 'node.mjs', command: process.execPath, ...asFile },
  { file: 'python.py', command: 'python3', ...asFile },
  { file: 'ruby.rb', command: 'ruby', ...asFile },
  {
    file: 'php.php',
    command: 'php',
    argsOf: (file, port) => ['-S', `127.0.0.1:${port}`, file],
    choosesPort: false,
  },
]

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What a receiver is sent: an order of its own each time, signed now or so many seconds ago. */
function deliveryBy(secrets: readonly string[], { ago = 0, eventId = newId('event', new Date()) } = {}) {
  const delivery = {
    id: newId('delivery', new Date()),
    webhookId: newId('webhook', new Date()),
    eventId,
    event: 'orders.create',
    responseCode: 200,
    version: '2022-07-21',
    is_sandbox: true,
    attempts: 0,
  }
  const seconds = Math.floor(Date.now() / 1_000) - ago
  const payload = { id: 'ord_1', note: 'Grüße, 5 €' }
  return {
    eventId,
    ...buildSignedDelivery(delivery, payload, secrets, { userAgent: 'Cartwright-Webhooks/0.1', seconds }),
  }
}

type Running = { readonly url: string; readonly output: () => string }

async function run({ file, command, argsOf, choosesPort }: Language, secret: string): Promise<Running> {
  const temporary = mkdtempSync(join(tmpdir(), 'cartwright-receiver-'))
  const port = choosesPort ? 0 : await freePort()
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), TMPDIR: temporary }
  const child: ChildProcess = spawn(command, argsOf(join(folder, file), port), { env })
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(temporary, { recursive: true, force: true })
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  let url = choosesPort ? '' : `http://127.0.0.1:${port}`
  await expect
    .poll(async () => {
      if (child.exitCode !== null) throw new Error(`${file} has ended: ${output}`)
      url ||= /Listening on (\S+)/.exec(output)?.[1] ?? ''
      return url !== '' && (await fetch(url, { method: 'POST' }).catch(() => null))?.status
    })
    .toBe(400)
  return { url, output: () => output }
}

const post = async (url: string, { headers, body }: SignedDelivery) =>
  (await fetch(url, { method: 'POST', headers: { ...headers }, body })).status

for (const language of LANGUAGES) {
  const { file, command } = language
  // Node runs this test.
  const isHere = command === process.execPath || isInstalled(command)
  // Where a run prints no names of skipped tests, this tells it.
  if (!isHere)
    process.stderr.write(`examples/webhooks/${file} is not tried: ${command} is not installed on this machine.\n`)

  describe.skipIf(!isHere)(`examples/webhooks/${file}`, () => {
    it('handles what is signed once, and refuses a changed byte, another secret and what is old', async () => {
      const secret = newSecret()
      const { url, output } = await run(language, secret)
      const timesHandled = (eventId: string) => output().split(`orders.create ord_1 ${eventId}`).length - 1

      const first = deliveryBy([secret])
      expect(await post(url, first)).toBe(200)
      await expect.poll(() => timesHandled(first.eventId)).toBe(1)

      const genuine = deliveryBy([secret])
      expect(await post(url, { ...genuine, body: genuine.body.replace('ord_1', 'ord_2') })).toBe(400)
      expect(await post(url, { ...genuine, headers: { ...genuine.headers, 'webhook-id': first.eventId } })).toBe(400)
      expect(await post(url, { ...genuine, headers: { ...genuine.headers, 'webhook-signature': 'v1,' } })).toBe(400)
      const stranger = deliveryBy([newSecret()])
      expect(await post(url, stranger)).toBe(400)
      const old = deliveryBy([secret], { ago: 301 })
      expect(await post(url, old)).toBe(400)

      // The same event in another attempt, as after an answer that was lost.
      expect(await post(url, deliveryBy([secret], { eventId: first.eventId }))).toBe(200)
      // While the key is changed: signed by both.
      const changing = deliveryBy([newSecret(), secret])
      expect(await post(url, changing)).toBe(200)
      // What is written last has come after all else.
      await expect.poll(() => timesHandled(changing.eventId)).toBe(1)
      expect([first, genuine, stranger, old].map(({ eventId }) => timesHandled(eventId))).toEqual([1, 0, 0, 0])
    })
  })
}
