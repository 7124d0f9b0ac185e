// Refusals of the checkout in Italian.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('«', '»')
const again = (seconds: number) => `Riprova ${waitPhrase('it', seconds)}.`

const missing: FieldSentences = {
  email: 'Inserisci l’indirizzo e-mail.',
  firstname: 'Inserisci il nome.',
  lastname: 'Inserisci il cognome.',
  phone: 'Inserisci il numero di telefono.',
  recipient: 'Inserisci il nome del destinatario.',
  street: 'Inserisci la via.',
  city: 'Inserisci la città.',
  region: 'Scegli uno stato o una regione.',
  postal_code: 'Inserisci il codice postale.',
  country: 'Scegli un paese.',
  instructions: 'Inserisci le istruzioni per la consegna.',
  shipping_method: 'Scegli un metodo di spedizione.',
  payment: 'Scegli come pagare.',
  card_number: 'Inserisci il numero della carta.',
  card_expiry: 'Inserisci la data di scadenza della carta.',
  card_code: 'Inserisci il codice di sicurezza della carta.',
  quantity: 'Scegli la quantità.',
  discount_code: 'Inserisci il codice sconto.',
  gift_card: 'Inserisci il codice della carta regalo.',
  code: 'Inserisci il codice.',
  amount: 'Inserisci l’importo.',
  choice: 'Scegli un’opzione.',
}

