// Mails over a real socket: what arrives, what is refused, and what becomes of them while the server is in trouble.

import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Mail, MailRefused, MailUnanswered } from '../../src/mail/mailer.ts'
import { checkMailServer, smtpMailer } from '../../src/mail/smtp.ts'
import { listenOn } from '../support/waiting.ts'
import { type Delivery, mailServer, never, refusal, type TestMailServer } from './mail-server.ts'

const MAIL: Mail = {
  merchant_id: 1,
  is_sandbox: true,
  kind: 'receipt',
  id: 'mail_1',
  to: 'jane@example.com',
  from: { name: 'Juniper & Clay', replyTo: 'hello@shop.example' },
  subject: 'Your order JNP-1042',
  text: 'Thank you.\n.\nÜber alles',
  html: '<p>Thank you.</p>',
}

const LONG_MS = 60_000
/** Time enough for a busy machine to get to where the server falls silent. */
const SHORT_MS = 5_000
const unheard = new AbortController().signal
const server = await mailServer()
const mailer = smtpMailer(server.settings())

async function sent(more: Partial<Mail> = {}): Promise<Delivery> {
  const before = server.deliveries.length
  await mailer.send({ ...MAIL, ...more }, unheard)
  const [delivery, ...others] = server.deliveries.slice(before)
  if (!delivery || others.length > 0) throw new Error(`${others.length} more mails arrived`)
  return delivery
}

const failureOf = async (settings = server.settings(), more: Partial<Mail> = {}): Promise<Error> =>
  smtpMailer(settings)
    .send({ ...MAIL, ...more }, unheard)
    .then(
      () => Promise.reject(new Error('It was sent.')),
      (error: Error) => error,
    )

/** A server that says these, one after each thing it hears, and the last one to all that comes later. */
async function saying(answers: readonly string[]) {
  const server = createServer((socket) => {
    const left = [...answers]
    const say = () => void socket.write(`${left.length > 1 ? left.shift() : left[0]}\r\n`)
    let heard = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      heard += chunk
      // A mail ends with a dot, whatever lines it has.
      const isMail = heard.includes('DATA\r\n') && !/DATA\r\n$/.test(heard)
      if (isMail ? heard.endsWith('\r\n.\r\n') : heard.endsWith('\r\n')) say()
    })
    say()
  })
  onTestFinished(() => void server.close())
  return { url: `smtp://127.0.0.1:${await listenOn(server)}`, from: 'noreply@service.example' }
}

/** The names of the headers of a mail, in small letters and in order. */
const headersOf = ({ mail }: Delivery) => mail.headers.map(({ key }) => key).sort()

const HEADERS = [
  ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to', 'subject', 'to'],
  'x-auto-response-suppress',
]

