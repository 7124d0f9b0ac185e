// Refusals of the checkout in Polish.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('„', '”')
const again = (seconds: number) => `Spróbuj ponownie ${waitPhrase('pl', seconds)}.`

const missing: FieldSentences = {
  email: 'Wpisz adres e-mail.',
  firstname: 'Wpisz imię.',
  lastname: 'Wpisz nazwisko.',
  phone: 'Wpisz numer telefonu.',
  recipient: 'Wpisz imię i nazwisko.',
  street: 'Wpisz ulicę.',
  city: 'Wpisz miejscowość.',
  region: 'Wybierz województwo, stan lub region.',
  postal_code: 'Wpisz kod pocztowy.',
  country: 'Wybierz kraj.',
  instructions: 'Wpisz wskazówki dotyczące dostawy.',
  shipping_method: 'Wybierz sposób dostawy.',
  payment: 'Wybierz sposób płatności.',
  card_number: 'Wpisz numer karty.',
  card_expiry: 'Wpisz datę ważności karty.',
  card_code: 'Wpisz kod zabezpieczający karty.',
  quantity: 'Wybierz liczbę sztuk.',
  discount_code: 'Wpisz kod rabatowy.',
  gift_card: 'Wpisz kod karty podarunkowej.',
  code: 'Wpisz kod.',
  amount: 'Wpisz kwotę.',
  choice: 'Wybierz jedną z opcji.',
}

