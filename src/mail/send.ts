// Sends the mail of a job. Gives up after several tries if the server keeps accepting the mail without confirming it.

import type { JobContext } from '../jobs/job.ts'
import { countIfWithinLimits, LONGER_THAN_JOBS_MS } from '../limits/requests.ts'
import { type Mail, type Mailer, MailUnanswered } from './mailer.ts'

type Run = Pick<JobContext, 'db' | 'clock' | 'merchant_id' | 'jobId' | 'signal'>

/** How many times to send a mail that may have arrived each time. */
const MAX_UNCONFIRMED = 3

/** Same errors as `Mailer.send`. */
export async function sendMail({ mailer }: { readonly mailer: Mailer }, run: Run, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail, run.signal)
  } catch (error) {
    if (!(error instanceof MailUnanswered) || !(await hasReachedLimit(run))) throw error
    throw new MailUnanswered(`${error.message} It was sent ${MAX_UNCONFIRMED} times and is not sent again.`, true)
  }
}

/**
 * A server that accepts mails and then breaks off would get one at every retry, and a shopper dozens of copies. Only unconfirmed tries
 * count. A mail that failed for a day has not arrived once, so one uncertain try must not end it.
 */
async function hasReachedLimit(run: Run): Promise<boolean> {
  const { db, clock, jobId } = run
  const limits = [{ subject: `mail unanswered ${jobId}`, most: MAX_UNCONFIRMED - 1, windowMs: LONGER_THAN_JOBS_MS }]
  // If counting fails, continue: stopping would lose a mail that may not have arrived.
  return !(await countIfWithinLimits(db, run, limits, clock.now()).catch(() => true))
}