describe('a mail', () => {
  it('arrives once, at one recipient, in the name of the shop, as text and as HTML', async () => {
    const delivery = await sent()
    expect(delivery).toMatchObject({ from: 'noreply@service.example', to: ['jane@example.com'] })
    expect(headersOf(delivery)).toEqual(HEADERS)
    const { from, to, cc, bcc, replyTo, subject, text, html, messageId, attachments } = delivery.mail
    expect({ from, to, cc, bcc, replyTo, subject, text, html, messageId, attachments }).toEqual({
      from: { name: 'Juniper & Clay', address: 'noreply@service.example' },
      to: [{ name: '', address: 'jane@example.com' }],
      cc: undefined,
      bcc: undefined,
      replyTo: [{ name: 'Juniper & Clay', address: 'hello@shop.example' }],
      subject: 'Your order JNP-1042',
      text: expect.stringMatching(/^Thank you\.\n\.\nÜber alles\n?$/),
      html: expect.stringMatching(/^<p>Thank you\.<\/p>\n?$/),
      messageId: '<mail_1@service.example>',
      attachments: [],
    })
  })

  it.each([
    ['a line and a header', 'Evil\r\nBcc: x@y.example', 'Evil Bcc: x@y.example'],
    ['the end of the header', 'Evil\r\n\r\n<script>', 'Evil <script>'],
    ['an address of its own', '"x" <x@y.example>, ', '"x" <x@y.example>,'],
    ['an encoded word', '=?utf-8?q?a=0d=0aBcc:_x@y.example?=', expect.stringContaining('Bcc:')],
    ['signs that turn the text around', 'Evil\u202eelpmaxe', 'Evil elpmaxe'],
    ['more than fits', 'x'.repeat(1_000), `${'x'.repeat(199)}…`],
    ['letters of the world', 'Käse 🧀 株式会社', 'Käse 🧀 株式会社'],
  ])(
    'with %s in the name of the shop and in the subject has the same headers and one recipient',
    async (_, text, shown) => {
      const delivery = await sent({ from: { name: text, replyTo: 'hello@shop.example' }, subject: text })
      expect([delivery.to, headersOf(delivery)]).toEqual([['jane@example.com'], HEADERS])
      expect(delivery.mail).toMatchObject({
        from: { name: shown, address: 'noreply@service.example' },
        to: [{ address: 'jane@example.com' }],
        replyTo: [{ address: 'hello@shop.example' }],
        subject: shown,
      })
    },
  )

  it('has no Reply-To where the shop has no address that can be written there', async () => {
    for (const replyTo of ['', 'hello', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example', 'ä@b.example'])
      expect(headersOf(await sent({ from: { name: 'Shop', replyTo } }))).toEqual(
        HEADERS.filter((name) => name !== 'reply-to'),
      )
  })

  // Which addresses are accepted is test/lib/email.test.ts.
  it.each([
    'jane@example.com\r\nRCPT TO:<x@y.example>',
    'jane@example.com, x@y.example',
    'Jane <jane@example.com>',
    ' jane@example.com',
  ])('to %j is refused before the server is asked', async (to) => {
    const { connections } = server
    expect(await failureOf(server.settings(), { to })).toBeInstanceOf(MailRefused)
    expect(server.connections).toBe(connections)
  })

  it('reads neither files nor addresses that its text names', async () => {
    const delivery = await sent({ html: '<img src="file:///etc/passwd">', text: '{"path":"/etc/passwd"}' })
    expect(delivery.mail).toMatchObject({ attachments: [], text: expect.stringContaining('{"path":"/etc/passwd"}') })
    expect(delivery.raw).not.toContain('root:')
  })
})

describe('a mail server (F15)', () => {
  it.each<
    [string, Partial<Pick<typeof server, 'onRecipient' | 'onMail' | 'onSender' | 'onGreeting'>>, boolean, string]
  >([
    [
      '451 to the recipient',
      { onRecipient: () => Promise.reject(refusal(451, '4.7.1 greylisted')) },
      false,
      '451 4.7.1 to RCPT TO',
    ],
    ['452 to the mail', { onMail: () => Promise.reject(refusal(452)) }, false, '452 5.1.1 to DATA'],
    ['421 in the greeting', { onGreeting: () => Promise.reject(refusal(421)) }, false, '421 5.1.1 to CONN'],
    ['554 in the greeting', { onGreeting: () => Promise.reject(refusal(554)) }, false, '554 5.1.1 to CONN'],
    ['550 to the sender', { onSender: () => Promise.reject(refusal(550)) }, false, '550 5.1.1 to MAIL FROM'],
    ['550 to the recipient', { onRecipient: () => Promise.reject(refusal(550)) }, true, '550 5.1.1 to RCPT TO'],
    ['554 to the mail', { onMail: () => Promise.reject(refusal(554)) }, true, '554 5.1.1 to DATA'],
  ])('that answers %s: whether that is for good, without the address', async (_, answers, isFinal, said) => {
    const usual = { ...server }
    Object.assign(server, answers)
    const error = await failureOf()
    Object.assign(server, { ...usual, connections: server.connections, arrived: server.arrived })
    expect([error instanceof MailRefused, 'isFinal' in error]).toEqual([isFinal, isFinal])
    expect(error.message).toContain(said)
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain('jane')
  })

  it('that is down, or not one, is tried again', async () => {
    const error = await failureOf(server.settings({ url: 'smtp://127.0.0.1:1' }))
    expect(error).not.toBeInstanceOf(MailRefused)
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('that hangs before the mail is given up and tried again; after the mail, it may have it', async () => {
    const hanging = async (at: Partial<TestMailServer>) => Object.assign(await mailServer(), at)
    const atGreeting = await hanging({ onGreeting: never })
    const atRecipient = await hanging({ onRecipient: never })
    const atMail = await hanging({ onMail: never })
    const silent = { greetingMs: LONG_MS, silenceMs: SHORT_MS }
    const errors = await Promise.all([
      failureOf(atGreeting.settings({ times: { greetingMs: SHORT_MS, silenceMs: LONG_MS } })),
      failureOf(atRecipient.settings({ times: silent })),
      failureOf(atMail.settings({ times: silent })),
    ])
    expect(errors).toMatchObject([
      { name: 'Error', message: expect.stringContaining('Greeting') },
      { name: 'Error', message: expect.stringContaining('Timeout') },
      { name: 'MailUnanswered', isFinal: false },
    ])
    expect([atMail.arrived, atMail.deliveries.length]).toEqual([1, 0])
  })

  it('whose connection breaks after the mail and before the answer may have it: the same Message-ID comes again', async () => {
    const breaking = await mailServer()
    // Ends the connection that comes through it once a whole mail has arrived.
    const proxy = createServer((client) => {
      const upstream = connect(breaking.port, '127.0.0.1')
      client.pipe(upstream).pipe(client)
      for (const socket of [client, upstream]) socket.on('error', () => undefined)
      breaking.onMail = async () => {
        client.destroy()
      }
    })
    const through = breaking.settings({ url: `smtp://127.0.0.1:${await listenOn(proxy)}` })
    expect(await failureOf(through)).toBeInstanceOf(MailUnanswered)
    expect(await failureOf(through)).toBeInstanceOf(MailUnanswered)
    await expect.poll(() => breaking.deliveries.length).toBe(2)
    proxy.close()
    expect(new Set(breaking.deliveries.map(({ mail }) => mail.messageId)).size).toBe(1)
  })

  it('is left at once when the job is told to stop', async () => {
    const slow = await mailServer()
    const stop = new AbortController()
    slow.onRecipient = async () => {
      stop.abort(new Error('The worker is stopping.'))
      await never()
    }
    await expect(smtpMailer(slow.settings()).send(MAIL, stop.signal)).rejects.toThrow('The worker is stopping.')
    await expect(smtpMailer(slow.settings()).send(MAIL, stop.signal)).rejects.toThrow('The worker is stopping.')
    expect(slow.connections).toBe(1)
  })

  it('that has the whole mail when the job is told to stop may have taken it', async () => {
    const slow = await mailServer()
    const stop = new AbortController()
    slow.onMail = async () => {
      stop.abort(new Error('The worker is stopping.'))
      await never()
    }
    await expect(smtpMailer(slow.settings()).send(MAIL, stop.signal)).rejects.toBeInstanceOf(MailUnanswered)
    expect(slow.arrived).toBe(1)
  })

  it('that gives an answer without a code is not repeated in the log, and may have the mail', async () => {
    const said = '<jane@example.com> what?'
    for (const [answers, name] of [
      [[said], 'Error'],
      [['220 hi', said], 'Error'],
      [['220 hi', '250 hi', said], 'Error'],
      [['220 hi', '250 hi', '250 ok', said], 'Error'],
      [['220 hi', '250 hi', '250 ok', '250 ok', said], 'Error'],
      [['220 hi', '250 hi', '250 ok', '250 ok', '354 go on', said], 'MailUnanswered'],
    ] as const) {
      const error = await failureOf(await saying(answers))
      expect([answers.length, error.name]).toEqual([answers.length, name])
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain('jane')
    }
  })

  it('that says how large a mail it takes is not sent a larger one, ever', async () => {
    const error = await failureOf(await saying(['220 hi', '250-hi\r\n250 SIZE 10']))
    expect(error).toMatchObject({ name: 'MailRefused', message: 'The mail is too large for the mail server.' })
  })
})

describe('a connection', () => {
  it('is encrypted where the server offers it, and logs in', async () => {
    const secure = await mailServer({
      disabledCommands: [],
      authOptional: false,
      onAuth: ({ username, password }, _, callback) =>
        password === 'p%4 ö' ? callback(null, { user: username }) : callback(new Error('no')),
    })
    const url = `smtp://u%40x:p%254%20%C3%B6@127.0.0.1:${secure.port}`
    await smtpMailer(secure.settings({ url })).send(MAIL, unheard)
    expect(secure.deliveries).toMatchObject([{ isSecure: true, user: 'u@x' }])
    const wrong = secure.settings({ url: `smtp://u:wrong@127.0.0.1:${secure.port}` })
    const error = await failureOf(wrong)
    expect([error.name, error.message]).toEqual(['Error', expect.stringContaining('535')])
    expect(error.message).not.toContain('wrong')
    await expect(checkMailServer(wrong, unheard)).rejects.toThrow('535')
    await expect(checkMailServer(secure.settings({ url }), unheard)).resolves.toBeUndefined()
  })

  it('speaks TLS from the start with smtps', async () => {
    const secure = await mailServer({ secure: true, disabledCommands: ['AUTH'] })
    await smtpMailer(secure.settings({ url: `smtps://127.0.0.1:${secure.port}` })).send(MAIL, unheard)
    expect(secure.deliveries).toMatchObject([{ isSecure: true }])
  })

  it('tells the password to no other machine without encryption, nor to one that it cannot be sure of', async () => {
    let tried = 0
    const onAuth = (_: unknown, __: unknown, callback: (error: Error) => void) => {
      tried += 1
      callback(new Error('no'))
    }
    const open = await mailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth })
    const unknown = await mailServer({ disabledCommands: [], onAuth })
    // 0.0.0.0 is this machine, and does not look like it.
    for (const { port, settings } of [open, unknown])
      expect((await failureOf(settings({ url: `smtp://u:p@0.0.0.0:${port}` }))).name).toBe('Error')
    expect(tried).toBe(0)
    await failureOf(open.settings({ url: `smtp://u:p@127.0.0.1:${open.port}` }))
    expect(tried).toBe(1)
  })
})
