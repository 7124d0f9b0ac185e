// Refusals of the checkout in Spanish.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('«', '»')
const again = (seconds: number) => `Inténtelo de nuevo ${waitPhrase('es', seconds)}.`

const missing: FieldSentences = {
  email: 'Escriba su correo electrónico.',
  firstname: 'Escriba su nombre.',
  lastname: 'Escriba sus apellidos.',
  phone: 'Escriba su número de teléfono.',
  recipient: 'Escriba su nombre.',
  street: 'Escriba la calle.',
  city: 'Escriba la ciudad.',
  region: 'Elija un estado o una región.',
  postal_code: 'Escriba el código postal.',
  country: 'Elija un país.',
  instructions: 'Escriba las instrucciones de entrega.',
  shipping_method: 'Elija una forma de envío.',
  payment: 'Elija cómo quiere pagar.',
  card_number: 'Escriba el número de la tarjeta.',
  card_expiry: 'Escriba la fecha de caducidad de la tarjeta.',
  card_code: 'Escriba el código de seguridad de la tarjeta.',
  quantity: 'Elija cuántas unidades quiere.',
  discount_code: 'Escriba el código de descuento.',
  gift_card: 'Escriba el código de la tarjeta regalo.',
  code: 'Escriba el código.',
  amount: 'Escriba el importe.',
  choice: 'Elija una opción.',
}

const wrong: FieldSentences = {
  email: 'Revise su correo electrónico.',
  firstname: 'Revise su nombre.',
  lastname: 'Revise sus apellidos.',
  phone: 'Revise su número de teléfono.',
  recipient: 'Revise su nombre.',
  street: 'Revise la calle.',
  city: 'Revise la ciudad.',
  region: 'Revise el estado o la región.',
  postal_code: 'Revise el código postal.',
  country: 'Elija un país de la lista.',
  instructions: 'Revise las instrucciones de entrega.',
  shipping_method: 'Revise la forma de envío.',
  payment: 'Elija otra forma de pago.',
  card_number: 'Revise el número de la tarjeta.',
  card_expiry: 'Revise la fecha de caducidad de la tarjeta.',
  card_code: 'Revise el código de seguridad de la tarjeta.',
  quantity: 'Revise la cantidad.',
  discount_code: 'Revise el código de descuento.',
  gift_card: 'Revise el código de la tarjeta regalo.',
  code: 'Revise el código.',
  amount: 'Revise el importe.',
  choice: 'Esta opción no está disponible. Elija otra vez.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'La tarjeta ha sido rechazada. Pruebe con otra tarjeta o con otra forma de pago.',
  insufficient_funds: 'La tarjeta no tiene fondos suficientes. Pruebe con otra tarjeta o con otra forma de pago.',
  expired_card: 'La tarjeta ha caducado, o la fecha de caducidad no es correcta.',
  incorrect_cvc: 'El código de seguridad (CVC) de la tarjeta no es correcto.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'Algo no es correcto en esta solicitud. Inténtelo de nuevo.',
  still_running: () => 'Todavía se está procesando. Espere un momento.',
  done_before: () => 'Esto ya se ha hecho. Compruébelo antes de repetirlo.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Rellene ${quoted(name)}.`,
  wrong_answer: ({ name }) => `Revise ${quoted(name)}.`,
  choose_option: ({ name }) => `Elija: ${nameOr(name, 'una opción')}.`,
  check_fields: () => 'Revise los datos señalados.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Este artículo está agotado.' : `${quoted(product)} está agotado.`
    const of = product === undefined ? '' : ` de ${quoted(product)}`
    return pluralForm('es', left, { one: `Solo queda #${of}.`, other: `Solo quedan #${of}.` })
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Este producto no está disponible.' : `${quoted(product)} ya no está disponible.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Esta opción no está disponible. Elija otra vez.'
      : `Lo que eligió de ${quoted(product)} ya no está disponible. Elija otra vez.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    return most > 0
      ? `Puede pedir ${pluralForm('es', most, { one: '# unidad', other: '# unidades' })}${it === null ? '' : ` de ${it}`} como máximo.`
      : `${it ?? 'Este artículo'} no se puede pedir aquí.`
  },
  gone_meanwhile: () => 'Alguien ha sido más rápido: ya no hay suficiente. Elija menos.',
  cart_full: () => 'Su carrito está lleno. Pida el resto por separado.',
  cart_empty: () => 'Su carrito está vacío.',

  code_not_accepted: () => 'Este código no se puede usar: es incorrecto, ha caducado o está agotado.',
  code_for_other_products: () => 'Este código es para otros productos.',
  gift_card_not_accepted: () => 'Esta tarjeta regalo no se puede usar: el código es incorrecto o ya no tiene saldo.',
  gift_card_changed: () => 'En su tarjeta regalo queda menos que antes. Vuelva a mirar el total.',
  amount_too_low: ({ minimum }) => `Pague ${minimum} o más.`,
  amount_too_high: () => 'Es más de lo que se puede pagar aquí.',
  amount_not_asked: () => 'Nada de este pedido tiene un precio que usted elija.',
  total_changed: ({ total }) => `El total es ahora ${total}. Vuelva a mirarlo antes de pagar.`,
  payments_closed: () => 'Esta tienda todavía no acepta pagos.',
  payment_declined: () => 'El pago ha sido rechazado. Pruebe con otra forma de pago.',
  payment_not_made: () => 'El pago no se ha realizado y no se le ha cobrado nada. Inténtelo de nuevo.',
  payment_provider_down: () => 'Esta forma de pago no funciona en este momento. Elija otra o inténtelo más tarde.',
  payment_expired: () => 'El plazo para pagar ha terminado y no se le ha cobrado nada. Inténtelo de nuevo.',
  payment_given_back: () => 'Pagó después de que terminara el plazo. Se le devolverá el dinero; inténtelo de nuevo.',
  payment_to_confirm: () => 'Confirme el pago con su banco.',
  payment_unknown: () => 'Estamos comprobando su pago. Inténtelo de nuevo en un momento: no pagará dos veces.',

  shipping_not_offered: () => 'Esta forma de envío no está disponible para su pedido. Elija otra.',
  shipping_to_nowhere: () => 'Su pedido no se puede enviar a esta dirección.',
  nothing_to_ship: () => 'No hay nada que enviar en este pedido.',

  cart_gone: () => 'Este carrito ya no existe. Empiece uno nuevo.',
  line_gone: () => 'Este artículo ya no está en su carrito.',
  checkout_gone: () => 'Esta compra ya no está abierta. Empiece de nuevo desde su carrito.',
  already_ordered: () => 'Este pedido ya se ha realizado.',
  being_ordered: () => 'Su pedido se está tramitando. Espere un momento.',
  product_gone: () => 'Este producto no está disponible.',
  order_unknown: () => 'No se ha encontrado este pedido.',
  receipt_unknown: () => 'No hay recibo de este pedido.',
  country_unknown: () => 'Este país no se conoce aquí.',
  not_found: () => 'No se ha encontrado.',

  too_many_codes: ({ seconds }) => `Se han probado demasiados códigos. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Se han rechazado demasiados pagos. ${again(seconds)}`,
  checkout_spent: () => 'En esta compra se han rechazado demasiados pagos. Empiece de nuevo desde su carrito.',
  too_many_requests: ({ seconds }) => `Ha ido un poco demasiado rápido. ${again(seconds)}`,
  shop_closed: () => 'Esta tienda está cerrada en este momento.',
  shop_full: ({ seconds }) => `Esta tienda no puede aceptar nada más en este momento. ${again(seconds)}`,
}

export const esRefusals = { missing, wrong, declines, refusals }
