// Countries of a zone, and the regions of a country that is included only in part.

import { useState } from 'preact/hooks'
import type { ShippingZone } from '../../../../src/api/shipping/schema.ts'
import { Combobox, findAmong, PickedList } from '../../parts/form/combobox.tsx'
import { Group } from '../../parts/form/field.tsx'
import { useHeldValue, WrongText } from '../../parts/form/held-value.tsx'
import { placesText, useCountries, useRegions } from '../../parts/form/places.tsx'
import { Button } from '../../parts/page/button.tsx'

const EUROPEAN_UNION = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ')

/** Names by code as options, of which the code can be typed too. */
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([id, label]) => ({ id, label, detail: id }))

const named = (codes: readonly string[], names: Readonly<Record<string, string>>) =>
  codes.map((id) => ({ id, label: names[id] ?? id }))

export function PlacesField() {
  const names = useCountries()
  const countries = useHeldValue<readonly string[]>({
    name: 'countries',
    label: 'Countries',
    from: (zone: Partial<ShippingZone>) => zone.countries ?? [],
    say: (codes) => placesText(codes, names),
  })
  const regions = useHeldValue<Readonly<Record<string, readonly string[]>>>({
    name: 'regions',
    label: 'Parts of countries',
    from: (zone: Partial<ShippingZone>) => zone.regions ?? {},
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
  return (
    <Group label="Where">
      {countries.control}
      {regions.control}
      <Combobox
        label="Add a country"
        placeholder="Type its name"
        find={findAmong(optionsOf(names))}
        without={chosen}
        onPick={({ id }) => add([id])}
      />
      <WrongText errors={countries.errors} />
      <div class="page-actions">
        <Button words="Add the European Union" isSmall onClick={() => add(EUROPEAN_UNION)} />
        <Button words="Add every country" isSmall onClick={() => add(Object.keys(names))} />
        {chosen.length > 1 && <Button words="Remove all" isSmall kind="quiet" onClick={() => keepCountries([])} />}
      </div>
      <PickedList
        label="Countries"
        items={named(chosen, names)}
        onRemove={(removed) => keepCountries(chosen.filter((code) => code !== removed))}
        canScroll
      />
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
            find={findAmong(named(chosen, names))}
            without={partialCountries}
            onPick={({ id }) => {
              regions.set({ ...regions.value, [id]: [] })
              setNarrowing(false)
            }}
          />
        ) : (
          <div>
            <Button
              words="Only parts of a country"
              isSmall
              kind="quiet"
              icon="filter"
              onClick={() => setNarrowing(true)}
            />
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
  return (
    <Group label={`Of ${name} only`} {...(chosen.length === 0 ? { hint: 'All of it, until you name parts.' } : {})}>
      <Combobox
        label={`Add a part of ${name}`}
        find={findAmong(optionsOf(regions))}
        without={chosen}
        onPick={({ id }) => onChange([...chosen, id])}
      />
      <PickedList
        label={`Parts of ${name}`}
        items={named(chosen, regions)}
        onRemove={(removed) => onChange(chosen.filter((code) => code !== removed))}
      />
    </Group>
  )
}