const wrong: FieldSentences = {
  email: 'Controlla l’indirizzo e-mail.',
  firstname: 'Controlla il nome.',
  lastname: 'Controlla il cognome.',
  phone: 'Controlla il numero di telefono.',
  recipient: 'Controlla il nome del destinatario.',
  street: 'Controlla la via.',
  city: 'Controlla la città.',
  region: 'Controlla lo stato o la regione.',
  postal_code: 'Controlla il codice postale.',
  country: 'Scegli un paese dall’elenco.',
  instructions: 'Controlla le istruzioni per la consegna.',
  shipping_method: 'Controlla il metodo di spedizione.',
  payment: 'Scegli un altro metodo di pagamento.',
  card_number: 'Controlla il numero della carta.',
  card_expiry: 'Controlla la data di scadenza della carta.',
  card_code: 'Controlla il codice di sicurezza della carta.',
  quantity: 'Controlla la quantità.',
  discount_code: 'Controlla il codice sconto.',
  gift_card: 'Controlla il codice della carta regalo.',
  code: 'Controlla il codice.',
  amount: 'Controlla l’importo.',
  choice: 'Questa scelta non è disponibile. Scegli di nuovo.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'La carta è stata rifiutata. Prova con un’altra carta o con un altro metodo di pagamento.',
  insufficient_funds: 'La carta non ha fondi sufficienti. Prova con un’altra carta o con un altro metodo di pagamento.',
  expired_card: 'La carta è scaduta, oppure la data di scadenza non è corretta.',
  incorrect_cvc: 'Il codice di sicurezza (CVC) della carta non è corretto.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'C’è qualcosa di sbagliato in questa richiesta. Riprova.',
  still_running: () => 'L’operazione è ancora in corso. Attendi un momento.',
  done_before: () => 'È già stato fatto. Controlla prima di ripetere.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Compila ${quoted(name)}.`,
  wrong_answer: ({ name }) => `Controlla ${quoted(name)}.`,
  choose_option: ({ name }) => `Scegli: ${nameOr(name, 'un’opzione')}.`,
  check_fields: () => 'Controlla i dati segnalati.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Questo articolo è esaurito.' : `${quoted(product)} è esaurito.`
    const of = product === undefined ? '' : ` di ${quoted(product)}`
    return pluralForm('it', left, { one: `Ne resta solo #${of}.`, other: `Ne restano solo #${of}.` })
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Questo prodotto non è disponibile.' : `${quoted(product)} non è più disponibile.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Questa scelta non è disponibile. Scegli di nuovo.'
      : `La scelta fatta per ${quoted(product)} non è più disponibile. Scegli di nuovo.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    return most > 0
      ? `Si possono ordinare al massimo ${pluralForm('it', most, { one: '# pezzo', other: '# pezzi' })}${it === null ? '' : ` di ${it}`}.`
      : `${it ?? 'Questo articolo'} non può essere ordinato qui.`
  },
  gone_meanwhile: () => 'Qualcun altro è stato più veloce: non ce n’è più abbastanza. Scegli una quantità minore.',
  cart_full: () => 'Il carrello è pieno. Ordina il resto separatamente.',
  cart_empty: () => 'Il carrello è vuoto.',

  code_not_accepted: () => 'Questo codice non può essere usato: è errato, scaduto o esaurito.',
  code_for_other_products: () => 'Questo codice vale per altri prodotti.',
  gift_card_not_accepted: () =>
    'Questa carta regalo non può essere usata: il codice è errato, oppure il credito è finito.',
  gift_card_changed: () => 'Sulla carta regalo resta meno di prima. Ricontrolla il totale.',
  amount_too_low: ({ minimum }) => `L’importo minimo è ${minimum}.`,
  amount_too_high: () => 'È più di quanto si possa pagare qui.',
  amount_not_asked: () => 'In quest’ordine non c’è nulla a prezzo libero.',
  total_changed: ({ total }) => `Ora il totale è ${total}. Ricontrollalo prima di pagare.`,
  payments_closed: () => 'Questo negozio non accetta ancora pagamenti.',
  payment_declined: () => 'Il pagamento è stato rifiutato. Prova con un altro metodo di pagamento.',
  payment_not_made: () => 'Il pagamento non è andato a buon fine e non è stato addebitato nulla. Riprova.',
  payment_provider_down: () =>
    'Questo metodo di pagamento al momento non funziona. Scegline un altro o riprova più tardi.',
  payment_expired: () => 'Il tempo per pagare è scaduto e non è stato addebitato nulla. Riprova.',
  payment_given_back: () => 'Il pagamento è arrivato a tempo scaduto. L’importo verrà restituito; riprova.',
  payment_to_confirm: () => 'Conferma il pagamento con la tua banca.',
  payment_unknown: () => 'Il pagamento è in fase di verifica. Riprova tra un momento: non pagherai due volte.',

  shipping_not_offered: () => 'Questo metodo di spedizione non è disponibile per l’ordine. Scegline un altro.',
  shipping_to_nowhere: () => 'L’ordine non può essere spedito a questo indirizzo.',
  nothing_to_ship: () => 'In quest’ordine non c’è nulla da spedire.',

  cart_gone: () => 'Questo carrello non c’è più. Iniziane uno nuovo.',
  line_gone: () => 'Questo articolo non è più nel carrello.',
  checkout_gone: () => 'Questo acquisto non è più aperto. Ricomincia dal carrello.',
  already_ordered: () => 'Quest’ordine è già stato effettuato.',
  being_ordered: () => 'L’ordine è in corso. Attendi un momento.',
  product_gone: () => 'Questo prodotto non è disponibile.',
  order_unknown: () => 'Quest’ordine non è stato trovato.',
  receipt_unknown: () => 'Non c’è una ricevuta per quest’ordine.',
  country_unknown: () => 'Questo paese qui non è conosciuto.',
  not_found: () => 'Non trovato.',

  too_many_codes: ({ seconds }) => `Sono stati provati troppi codici. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Sono stati rifiutati troppi pagamenti. ${again(seconds)}`,
  checkout_spent: () => 'In questo acquisto sono stati rifiutati troppi pagamenti. Ricomincia dal carrello.',
  too_many_requests: ({ seconds }) => `Un po’ troppo veloce. ${again(seconds)}`,
  shop_closed: () => 'Al momento questo negozio è chiuso.',
  shop_full: ({ seconds }) => `Al momento questo negozio non può accettare altro. ${again(seconds)}`,
}

export const itRefusals = { missing, wrong, declines, refusals }
