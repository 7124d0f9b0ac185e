// Refusals of the checkout in Japanese.

import { nameOr, quotedBy, waitPhrase } from '../grammar.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from '../refusal-words.ts'

const quoted = quotedBy('「', '」')
const again = (seconds: number) => `${waitPhrase('ja', seconds).replaceAll(' ', '')}にもう一度お試しください。`

const missing: FieldSentences = {
  email: 'メールアドレスを入力してください。',
  firstname: '名を入力してください。',
  lastname: '姓を入力してください。',
  phone: '電話番号を入力してください。',
  recipient: 'お名前を入力してください。',
  street: '番地を入力してください。',
  city: '市区町村を入力してください。',
  region: '都道府県または州を選択してください。',
  postal_code: '郵便番号を入力してください。',
  country: '国を選択してください。',
  instructions: '配送に関するご要望を入力してください。',
  shipping_method: '配送方法を選択してください。',
  payment: 'お支払い方法を選択してください。',
  card_number: 'カード番号を入力してください。',
  card_expiry: 'カードの有効期限を入力してください。',
  card_code: 'カードのセキュリティコードを入力してください。',
  quantity: '数量を選択してください。',
  discount_code: '割引コードを入力してください。',
  gift_card: 'ギフトカードのコードを入力してください。',
  code: 'コードを入力してください。',
  amount: '金額を入力してください。',
  choice: '選択してください。',
}

const wrong: FieldSentences = {
  email: 'メールアドレスをご確認ください。',
  firstname: '名をご確認ください。',
  lastname: '姓をご確認ください。',
  phone: '電話番号をご確認ください。',
  recipient: 'お名前をご確認ください。',
  street: '番地をご確認ください。',
  city: '市区町村をご確認ください。',
  region: '都道府県または州をご確認ください。',
  postal_code: '郵便番号をご確認ください。',
  country: '一覧から国を選択してください。',
  instructions: '配送に関するご要望をご確認ください。',
  shipping_method: '配送方法をご確認ください。',
  payment: '別のお支払い方法を選択してください。',
  card_number: 'カード番号をご確認ください。',
  card_expiry: 'カードの有効期限をご確認ください。',
  card_code: 'カードのセキュリティコードをご確認ください。',
  quantity: '数量をご確認ください。',
  discount_code: '割引コードをご確認ください。',
  gift_card: 'ギフトカードのコードをご確認ください。',
  code: 'コードをご確認ください。',
  amount: '金額をご確認ください。',
  choice: 'この選択肢はご利用いただけません。もう一度選択してください。',
}

const declines: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'カードが承認されませんでした。別のカードまたはお支払い方法をお試しください。',
  insufficient_funds: 'カードの残高または利用可能額が不足しています。別のカードまたはお支払い方法をお試しください。',
  expired_card: 'カードの有効期限が切れているか、有効期限が正しくありません。',
  incorrect_cvc: 'カードのセキュリティコード（CVC）が正しくありません。',
}

