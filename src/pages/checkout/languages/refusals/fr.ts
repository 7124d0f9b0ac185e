// Refusals of the checkout in French.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('« ', ' »')
const again = (seconds: number) => `Veuillez réessayer ${waitPhrase('fr', seconds)}.`

const missing: FieldSentences = {
  email: 'Saisissez votre adresse e-mail.',
  firstname: 'Saisissez votre prénom.',
  lastname: 'Saisissez votre nom.',
  phone: 'Saisissez votre numéro de téléphone.',
  recipient: 'Saisissez votre nom.',
  street: 'Saisissez la rue.',
  city: 'Saisissez la ville.',
  region: 'Choisissez un État ou une région.',
  postal_code: 'Saisissez le code postal.',
  country: 'Choisissez un pays.',
  instructions: 'Saisissez les instructions de livraison.',
  shipping_method: 'Choisissez un mode de livraison.',
  payment: 'Choisissez comment vous voulez payer.',
  card_number: 'Saisissez le numéro de la carte.',
  card_expiry: 'Saisissez la date d’expiration de la carte.',
  card_code: 'Saisissez le code de sécurité de la carte.',
  quantity: 'Choisissez la quantité.',
  discount_code: 'Saisissez le code de réduction.',
  gift_card: 'Saisissez le code de la carte cadeau.',
  code: 'Saisissez le code.',
  amount: 'Saisissez le montant.',
  choice: 'Veuillez choisir une option.',
}

