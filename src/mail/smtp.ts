// Mails through a mail server, by SMTP: one connection for each, as they are few and a connection that was kept may have died unseen.
// What is written into envelope and header is checked here once more, whoever has checked it before.

import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { oneLine, readEmail } from '../lib/text.ts'
import { type Mail, type Mailer, MailRefused, MailUnanswered } from './mailer.ts'

export type MailServer = {
  /** smtp://user:password@host:587 or smtps://… */
  readonly url: string
  /** The address that mails come from. */
  readonly from: string
  /** Tests do not wait for minutes. */
  readonly times?: SmtpTimes
}

type SmtpTimes = {
  /** To reach the server and to be greeted by it. Nothing has been sent until then, so giving up costs nothing. */
  readonly greetingMs: number
  /** For which it may be silent later on. */
  readonly silenceMs: number
}

/**
 * The standard (RFC 5321, 4.5.3.2) gives a server ten minutes for its answer to a whole mail: it may be scanning it. To give up earlier
 * is to send it twice.
 */
const TIMES: SmtpTimes = { greetingMs: 120_000, silenceMs: 600_000 }

const GOODBYE_MS = 5_000

export function smtpMailer(server: MailServer): Mailer {
  return {
    goesOut: true,
    from: server.from,
    async send(mail, signal) {
      // The server's own rules for addresses are wider, and the ones of the library have been tricked before.
      if (readEmail(mail.to) !== mail.to) throw new MailRefused('The address of the recipient is not one we write to.')
      const message = await new MailComposer(contentOf(mail, server.from)).compile().build()
      const envelope = { from: server.from, to: [mail.to], size: message.length }
      let isOut = false
      const body = Readable.from([message]).once('end', () => {
        isOut = true
      })
      await converse(server, signal, {
        work: (connection, done) => connection.send(envelope, body, done),
        isOut: () => isOut,
      })
    },
  }
}

/** Connects and logs in, as `cartwright doctor` does. Throws what is wrong. */
export const tryMailServer = (server: MailServer, signal: AbortSignal): Promise<void> =>
  converse(server, signal, { work: (_, done) => done(null), isOut: () => false })

function contentOf(mail: Mail, from: string) {
  const replyTo = readEmail(mail.from.replyTo)
  return {
    from: { name: oneLine(mail.from.name), address: from },
    to: { name: '', address: mail.to },
    ...(replyTo === null ? {} : { replyTo: { name: oneLine(mail.from.name), address: replyTo } }),
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    // An answer by a machine would land with the shop's support.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

type Conversation = {
  work(connection: SMTPConnection, done: (error: SmtpFailure | null) => void): void
  /** Whether the server may have the whole mail. */
  isOut(): boolean
}

/** A greeted and logged-in connection for `work`, and its end, however it ends. */
function converse(server: MailServer, signal: AbortSignal, { work, isOut }: Conversation): Promise<void> {
  const { auth, ...options } = connectionOptions(server)
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const connection = new SMTPConnection(options)
    const stop = () => end(isOut() ? new MailUnanswered('The mail was not waited for any longer.') : signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    let hasEnded = false
    const end = (error: Error | null) => {
      if (hasEnded) return
      hasEnded = true
      signal.removeEventListener('abort', stop)
      if (error === null) {
        resolve()
        connection.quit()
        // Its goodbye is not waited for: the mail is the server's.
        setTimeout(() => connection.close(), GOODBYE_MS).unref()
      } else {
        reject(error)
        connection.close()
      }
    }
    const fail = (error: SmtpFailure) => end(failureOf(error, isOut()))
    const done = (error: SmtpFailure | null) => (error ? fail(error) : end(null))
    // Later than the callbacks of a step under way, which know more about it.
    connection.on('error', (error) => setImmediate(fail, error))
    connection.connect((error) => {
      if (error) return fail(error)
      if (auth === null || !connection.allowsAuth) return work(connection, done)
      connection.login(auth, (refusal) => (refusal ? fail(refusal) : work(connection, done)))
    })
  })
}

function connectionOptions({ url, times = TIMES }: MailServer) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const isHere = host === 'localhost' || /^127\./.test(host) || host === '::1'
  return {
    host,
    secure,
    ...(port === '' ? {} : { port: Number(port) }),
    // Whoever stands on the way could hide that the server offers TLS, and would be told the password. Nobody stands on the way to
    // this machine itself, where mail servers often have a certificate of their own making.
    requireTLS: username !== '' && !isHere,
    tls: { rejectUnauthorized: !isHere, ...(isIP(host) > 0 ? {} : { servername: host }) },
    connectionTimeout: times.greetingMs,
    greetingTimeout: times.greetingMs,
    socketTimeout: times.silenceMs,
    auth: username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  }
}

/** What nodemailer says of an error. */
type SmtpFailure = Error & { code?: string; command?: string; response?: string; responseCode?: number }

/**
 * In our words: servers repeat the address in their answers, and this is logged. Refused for ever is what the server says so about for this
 * recipient or this content; a sender or a password that it does not take is for the operator to mend, and the mail waits for that.
 */
function failureOf(error: SmtpFailure, isOut: boolean): Error {
  const { code = '', command = '', responseCode = 0, response = '' } = error
  if (responseCode === 0) {
    // Larger than the server has said that it takes. With another command it is an answer to the mail that has no code.
    if (code === 'EMESSAGE' && command === 'MAIL FROM')
      return new MailRefused('The mail is too large for the mail server.')
    if (isOut) return new MailUnanswered('The mail server took the mail and did not answer in a way that is known.')
    // What it said without a code is in the message, too.
    if (response !== '') return new Error(`The mail server does not speak SMTP: it gave no code to ${command || code}.`)
    return new Error(`The mail server cannot be reached: ${error.message} (${code}).`)
  }
  const answer = [responseCode, /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]].filter(Boolean).join(' ')
  if (responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA'))
    return new MailRefused(`The mail server refused the mail for good: it answered ${answer} to ${command}.`)
  return new Error(`The mail server did not take the mail: it answered ${answer} to ${command || code}.`)
}