const refusals: RefusalWords = {
  request_not_right: () => 'リクエストに誤りがあります。もう一度お試しください。',
  still_running: () => '処理中です。しばらくお待ちください。',
  done_before: () => 'すでに処理済みです。繰り返す前にもう一度ご確認ください。',

  missing_field: ({ field }) => missing[field],
  wrong_field: ({ field }) => wrong[field],
  missing_answer: ({ name }) => `${quoted(name)}を入力してください。`,
  wrong_answer: ({ name }) => `${quoted(name)}をご確認ください。`,
  choose_option: ({ name }) => `選択してください：${nameOr(name, '選択肢')}`,
  check_fields: () => '印のある項目をご確認ください。',

  not_enough: ({ left, product }) => {
    const it = product === undefined ? '' : `${quoted(product)}は`
    return left <= 0 ? `${it}売り切れです。` : `${it}残り${left}点のみです。`
  },
  not_for_sale: ({ product }) =>
    product === undefined ? 'この商品はお取り扱いしていません。' : `${quoted(product)}は現在お取り扱いしていません。`,
  choice_not_available: ({ product }) =>
    product === undefined
      ? 'この選択肢はご利用いただけません。もう一度選択してください。'
      : `${quoted(product)}で選択された内容はご利用いただけなくなりました。もう一度選択してください。`,
  too_many: ({ most, product }) => {
    const it = product === undefined ? 'この商品' : quoted(product)
    return most > 0 ? `${it}は${most}点までご注文いただけます。` : `${it}はここではご注文いただけません。`
  },
  gone_meanwhile: () => '他のお客様が先に購入されたため、在庫が足りません。数量を減らしてください。',
  cart_full: () => 'カートがいっぱいです。残りは別にご注文ください。',
  cart_empty: () => 'カートは空です。',

  code_not_accepted: () => 'このコードは使用できません。コードが間違っているか、期限切れか、使用済みです。',
  code_for_other_products: () => 'このコードは他の商品が対象です。',
  gift_card_not_accepted: () => 'このギフトカードは使用できません。コードが間違っているか、残高がありません。',
  gift_card_changed: () => 'ギフトカードの残高が減っています。合計をもう一度ご確認ください。',
  amount_too_low: ({ minimum }) => `${minimum}以上の金額を入力してください。`,
  amount_too_high: () => 'ここでお支払いいただける金額を超えています。',
  amount_not_asked: () => 'このご注文には、価格をお選びいただける商品がありません。',
  total_changed: ({ total }) => `合計は${total}になりました。お支払いの前にもう一度ご確認ください。`,
  payments_closed: () => 'このショップではまだお支払いを受け付けていません。',
  payment_declined: () => 'お支払いが承認されませんでした。別の方法をお試しください。',
  payment_not_made: () => 'お支払いは完了しておらず、請求もされていません。もう一度お試しください。',
  payment_provider_down: () =>
    'このお支払い方法は現在ご利用いただけません。別の方法を選択するか、後ほどお試しください。',
  payment_expired: () => 'お支払いの期限が過ぎました。請求はされていません。もう一度お試しください。',
  payment_given_back: () => 'お支払いは期限後に届きました。返金いたしますので、もう一度お試しください。',
  payment_to_confirm: () => 'ご利用の銀行でお支払いを承認してください。',
  payment_unknown: () =>
    'お支払いを確認しています。しばらくしてからもう一度お試しください。二重に請求されることはありません。',

  shipping_not_offered: () => 'この配送方法はご注文にはご利用いただけません。別の方法を選択してください。',
  shipping_to_nowhere: () => 'この住所にはお届けできません。',
  nothing_to_ship: () => 'このご注文には配送する商品がありません。',

  cart_gone: () => 'このカートはもうありません。新しいカートでお買い物を始めてください。',
  line_gone: () => 'この商品はカートに入っていません。',
  checkout_gone: () => 'このご購入手続きは終了しました。カートからもう一度お手続きください。',
  already_ordered: () => 'このご注文はすでに完了しています。',
  being_ordered: () => 'ご注文を処理しています。しばらくお待ちください。',
  product_gone: () => 'この商品はお取り扱いしていません。',
  order_unknown: () => 'ご注文が見つかりませんでした。',
  receipt_unknown: () => 'このご注文の控えはありません。',
  country_unknown: () => 'この国には対応していません。',
  not_found: () => '見つかりませんでした。',

  too_many_codes: ({ seconds }) => `コードの入力回数が多すぎます。${again(seconds)}`,
  too_many_declines: ({ seconds }) => `お支払いが拒否された回数が多すぎます。${again(seconds)}`,
  checkout_spent: () =>
    'このご購入手続きでは、お支払いが拒否された回数が多すぎます。カートからもう一度お手続きください。',
  too_many_requests: ({ seconds }) => `操作が少し速すぎました。${again(seconds)}`,
  shop_closed: () => 'このショップは現在休業中です。',
  shop_full: ({ seconds }) => `このショップは現在これ以上受け付けられません。${again(seconds)}`,
}

export const jaRefusals = { missing, wrong, declines, refusals }
