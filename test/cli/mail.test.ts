// @proof @alone: it runs commands.
// `cartwright mail preview` and `last`, and what `doctor` says of the mail server, as processes of their own.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { mailServer, refusal } from '../mail/mail-server.ts'
import { cloneDatabase, urlOf } from '../support/database.ts'
import { newDataDir, run, tempFolder, timeout } from './support.ts'

describe('cartwright mail', { timeout }, () => {
  const out = tempFolder()
  const files = (...names: string[]) => names.map((name) => join(out, name))
  // A command on the embedded PostgreSQL would start it and stop it.
  let env: Record<string, string>
  let merchant: { id: number }
  beforeAll(async () => {
    env = { DATABASE_URL: urlOf(await cloneDatabase()) }
    const made = await run(['merchant', 'create', '--name', 'Tea & <Cake>', '--email', 'tea@shop.example', '--json'], {
      env,
    })
    merchant = JSON.parse(made.stdout)
  }, timeout)

  it('writes every mail of a made-up shop without a database, and prints where', async () => {
    const empty = newDataDir()
    const { code, stdout } = await run(['mail', 'preview', '--out', out], { dataDir: empty })
    const kinds = ['login', 'receipt', 'shipment', 'refund', 'cancellation', 'new_order', 'order_digest', 'declines']
    const written = files(...kinds.flatMap((kind) => [`${kind}.html`, `${kind}.txt`]))
    expect([code, stdout]).toEqual([0, `${written.join('\n')}\n`])
    for (const file of written) expect(readFileSync(file, 'utf8')).toMatch(/Juniper (&|&amp;) Clay/)
    expect(readFileSync(join(out, 'receipt.txt'), 'utf8')).toMatch(/http:\/\/localhost:\d+\/fulfill\/sample\n/)
    expect(existsSync(empty)).toBe(false)
  })

  it('writes no links to us where the mail that is sent has none: by SMTP without a PUBLIC_URL', async () => {
    const shown = async (more: Record<string, string>) => {
      const args = ['mail', 'preview', 'receipt', '--out', join(out, 'sent')]
      const env = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'shop@service.example', ...more }
      expect((await run(args, { dataDir: newDataDir(), env })).code).toBe(0)
      return ['html', 'txt'].map((ending) => readFileSync(join(out, 'sent', `receipt.${ending}`), 'utf8'))
    }
    for (const text of await shown({})) {
      expect(text).not.toMatch(/fulfill|localhost/)
      expect(text).toContain('You find the download with your order in the shop.')
    }
    for (const text of await shown({ PUBLIC_URL: 'https://api.shop.example' }))
      expect(text).toContain('https://api.shop.example/fulfill/sample')
  })

  it('writes one of them in the name of a merchant', async () => {
    const args = ['mail', 'preview', 'login', '--merchant', String(merchant.id), '--out', join(out, 'own')]
    const { code, stdout } = await run(args, { env })
    expect([code, stdout]).toEqual([0, `${files('own/login.html', 'own/login.txt').join('\n')}\n`])
    expect(readFileSync(join(out, 'own', 'login.html'), 'utf8')).toContain('Log in to Tea &amp; &lt;Cake&gt;')
    expect(readFileSync(join(out, 'own', 'login.txt'), 'utf8')).toMatch(/^Subject: Log in to Tea & <Cake>\n\n/)
  })

  it('has no last mail where the sandbox has sent none', async () => {
    const { code, stdout } = await run(['mail', 'last'], { env })
    expect([code, stdout]).toEqual([
      0,
      'There is no mail: the sandbox has sent none in the last seven days. Live mails are never stored.\n',
    ])
  })

  it.each([
    [['mail'], 'mail needs a subcommand: preview or last.'],
    [['mail', 'last', '--merchant', '999'], 'There is no merchant with that id.'],
    [
      ['mail', 'preview', 'invoice'],
      'There is no mail "invoice". Name one of login, receipt, shipment, refund, cancellation, new_order, order_digest, declines.',
    ],
    [['mail', 'preview', '--order', 'ord_1'], 'Add --merchant ID to name the merchant of the order.'],
    [['mail', 'preview', '--merchant', '999'], 'There is no merchant with that id.'],
    [['mail', 'preview', '--merchant', '1', '--order', 'ord_1'], 'There is no order with that id.'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    const { code, stderr } = await run(args, { env })
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })
})

describe('cartwright doctor', { timeout }, () => {
  it('says whether the mail server answers', async () => {
    const server = await mailServer()
    const doctor = async (more: Record<string, string>) =>
      (await run(['doctor'], { env: { PORT: '0', ...more } })).stdout
    const env = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'shop@service.example' }
    expect(await doctor({})).toContain('WARN  mail: off (SMTP_URL is not set): live mails are not sent, and ')
    expect(await doctor(env)).toContain(
      `ok    mail: 127.0.0.1:${server.port} answers; mails come from shop@service.example\n`,
    )
    server.onGreeting = () => Promise.reject(refusal(554))
    expect(await doctor(env)).toContain(`WRONG mail: 127.0.0.1:${server.port}: The mail server did not accept`)
    expect(server.deliveries).toEqual([])
  })
})