const wrong: FieldSentences = {
  email: 'Sprawdź adres e-mail.',
  firstname: 'Sprawdź imię.',
  lastname: 'Sprawdź nazwisko.',
  phone: 'Sprawdź numer telefonu.',
  recipient: 'Sprawdź imię i nazwisko.',
  street: 'Sprawdź ulicę.',
  city: 'Sprawdź miejscowość.',
  region: 'Sprawdź województwo, stan lub region.',
  postal_code: 'Sprawdź kod pocztowy.',
  country: 'Wybierz kraj z listy.',
  instructions: 'Sprawdź wskazówki dotyczące dostawy.',
  shipping_method: 'Sprawdź sposób dostawy.',
  payment: 'Wybierz inny sposób płatności.',
  card_number: 'Sprawdź numer karty.',
  card_expiry: 'Sprawdź datę ważności karty.',
  card_code: 'Sprawdź kod zabezpieczający karty.',
  quantity: 'Sprawdź liczbę sztuk.',
  discount_code: 'Sprawdź kod rabatowy.',
  gift_card: 'Sprawdź kod karty podarunkowej.',
  code: 'Sprawdź kod.',
  amount: 'Sprawdź kwotę.',
  choice: 'Ta opcja jest niedostępna. Wybierz ponownie.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'Karta została odrzucona. Spróbuj użyć innej karty lub innego sposobu płatności.',
  insufficient_funds: 'Na karcie brakuje środków. Spróbuj użyć innej karty lub innego sposobu płatności.',
  expired_card: 'Karta straciła ważność lub data ważności jest błędna.',
  incorrect_cvc: 'Kod zabezpieczający (CVC) karty jest błędny.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'Coś w tym żądaniu się nie zgadza. Spróbuj ponownie.',
  still_running: () => 'To jeszcze trwa. Poczekaj chwilę.',
  done_before: () => 'To już zostało zrobione. Sprawdź, zanim powtórzysz.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Wypełnij pole ${quoted(name)}.`,
  wrong_answer: ({ name }) => `Sprawdź pole ${quoted(name)}.`,
  choose_option: ({ name }) => `Wybierz: ${nameOr(name, 'opcję')}.`,
  check_fields: () => 'Sprawdź zaznaczone dane.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Ten artykuł jest wyprzedany.' : `${quoted(product)}: wyprzedane.`
    const of = product === undefined ? '' : `${quoted(product)}: `
    return (
      of +
      pluralForm('pl', left, {
        one: 'została tylko # sztuka.',
        few: 'zostały tylko # sztuki.',
        other: 'zostało tylko # sztuk.',
      })
    ).replace(/^\p{L}/u, (letter) => letter.toUpperCase())
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Ten produkt jest niedostępny.' : `Produkt ${quoted(product)} nie jest już dostępny.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Ta opcja jest niedostępna. Wybierz ponownie.'
      : `Wybrana wersja produktu ${quoted(product)} nie jest już dostępna. Wybierz ponownie.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    const pieces = pluralForm('pl', most, { one: '# sztukę', few: '# sztuki', other: '# sztuk' })
    if (most <= 0) return it === null ? 'Tego nie można tu zamówić.' : `Produktu ${it} nie można tu zamówić.`
    return `Można zamówić najwyżej ${pieces}${it === null ? '' : ` produktu ${it}`}.`
  },
  gone_meanwhile: () => 'Ktoś nas ubiegł: nie ma już tylu sztuk. Wybierz mniej.',
  cart_full: () => 'Koszyk jest pełny. Zamów resztę osobno.',
  cart_empty: () => 'Koszyk jest pusty.',

  code_not_accepted: () => 'Tego kodu nie można użyć: jest błędny, wygasł lub został wykorzystany.',
  code_for_other_products: () => 'Ten kod dotyczy innych produktów.',
  gift_card_not_accepted: () => 'Tej karty podarunkowej nie można użyć: kod jest błędny lub nie ma na niej środków.',
  gift_card_changed: () => 'Na karcie podarunkowej jest mniej niż wcześniej. Sprawdź sumę jeszcze raz.',
  amount_too_low: ({ minimum }) => `Najniższa kwota to ${minimum}.`,
  amount_too_high: () => 'To więcej, niż można tu zapłacić.',
  amount_not_asked: () => 'W tym zamówieniu nic nie ma ceny do wyboru.',
  total_changed: ({ total }) => `Suma wynosi teraz ${total}. Sprawdź ją przed zapłatą.`,
  payments_closed: () => 'Ten sklep nie przyjmuje jeszcze płatności.',
  payment_declined: () => 'Płatność została odrzucona. Spróbuj innego sposobu płatności.',
  payment_not_made: () => 'Płatność nie doszła do skutku i nic nie pobrano. Spróbuj ponownie.',
  payment_provider_down: () => 'Ten sposób płatności chwilowo nie działa. Wybierz inny lub spróbuj później.',
  payment_expired: () => 'Czas na zapłatę minął i nic nie pobrano. Spróbuj ponownie.',
  payment_given_back: () => 'Zapłata nadeszła po upływie czasu. Pieniądze zostaną zwrócone; spróbuj ponownie.',
  payment_to_confirm: () => 'Potwierdź płatność w swoim banku.',
  payment_unknown: () => 'Płatność jest sprawdzana. Spróbuj ponownie za chwilę: nie zapłacisz dwa razy.',

  shipping_not_offered: () => 'Ten sposób dostawy jest niedostępny dla tego zamówienia. Wybierz inny.',
  shipping_to_nowhere: () => 'Tego zamówienia nie można wysłać pod ten adres.',
  nothing_to_ship: () => 'W tym zamówieniu nie ma nic do wysłania.',

  cart_gone: () => 'Tego koszyka już nie ma. Zacznij nowy.',
  line_gone: () => 'Tego nie ma już w koszyku.',
  checkout_gone: () => 'Ta kasa nie jest już otwarta. Zacznij ponownie od koszyka.',
  already_ordered: () => 'To zamówienie zostało już złożone.',
  being_ordered: () => 'Zamówienie jest właśnie składane. Poczekaj chwilę.',
  product_gone: () => 'Ten produkt jest niedostępny.',
  order_unknown: () => 'Nie znaleziono tego zamówienia.',
  receipt_unknown: () => 'Nie ma potwierdzenia tego zamówienia.',
  country_unknown: () => 'Ten kraj nie jest tu znany.',
  not_found: () => 'Nie znaleziono.',

  too_many_codes: ({ seconds }) => `Wypróbowano zbyt wiele kodów. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Odrzucono zbyt wiele płatności. ${again(seconds)}`,
  checkout_spent: () => 'W tej kasie odrzucono zbyt wiele płatności. Zacznij ponownie od koszyka.',
  too_many_requests: ({ seconds }) => `To było trochę za szybko. ${again(seconds)}`,
  shop_closed: () => 'Ten sklep jest obecnie zamknięty.',
  shop_full: ({ seconds }) => `Ten sklep chwilowo nie może przyjąć więcej. ${again(seconds)}`,
}

export const plRefusals = { missing, wrong, declines, refusals }
