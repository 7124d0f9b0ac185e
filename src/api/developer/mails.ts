// Mails of a shop before anybody gets them: how they are sent, a preview of each kind, and a test mail for the mail server.

import { type Static, Type } from 'typebox'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { kind, nullable, oneOf } from '../../http/endpoint/schema.ts'
import { conflict, notFound, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { canonicalMailbox, emailRule, readEmail } from '../../lib/text.ts'
import { countAgainstLimits } from '../../limits/requests.ts'
import type { WrittenMail } from '../../mail/layout.ts'
import { type Mail, MailUnanswered } from '../../mail/mailer.ts'
import {
  MAIL_KINDS,
  type PreviewMailKind,
  SAMPLE_ORDER_ID,
  sampleMailedOrder,
  testMail,
  writePreviewMail,
} from '../../mail/previews.ts'
import { mailOrigin } from '../../mail/trust.ts'
import { findMailSender, type MailSender } from '../merchants/view.ts'
import { orderDashboardUrl } from '../orders/mails/subjects.ts'

export const MailSetup = kind('mail_setup', {
  is_sent: Type.Boolean({
    description: 'Whether the service has a mail server. Without one, mails of the sandbox are kept.',
  }),
  from: nullable(Type.String(), { description: 'The address that mails come from; null where none are sent.' }),
  from_name: Type.String({ description: 'The name that they come in.' }),
  reply_to: nullable(Type.String(), { description: 'Where answers go; null where support_email is no address.' }),
  merchant_email: nullable(Type.String(), { description: 'Where mails to the merchant go; null: nowhere.' }),
})

export type MailSetup = Static<typeof MailSetup>

export const MailPreview = kind('mail_preview', {
  kind: oneOf(MAIL_KINDS),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
})

export type MailPreview = Static<typeof MailPreview>

const TEST_KINDS = ['test', ...MAIL_KINDS] as const

export const TestMailBody = Type.Object({
  to: Type.String({ minLength: 1, maxLength: 320 }),
  kind: Type.Optional(
    oneOf(TEST_KINDS, {
      description: 'test: says only that it has arrived. Others are of a made-up order. test unless given.',
    }),
  ),
})

export const TestMail = kind('test_mail', {
  to: Type.String(),
  kind: oneOf(TEST_KINDS),
  is_sent: Type.Boolean({ description: 'Whether the mail server has taken it over.' }),
  message: Type.String({ description: 'What became of it, for people.' }),
})

export type TestMail = Static<typeof TestMail>

type MailContext = Pick<Context, 'db' | 'clock' | 'mailer' | 'publicUrl' | 'lastingOrigin'> & {
  readonly caller: Pick<Context['caller'], 'merchant_id' | 'is_sandbox' | 'currency'>
}

/**
 * Without PUBLIC_URL a mail has no links to this service, except a mail that is stored on this machine. Real mails follow the same rule.
 */
async function senderOf(context: MailContext): Promise<{ sender: MailSender; origin: string | null }> {
  const origin = mailOrigin(context, context)
  const sender = await findMailSender(context, context.caller, origin)
  if (sender === null) throw notFound('merchant')
  return { sender, origin }
}

export async function getMailSetup(context: MailContext): Promise<MailSetup> {
  const { sender } = await senderOf(context)
  const { goesOut, from = null } = context.mailer
  return {
    is_sent: goesOut,
    from,
    from_name: sender.shop.name,
    reply_to: sender.shop.supportEmail || null,
    merchant_email: sender.merchantEmail || null,
  }
}

export async function previewMail(context: MailContext, kind: PreviewMailKind): Promise<MailPreview> {
  const { subject, text, html } = await renderMail(context, kind, false)
  return { kind, subject, text, html }
}

async function renderMail(context: MailContext, kind: PreviewMailKind | 'test', isTest: boolean): Promise<WrittenMail> {
  const { sender, origin } = await senderOf(context)
  const { shop } = sender
  if (kind === 'test') return testMail(shop)
  const sample = sampleMailedOrder(origin ?? '', context.clock.now(), { currency: context.caller.currency, isTest })
  const mail = writePreviewMail(kind, {
    shop,
    mailedOrder: sample,
    origin,
    orderUrl: orderDashboardUrl(origin, SAMPLE_ORDER_ID),
  })
  if (mail === null) throw notFound('mail', 'kind')
  return mail
}

const HOUR_MS = 3_600_000
/** Per hour and shop: enough to set up a mail server, and too few to pester others. */
const MAX_PER_SHOP = 20
/** Per hour and mailbox. */
const MAX_PER_MAILBOX = 5
/** Mail jobs wait for minutes. Here a person is waiting. */
export const TEST_MAIL_TIMEOUT_MS = 20_000

/** The only mail that a request sends itself: the reply says what the mail server answered. It is not retried. */
export async function sendTestMail(
  context: MailContext & Pick<Context, 'signal'>,
  body: Static<typeof TestMailBody>,
): Promise<TestMail> {
  const { db, clock, caller, mailer, signal } = context
  const { kind = 'test' } = body
  const to = readEmail(body.to.trim())
  if (to === null) throw unprocessable({ to: [emailRule('to')] })
  if (!mailer.goesOut)
    throw conflict(
      'This service has no mail server, so that no mail can be sent: the operator sets SMTP_URL and MAIL_FROM. Until then the mails of the sandbox are kept in its outbox.',
    )
  const { sender } = await senderOf(context)
  const content = await renderMail(context, kind, true)
  const now = clock.now()
  await db.transaction((tx) =>
    countAgainstLimits(
      tx,
      caller,
      [
        { subject: 'test mail', most: MAX_PER_SHOP, windowMs: HOUR_MS },
        { subject: `test mail to ${canonicalMailbox(to.toLowerCase())}`, most: MAX_PER_MAILBOX, windowMs: HOUR_MS },
      ],
      now,
    ),
  )
  const mail: Mail = {
    merchant_id: caller.merchant_id,
    is_sandbox: caller.is_sandbox,
    kind: 'test',
    id: newId('mail', now),
    to,
    from: { name: sender.shop.name, replyTo: sender.shop.supportEmail },
    ...content,
  }
  const timeout = AbortSignal.timeout(TEST_MAIL_TIMEOUT_MS)
  try {
    await mailer.send(mail, AbortSignal.any([signal, timeout]))
    return {
      to,
      kind,
      is_sent: true,
      message:
        'The mail server has accepted the mail. It should arrive within a minute; if not, check the spam folder.',
    }
  } catch (error) {
    signal.throwIfAborted()
    return { to, kind, is_sent: false, message: timeout.aborted ? timeoutMessage(error) : failureMessage(error) }
  }
}

const failureMessage = (error: unknown) => (error instanceof Error ? error.message : 'The mail could not be sent.')

const timeoutMessage = (error: unknown) =>
  error instanceof MailUnanswered
    ? `The mail server received the mail but did not confirm it within ${TEST_MAIL_TIMEOUT_MS / 1_000} seconds.`
    : `The mail server did not answer within ${TEST_MAIL_TIMEOUT_MS / 1_000} seconds.`
