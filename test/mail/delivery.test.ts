// @alone
// Mails under the queue: how long one is tried, what ends it, and that a slow server gets it once.

import { beforeEach, expect, it } from 'vitest'
import type { JobContext } from '../../src/jobs/job.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { mailIdOf } from '../../src/mail/mailer.ts'
import { smtpMailer } from '../../src/mail/smtp.ts'
import {
  clearJobs,
  gate,
  handler,
  jobsOf,
  MINUTE_MS,
  onlyJob,
  put,
  START,
  testClock,
  testLog,
  until,
  worker,
} from '../jobs/harness.ts'
import { testDatabase } from '../support/database.ts'
import { mailServer, refusal } from './mail-server.ts'

const db = await testDatabase({ size: 8 })
const server = await mailServer()
const mailer = smtpMailer(server.settings())
beforeEach(async () => {
  await clearJobs(db)
  server.deliveries.length = 0
  server.onRecipient = server.onMail = async () => undefined
})

const MAIL = {
  merchantId: 1,
  isSandbox: true,
  kind: 'receipt',
  to: 'jane@example.com',
  from: { name: 'Shop', replyTo: 'hello@shop.example' },
  subject: 'Your order',
  text: 'Thank you.',
  html: '<p>Thank you.</p>',
}
const send = ({ jobId, signal }: Pick<JobContext, 'jobId' | 'signal'>) =>
  mailer.send({ ...MAIL, id: mailIdOf(jobId) }, signal)
const isEmpty = async () => (await jobsOf(db)).length === 0

it('a mail that the server does not take now is tried for more than a day, then given up', async () => {
  const clock = testClock()
  let tries = 0
  server.onRecipient = async () => {
    tries += 1
    throw refusal(451, '4.3.0 try again later')
  }
  await put(db)
  worker({ db, clock, handlers: [handler(send)] })
  for (let failures = 1; ; failures++) {
    await until(async () => (await onlyJob(db)).attempts === failures)
    const { dueAt, failedAt } = await onlyJob(db)
    if (failedAt !== null) break
    clock.advance(dueAt.getTime() - clock.now().getTime())
  }
  expect(clock.now().getTime() - START.getTime()).toBeGreaterThan(24 * 3_600_000)
  expect([tries, server.deliveries]).toEqual([48, []])
})

it('a mail that the server refuses for good ends its job at once, with a line in the log that names nobody', async () => {
  const log = testLog()
  server.onRecipient = () => Promise.reject(refusal(550))
  await put(db)
  worker({ db, clock: testClock(), log, handlers: [handler(send)] })
  await until(async () => (await onlyJob(db)).failedAt !== null)
  const { attempts, lastError } = await onlyJob(db)
  const message = 'The mail server refused the mail for good: it answered 550 5.1.1 to RCPT TO.'
  expect({ attempts, lastError }).toEqual({ attempts: 1, lastError: `MailRefused: ${message}` })
  const [line, ...others] = log.lines.filter(({ level }) => level === 'error')
  expect([line?.message, others]).toEqual(['A job failed for the last time and is given up.', []])
  expect(line?.details).toMatchObject({ err: { message } })
})

it('a server that takes several times as long as a lease is waited for, and gets the mail once', async () => {
  const [clock, answer] = [testClock(), gate()]
  server.onMail = () => answer.opened
  await put(db)
  // Two workers, as another process would take over what this one seems to have left.
  const options = { db, clock, handlers: [handler(send)], leaseMs: MINUTE_MS, renewMs: 10 }
  worker(options)
  worker(options)
  await until(async () => (await onlyJob(db)).isRunning)
  for (let lease = 0; lease < 5; lease++) {
    const { dueAt } = await onlyJob(db)
    clock.advance(0.9 * MINUTE_MS)
    await until(async () => (await onlyJob(db)).dueAt > dueAt)
  }
  answer.open()
  await until(isEmpty)
  expect(server.deliveries.map(({ to }) => to)).toEqual([['jane@example.com']])
})

it('many mails to a server that fails now and then arrive once each', async () => {
  let count = 0
  server.onRecipient = async () => {
    count += 1
    if (count % 3 === 0) throw refusal(421, '4.3.2 busy')
  }
  const now = systemClock.now()
  for (let at = 0; at < 20; at++) await put(db, { runAt: now })
  worker({ db, clock: systemClock, handlers: [handler(send, { backoff: () => 20 })], concurrency: 4 })
  await until(isEmpty)
  const ids = server.deliveries.map(({ mail }) => mail.messageId)
  expect([ids.length, new Set(ids).size]).toEqual([20, 20])
})

/** The mail server takes one mail after the other, each when the test lets it. Gives whose mail has arrived. */
function gatedServer() {
  const arrived: string[] = []
  const open: (() => void)[] = []
  server.onRecipient = async (address) => void arrived.push(address.split('@')[0] ?? '')
  server.onMail = () => new Promise<void>((resolve) => void open.push(resolve))
  return {
    arrived,
    /** How many the server has and has not answered. */
    held: () => open.length,
    letOneGo: () => open.shift()?.(),
    letAllGo() {
      server.onMail = async () => undefined
      for (const answer of open.splice(0)) answer()
    },
  }
}

const sendAs =
  (name: string) =>
  ({ jobId, signal, merchantId }: Pick<JobContext, 'jobId' | 'signal' | 'merchantId'>) =>
    mailer.send({ ...MAIL, merchantId, id: mailIdOf(jobId), to: `${name}-of-${merchantId}@example.com` }, signal)

it('a thousand mails of one shop delay the login mail and the receipt of another by one mail', async () => {
  const [clock, gated] = [testClock(), gatedServer()]
  const putMails = (count: number, merchantId: number) =>
    db.transaction(async (tx) => {
      for (let n = 0; n < count; n++) await put(tx, { merchantId, kind: 'receipt' })
    })
  await putMails(500, 1)
  worker({
    db,
    clock,
    concurrency: 4,
    handlers: [
      handler(sendAs('receipt'), { kind: 'receipt' }),
      handler(sendAs('login'), { kind: 'login', isUrgent: true }),
    ],
  })
  await until(() => gated.held() === 4)
  // While all slots are taken. Those of the first shop that come later hide the second shop in the middle.
  await put(db, { merchantId: 2, kind: 'receipt' })
  await putMails(500, 1)
  await put(db, { merchantId: 2, kind: 'login' })
  clock.advance(1)
  for (let n = 1; n <= 4; n++) {
    gated.letOneGo()
    await until(() => gated.arrived.length === 4 + n && gated.held() === 4)
  }
  const receipt = 'receipt-of-1'
  expect(gated.arrived.slice(0, 4)).toEqual([receipt, receipt, receipt, receipt])
  expect(gated.arrived[4]).toBe('login-of-2')
  expect(gated.arrived.slice(5)).toContain('receipt-of-2')
  await clearJobs(db)
  gated.letAllGo()
})