const wrong: FieldSentences = {
  email: 'Vérifiez votre adresse e-mail.',
  firstname: 'Vérifiez votre prénom.',
  lastname: 'Vérifiez votre nom.',
  phone: 'Vérifiez votre numéro de téléphone.',
  recipient: 'Vérifiez votre nom.',
  street: 'Vérifiez la rue.',
  city: 'Vérifiez la ville.',
  region: 'Vérifiez l’État ou la région.',
  postal_code: 'Vérifiez le code postal.',
  country: 'Choisissez un pays dans la liste.',
  instructions: 'Vérifiez les instructions de livraison.',
  shipping_method: 'Vérifiez le mode de livraison.',
  payment: 'Choisissez un autre moyen de paiement.',
  card_number: 'Vérifiez le numéro de la carte.',
  card_expiry: 'Vérifiez la date d’expiration de la carte.',
  card_code: 'Vérifiez le code de sécurité de la carte.',
  quantity: 'Vérifiez la quantité.',
  discount_code: 'Vérifiez le code de réduction.',
  gift_card: 'Vérifiez le code de la carte cadeau.',
  code: 'Vérifiez le code.',
  amount: 'Vérifiez le montant.',
  choice: 'Ce choix n’est pas disponible. Veuillez choisir à nouveau.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'La carte a été refusée. Essayez une autre carte ou un autre moyen de paiement.',
  insufficient_funds: 'Le solde de la carte est insuffisant. Essayez une autre carte ou un autre moyen de paiement.',
  expired_card: 'La carte a expiré, ou sa date d’expiration est incorrecte.',
  incorrect_cvc: 'Le code de sécurité (CVC) de la carte est incorrect.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'Quelque chose ne va pas dans cette demande. Veuillez réessayer.',
  still_running: () => 'C’est encore en cours. Veuillez patienter un instant.',
  done_before: () => 'C’est déjà fait. Vérifiez avant de recommencer.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Veuillez remplir ${quoted(name)}.`,
  wrong_answer: ({ name }) => `Vérifiez ${quoted(name)}.`,
  choose_option: ({ name }) => `Veuillez choisir : ${nameOr(name, 'une option')}.`,
  check_fields: () => 'Vérifiez les informations signalées.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Cet article est épuisé.' : `${quoted(product)} est épuisé.`
    const of = product === undefined ? '' : ` de ${quoted(product)}`
    return pluralForm('fr', left, { one: `Il n’en reste qu’# seul${of}.`, other: `Il n’en reste que #${of}.` })
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Ce produit n’est pas disponible.' : `${quoted(product)} n’est plus disponible.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Ce choix n’est pas disponible. Veuillez choisir à nouveau.'
      : `Votre choix pour ${quoted(product)} n’est plus disponible. Veuillez choisir à nouveau.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    return most > 0
      ? `Vous pouvez commander ${pluralForm('fr', most, { one: '# exemplaire', other: '# exemplaires' })}${it === null ? '' : ` de ${it}`} au maximum.`
      : `${it ?? 'Cet article'} ne peut pas être commandé ici.`
  },
  gone_meanwhile: () => 'Quelqu’un a été plus rapide : il n’y en a plus assez. Veuillez en choisir moins.',
  cart_full: () => 'Votre panier est plein. Veuillez commander le reste séparément.',
  cart_empty: () => 'Votre panier est vide.',

  code_not_accepted: () => 'Ce code ne peut pas être utilisé : il est incorrect, expiré ou épuisé.',
  code_for_other_products: () => 'Ce code est valable pour d’autres produits.',
  gift_card_not_accepted: () =>
    'Cette carte cadeau ne peut pas être utilisée : son code est incorrect, ou son solde est épuisé.',
  gift_card_changed: () => 'Le solde de votre carte cadeau a baissé. Veuillez revoir le total.',
  amount_too_low: ({ minimum }) => `Veuillez payer ${minimum} ou plus.`,
  amount_too_high: () => 'Ce montant dépasse ce que vous pouvez payer ici.',
  amount_not_asked: () => 'Rien dans cette commande n’est à prix libre.',
  total_changed: ({ total }) => `Le total est maintenant de ${total}. Veuillez le revoir avant de payer.`,
  payments_closed: () => 'Cette boutique n’accepte pas encore de paiements.',
  payment_declined: () => 'Le paiement a été refusé. Veuillez essayer un autre moyen de paiement.',
  payment_not_made: () => 'Le paiement n’a pas abouti, et vous n’avez pas été débité. Veuillez réessayer.',
  payment_provider_down: () =>
    'Ce moyen de paiement ne fonctionne pas pour le moment. Choisissez-en un autre, ou réessayez plus tard.',
  payment_expired: () => 'Le délai de paiement est écoulé, et vous n’avez pas été débité. Veuillez réessayer.',
  payment_given_back: () => 'Vous avez payé après la fin du délai. Vous serez remboursé ; veuillez réessayer.',
  payment_to_confirm: () => 'Veuillez confirmer le paiement auprès de votre banque.',
  payment_unknown: () =>
    'Votre paiement est en cours de vérification. Réessayez dans un instant : vous ne paierez pas deux fois.',

  shipping_not_offered: () =>
    'Ce mode de livraison n’est pas proposé pour votre commande. Veuillez en choisir un autre.',
  shipping_to_nowhere: () => 'Votre commande ne peut pas être livrée à cette adresse.',
  nothing_to_ship: () => 'Rien dans cette commande n’est à livrer.',

  cart_gone: () => 'Ce panier n’existe plus. Veuillez en commencer un nouveau.',
  line_gone: () => 'Cet article n’est plus dans votre panier.',
  checkout_gone: () => 'Ce paiement n’est plus ouvert. Veuillez recommencer depuis votre panier.',
  already_ordered: () => 'Cette commande a déjà été passée.',
  being_ordered: () => 'Votre commande est en cours. Veuillez patienter un instant.',
  product_gone: () => 'Ce produit n’est pas disponible.',
  order_unknown: () => 'Cette commande est introuvable.',
  receipt_unknown: () => 'Il n’y a pas de reçu pour cette commande.',
  country_unknown: () => 'Ce pays n’est pas connu ici.',
  not_found: () => 'Introuvable.',

  too_many_codes: ({ seconds }) => `Trop de codes ont été essayés. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Trop de paiements ont été refusés. ${again(seconds)}`,
  checkout_spent: () =>
    'Trop de paiements ont été refusés pour cette commande. Veuillez recommencer depuis votre panier.',
  too_many_requests: ({ seconds }) => `C’était un peu trop rapide. ${again(seconds)}`,
  shop_closed: () => 'Cette boutique est fermée pour le moment.',
  shop_full: ({ seconds }) => `Cette boutique ne peut plus rien accepter pour le moment. ${again(seconds)}`,
}

export const frRefusals = { missing, wrong, declines, refusals }
