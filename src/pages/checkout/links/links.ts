// Handles the links that merchants and storefronts publish. A cart's link leads to the pay page; a product's link shows a form that leads
// there. cart-entry.ts and product-entry.ts decide where each leads.

import { findLinkShop, type LinkShopRow } from '../../../api/merchants/store.ts'
import type { Context, Services } from '../../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../../http/files/pages.ts'
import { readMerchantNumber } from '../../../lib/ids.ts'
import { contextFor, pageCallerOf } from '../../context.ts'
import { htmlAnswer, type PageHeaders, seeOther } from '../../headers.ts'
import { originsOf, policyOf } from '../../policy.ts'
import { withNarrowCharacters } from '../form/pay-form.ts'
import { closedAnswer, goneAnswer, isInsecurePage, messageAnswer, notSecureAnswer } from '../message.ts'
import type { PageFrame } from '../model.ts'
import { answerToEmail, orderedAnswer } from '../ordered.ts'
import { paidHeaders, paymentProofsIn } from '../paid.ts'
import { frameOf, languageQuery, shopOf, UNKNOWN_SHOP } from '../shop.ts'
import { productPage } from '../views/product.ts'
import { CART_GONE, enterCart, isSandboxCart, type LinkMessage } from './cart-entry.ts'
import { buyProduct, type ProductEntry, type ShownProductEntry, showProductEntry } from './product-entry.ts'

type LinkVisit = { readonly context: Context; readonly frame: PageFrame; readonly request: PageRequest }

export const showCartLink = (services: Services) =>
  onCart(services, async (visit, tokenId) =>
    paymentProofsIn(visit.request, tokenId).length > 0
      ? toPay(visit, tokenId, '/receipt')
      : orderedAnswer(visit.frame, null),
  )

/** Handles the form with the order's e-mail address. The correct address leads to the receipt. */
export const sendCartForm = (services: Services) =>
  onCart(services, (visit, tokenId) =>
    answerToEmail(visit, tokenId, (proof) => {
      const headers = paidHeaders(visit.request, visit.context.caller.merchant_id, { tokenId, proof })
      return toPay(visit, tokenId, '/receipt', headers)
    }),
  )

type OrderedCart = (visit: LinkVisit, tokenId: string) => Promise<PageAnswer>

const onCart = (services: Services, answerOrdered: OrderedCart) => async (request: PageRequest) => {
  const { id: cartId = '' } = request.params
  const merchant_id = readMerchantNumber(request.params.merchant_id ?? '')
  const is_sandbox = merchant_id === null ? null : await isSandboxCart(services, merchant_id, cartId)
  const row = await findShop(services, request, is_sandbox ?? false)
  if (row === null) return goneAnswer(frameOf(UNKNOWN_SHOP, request))
  if (is_sandbox === null) return messageIn(frameIn(row, request, false), CART_GONE)
  return onLink(services, request, row, is_sandbox, async ({ context, frame }) => {
    const visit = { context, frame, request }
    const entry = await enterCart(context, cartId, request.method === 'HEAD')
    switch (entry.kind) {
      case 'pay':
        return toPay(visit, entry.tokenId)
      case 'ordered':
        return answerOrdered(visit, entry.tokenId)
      case 'nothing':
        return { type: 'text/html; charset=utf-8', body: '' }
      case 'message':
        return messageIn(frame, entry)
    }
  })
}

export const showProductLink = (services: Services) =>
  onProduct(services, async ({ context, request }) =>
    showProductEntry(context, request.params.permalink ?? '', request.query.get('checkout') === 'true'),
  )

export const sendProductForm = (services: Services) =>
  onProduct(services, async ({ context, request }) =>
    buyProduct(context, request.params.permalink ?? '', withNarrowCharacters(request.form.inputs)),
  )

/** Sandbox and live share the catalogue, so the URL must name the mode. */
const onProduct =
  (services: Services, answer: (visit: LinkVisit) => Promise<ProductEntry>) => async (request: PageRequest) => {
    const is_sandbox = request.query.get('sandbox') === 'true'
    const row = await findShop(services, request, is_sandbox)
    if (row === null) return goneAnswer(frameOf(UNKNOWN_SHOP, request))
    return onLink(services, request, row, is_sandbox, async (linkVisit) => {
      const visit = is_sandbox ? { ...linkVisit, frame: { ...linkVisit.frame, keptQuery: 'sandbox=true' } } : linkVisit
      const entry = await answer(visit)
      switch (entry.kind) {
        case 'pay':
          return toPay(visit, entry.tokenId)
        case 'product':
          return productAnswer(visit.frame, entry)
        case 'message':
          return messageIn(visit.frame, entry)
      }
    })
  }

function productAnswer(frame: PageFrame, { model, status }: ShownProductEntry): PageAnswer {
  const { assets, image } = model.product
  const images = originsOf([frame.shop.logo?.url, image?.url, ...assets.map(({ url }) => url)])
  const policy = policyOf([], { is_sandbox: frame.shop.is_sandbox, images })
  return htmlAnswer(productPage({ ...frame, ...model }), { status, policy })
}

const findShop = ({ db }: Services, { params }: PageRequest, is_sandbox: boolean): Promise<LinkShopRow | null> => {
  const merchant_id = readMerchantNumber(params.merchant_id ?? '')
  return merchant_id === null ? Promise.resolve(null) : findLinkShop(db, { merchant_id, is_sandbox })
}

const frameIn = (row: LinkShopRow, request: PageRequest, is_sandbox: boolean): PageFrame =>
  frameOf(shopOf(row, { is_sandbox, origin: request.origin }), request)

async function onLink(
  services: Services,
  request: PageRequest,
  row: LinkShopRow,
  is_sandbox: boolean,
  answer: (visit: LinkVisit) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const frame = frameIn(row, request, is_sandbox)
  if (isInsecurePage(frame, request)) return notSecureAnswer(frame)
  if (frame.shop.isClosed) return closedAnswer(frame)
  const context = contextFor(services, request, pageCallerOf({ ...row, is_sandbox }))
  return answer({ context, frame, request })
}

const messageIn = (frame: PageFrame, { status, message }: LinkMessage): PageAnswer =>
  messageAnswer(frame, status, { ...message, next: message.next ?? frame.shop.returnUrl })

const toPay = (
  { context, frame, request }: LinkVisit,
  tokenId: string,
  below = '',
  headers: PageHeaders = {},
): PageAnswer =>
  seeOther(`/checkout/${context.caller.merchant_id}/pay/${tokenId}${below}${languageQuery(request, frame)}`, headers)
