// The page: its header, and which view stands in it. Views are addressed behind the #, so that the back button and links work.

import { showCart } from './cart.js'
import { showCatalogue } from './catalogue.js'
import { showCheckout } from './checkout.js'
import { make, say, showProblem } from './dom.js'
import { showLogin } from './login.js'
import { showOrder, showOrders } from './orders.js'
import { showProduct } from './product.js'
import { showReceipt } from './receipt.js'
import { commerce, sentenceOf } from './shop.js'

/** Each takes what stands in the brackets and gives { title, content }. */
const VIEWS = [
  [/^\/$/, showCatalogue],
  [/^\/category\/([^/]+)$/, showCatalogue],
  [/^\/search\/([^/]+)$/, (query) => showCatalogue(null, query)],
  [/^\/products\/([^/]+)$/, showProduct],
  [/^\/cart$/, showCart],
  [/^\/checkout$/, showCheckout],
  [/^\/order\/([^/]+)$/, showReceipt],
  [/^\/login$/, showLogin],
  [/^\/login\/([^/]+)$/, showLogin],
  [/^\/(?:account|orders)$/, showOrders],
  [/^\/orders\/([^/]+)$/, showOrder],
]

const main = document.getElementById('main')
let shopName = 'Shop'
let navigation = 0

const NOT_FOUND = () => ({
  title: 'Not found',
  content: [
    make('p', {}, 'There is nothing at this address.'),
    make('p', {}, make('a', { className: 'button', href: '#/' }, 'See all products')),
  ],
})

async function viewAt(path) {
  const [pattern, view] = VIEWS.find(([pattern]) => pattern.test(path)) ?? []
  if (view === undefined) return NOT_FOUND()
  const [, ...encoded] = pattern.exec(path)
  let named
  try {
    named = encoded.map(decodeURIComponent)
  } catch {
    // A link that was cut off in the middle of a letter, #/products/%C3.
    return NOT_FOUND()
  }
  return view(...named)
}

async function navigate() {
  const path = location.hash.replace(/^#/, '') || '/'
  const mine = ++navigation
  showProblem(null)
  main.setAttribute('aria-busy', 'true')
  const { title, content } = await viewAt(path).catch((error) => ({
    title: 'Something went wrong',
    content: [make('p', {}, sentenceOf(error))],
  }))
  // The shopper may have gone on while this was loading.
  if (mine !== navigation) return
  const heading = make('h1', { tabIndex: -1 }, title)
  main.replaceChildren(heading, ...content)
  main.removeAttribute('aria-busy')
  document.title = `${title} · ${shopName}`
  // A new view is like a new page: begin at its top, and let screen readers read its title.
  if (mine > 1) {
    scrollTo(0, 0)
    heading.focus({ preventScroll: true })
  }
}

/** Views tell of every change of the cart by this event. */
addEventListener('cart', ({ detail: cart }) => {
  const count = document.getElementById('cart-count')
  count.textContent = cart.total_items
  if (cart.total_items > 0) say(`${cart.total_items} items in the cart, ${cart.subtotal.formatted_with_symbol}.`)
})

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})

async function start() {
  if (commerce === null) return showProblem('The shop could not be loaded: its SDK is missing. Please try again later.')
  addEventListener('hashchange', navigate)
  const about = commerce.merchants.about().then(({ name }) => {
    shopName = name
    document.getElementById('brand').textContent = name
  })
  const cart = commerce.cart.retrieve().then((detail) => dispatchEvent(new CustomEvent('cart', { detail })))
  // A browser that keeps no cart, or a shop that does not answer: the view below says so as well.
  await Promise.all([about, cart]).catch((error) => showProblem(sentenceOf(error)))
  await navigate()
}

start()
