// Refusals of the checkout in Dutch.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('‘', '’')
const again = (seconds: number) => `Probeer het ${waitPhrase('nl', seconds)} opnieuw.`

const missing: FieldSentences = {
  email: 'Vul uw e-mailadres in.',
  firstname: 'Vul uw voornaam in.',
  lastname: 'Vul uw achternaam in.',
  phone: 'Vul uw telefoonnummer in.',
  recipient: 'Vul uw naam in.',
  street: 'Vul de straat in.',
  city: 'Vul de plaats in.',
  region: 'Kies een staat of regio.',
  postal_code: 'Vul de postcode in.',
  country: 'Kies een land.',
  instructions: 'Vul de bezorginstructies in.',
  shipping_method: 'Kies een verzendmethode.',
  payment: 'Kies hoe u wilt betalen.',
  card_number: 'Vul het kaartnummer in.',
  card_expiry: 'Vul de vervaldatum van de kaart in.',
  card_code: 'Vul de beveiligingscode van de kaart in.',
  quantity: 'Kies hoeveel u er wilt.',
  discount_code: 'Vul de kortingscode in.',
  gift_card: 'Vul de code van de cadeaukaart in.',
  code: 'Vul de code in.',
  amount: 'Vul het bedrag in.',
  choice: 'Maak een keuze.',
}

