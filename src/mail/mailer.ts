// Types of a mail and of a mailer. smtp.ts sends mails through a mail server; without one, outbox-store.ts stores them.

import type { Scope } from '../db/db.ts'

export type Mail = Scope & {
  /** Which of our mails this is, such as `login`. */
  readonly kind: string
  /** The same for every retry, so that a mail program shows the mail once: `mailIdOf(jobId)`. */
  readonly id: string
  readonly to: string
  /** Sender name and reply address of the shop. The sender address itself is the operator's. */
  readonly from: { readonly name: string; readonly replyTo: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

export type Mailer = {
  /** True if mails leave the machine. Otherwise nobody can be spammed. */
  readonly goesOut: boolean
  /** Sender address, if mails leave the machine. */
  readonly from?: string
  /**
   * Resolves when the server has accepted the mail, which can take minutes. Rejects with `MailRefused` if a retry is useless, and with
   * `MailUnanswered` if the server may have accepted it. Other errors can be retried.
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/** The mail can never be delivered, for example because the mailbox does not exist. A job that fails with it is not retried. */
export class MailRefused extends Error {
  override readonly name: string = 'MailRefused'
  readonly isFinal = true
}

/**
 * The connection ended after the whole mail was sent and before the server confirmed it. A retry may deliver the mail twice; without one
 * it may never arrive.
 */
export class MailUnanswered extends Error {
  override readonly name = 'MailUnanswered'
  /** True if the mail has reached its limit of retries. */
  readonly isFinal: boolean

  constructor(message: string, isFinal = false) {
    super(message)
    this.isFinal = isFinal
  }
}

/** One job sends one mail, so all its runs use the same id. */
export const mailIdOf = (jobId: string): string => jobId.replace(/^job_/, 'mail_')
