// The page of a product with its own link: images, text, options, and the button to the checkout.

import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { textOfHtml } from '../../../lib/html/text-of-html.ts'
import { htmlAttributes, pageAddress, webAddress, writeDocument } from '../../frame.ts'
import { messagesIn } from '../languages/index.ts'
import type { ProductModel } from '../model.ts'
import { type FormView, formView, hiddenInput, inputField, radioField, selectField, typedAt } from './field.ts'
import { problemSummary } from './problems.ts'
import { type SumFormatter, sumFormatterFor } from './sums.ts'

/** Groups with more options become a select. */
const MAX_RADIOS = 8
const MAX_PICTURES = 8
/** More pieces are not shown as "only … left", because that would be a guess about sales. */
const FEW_LEFT = 5

type Group = ProductModel['product']['variant_groups'][number]

export function productPage(model: ProductModel): Html {
  const { product, language, shop } = model
  const words = messagesIn(language)
  const form = formView(words, model)
  const sums = sumFormatterFor(language, shop.currency)
  const canBuy = product.active && !product.is.sold_out && !shop.isClosed
  const fields = canBuy ? html`${choices(form, model, sums)}` : EMPTY_HTML
  const imagesHtml = pictures(model, words)
  return writeDocument(model, {
    words,
    title: product.name,
    hasProblems: model.problems.length > 0,
    kind: 'product',
    hasScript: true,
    content: html`<main><div class="${imagesHtml.text === '' ? 'goods plain' : 'goods'}">
${imagesHtml}
<div class="buy"><h1>${product.name}</h1>
${price(model, sums)}
${
  canBuy
    ? html`<form${htmlAttributes({ method: 'post', action: pageAddress(model), novalidate: true, 'data-straight-on': model.goesStraightOn })}>
${hiddenInput('lang', language)}${problemSummary(words, model.problems, fields)}
${fields}
<button class="primary">${words.buy}</button>
${model.goesStraightOn ? html`<p class="status" role="status" data-with-script hidden>${words.goingOn}</p>` : EMPTY_HTML}</form>`
    : html`<p class="message calm">${shop.isClosed ? words.pages.closed.title : words.soldOut}</p>`
}
${description(product.description)}</div>
</div></main>`,
  })
}

function pictures({ product }: ProductModel, words: FormView['words']): Html {
  const images = product.assets.filter(({ is_image: isImage }) => isImage)
  const shownImages = images.length > 0 ? images : product.image === null ? [] : [product.image]
  const imageTags = shownImages.slice(0, MAX_PICTURES).flatMap((image, index) => {
    const url = webAddress(image.url)
    const size = 'width' in image.image_dimensions ? image.image_dimensions : null
    const alt = image.description || words.pictureOf({ product: product.name, at: index + 1 })
    return url === null
      ? []
      : [
          html`<img${htmlAttributes({ src: url, alt, width: size?.width, height: size?.height, loading: index === 0 ? null : 'lazy', fetchpriority: index === 0 ? 'high' : null })}>`,
        ]
  })
  // Several images scroll sideways, also by keyboard.
  const keys = imageTags.length > 1 ? { tabindex: 0, role: 'group', 'aria-label': product.name } : {}
  return imageTags.length === 0
    ? EMPTY_HTML
    : html`<div${htmlAttributes({ class: 'pictures', ...keys })}>${imageTags}</div>`
}

const price = ({ product }: ProductModel, { sum }: SumFormatter): Html =>
  product.is.pay_what_you_want ? EMPTY_HTML : html`<p class="price">${sum(product.price)}</p>`

function choices(form: FormView, { product, shop }: ProductModel, sums: SumFormatter): Html {
  const { words } = form
  const { managed, available } = product.inventory
  const isFew = managed && available > 0 && available <= FEW_LEFT && product.variant_groups.length === 0
  return html`${product.variant_groups.map((group) => groupField(form, group, sums))}${
    product.is.pay_what_you_want
      ? inputField(form, {
          path: 'pay_what_you_want',
          label: `${words.amount} (${shop.currency})`,
          hint: product.price.raw === 0 ? null : words.amountHint({ minimum: sums.sum(product.price) }),
          value: typedAt(form, 'pay_what_you_want') || String(product.price.raw),
          size: 'short',
          input: { inputmode: 'decimal', autocomplete: 'off', maxlength: 20 },
        })
      : EMPTY_HTML
  }${inputField(form, {
    path: 'quantity',
    label: words.quantity,
    hint: isFew ? words.left({ count: available }) : null,
    value: typedAt(form, 'quantity') || '1',
    size: 'short',
    input: { inputmode: 'numeric', autocomplete: 'off', maxlength: 7 },
  })}`
}

function groupField(form: FormView, group: Group, { signed }: SumFormatter): Html {
  const path = `variants.${group.id}`
  const options = group.options.map(({ id, name, price: surcharge }) => ({
    value: id,
    label: surcharge.raw === 0 ? name : form.words.optionAdds({ name, amount: signed(surcharge) }),
  }))
  const selectedOption = typedAt(form, path) || (options.length === 1 ? (options[0]?.value ?? '') : '')
  if (options.length > MAX_RADIOS)
    return selectField(form, {
      path,
      label: group.name,
      choices: options,
      chosen: selectedOption,
      placeholder: form.words.pleaseChoose,
      input: { autocomplete: 'off' },
    })
  return radioField(form, {
    path,
    legend: group.name,
    choices: options.map(({ value, label }) => ({ value, label: html`${label}` })),
    chosen: selectedOption,
  })
}

/** The merchant's description may contain HTML; only its text is shown. */
function description(descriptionHtml: string): Html {
  const paragraphs = textOfHtml(descriptionHtml)
  return paragraphs.length === 0
    ? EMPTY_HTML
    : html`<div class="description">${paragraphs.map((text) => html`<p>${text}</p>`)}</div>`
}