const wrong: FieldSentences = {
  email: 'Controleer uw e-mailadres.',
  firstname: 'Controleer uw voornaam.',
  lastname: 'Controleer uw achternaam.',
  phone: 'Controleer uw telefoonnummer.',
  recipient: 'Controleer uw naam.',
  street: 'Controleer de straat.',
  city: 'Controleer de plaats.',
  region: 'Controleer de staat of regio.',
  postal_code: 'Controleer de postcode.',
  country: 'Kies een land uit de lijst.',
  instructions: 'Controleer de bezorginstructies.',
  shipping_method: 'Controleer de verzendmethode.',
  payment: 'Kies een andere betaalwijze.',
  card_number: 'Controleer het kaartnummer.',
  card_expiry: 'Controleer de vervaldatum van de kaart.',
  card_code: 'Controleer de beveiligingscode van de kaart.',
  quantity: 'Controleer het aantal.',
  discount_code: 'Controleer de kortingscode.',
  gift_card: 'Controleer de code van de cadeaukaart.',
  code: 'Controleer de code.',
  amount: 'Controleer het bedrag.',
  choice: 'Deze keuze is niet beschikbaar. Kies opnieuw.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'De kaart is geweigerd. Probeer een andere kaart of een andere betaalwijze.',
  insufficient_funds: 'Het saldo van de kaart is te laag. Probeer een andere kaart of een andere betaalwijze.',
  expired_card: 'De kaart is verlopen, of de vervaldatum klopt niet.',
  incorrect_cvc: 'De beveiligingscode (CVC) van de kaart klopt niet.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'Er klopt iets niet aan dit verzoek. Probeer het opnieuw.',
  still_running: () => 'Dit is nog bezig. Wacht een ogenblik.',
  done_before: () => 'Dit is al gebeurd. Kijk nog eens voordat u het herhaalt.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Vul ${quoted(name)} in.`,
  wrong_answer: ({ name }) => `Controleer ${quoted(name)}.`,
  choose_option: ({ name }) => `Maak een keuze: ${nameOr(name, 'een optie')}.`,
  check_fields: () => 'Controleer de gemarkeerde gegevens.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Dit is uitverkocht.' : `${quoted(product)} is uitverkocht.`
    const of = product === undefined ? '' : ` van ${quoted(product)}`
    return pluralForm('nl', left, { one: `Er is er nog maar #${of}.`, other: `Er zijn er nog maar #${of}.` })
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Dit product is niet verkrijgbaar.' : `${quoted(product)} is niet meer verkrijgbaar.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Deze keuze is niet beschikbaar. Kies opnieuw.'
      : `Uw keuze van ${quoted(product)} is niet meer beschikbaar. Kies opnieuw.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    return most > 0
      ? `U kunt er hoogstens ${most}${it === null ? '' : ` van ${it}`} bestellen.`
      : `${it ?? 'Dit'} kan hier niet worden besteld.`
  },
  gone_meanwhile: () => 'Iemand was sneller: er is niet genoeg meer. Kies er minder.',
  cart_full: () => 'Uw winkelwagen is vol. Bestel de rest apart.',
  cart_empty: () => 'Uw winkelwagen is leeg.',

  code_not_accepted: () => 'Deze code kan niet worden gebruikt: hij is onjuist, verlopen of opgebruikt.',
  code_for_other_products: () => 'Deze code is voor andere producten.',
  gift_card_not_accepted: () => 'Deze cadeaukaart kan niet worden gebruikt: de code is onjuist, of het tegoed is op.',
  gift_card_changed: () => 'Er staat minder op uw cadeaukaart dan eerst. Bekijk het totaal nog eens.',
  amount_too_low: ({ minimum }) => `Betaal ${minimum} of meer.`,
  amount_too_high: () => 'Dit is meer dan u hier kunt betalen.',
  amount_not_asked: () => 'Niets in deze bestelling heeft een prijs die u zelf kiest.',
  total_changed: ({ total }) => `Het totaal is nu ${total}. Bekijk het nog eens voordat u betaalt.`,
  payments_closed: () => 'Deze winkel neemt nog geen betalingen aan.',
  payment_declined: () => 'De betaling is geweigerd. Probeer een andere betaalwijze.',
  payment_not_made: () => 'De betaling is niet gelukt en er is niets afgeschreven. Probeer het opnieuw.',
  payment_provider_down: () => 'Deze betaalwijze werkt op dit moment niet. Kies een andere, of probeer het later.',
  payment_expired: () => 'De tijd om te betalen is om en er is niets afgeschreven. Probeer het opnieuw.',
  payment_given_back: () => 'U betaalde toen de tijd om was. U krijgt het geld terug; probeer het opnieuw.',
  payment_to_confirm: () => 'Bevestig de betaling bij uw bank.',
  payment_unknown: () => 'Uw betaling wordt gecontroleerd. Probeer het zo nog eens: u betaalt niet dubbel.',

  shipping_not_offered: () => 'Deze verzendmethode is er niet voor uw bestelling. Kies een andere.',
  shipping_to_nowhere: () => 'Uw bestelling kan niet naar dit adres worden verzonden.',
  nothing_to_ship: () => 'Niets in deze bestelling hoeft te worden verzonden.',

  cart_gone: () => 'Deze winkelwagen is er niet meer. Begin een nieuwe.',
  line_gone: () => 'Dit zit niet meer in uw winkelwagen.',
  checkout_gone: () => 'Deze kassa is niet meer open. Begin opnieuw vanuit uw winkelwagen.',
  already_ordered: () => 'Deze bestelling is al geplaatst.',
  being_ordered: () => 'Uw bestelling wordt geplaatst. Wacht een ogenblik.',
  product_gone: () => 'Dit product is niet verkrijgbaar.',
  order_unknown: () => 'Deze bestelling is niet gevonden.',
  receipt_unknown: () => 'Er is geen bon van deze bestelling.',
  country_unknown: () => 'Dit land is hier niet bekend.',
  not_found: () => 'Dit is niet gevonden.',

  too_many_codes: ({ seconds }) => `Er zijn te veel codes geprobeerd. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Er zijn te veel betalingen geweigerd. ${again(seconds)}`,
  checkout_spent: () => 'In deze kassa zijn te veel betalingen geweigerd. Begin opnieuw vanuit uw winkelwagen.',
  too_many_requests: ({ seconds }) => `Dat ging iets te snel. ${again(seconds)}`,
  shop_closed: () => 'Deze winkel is op dit moment gesloten.',
  shop_full: ({ seconds }) => `Deze winkel kan op dit moment niets meer aannemen. ${again(seconds)}`,
}

export const nlRefusals = { missing, wrong, declines, refusals }
