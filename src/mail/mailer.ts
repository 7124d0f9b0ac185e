// What a mail is, and what sends one. smtp.ts does it through a mail server; without one, outbox-store.ts keeps them to be read.

import type { Scope } from '../db/db.ts'

export type Mail = Scope & {
  /** Which of our mails it is, such as `login`. */
  readonly kind: string
  /** The same whenever it is sent again, so that a mail program shows it once: `mailIdOf(jobId)`. */
  readonly id: string
  readonly to: string
  /** The name it comes in, and where answers to it go: the shop. The address it comes from is the operator's. */
  readonly from: { readonly name: string; readonly replyTo: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

export type Mailer = {
  /** Whether mails leave the machine. Where they do not, nobody can be pestered with them. */
  readonly goesOut: boolean
  /** The address that mails come from, where they do. */
  readonly from?: string
  /**
   * Resolves when it has been taken over. Rejects with `MailRefused` where trying again is of no use, with `MailUnanswered` where it
   * may have been taken over, else with what went wrong. Takes minutes where the server does.
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/** This mail will never be sent: there is no such mailbox, say. A job that fails with it is given up at once. */
export class MailRefused extends Error {
  override readonly name: string = 'MailRefused'
  readonly isFinal = true
}

/**
 * The connection ended after the whole mail had gone out and before the server said that it has it. Sending it again may deliver it
 * twice; not sending it again, never.
 */
export class MailUnanswered extends Error {
  override readonly name = 'MailUnanswered'
  /** Whether it has been sent so often that it is not to be sent again. */
  readonly isFinal: boolean

  constructor(message: string, isFinal = false) {
    super(message)
    this.isFinal = isFinal
  }
}

/** One job sends one mail; whichever run of it does, the mail is the same one. */
export const mailIdOf = (jobId: string): string => jobId.replace(/^job_/, 'mail_')
