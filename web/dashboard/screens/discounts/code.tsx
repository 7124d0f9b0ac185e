// Parts shared by discount codes and gift cards: the code in large type, the end, and the field of the last day.

import { useContext } from 'preact/hooks'
import { Field } from '../../parts/form/field.tsx'
import { FormContext, type FormValues } from '../../parts/form/form.tsx'
import { CopyButton } from '../../parts/page/button.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { momentText, When } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { hasEnded } from './discount.ts'

export function BigCode({ text, what }: { text: string; what: string }) {
  return (
    <p class="row big-code">
      <code>{text}</code>
      <CopyButton words="Copy" text={text} what={what} />
    </p>
  )
}

/** The end in a list; on phones with the word before it. */
export function Until({ expires }: { expires: number | null }) {
  if (expires === null) return <>No end</>
  return (
    <>
      <span class="phone-word">{hasEnded(expires) ? 'ended' : 'until'} </span>
      <When at={expires} />
    </>
  )
}

/** Last valid day in the time zone of the shop, in the form of a date input. */
const lastDayOf = (expires: number | null, zone: string): string =>
  expires === null
    ? ''
    : new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
        (expires - 1) * 1_000,
      )

/** The values of a form as the API takes them: it ends with the start of the day after the last. */
export const withEndOfDay = (values: FormValues, zone: string): FormValues => {
  const { expires: day } = values
  if (day === undefined) return values
  return { ...values, expires: typeof day === 'string' && day !== '' ? startOfDay(dayAfter(day), zone) : null }
}

/** Shows the day of `expires`. On submit, `withEndOfDay` turns the day into a moment again. */
export function LastDay() {
  const zone = useSession().merchant.time_zone
  const { initial } = useContext(FormContext)
  const expires = (initial as { readonly expires?: number | null } | undefined)?.expires ?? null
  return (
    <Field
      name="expires"
      label="Last day"
      type="date"
      value={lastDayOf(expires, zone)}
      hint={`It can be used until that day is over in ${zone}. Without one it does not end.${
        expires === null ? '' : ` Now it ends ${momentText(expires, zone)}.`
      }`}
    />
  )
}
