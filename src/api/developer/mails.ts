// The mails of a shop before anybody gets them: how they are sent, what each kind looks like, and one to try the mail server with.

import { type Static, Type } from 'typebox'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { kind, nullable, oneOf } from '../../http/endpoint/schema.ts'
import { conflict, notFound, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { emailRule, inboxOf, readEmail } from '../../lib/text.ts'
import { takeFromLimits } from '../../limits/requests.ts'
import type { WrittenMail } from '../../mail/layout.ts'
import { type Mail, MailUnanswered } from '../../mail/mailer.ts'
import { MAIL_KINDS, type MailKind, SAMPLE_ORDER_ID, sampleTold, testMail, writeKind } from '../../mail/previews.ts'
import { mailOrigin } from '../../mail/trust.ts'
import { type MailSender, mailShop } from '../merchants/view.ts'
import { dashboardUrl } from '../orders/mails/subjects.ts'

export const MailSetup = kind('mail_setup', {
  is_sent: Type.Boolean({
    description: 'Whether the service has a mail server. Without one, mails of the sandbox are kept.',
  }),
  from: nullable(Type.String(), { description: 'The address that mails come from; null where none are sent.' }),
  from_name: Type.String({ description: 'The name that they come in.' }),
  reply_to: nullable(Type.String(), { description: 'Where answers go; null where support_email is no address.' }),
  merchant_email: nullable(Type.String(), { description: 'Where mails to the merchant go; null: nowhere.' }),
})

export const MailPreview = kind('mail_preview', {
  kind: oneOf(MAIL_KINDS),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
})

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

type Asking = Pick<Context, 'db' | 'clock' | 'mailer' | 'publicUrl' | 'lastingOrigin'> & {
  readonly caller: Pick<Context['caller'], 'merchantId' | 'isSandbox' | 'currency'>
}

/** Without a PUBLIC_URL a mail has no links to us but of what is kept on this machine: as mails themselves have it. */
async function senderOf(context: Asking): Promise<{ sender: MailSender; origin: string | null }> {
  const origin = mailOrigin(context, context)
  const sender = await mailShop(context, context.caller, origin)
  if (sender === null) throw notFound('merchant')
  return { sender, origin }
}

export async function showMailSetup(context: Asking): Promise<Static<typeof MailSetup>> {
  const { sender } = await senderOf(context)
  const { goesOut, from = null } = context.mailer
  return {
    is_sent: goesOut,
    from,
    from_name: sender.shop.name,
    reply_to: sender.shop.supportEmail || null,
    merchant_email: sender.ownEmail || null,
  }
}

export async function previewMail(context: Asking, kind: MailKind): Promise<Static<typeof MailPreview>> {
  const { subject, text, html } = await written(context, kind, false)
  return { kind, subject, text, html }
}

async function written(context: Asking, kind: MailKind | 'test', isTest: boolean): Promise<WrittenMail> {
  const { sender, origin } = await senderOf(context)
  const { shop } = sender
  if (kind === 'test') return testMail(shop)
  const told = sampleTold(origin ?? '', context.clock.now(), { currency: context.caller.currency, isTest })
  const mail = writeKind(kind, { shop, told, origin, orderUrl: dashboardUrl(origin, SAMPLE_ORDER_ID) })
  if (mail === null) throw notFound('mail', 'kind')
  return mail
}

const HOUR_MS = 3_600_000
/** An hour, of a shop: enough to set up a mail server, and too few to be of use to anybody who would pester others. */
const MOST = 20
/** An hour, to one mailbox. */
const MOST_TO_ONE = 5
/** Jobs wait for minutes, as the mail matters. Here somebody is waiting. */
export const ANSWER_MS = 20_000

/** The one mail that a request sends by itself: what the mail server says is the answer. It is not tried again. */
export async function sendTestMail(
  context: Asking & Pick<Context, 'signal'>,
  body: Static<typeof TestMailBody>,
): Promise<Static<typeof TestMail>> {
  const { db, clock, caller, mailer, signal } = context
  const { kind = 'test' } = body
  const to = readEmail(body.to.trim())
  if (to === null) throw unprocessable({ to: [emailRule('to')] })
  if (!mailer.goesOut)
    throw conflict(
      'This service has no mail server, so that no mail can be sent: the operator sets SMTP_URL and MAIL_FROM. Until then the mails of the sandbox are kept in its outbox.',
    )
  const { sender } = await senderOf(context)
  const content = await written(context, kind, true)
  const now = clock.now()
  await db.transaction((tx) =>
    takeFromLimits(
      tx,
      caller,
      [
        { subject: 'test mail', most: MOST, windowMs: HOUR_MS },
        { subject: `test mail to ${inboxOf(to.toLowerCase())}`, most: MOST_TO_ONE, windowMs: HOUR_MS },
      ],
      now,
    ),
  )
  const mail: Mail = {
    merchantId: caller.merchantId,
    isSandbox: caller.isSandbox,
    kind: 'test',
    id: newId('mail', now),
    to,
    from: { name: sender.shop.name, replyTo: sender.shop.supportEmail },
    ...content,
  }
  const patience = AbortSignal.timeout(ANSWER_MS)
  try {
    await mailer.send(mail, AbortSignal.any([signal, patience]))
    return {
      to,
      kind,
      is_sent: true,
      message:
        'The mail server has taken the mail over. It should arrive within a minute; if not, look among the spam.',
    }
  } catch (error) {
    signal.throwIfAborted()
    return { to, kind, is_sent: false, message: patience.aborted ? lateWords(error) : wordsOf(error) }
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : 'The mail could not be sent.')

const lateWords = (error: unknown) =>
  error instanceof MailUnanswered
    ? `The mail server has the mail and did not say within ${ANSWER_MS / 1_000} seconds what it does with it.`
    : `The mail server did not answer within ${ANSWER_MS / 1_000} seconds.`
