// Refusals of the checkout in German.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('„', '“')
const again = (seconds: number) => `Bitte versuchen Sie es ${waitPhrase('de', seconds)} noch einmal.`

const missing: FieldSentences = {
  email: 'Bitte geben Sie Ihre E-Mail-Adresse ein.',
  firstname: 'Bitte geben Sie Ihren Vornamen ein.',
  lastname: 'Bitte geben Sie Ihren Nachnamen ein.',
  phone: 'Bitte geben Sie Ihre Telefonnummer ein.',
  recipient: 'Bitte geben Sie Ihren Namen ein.',
  street: 'Bitte geben Sie die Straße ein.',
  city: 'Bitte geben Sie den Ort ein.',
  region: 'Bitte wählen Sie ein Bundesland oder eine Region.',
  postal_code: 'Bitte geben Sie die Postleitzahl ein.',
  country: 'Bitte wählen Sie ein Land.',
  instructions: 'Bitte geben Sie Hinweise zur Lieferung ein.',
  shipping_method: 'Bitte wählen Sie eine Versandart.',
  payment: 'Bitte wählen Sie, wie Sie bezahlen möchten.',
  card_number: 'Bitte geben Sie die Kartennummer ein.',
  card_expiry: 'Bitte geben Sie das Ablaufdatum der Karte ein.',
  card_code: 'Bitte geben Sie die Prüfziffer der Karte ein.',
  quantity: 'Bitte wählen Sie, wie viele Sie möchten.',
  discount_code: 'Bitte geben Sie den Rabattcode ein.',
  gift_card: 'Bitte geben Sie den Gutscheincode ein.',
  code: 'Bitte geben Sie den Code ein.',
  amount: 'Bitte geben Sie den Betrag ein.',
  choice: 'Bitte treffen Sie eine Auswahl.',
}

