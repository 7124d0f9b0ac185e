// Shipping and billing addresses: the form fields that a country needs, and the printed form of an address.

import { field, make, select } from './dom.js'
import { commerce } from './shop.js'

/** Local words for regions and postal codes. Countries with null have addresses without a region. */
const WORDS = {
  AU: ['State', 'Postcode'],
  BR: ['State', 'Postal code'],
  CA: ['Province', 'Postal code'],
  ES: ['Province', 'Postal code'],
  GB: [null, 'Postcode'],
  IE: ['County', 'Eircode'],
  IN: ['State', 'PIN code'],
  IT: ['Province', 'Postal code'],
  JP: ['Prefecture', 'Postal code'],
  MX: ['State', 'Postal code'],
  NZ: [null, 'Postcode'],
  US: ['State', 'ZIP code'],
}

/** Countries with the postal code before the town. */
const POSTAL_FIRST = new Set('AT BE BR CH CZ DE DK ES FI FR GR HU IT MX NL NO PL PT SE'.split(' '))

/**
 * `which`: shipping or billing, the prefix of the API's fields. `countries`: code → name, of the available ones. `listRegions` returns the
 * same for a country's regions. Only known data of the shopper is preselected.
 */
export function addressPart(which, { countries, listRegions, autocomplete = which }) {
  const control = (name, token, properties) =>
    make('input', {
      name: `${which}.${name}`,
      type: 'text',
      required: true,
      maxLength: 255,
      autocomplete: `${autocomplete} ${token}`,
      ...properties,
    })
  const list = (name, token, properties, options, chosen) =>
    select(
      { name: `${which}.${name}`, required: true, autocomplete: `${autocomplete} ${token}`, ...properties },
      options,
      chosen,
    )

  const codes = Object.keys(countries)
  const country = list(
    'country',
    'country',
    { 'data-missing': 'Choose a country.', 'data-wrong': 'Choose another country.' },
    [['', 'Choose a country'], ...Object.entries(countries)],
    codes.length === 1 ? codes[0] : undefined,
  )
  const region = list('county_state', 'address-level1', {}, [])
  const regionField = field('Region', region)
  const postal = control('postal_zip_code', 'postal-code', { maxLength: 64, autocapitalize: 'characters' })
  const postalField = field('Postal code', postal)
  const element = make(
    'div',
    { className: 'fields address' },
    field('Country', country),
    field('Street', control('street', 'address-line1', { 'data-missing': 'Enter a street and number.' })),
    field('Apartment', control('street_2', 'address-line2', { required: false })),
    field('City', control('town_city', 'address-level2', { 'data-missing': 'Enter a city.' })),
    regionField,
    postalField,
  )
  for (const one of element.children) one.dataset.part = one.querySelector('input, select').name.split('.')[1]

  /** Call this whenever the country changes. */
  async function showRegions(chosen) {
    const [word, postalWord] = WORDS[country.value] ?? [null, 'Postal code']
    setLabel(postalField, postalWord)
    postal.dataset.missing = `Enter a ${lower(postalWord)}.`.replace('a Eir', 'an Eir')
    const regions = country.value === '' ? {} : await listRegions(country.value)
    const name = word ?? 'Region'
    setLabel(regionField, name)
    region.dataset.missing = region.dataset.wrong = `Choose a ${lower(name)}.`
    const options = [['', `Choose a ${lower(name)}`], ...Object.entries(regions)]
    region.replaceChildren(...options.map(([value, text]) => make('option', { value }, text)))
    // Set this after adding the options, because each added option may select itself.
    region.value = Object.hasOwn(regions, chosen) ? chosen : ''
    region.required = word !== null && Object.keys(regions).length > 0
    regionField.hidden = !region.required
  }

  /** Shows a region field for a country that usually needs none, if the shop requires it. */
  const askForRegion = () => {
    region.required = region.options.length > 1
    regionField.hidden = !region.required
  }

  /** Fills in the shopper's known address. If the shop does not ship to its country, nothing is filled in. */
  async function fill(address) {
    if (!address?.country || !Object.hasOwn(countries, address.country)) return showRegions()
    for (const input of element.querySelectorAll('input, select')) {
      const value = address[input.name.split('.')[1]]
      if (value && input !== region) input.value = value
    }
    await showRegions(codeOf(address))
  }

  return { element, country, region, postal, showRegions, askForRegion, fill }
}

const lower = (word) => (word === 'Eircode' || /^[A-Z]{2}/.test(word) ? word : word.toLowerCase())

const setLabel = (part, text) => {
  part.querySelector('label').firstChild.textContent = text
}

/** Returns `BC`, also for `CA-BC`. */
const codeOf = ({ country, county_state: region }) => (region ?? '').replace(`${country}-`, '')

const countryName = (code) => {
  try {
    return new Intl.DisplayNames(['en'], { type: 'region' }).of(code)
  } catch {
    return code
  }
}

/** Returns the address as on an envelope, with place names instead of codes. */
export async function addressLines(address) {
  const { name, street, street_2, town_city: town, postal_zip_code: postal, country } = address
  const region = await regionName(address)
  const place = POSTAL_FIRST.has(country)
    ? [[postal, town].filter(Boolean).join(' '), WORDS[country]?.[0] && region]
    : [town, [region, postal].filter(Boolean).join(' ')]
  return [name, street, street_2, place.filter(Boolean).join(', '), country && countryName(country)].filter(Boolean)
}

async function regionName(address) {
  const code = codeOf(address)
  if (code === '' || !address.country) return code
  const { subdivisions } = await commerce.services.localeListSubdivisions(address.country).catch(() => ({}))
  return subdivisions?.[code] ?? code
}
