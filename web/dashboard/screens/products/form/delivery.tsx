// How a product reaches the buyer: shipped, downloaded, or both.

import type { Product } from '../../../../../src/api/products/schema.ts'
import type { ShippingZone } from '../../../../../src/api/shipping/schema.ts'
import { findAmong, MultiPick } from '../../../parts/form/combobox.tsx'
import { Field, Group, Select } from '../../../parts/form/field.tsx'
import { useHeldValue, WrongText } from '../../../parts/form/held-value.tsx'
import { PlainCheck, PlainField, PlainSelect, TakeAway } from '../../../parts/form/plain-field.tsx'
import { UploadBox } from '../../../parts/form/upload.tsx'
import { useMay } from '../../../session.tsx'
import { toPicked, useEvery } from '../choices.ts'

const PHYSICAL = [
  ['', 'As the shop does: yes, if it ships and there is no download'],
  ['true', 'Yes'],
  ['false', 'No'],
] as const

const PERIODS = [
  ['', 'for ever'],
  ['days', 'days'],
  ['weeks', 'weeks'],
  ['months', 'months'],
] as const

export function DeliveryFields() {
  const may = useMay()
  const zones = useEvery<ShippingZone>(may('shipping_zones.list') ? '/v1/shipping_zones' : null)
  return (
    <div class="form">
      <Select name="delivery.physical" label="Is it sent somewhere?" isJson empty="null" options={PHYSICAL} />
      <Field name="delivery.weight" label="Weight" isNumber inputMode="numeric" unit="g" />
      {zones.length > 0 && (
        <MultiPick
          name="delivery.shipping_zones"
          label="Sent to these zones alone"
          hint="None chosen: to every zone."
          placeholder="Find a zone"
          none={null}
          find={findAmong(zones.map(toPicked))}
          from={({ delivery }: Product) =>
            (delivery?.shipping_zones ?? []).map((id) =>
              toPicked(zones.find((zone) => zone.id === id) ?? { id, name: id }),
            )
          }
        />
      )}
      <Downloads />
    </div>
  )
}

type Digital = NonNullable<Product['delivery']>['digital']

function Downloads() {
  const { value, set, control, errors } = useHeldValue<Digital>({
    name: 'delivery.digital',
    label: 'Downloads',
    from: ({ delivery }: Product) => delivery?.digital ?? { packages: [], lifespan: null },
    say: ({ packages }) => packages.map(({ name }) => name).join(', '),
  })
  const { packages, lifespan } = value
  const span = lifespan ?? { duration: null, period: null, download_limit: null }
  const setSpan = (changes: Partial<typeof span>) => set({ packages, lifespan: { ...span, ...changes } })
  return (
    <Group label="Downloads" hint="Files that buyers get once they have paid.">
      {control}
      {packages.map((file, index) => {
        const change = (changes: Partial<typeof file>) =>
          set({ lifespan, packages: packages.with(index, { ...file, ...changes }) })
        return (
          <div class="fields close" key={file.asset}>
            <PlainField
              label="Name of the download"
              hidesLabel
              value={file.name}
              onInput={(name) => change({ name })}
            />
            <PlainCheck
              label="In sandbox orders too"
              isChecked={file.is_sample}
              onChange={(is_sample) => change({ is_sample })}
            />
            <TakeAway name={file.name} onClick={() => set({ lifespan, packages: packages.toSpliced(index, 1) })} />
          </div>
        )
      })}
      <WrongText errors={errors} />
      <UploadBox
        label="Add a download"
        isPrivate
        onDone={({ id, filename }) =>
          set({ lifespan, packages: [...packages, { asset: id, name: filename, is_sample: false }] })
        }
      />
      {packages.length > 0 && (
        <div class="fields close">
          <PlainSelect
            label="Can be downloaded"
            value={span.period ?? ''}
            options={PERIODS}
            onChange={(period) =>
              setSpan(period === '' ? { period: null, duration: null } : { period, duration: span.duration ?? 1 })
            }
          />
          {span.period !== null && (
            <PlainField
              label={`How many ${span.period}`}
              isNumber
              value={String(span.duration ?? '')}
              onInput={(text) => setSpan({ duration: numberOf(text) })}
            />
          )}
          <PlainField
            label="How often at most"
            isNumber
            placeholder="any number of times"
            value={String(span.download_limit ?? '')}
            onInput={(text) => setSpan({ download_limit: numberOf(text) })}
          />
        </div>
      )}
    </Group>
  )
}

/** Text that is not a number is sent as typed, so that the API explains the error. */
const numberOf = (text: string): number | null =>
  text.trim() === '' ? null : Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number)
