// Creates or changes a tax zone: the place and its rates.

import { useState } from 'preact/hooks'
import { ApiProblem, call, newIdempotencyKey, problemOf } from '../../api.ts'
import { Field, Group } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { useHeldValue, WrongText } from '../../parts/form/held-value.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Dialog } from '../../parts/page/dialog.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { CountrySelect, RegionSelect } from '../terms/places.tsx'
import { ListInput } from '../terms/typed.tsx'
import { fractionOf, percentOf, type TaxZone } from './tax-zone.ts'

/** `id`: undefined for a new zone. */
export function TaxZoneDialog({ id, onClose }: { id?: string; onClose: () => void }) {
  const query = useQuery<TaxZone>(id === undefined ? null : `/v1/tax_zones/${id}`)
  return (
    <Dialog title={id === undefined ? 'New tax zone' : 'Change the tax zone'} isWide onClose={onClose}>
      {id === undefined ? (
        <TaxZoneForm onClose={onClose} />
      ) : (
        <Loaded query={query}>{(zone) => <TaxZoneForm zone={zone} etag={query.etag} onClose={onClose} />}</Loaded>
      )}
    </Dialog>
  )
}

type FormProps = { readonly zone?: TaxZone; readonly etag?: string | null; readonly onClose: () => void }

function TaxZoneForm({ zone, etag = null, onClose }: FormProps) {
  const [country, setCountry] = useState(zone?.country ?? '')
  /** A change of the country also sends a region, null if none is chosen: a region of the other country must not stay. */
  const bodyOf = (values: FormValues) => ('country' in values ? { region: null, ...values } : values)
  return (
    <Form
      initial={zone ?? {}}
      etag={etag}
      sendsAll={zone === undefined}
      run={(values, { ifMatch }) =>
        withPercentErrors(
          zone === undefined
            ? call('POST', '/v1/tax_zones', { body: bodyOf(values) })
            : call('PUT', `/v1/tax_zones/${zone.id}`, { body: bodyOf(values), ifMatch }),
        )
      }
      onDone={() => {
        invalidateQueries('/v1/tax_zones')
        showToast(zone === undefined ? 'Tax zone added' : 'Saved')
        onClose()
      }}
    >
      <div class="columns">
        <CountrySelect name="country" onChange={setCountry} />
        <RegionSelect
          name="region"
          country={country}
          all="All of it"
          {...(country === zone?.country ? {} : { value: '' })}
        />
        <Field
          name="postal_prefix"
          label="Postcodes that begin with"
          isOptional
          empty="null"
          maxLength={12}
          hint="All, unless you say so."
        />
      </div>
      <RatesField />
      <div class="dialog-foot">
        <Button onClick={onClose}>Keep as it is</Button>
        <Button type="submit" kind="primary">
          {zone === undefined ? 'Add the tax zone' : 'Save'}
        </Button>
      </div>
    </Form>
  )
}

const toPercentText = (sentence: string): string =>
  sentence
    .replace(
      /rates\.\d+\.(?:digital_)?rate must be a fraction[^%]{0,100}%\.?/,
      'A rate must be a percentage from 0 to 100, such as 7.25.',
    )
    .replace('add up to at most 1', 'add up to at most 100 %')

/** Errors of the API speak of fractions, but the form shows percentages. */
async function withPercentErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    const problem = problemOf(error)
    const errors = Object.fromEntries(
      Object.entries(problem.errors).map(([path, sentences]) => [path, sentences.map(toPercentText)]),
    )
    throw new ApiProblem(toPercentText(problem.message), { ...problem, errors })
  }
}

/** Values as typed, in percent. */
type Draft = { readonly key: string; readonly type: string; readonly rate: string; readonly digital: string }

const blank = (): Draft => ({ key: newIdempotencyKey(), type: '', rate: '', digital: '' })

function RatesField() {
  const { value, set, control, errors } = useHeldValue<readonly Draft[]>({
    name: 'rates',
    label: 'Rates',
    from: ({ rates }: Partial<TaxZone>) =>
      rates?.map(({ type, rate, digital_rate }, index) => ({
        key: String(index),
        type,
        rate: percentOf(rate),
        digital: digital_rate === null ? '' : percentOf(digital_rate),
      })) ?? [blank()],
    sent: (drafts) =>
      drafts.map(({ type, rate, digital }) => ({
        type: type.trim(),
        rate: fractionOf(rate),
        digital_rate: digital.trim() === '' ? null : fractionOf(digital),
      })),
    say: (drafts) => drafts.map(({ type, rate }) => `${type} ${rate}%`).join(', ') || 'none',
  })
  const change = (key: string, changes: Partial<Draft>) =>
    set(value.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)))
  const listError = errors.get('')
  return (
    <Group label="Rates" hint="They add up. Without any, nothing is taxed there, even where a wider zone has rates.">
      {control}
      {listError !== undefined && <WrongText errors={new Map([['', listError]])} />}
      {value.map((draft, index) => (
        <fieldset class="method" key={draft.key}>
          <legend class="unseen">{draft.type.trim() || `Rate ${index + 1}`}</legend>
          <div class="columns">
            <ListInput
              label="Name, such as VAT"
              value={draft.type}
              error={errors.get(`${index}.type`)}
              onInput={(type) => change(draft.key, { type })}
            />
            <ListInput
              label="Rate"
              unit="%"
              value={draft.rate}
              error={errors.get(`${index}.rate`)}
              onInput={(rate) => change(draft.key, { rate })}
            />
            <ListInput
              label="On downloads, if another"
              unit="%"
              value={draft.digital}
              error={errors.get(`${index}.digital_rate`)}
              onInput={(digital) => change(draft.key, { digital })}
            />
          </div>
          <div class="method-foot">
            <Button
              isSmall
              kind="quiet"
              icon="close"
              label={`Remove ${draft.type.trim() || `rate ${index + 1}`}`}
              onClick={() => set(value.filter(({ key }) => key !== draft.key))}
            >
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button isSmall icon="plus" onClick={() => set([...value, blank()])}>
          Add a rate
        </Button>
      </div>
    </Group>
  )
}