const wrong: FieldSentences = {
  email: 'Bitte prüfen Sie Ihre E-Mail-Adresse.',
  firstname: 'Bitte prüfen Sie Ihren Vornamen.',
  lastname: 'Bitte prüfen Sie Ihren Nachnamen.',
  phone: 'Bitte prüfen Sie Ihre Telefonnummer.',
  recipient: 'Bitte prüfen Sie Ihren Namen.',
  street: 'Bitte prüfen Sie die Straße.',
  city: 'Bitte prüfen Sie den Ort.',
  region: 'Bitte prüfen Sie das Bundesland oder die Region.',
  postal_code: 'Bitte prüfen Sie die Postleitzahl.',
  country: 'Bitte wählen Sie ein Land aus der Liste.',
  instructions: 'Bitte prüfen Sie die Hinweise zur Lieferung.',
  shipping_method: 'Bitte prüfen Sie die Versandart.',
  payment: 'Bitte wählen Sie eine andere Zahlungsart.',
  card_number: 'Bitte prüfen Sie die Kartennummer.',
  card_expiry: 'Bitte prüfen Sie das Ablaufdatum der Karte.',
  card_code: 'Bitte prüfen Sie die Prüfziffer der Karte.',
  quantity: 'Bitte prüfen Sie die Menge.',
  discount_code: 'Bitte prüfen Sie den Rabattcode.',
  gift_card: 'Bitte prüfen Sie den Gutscheincode.',
  code: 'Bitte prüfen Sie den Code.',
  amount: 'Bitte prüfen Sie den Betrag.',
  choice: 'Diese Auswahl gibt es nicht. Bitte wählen Sie noch einmal.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'Die Karte wurde abgelehnt. Bitte versuchen Sie es mit einer anderen Karte oder Zahlungsart.',
  insufficient_funds: 'Die Karte ist nicht gedeckt. Bitte versuchen Sie es mit einer anderen Karte oder Zahlungsart.',
  expired_card: 'Die Karte ist abgelaufen, oder das Ablaufdatum ist falsch.',
  incorrect_cvc: 'Die Prüfziffer (CVC) der Karte ist falsch.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'Etwas an dieser Anfrage stimmt nicht. Bitte versuchen Sie es noch einmal.',
  still_running: () => 'Das wird gerade noch erledigt. Bitte warten Sie einen Moment.',
  done_before: () => 'Das ist schon geschehen. Bitte sehen Sie noch einmal nach, bevor Sie es wiederholen.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Bitte füllen Sie ${quoted(name)} aus.`,
  wrong_answer: ({ name }) => `Bitte prüfen Sie ${quoted(name)}.`,
  choose_option: ({ name }) => `Bitte wählen Sie: ${nameOr(name, 'eine Möglichkeit')}.`,
  check_fields: () => 'Bitte prüfen Sie die markierten Angaben.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Das ist ausverkauft.' : `${quoted(product)} ist ausverkauft.`
    const of = product === undefined ? '' : ` von ${quoted(product)}`
    return pluralForm('de', left, { one: `Es ist nur noch #${of} da.`, other: `Es sind nur noch #${of} da.` })
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Dieses Produkt ist nicht erhältlich.' : `${quoted(product)} ist nicht mehr erhältlich.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Diese Auswahl gibt es nicht. Bitte wählen Sie noch einmal.'
      : `Ihre Auswahl von ${quoted(product)} gibt es nicht mehr. Bitte wählen Sie noch einmal.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    return most > 0
      ? `Sie können höchstens ${most} ${it === null ? 'davon' : `von ${it}`} bestellen.`
      : `${it ?? 'Das'} kann hier nicht bestellt werden.`
  },
  gone_meanwhile: () => 'Jemand war schneller: Davon ist nicht mehr genug da. Bitte wählen Sie weniger.',
  cart_full: () => 'Ihr Warenkorb ist voll. Bitte bestellen Sie den Rest getrennt.',
  cart_empty: () => 'Ihr Warenkorb ist leer.',

  code_not_accepted: () => 'Dieser Code gilt nicht: Er ist falsch, abgelaufen oder aufgebraucht.',
  code_for_other_products: () => 'Dieser Code gilt für andere Produkte.',
  gift_card_not_accepted: () => 'Dieser Gutschein gilt nicht: Der Code ist falsch, oder er ist aufgebraucht.',
  gift_card_changed: () => 'Auf Ihrem Gutschein ist weniger als vorher. Bitte sehen Sie sich die Summe noch einmal an.',
  amount_too_low: ({ minimum }) => `Bitte zahlen Sie mindestens ${minimum}.`,
  amount_too_high: () => 'Das ist mehr, als Sie hier zahlen können.',
  amount_not_asked: () => 'In dieser Bestellung gibt es keinen Preis, den Sie selbst wählen.',
  total_changed: ({ total }) => `Die Summe ist jetzt ${total}. Bitte sehen Sie sie sich an, bevor Sie zahlen.`,
  payments_closed: () => 'Dieser Shop nimmt noch keine Zahlungen an.',
  payment_declined: () => 'Die Zahlung wurde abgelehnt. Bitte versuchen Sie es auf andere Weise.',
  payment_not_made: () =>
    'Die Zahlung ist nicht zustande gekommen, und es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.',
  payment_provider_down: () =>
    'Diese Zahlungsart geht im Moment nicht. Bitte wählen Sie eine andere, oder versuchen Sie es später.',
  payment_expired: () =>
    'Die Zeit zum Bezahlen ist um, und es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.',
  payment_given_back: () =>
    'Sie haben erst bezahlt, als die Zeit um war. Sie bekommen das Geld zurück; bitte versuchen Sie es noch einmal.',
  payment_to_confirm: () => 'Bitte bestätigen Sie die Zahlung bei Ihrer Bank.',
  payment_unknown: () =>
    'Ihre Zahlung wird geprüft. Bitte versuchen Sie es gleich noch einmal: Sie zahlen nicht doppelt.',

  shipping_not_offered: () => 'Diese Versandart gibt es für Ihre Bestellung nicht. Bitte wählen Sie eine andere.',
  shipping_to_nowhere: () => 'Ihre Bestellung kann nicht an diese Adresse geliefert werden.',
  nothing_to_ship: () => 'In dieser Bestellung muss nichts verschickt werden.',

  cart_gone: () => 'Diesen Warenkorb gibt es nicht mehr. Bitte beginnen Sie einen neuen.',
  line_gone: () => 'Das ist nicht mehr in Ihrem Warenkorb.',
  checkout_gone: () => 'Diese Kasse ist nicht mehr offen. Bitte beginnen Sie noch einmal bei Ihrem Warenkorb.',
  already_ordered: () => 'Diese Bestellung ist schon aufgegeben.',
  being_ordered: () => 'Ihre Bestellung wird gerade aufgegeben. Bitte warten Sie einen Moment.',
  product_gone: () => 'Dieses Produkt ist nicht erhältlich.',
  order_unknown: () => 'Diese Bestellung wurde nicht gefunden.',
  receipt_unknown: () => 'Zu dieser Bestellung gibt es keinen Beleg.',
  country_unknown: () => 'Dieses Land ist hier nicht bekannt.',
  not_found: () => 'Das wurde nicht gefunden.',

  too_many_codes: ({ seconds }) => `Es wurden zu viele Codes versucht. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Es wurden zu viele Zahlungen abgelehnt. ${again(seconds)}`,
  checkout_spent: () =>
    'In dieser Kasse wurden zu viele Zahlungen abgelehnt. Bitte beginnen Sie noch einmal bei Ihrem Warenkorb.',
  too_many_requests: ({ seconds }) => `Das ging ein wenig zu schnell. ${again(seconds)}`,
  shop_closed: () => 'Dieser Shop ist im Moment geschlossen.',
  shop_full: ({ seconds }) => `Dieser Shop kann im Moment nichts mehr annehmen. ${again(seconds)}`,
}

export const deRefusals = { missing, wrong, declines, refusals }
