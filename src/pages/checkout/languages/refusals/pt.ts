// Refusals of the checkout in Portuguese.

import { nameOr, pluralForm, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('«', '»')
const again = (seconds: number) => `Tente novamente ${waitPhrase('pt-PT', seconds)}.`

const missing: FieldSentences = {
  email: 'Introduza o seu e-mail.',
  firstname: 'Introduza o seu nome próprio.',
  lastname: 'Introduza o seu apelido.',
  phone: 'Introduza o seu número de telefone.',
  recipient: 'Introduza o seu nome.',
  street: 'Introduza a rua.',
  city: 'Introduza a cidade.',
  region: 'Escolha um estado ou uma região.',
  postal_code: 'Introduza o código postal.',
  country: 'Escolha um país.',
  instructions: 'Introduza as instruções de entrega.',
  shipping_method: 'Escolha um método de envio.',
  payment: 'Escolha como quer pagar.',
  card_number: 'Introduza o número do cartão.',
  card_expiry: 'Introduza a data de validade do cartão.',
  card_code: 'Introduza o código de segurança do cartão.',
  quantity: 'Escolha a quantidade.',
  discount_code: 'Introduza o código de desconto.',
  gift_card: 'Introduza o código do cartão-presente.',
  code: 'Introduza o código.',
  amount: 'Introduza o valor.',
  choice: 'Escolha uma opção.',
}

const wrong: FieldSentences = {
  email: 'Verifique o seu e-mail.',
  firstname: 'Verifique o seu nome próprio.',
  lastname: 'Verifique o seu apelido.',
  phone: 'Verifique o seu número de telefone.',
  recipient: 'Verifique o seu nome.',
  street: 'Verifique a rua.',
  city: 'Verifique a cidade.',
  region: 'Verifique o estado ou a região.',
  postal_code: 'Verifique o código postal.',
  country: 'Escolha um país da lista.',
  instructions: 'Verifique as instruções de entrega.',
  shipping_method: 'Verifique o método de envio.',
  payment: 'Escolha outra forma de pagamento.',
  card_number: 'Verifique o número do cartão.',
  card_expiry: 'Verifique a data de validade do cartão.',
  card_code: 'Verifique o código de segurança do cartão.',
  quantity: 'Verifique a quantidade.',
  discount_code: 'Verifique o código de desconto.',
  gift_card: 'Verifique o código do cartão-presente.',
  code: 'Verifique o código.',
  amount: 'Verifique o valor.',
  choice: 'Esta opção não está disponível. Escolha novamente.',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'O cartão foi recusado. Tente com outro cartão ou com outra forma de pagamento.',
  insufficient_funds: 'O cartão não tem saldo suficiente. Tente com outro cartão ou com outra forma de pagamento.',
  expired_card: 'O cartão expirou, ou a data de validade está errada.',
  incorrect_cvc: 'O código de segurança (CVC) do cartão está errado.',
}

const refusals: RefusalWords = {
  request_not_right: () => 'Algo não está certo neste pedido. Tente novamente.',
  still_running: () => 'Ainda está em curso. Aguarde um momento.',
  done_before: () => 'Isto já foi feito. Verifique antes de repetir.',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `Preencha ${quoted(name)}.`,
  wrong_answer: ({ name }) => `Verifique ${quoted(name)}.`,
  choose_option: ({ name }) => `Escolha: ${nameOr(name, 'uma opção')}.`,
  check_fields: () => 'Verifique os dados assinalados.',

  not_enough: ({ left, product }) => {
    if (left <= 0) return product === undefined ? 'Este artigo está esgotado.' : `${quoted(product)} está esgotado.`
    const of = product === undefined ? '' : ` de ${quoted(product)}`
    return pluralForm('pt-PT', left, { one: `Resta apenas #${of}.`, other: `Restam apenas #${of}.` })
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'Este produto não está disponível.' : `${quoted(product)} já não está disponível.`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'Esta opção não está disponível. Escolha novamente.'
      : `O que escolheu de ${quoted(product)} já não está disponível. Escolha novamente.`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? null : quoted(product)
    return most > 0
      ? `Pode encomendar no máximo ${pluralForm('pt-PT', most, { one: '# unidade', other: '# unidades' })}${it === null ? '' : ` de ${it}`}.`
      : `${it ?? 'Este artigo'} não pode ser encomendado aqui.`
  },
  gone_meanwhile: () => 'Alguém foi mais rápido: já não há suficiente. Escolha menos.',
  cart_full: () => 'O seu carrinho está cheio. Encomende o resto em separado.',
  cart_empty: () => 'O seu carrinho está vazio.',

  code_not_accepted: () => 'Este código não pode ser usado: está errado, expirou ou está esgotado.',
  code_for_other_products: () => 'Este código é para outros produtos.',
  gift_card_not_accepted: () => 'Este cartão-presente não pode ser usado: o código está errado, ou já não tem saldo.',
  gift_card_changed: () => 'O seu cartão-presente tem menos saldo do que antes. Veja o total novamente.',
  amount_too_low: ({ minimum }) => `Pague ${minimum} ou mais.`,
  amount_too_high: () => 'É mais do que se pode pagar aqui.',
  amount_not_asked: () => 'Nada nesta encomenda tem um preço à sua escolha.',
  total_changed: ({ total }) => `O total é agora ${total}. Veja-o novamente antes de pagar.`,
  payments_closed: () => 'Esta loja ainda não aceita pagamentos.',
  payment_declined: () => 'O pagamento foi recusado. Tente com outra forma de pagamento.',
  payment_not_made: () => 'O pagamento não foi concluído e nada foi cobrado. Tente novamente.',
  payment_provider_down: () => 'Esta forma de pagamento não funciona de momento. Escolha outra, ou tente mais tarde.',
  payment_expired: () => 'O prazo para pagar terminou e nada foi cobrado. Tente novamente.',
  payment_given_back: () => 'Pagou depois do fim do prazo. O dinheiro será devolvido; tente novamente.',
  payment_to_confirm: () => 'Confirme o pagamento junto do seu banco.',
  payment_unknown: () =>
    'O seu pagamento está a ser verificado. Tente novamente dentro de momentos: não pagará duas vezes.',

  shipping_not_offered: () => 'Este método de envio não está disponível para a sua encomenda. Escolha outro.',
  shipping_to_nowhere: () => 'A sua encomenda não pode ser enviada para esta morada.',
  nothing_to_ship: () => 'Nada nesta encomenda tem de ser enviado.',

  cart_gone: () => 'Este carrinho já não existe. Comece um novo.',
  line_gone: () => 'Este artigo já não está no seu carrinho.',
  checkout_gone: () => 'Esta compra já não está aberta. Recomece a partir do seu carrinho.',
  already_ordered: () => 'Esta encomenda já foi feita.',
  being_ordered: () => 'A sua encomenda está a ser feita. Aguarde um momento.',
  product_gone: () => 'Este produto não está disponível.',
  order_unknown: () => 'Esta encomenda não foi encontrada.',
  receipt_unknown: () => 'Não há recibo desta encomenda.',
  country_unknown: () => 'Este país não é conhecido aqui.',
  not_found: () => 'Não foi encontrado.',

  too_many_codes: ({ seconds }) => `Foram tentados demasiados códigos. ${again(seconds)}`,
  too_many_declines: ({ seconds }) => `Foram recusados demasiados pagamentos. ${again(seconds)}`,
  checkout_spent: () => 'Nesta compra foram recusados demasiados pagamentos. Recomece a partir do seu carrinho.',
  too_many_requests: ({ seconds }) => `Foi um pouco rápido demais. ${again(seconds)}`,
  shop_closed: () => 'Esta loja está fechada de momento.',
  shop_full: ({ seconds }) => `Esta loja não pode aceitar mais nada de momento. ${again(seconds)}`,
}

export const ptRefusals = { missing, wrong, declines, refusals }
