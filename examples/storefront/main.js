// The page: its header and its current view. Views have addresses after the #, so that the back button and links work.

import { showCart } from './cart.js'
import { showCatalogue } from './catalogue.js'
import { showCheckout } from './checkout.js'
import { buttonLink, make, nothing, say, showProblem } from './dom.js'
import { showLogin } from './login.js'
import { showOrder, showOrders } from './orders.js'
import { showProduct } from './product.js'
import { showReceipt } from './receipt.js'
import { listenToSearch, showSearched } from './search.js'
import { commerce, sentenceOf, tellCart } from './shop.js'

/**
 * Address, view, and the placeholder shown while it loads. A view receives the captured groups, then the parameters after a `?` as
 * URLSearchParams. It returns { title, content }. Content is a list of nodes, or a function that receives the heading and places it itself.
 */
const VIEWS = [
  [/^\/$/, (params) => showCatalogue(null, null, params), 'shelf'],
  [/^\/category\/([^/]+)$/, (slug, params) => showCatalogue(slug, null, params), 'shelf'],
  [/^\/search\/([^/]+)$/, (query, params) => showCatalogue(null, query, params), 'shelf'],
  [/^\/products\/([^/]+)$/, (permalink) => showProduct(permalink), 'product'],
  [/^\/products\/([^/]+)\/([^/]+)$/, (permalink, variantId) => showProduct(permalink, variantId), 'product'],
  [/^\/cart$/, showCart, 'lines'],
  [/^\/checkout$/, showCheckout],
  [/^\/order\/([^/]+)$/, showReceipt],
  [/^\/login$/, () => showLogin()],
  [/^\/login\/([^/]+)$/, (token) => showLogin(token)],
  [/^\/(?:account|orders)$/, showOrders],
  [/^\/orders\/([^/]+)$/, showOrder],
]

const main = document.getElementById('main')
let shopName = 'Shop'
let navigation = 0
let shown = null

const notFound = () => ({
  title: 'Not found',
  content: [nothing('There is nothing at this address.', buttonLink('#/', 'See all products'))],
})

/** `#/category/kitchen?sort=price` → the view and its arguments. */
function findView(hash) {
  const [path, search = ''] = (hash.replace(/^#/, '') || '/').split('?')
  for (const [pattern, view, kind] of VIEWS) {
    const [, ...encoded] = pattern.exec(path) ?? [null]
    if (!pattern.test(path)) continue
    try {
      const named = encoded.map(decodeURIComponent)
      return { kind, show: () => view(...named, new URLSearchParams(search)) }
    } catch {
      // The link was cut off inside a character, such as #/products/%C3.
      break
    }
  }
  return { show: notFound }
}

async function navigate() {
  const { kind, show } = findView(location.hash)
  const mine = ++navigation
  showProblem(null)
  // Messages about the previous view do not apply here.
  say('')
  showSearched(location.hash)
  main.setAttribute('aria-busy', 'true')
  // Fast views show no placeholder, and a product list stays until the next one has loaded.
  const wait = () => mine === navigation && main.replaceChildren(skeleton(kind))
  const waiting = kind && kind !== shown ? setTimeout(wait, 200) : null
  const { title, before, content } = await Promise.resolve()
    .then(show)
    .catch((error) => ({
      title: 'That did not work',
      content: [nothing(sentenceOf(error), buttonLink('#/', 'See all products'))],
    }))
  clearTimeout(waiting)
  // The shopper may have moved on during loading.
  if (mine !== navigation) return
  const heading = make('h1', { tabIndex: -1 }, title)
  const parts = typeof content === 'function' ? content(heading) : [heading, content]
  const searched = document.activeElement?.id === 'query' && kind === 'shelf'
  const sorted = document.activeElement?.id === 'sort'
  main.replaceChildren(...[before, parts].flat(Infinity).filter((part) => part !== null && part !== undefined))
  main.removeAttribute('aria-busy')
  document.documentElement.classList.remove('elsewhere')
  document.body.dataset.view = shown = kind ?? 'other'
  document.title = `${title} · ${shopName}`
  // Restore the scroll position when going back, otherwise scroll to the top.
  scrollTo(0, history.state?.y ?? 0)
  if (mine === 1 || searched) return
  // A new view is like a new page: let screen readers read its title. After a change of sorting, keep the focus there.
  if (sorted && kind === 'shelf') document.getElementById('sort')?.focus({ preventScroll: true })
  else heading.focus({ preventScroll: true })
}

/** Grey placeholder shapes. */
function skeleton(kind) {
  const count = { shelf: 8, product: 1, lines: 3 }[kind]
  const shapes = Array.from({ length: count }, () => make('div', { className: 'shape' }))
  return make('div', { className: `skeleton ${kind}-skeleton`, 'aria-hidden': 'true' }, shapes)
}

/** Views report every change of the cart with this event. */
addEventListener('cart', ({ detail: cart }) => {
  document.getElementById('cart-count').textContent = cart.total_items
})

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})

/**
 * When going back, the browser would scroll while the page is still empty. So the position is saved here, and restored once the view is
 * drawn.
 */
function rememberScrolling() {
  history.scrollRestoration = 'manual'
  let waiting
  addEventListener('scroll', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => history.replaceState({ ...history.state, y: scrollY }, ''), 100)
  })
}

/** Converts a URL of the page without JavaScript, such as ?product=bud-vase, into that of the same view. */
function takeOver() {
  const params = new URLSearchParams(location.search)
  const of = { product: 'products', category: 'category', query: 'search' }
  const [name, value] = [...params].find(([name, value]) => name in of && value.trim() !== '') ?? []
  if (name === undefined || location.hash.length > 2) return
  history.replaceState(null, '', `./#/${of[name]}/${encodeURIComponent(value)}`)
}

async function start() {
  if (commerce === null) {
    document.documentElement.classList.remove('elsewhere', 'scripted')
    return showProblem('The shop could not be loaded: its SDK is missing. Please try again later.')
  }
  takeOver()
  rememberScrolling()
  addEventListener('hashchange', navigate)
  listenToSearch()
  const about = commerce.merchants.about().then(({ name }) => {
    document.title = document.title.replace(shopName, () => name)
    shopName = name
    document.getElementById('brand').textContent = name
  })
  const cart = commerce.cart.retrieve().then(tellCart)
  // The browser stores no cart, or the shop does not answer.
  const told = Promise.all([about, cart]).catch((error) => showProblem(sentenceOf(error)))
  // Product lists need no cart. Other views wait: requesting a cart at the same time would create a second one.
  if (findView(location.hash).kind !== 'shelf') await told
  await navigate()
}

start()
