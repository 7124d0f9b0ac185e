// Sends mails by SMTP, with one connection for each. Mails are few, and a kept connection may have died unnoticed. Values for the envelope
// and the headers are validated here again, although callers validate them.

import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { readEmail, toOneLine } from '../lib/text.ts'
import { type Mail, type Mailer, MailRefused, MailUnanswered } from './mailer.ts'

export type MailServer = {
  /** smtp://user:password@host:587 or smtps://… */
  readonly url: string
  /** Sender address of all mails. */
  readonly from: string
  /** Shorter timeouts for tests. */
  readonly times?: SmtpTimes
}

type SmtpTimes = {
  /** Timeout for connecting and for the server's greeting. Nothing has been sent until then, so giving up is safe. */
  readonly greetingMs: number
  /** Maximum silence of the server later in the conversation. */
  readonly silenceMs: number
}

/**
 * RFC 5321 (4.5.3.2) gives a server ten minutes to confirm a whole mail, because it may scan it. Giving up earlier would send the mail
 * twice.
 */
const TIMES: SmtpTimes = { greetingMs: 120_000, silenceMs: 600_000 }

const GOODBYE_MS = 5_000

export function smtpMailer(server: MailServer): Mailer {
  return {
    goesOut: true,
    from: server.from,
    async send(mail, signal) {
      // The server's rules for addresses are laxer, and attackers have tricked those of the library before.
      if (readEmail(mail.to) !== mail.to) throw new MailRefused('The address of the recipient is not accepted.')
      const message = await new MailComposer(contentOf(mail, server.from)).compile().build()
      const envelope = { from: server.from, to: [mail.to], size: message.length }
      let isOut = false
      const body = Readable.from([message]).once('end', () => {
        isOut = true
      })
      await converse(server, signal, {
        work: (connection, finish) => connection.send(envelope, body, finish),
        isOut: () => isOut,
      })
    },
  }
}

/** Connects and logs in, for `cartwright doctor`. Throws the error. */
export const checkMailServer = (server: MailServer, signal: AbortSignal): Promise<void> =>
  converse(server, signal, { work: (_, finish) => finish(null), isOut: () => false })

function contentOf(mail: Mail, from: string) {
  const replyTo = readEmail(mail.from.replyTo)
  return {
    from: { name: toOneLine(mail.from.name), address: from },
    to: { name: '', address: mail.to },
    ...(replyTo === null ? {} : { replyTo: { name: toOneLine(mail.from.name), address: replyTo } }),
    subject: toOneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    // Keeps automatic replies away from the shop's support.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

type Conversation = {
  work(connection: SMTPConnection, finish: (error: SmtpFailure | null) => void): void
  /** True if the server may have the whole mail. */
  isOut(): boolean
}

/** Opens a connection with greeting and login, runs `work` on it, and closes it in every case. */
function converse(server: MailServer, signal: AbortSignal, { work, isOut }: Conversation): Promise<void> {
  const { auth, ...options } = connectionOptions(server)
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const connection = new SMTPConnection(options)
    const stop = () => end(isOut() ? new MailUnanswered('The mail took too long and was given up.') : signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    let hasEnded = false
    const end = (error: Error | null) => {
      if (hasEnded) return
      hasEnded = true
      signal.removeEventListener('abort', stop)
      if (error === null) {
        resolve()
        connection.quit()
        // Do not wait for the goodbye: the server already has the mail.
        setTimeout(() => connection.close(), GOODBYE_MS).unref()
      } else {
        reject(error)
        connection.close()
      }
    }
    const fail = (error: SmtpFailure) => end(failureOf(error, isOut()))
    const finish = (error: SmtpFailure | null) => (error ? fail(error) : end(null))
    // Run after the callbacks of the current step, which know more about the error.
    connection.on('error', (error) => setImmediate(fail, error))
    connection.connect((error) => {
      if (error) return fail(error)
      if (auth === null || !connection.allowsAuth) return work(connection, finish)
      connection.login(auth, (refusal) => (refusal ? fail(refusal) : work(connection, finish)))
    })
  })
}

function connectionOptions({ url, times = TIMES }: MailServer) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const isLocal = host === 'localhost' || /^127\./.test(host) || host === '::1'
  return {
    host,
    secure,
    ...(port === '' ? {} : { port: Number(port) }),
    // An attacker on the network could hide that the server offers TLS, and would then get the password. No attacker sits between processes
    // of this machine, where mail servers often have a self-signed certificate.
    requireTLS: username !== '' && !isLocal,
    tls: { rejectUnauthorized: !isLocal, ...(isIP(host) > 0 ? {} : { servername: host }) },
    connectionTimeout: times.greetingMs,
    greetingTimeout: times.greetingMs,
    socketTimeout: times.silenceMs,
    auth: username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  }
}

/** Error of nodemailer. */
type SmtpFailure = Error & { code?: string; command?: string; response?: string; responseCode?: number }

/**
 * Uses our own words, because servers repeat the address in their answers and this text is logged. An error is final only if the server
 * refuses this recipient or this content. The operator can fix a refused sender or password, so the mail waits for that.
 */
function failureOf(error: SmtpFailure, isOut: boolean): Error {
  const { code = '', command = '', responseCode = 0, response = '' } = error
  if (responseCode === 0) {
    // The mail exceeds the size that the server announced. With another command, this code is a reply to the mail without a code.
    if (code === 'EMESSAGE' && command === 'MAIL FROM')
      return new MailRefused('The mail is too large for the mail server.')
    if (isOut) return new MailUnanswered('The mail server received the mail but gave no clear answer.')
    // The server's reply without a code is also in the error's message.
    if (response !== '')
      return new Error(`The mail server does not speak SMTP: it gave no status code for ${command || code}.`)
    return new Error(`The mail server cannot be reached: ${error.message} (${code}).`)
  }
  const answer = [responseCode, /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]].filter(Boolean).join(' ')
  if (responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA'))
    return new MailRefused(`The mail server refused the mail permanently: it answered ${answer} to ${command}.`)
  return new Error(`The mail server did not accept the mail: it answered ${answer} to ${command || code}.`)
}
