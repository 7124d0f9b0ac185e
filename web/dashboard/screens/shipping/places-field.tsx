// Countries of a zone, and the regions of a country that is included only in part.

import { useState } from 'preact/hooks'
import { Icon } from '../../icons.tsx'
import { Combobox, findAmong } from '../../parts/form/combobox.tsx'
import { Group } from '../../parts/form/field.tsx'
import { useHeldValue, WrongText } from '../../parts/form/held-value.tsx'
import { Button } from '../../parts/page/button.tsx'
import { placesText, useCountries, useRegions } from '../terms/places.tsx'
import type { Zone } from './zone.ts'

const EUROPEAN_UNION = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ')

const MANY = 12

export function PlacesField() {
  const names = useCountries()
  const countries = useHeldValue<readonly string[]>({
    name: 'countries',
    label: 'Countries',
    from: (zone: Zone) => zone.countries ?? [],
    say: (codes) => placesText(codes, names),
  })
  const regions = useHeldValue<Zone['regions']>({
    name: 'regions',
    label: 'Parts of countries',
    from: (zone: Zone) => zone.regions ?? {},
    // The API keeps the regions of a country that is not sent, so removed regions are sent as null.
    sent: (lists) =>
      Object.fromEntries(Object.entries(lists).map(([code, parts]) => [code, parts.length === 0 ? null : parts])),
    say: (lists) => placesText(Object.keys(lists), names) || 'none',
  })
  const { value: chosen } = countries
  const partialCountries = chosen.filter((code) => code in regions.value)
  const add = (codes: readonly string[]) => countries.set([...new Set([...chosen, ...codes])])
  /** Also removes the regions of countries that are removed. */
  const keepCountries = (codes: readonly string[]) => {
    countries.set(codes)
    if (partialCountries.some((code) => !codes.includes(code)))
      regions.set(Object.fromEntries(Object.entries(regions.value).filter(([code]) => codes.includes(code))))
  }
  const [isNarrowing, setNarrowing] = useState(false)
  const options = Object.entries(names).map(([id, label]) => ({ id, label, detail: id }))
  return (
    <Group label="Where">
      {countries.control}
      {regions.control}
      <Combobox
        label="Add a country"
        placeholder="Type its name"
        find={findAmong(options)}
        without={chosen}
        onPick={({ id }) => add([id])}
      />
      <WrongText errors={countries.errors} />
      <div class="page-actions">
        <Button isSmall onClick={() => add(EUROPEAN_UNION)}>
          Add the European Union
        </Button>
        <Button isSmall onClick={() => add(Object.keys(names))}>
          Add every country
        </Button>
        {chosen.length > 1 && (
          <Button isSmall kind="quiet" onClick={() => keepCountries([])}>
            Remove all
          </Button>
        )}
      </div>
      {chosen.length > 0 && (
        <ul class={chosen.length > MANY ? 'picked many' : 'picked'} aria-label="Countries: chosen">
          {chosen.map((code) => (
            <li key={code}>
              <span>{names[code] ?? code}</span>
              <button
                type="button"
                aria-label={`Remove ${names[code] ?? code}`}
                onClick={() => keepCountries(chosen.filter((other) => other !== code))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {partialCountries.map((code) => (
        <PartsField
          key={code}
          country={code}
          name={names[code] ?? code}
          chosen={regions.value[code] ?? []}
          onChange={(parts) => regions.set({ ...regions.value, [code]: parts })}
        />
      ))}
      <WrongText errors={regions.errors} />
      {chosen.length > partialCountries.length &&
        (isNarrowing ? (
          <Combobox
            label="Only parts of which country?"
            find={findAmong(chosen.map((code) => ({ id: code, label: names[code] ?? code })))}
            without={partialCountries}
            onPick={({ id }) => {
              regions.set({ ...regions.value, [id]: [] })
              setNarrowing(false)
            }}
          />
        ) : (
          <div>
            <Button isSmall kind="quiet" icon="filter" onClick={() => setNarrowing(true)}>
              Only parts of a country
            </Button>
          </div>
        ))}
    </Group>
  )
}

type PartsProps = {
  readonly country: string
  readonly name: string
  readonly chosen: readonly string[]
  readonly onChange: (codes: readonly string[]) => void
}

function PartsField({ country, name, chosen, onChange }: PartsProps) {
  const regions = useRegions(country)
  const options = Object.entries(regions).map(([id, label]) => ({ id, label, detail: id }))
  return (
    <Group label={`Of ${name} only`} {...(chosen.length === 0 ? { hint: 'All of it, until you name parts.' } : {})}>
      <Combobox
        label={`Add a part of ${name}`}
        find={findAmong(options)}
        without={chosen}
        onPick={({ id }) => onChange([...chosen, id])}
      />
      {chosen.length > 0 && (
        <ul class="picked" aria-label={`Parts of ${name}: chosen`}>
          {chosen.map((code) => (
            <li key={code}>
              <span>{regions[code] ?? code}</span>
              <button
                type="button"
                aria-label={`Remove ${regions[code] ?? code}`}
                onClick={() => onChange(chosen.filter((other) => other !== code))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Group>
  )
}
