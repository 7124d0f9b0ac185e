// Creates or changes a tax zone: the place and its rates.

import limits from 'limits:tax_zones.create'
import { useContext, useState } from 'preact/hooks'
import type { TaxZone } from '../../../../src/api/tax/schema.ts'
import { ApiProblem, problemOf } from '../../api.ts'
import { post, put, sendChange } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { FormContext, type FormValues } from '../../parts/form/form.tsx'
import { CountrySelect, RegionSelect } from '../../parts/form/places.tsx'
import { RowsField } from '../../parts/form/rows-field.tsx'
import { FormDialog } from '../../parts/page/dialog.tsx'
import { useQuery } from '../../use-query.ts'
import { fractionOf, percentOf } from './percent.ts'

const PATH = '/v1/tax_zones'

/** `id`: undefined for a new zone. */
export function TaxZoneDialog({ id, onClose }: { id?: string; onClose: () => void }) {
  const zone = useQuery<TaxZone>(id === undefined ? null : `${PATH}/${id}`)
  const change =
    id === undefined
      ? {
          title: 'New tax zone',
          initial: {},
          request: post(PATH, bodyOf),
          submit: 'Add the tax zone',
          done: 'Tax zone added',
        }
      : { title: 'Change the tax zone', of: zone, request: put(`${PATH}/${id}`, bodyOf), submit: 'Save', done: 'Saved' }
  return (
    <FormDialog
      {...change}
      run={(values, options) => withPercentErrors(sendChange(change, values, options))}
      limits={limits}
      isWide
      canKeep
      onClose={onClose}
    >
      <PlaceFields />
      <RatesField />
    </FormDialog>
  )
}

/** A change of the country also sends a region, null if none is chosen: a region of the other country must not stay. */
const bodyOf = (values: FormValues) => ('country' in values ? { region: null, ...values } : values)

function PlaceFields() {
  const zone = useContext(FormContext).initial as Partial<TaxZone>
  const [country, setCountry] = useState(zone.country ?? '')
  return (
    <div class="columns">
      <CountrySelect name="country" onChange={setCountry} />
      <RegionSelect
        name="region"
        country={country}
        all="All of it"
        {...(country === zone.country ? {} : { value: '' })}
      />
      <Field name="postal_prefix" label="Postcodes that begin with" hint="All, unless you say so." />
    </div>
  )
}

/** The API names the limits of rates as fractions, but the form has percentages. So these errors get sentences of the form. */
function percentRule(path: string, type: string): string | undefined {
  if (/^rates\.\d+\.(?:digital_)?rate$/.test(path)) return 'A rate must be a percentage from 0 to 100, such as 7.25.'
  // The sum is the only rule that refuses well-formed rates. A malformed list has another type of error.
  if (path === 'rates' && type === 'not_valid') return 'The rates must add up to at most 100 %, on downloads too.'
  return undefined
}

async function withPercentErrors<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    const problem = problemOf(error)
    const rules = Object.keys(problem.errors).flatMap((path) => {
      const rule = percentRule(path, problem.type)
      return rule === undefined ? [] : [[path, [rule]] as const]
    })
    const [message] = rules.flatMap(([, sentences]) => sentences)
    if (message === undefined) throw problem
    throw new ApiProblem(message, { ...problem, errors: { ...problem.errors, ...Object.fromEntries(rules) } })
  }
}

const BLANK = { type: '', rate: '', digital_rate: '' }

function RatesField() {
  return (
    <RowsField
      name="rates"
      label="Rates"
      hint="They add up. Without any, nothing is taxed there, even where a wider zone has rates."
      from={({ rates }: Partial<TaxZone>) =>
        rates?.map(({ type, rate, digital_rate }) => ({
          type,
          rate: percentOf(rate),
          digital_rate: digital_rate === null ? '' : percentOf(digital_rate),
        })) ?? [BLANK]
      }
      sent={({ type, rate, digital_rate }) => ({
        type: type.trim(),
        rate: fractionOf(rate),
        digital_rate: digital_rate.trim() === '' ? null : fractionOf(digital_rate),
      })}
      say={({ type, rate }) => `${type} ${rate}%`}
      nameOf={({ type }) => type}
      thing="rate"
      blank={BLANK}
      add="Add a rate"
    >
      {({ input }) => (
        <div class="columns">
          {input('type', 'Name, such as VAT')}
          {input('rate', 'Rate', '%')}
          {input('digital_rate', 'On downloads, if another', '%')}
        </div>
      )}
    </RowsField>
  )
}
