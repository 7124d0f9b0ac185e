// The options of a product: one of each group. A variant is a combination with its own price, stock or pictures. A combination without a
// variant is sold like the product itself.

import { make } from './dom.js'
import { money, stockOf } from './price.js'

export const isSoldOut = (product, variant) => product.is.sold_out || stockOf(product, variant) === 0

export const variantOf = ({ variant_groups: groups }, variants, chosen) =>
  variants.find(({ options }) => groups.every(({ id }) => options[id] === chosen[id])) ?? null

/** Chooses the variant that a link names, else the first available one, else the first option of each group. */
export function firstChoice(product, variants, variantId) {
  const { variant_groups: groups } = product
  const named = variants.find(({ id }) => id === variantId)
  const choice = {}
  for (const { id, options } of groups) {
    const isOpen = (option) => {
      const fitting = variants.filter((variant) =>
        Object.entries({ ...choice, [id]: option.id }).every(([group, value]) => variant.options[group] === value),
      )
      return fitting.length === 0 || fitting.some((variant) => !isSoldOut(product, variant))
    }
    choice[id] = named?.options[id] ?? (options.find(isOpen) ?? options[0])?.id
  }
  return choice
}

/** Returns the pictures of a choice, best first: those of the variant, of its options, of the product. */
export function picturesOf({ assets, image, variant_groups: groups }, variant, chosen) {
  const isChosen = (option) => Object.values(chosen).includes(option.id)
  const ofOptions = groups
    .flatMap(({ options }) => options.filter(isChosen))
    .flatMap((option) => option.assets ?? [])
    .map((id) => assets.find((asset) => asset.id === id))
  return [...(variant?.assets ?? []), ...ofOptions, image].filter((asset) => asset?.is_image)
}

/**
 * The groups as radio buttons, with pictures if options have them. `mark` labels options that are sold out in combination with the other
 * chosen options. They can still be selected.
 */
export function choicesOf(product, variants, begin) {
  const { variant_groups: groups, assets, price } = product
  const notes = new Map()
  const optionOf = (group, option) => {
    const note = make('span', { className: 'gone-note', hidden: true }, 'sold out')
    notes.set(option.id, note)
    const asset = assets.find(({ id }) => id === option.assets?.[0])
    const extra = option.price.raw
    return make(
      'label',
      { className: asset ? 'option pictured' : 'option' },
      make('input', { type: 'radio', name: group.id, value: option.id, checked: begin[group.id] === option.id }),
      asset ? make('img', { src: asset.url, alt: '', width: 640, height: 640 }) : null,
      make(
        'span',
        {},
        make('span', {}, option.name),
        extra === 0 ? null : make('small', {}, ` ${extra > 0 ? '+' : ''}${money(extra, price)}`),
        note,
      ),
    )
  }
  const elements = groups.map((group) =>
    make(
      'fieldset',
      { className: 'choice' },
      make('legend', {}, group.name),
      group.options.map((option) => optionOf(group, option)),
    ),
  )
  const mark = (chosen) => {
    for (const { id, options } of groups)
      for (const option of options) {
        const isGone = isSoldOut(product, variantOf(product, variants, { ...chosen, [id]: option.id }))
        const note = notes.get(option.id)
        note.hidden = !isGone
        note.closest('label').classList.toggle('gone', isGone)
      }
  }
  return { elements, mark }
}
