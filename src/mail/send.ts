// Sends the mail of a job, and ends the job of one that the server keeps taking without saying so.

import type { JobContext } from '../jobs/job.ts'
import { isWithinLimits, LONGER_THAN_JOBS_MS } from '../limits/requests.ts'
import { type Mail, type Mailer, MailUnanswered } from './mailer.ts'

type Run = Pick<JobContext, 'db' | 'clock' | 'merchantId' | 'jobId' | 'signal'>

/** How often a mail is sent that may have arrived each time. */
const MOST = 3

/** As `Mailer.send`. */
export async function sendMail({ mailer }: { readonly mailer: Mailer }, run: Run, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail, run.signal)
  } catch (error) {
    if (!(error instanceof MailUnanswered) || !(await wasTheLast(run))) throw error
    throw new MailUnanswered(`${error.message} It was sent ${MOST} times and is not sent again.`, true)
  }
}

/**
 * A server that takes mails and breaks off would be given one by every try, and a shopper would get dozens. Only these count: a mail that
 * could not be sent for a day has not arrived once, and must not be given up for one that is not sure.
 */
async function wasTheLast(run: Run): Promise<boolean> {
  const { db, clock, jobId } = run
  const limits = [{ subject: `mail unanswered ${jobId}`, most: MOST - 1, windowMs: LONGER_THAN_JOBS_MS }]
  // One that could not be counted is not the last: what matters more is that it may have arrived.
  return !(await isWithinLimits(db, run, limits, clock.now()).catch(() => true))
}
