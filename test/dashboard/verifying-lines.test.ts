// @proof: it runs the lines in four languages, in processes of their own.
// The lines that the dashboard shows to those who write a receiver, each run as it stands, where its language is installed: they take what the signing
// code signs, also while the key is changed, and nothing else. PHP alone has another input: without a server nothing is posted to it.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newSecret } from '../../src/api/webhooks/secret.ts'
import { buildSignedDelivery } from '../../src/api/webhooks/sending/sign.ts'
import { newId } from '../../src/lib/ids.ts'
import { VERIFICATION_SAMPLES } from '../../web/dashboard/screens/webhooks/lines.ts'

const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Sent = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/** The event that the lines read; null where they refuse. */
type Take = (sent: Sent, secret: string) => Promise<string | null>

/** What a framework would hand to the lines comes by the environment and the standard input. */
const asProgram =
  (command: string, file: string, text: string): Take =>
  (sent, secret) => {
    const path = join(folder, file)
    writeFileSync(path, text)
    return new Promise((resolve, reject) => {
      const env = { ...process.env, WEBHOOK_SECRET: secret, SENT_HEADERS: JSON.stringify(sent.headers) }
      const child = spawn(command, [path], { env })
      let output = ''
      let problems = ''
      child.stdout.on('data', (part) => {
        output += part
      })
      child.stderr.on('data', (part) => {
        problems += part
      })
      child.once('error', reject)
      child.once('close', (code) => {
        if (/Not genuine|No matching signature|Message timestamp too old/.test(output + problems)) resolve(null)
        else if (code === 0) resolve(output.trim())
        else reject(new Error(problems))
      })
      child.stdin.end(sent.body)
    })
  }

const PYTHON = `import json, os, sys
raw_body = sys.stdin.buffer.read()
headers = json.loads(os.environ["SENT_HEADERS"])
${VERIFICATION_SAMPLES.Python}
print(event)`

const RUBY = `require 'json'
require 'stringio'
Request = Struct.new(:body, :headers) do
  def get_header(name) = headers[name.delete_prefix('HTTP_').downcase.tr('_', '-')]
end
request = Request.new(StringIO.new($stdin.read), JSON.parse(ENV.fetch('SENT_HEADERS')))
${VERIFICATION_SAMPLES.Ruby}
puts event`

const [imports = '', ...lines] = VERIFICATION_SAMPLES.JavaScript.split('\n')
const NODE = `${imports}
import { readFileSync } from 'node:fs'
const rawBody = readFileSync(0, 'utf8')
const request = { headers: JSON.parse(process.env.SENT_HEADERS) }
${lines.join('\n')}
console.log(event)`

const PHP = `<?php
foreach (json_decode(getenv('SENT_HEADERS'), true) as $name => $value)
    $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
${VERIFICATION_SAMPLES.PHP.replace('php://input', 'php://stdin')}
echo $event;`

const LANGUAGES = [
  { name: 'JavaScript', command: process.execPath, install: '', take: asProgram(process.execPath, 'lines.mjs', NODE) },
  { name: 'PHP', command: 'php', install: 'php-cli', take: asProgram('php', 'lines.php', PHP) },
  { name: 'Python', command: 'python3', install: 'python3', take: asProgram('python3', 'lines.py', PYTHON) },
  { name: 'Ruby', command: 'ruby', install: 'ruby', take: asProgram('ruby', 'lines.rb', RUBY) },
] as const

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const secret = newSecret()
const next = newSecret()

function deliveryBy(secrets: readonly string[], ago = 0): Sent {
  const delivery = {
    id: newId('delivery', new Date()),
    webhookId: newId('webhook', new Date()),
    eventId: newId('event', new Date()),
    event: 'orders.create',
    responseCode: 200,
    version: '2022-07-21',
    is_sandbox: true,
    attempts: 0,
  }
  const seconds = Math.floor(Date.now() / 1_000) - ago
  const payload = { id: 'ord_1', note: 'Grüße, 5 €' }
  return buildSignedDelivery(delivery, payload, secrets, { userAgent: 'Cartwright-Webhooks/0.1', seconds })
}

const changed = ({ body, headers }: Sent): Sent => ({ body: body.replace('ord_1', 'ord_2'), headers })

it('are there in each language that is run here', () => {
  expect(Object.keys(VERIFICATION_SAMPLES)).toEqual(LANGUAGES.map(({ name }) => name))
})

describe.each(LANGUAGES.filter(({ command }) => isInstalled(command)))('the lines in $name', ({ take }) => {
  it('take what is ours, also while the key is changed', async () => {
    expect(await take(deliveryBy([secret]), secret)).toBe('orders.create')
    expect(await take(deliveryBy([secret, next]), secret)).toBe('orders.create')
    expect(await take(deliveryBy([secret, next]), next)).toBe('orders.create')
  })

  it('refuse what was changed, what another key has signed, and what is old', async () => {
    expect(await take(changed(deliveryBy([secret])), secret)).toBeNull()
    expect(await take(deliveryBy([next]), secret)).toBeNull()
    expect(await take(deliveryBy([secret], 3_600), secret)).toBeNull()
  })
})

for (const { name, install } of LANGUAGES.filter(({ command }) => !isInstalled(command)))
  it.skip(`the lines in ${name} were not run: ${name} is not installed here (apt-get install ${install})`, () =>
    undefined)
