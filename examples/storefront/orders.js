// A customer's own orders: the list, and one of them.

import { logOut, ofCustomer } from './account.js'
import { breadcrumbs, buttonLink, linePicture, make, nothing, say, showProblem } from './dom.js'
import { askToLogIn } from './login.js'
import { dateOf, orderParts, stateList, withPictures } from './receipt.js'
import { commerce, isMissing, sentenceOf } from './shop.js'

const PER_PAGE = 10

export async function showOrders() {
  const found = await ofCustomer((api) => Promise.all([api.about(), readPage(api, 1)]))
  if (found === null) return askToLogIn()
  const [customer, first] = found
  return {
    title: 'Your orders',
    content: [whoIsHere(customer), make('div', {}, await orderList(first))],
  }
}

function whoIsHere({ firstname, lastname, email }) {
  const leave = make('button', { type: 'button', className: 'second small' }, 'Log out')
  leave.addEventListener('click', () => {
    logOut()
    // A new view starts without messages, so announce it afterwards.
    addEventListener('hashchange', () => say('You are logged out.'), { once: true })
    location.hash = '/'
  })
  const name = [firstname, lastname].filter(Boolean).join(' ')
  return make(
    'div',
    { className: 'who' },
    make(
      'p',
      {},
      name ? make('strong', {}, name) : null,
      name ? make('br') : null,
      make('span', { className: 'note' }, email),
    ),
    leave,
  )
}

const readPage = (api, page) => api.getOrders(null, null, { limit: PER_PAGE, page })

async function orderList({ data, meta }) {
  if (data.length === 0) return nothing('You have not ordered anything yet.', buttonLink('#/', 'See all products'))
  const list = make('ul', { className: 'orders' }, await Promise.all(data.map(orderCard)))
  const { current_page: current, total_pages: last } = meta.pagination
  if (current >= last) return list
  const more = make('button', { type: 'button', className: 'second more' }, 'Show older orders')
  let page = current
  more.addEventListener('click', async () => {
    more.disabled = true
    showProblem(null)
    try {
      const older = await ofCustomer((api) => readPage(api, page + 1))
      if (older === null) return dispatchEvent(new HashChangeEvent('hashchange'))
      page += 1
      const cards = await Promise.all(older.data.map(orderCard))
      list.append(...cards)
      cards[0]?.querySelector('a').focus()
      if (page >= last) more.remove()
    } catch (error) {
      showProblem(sentenceOf(error))
    } finally {
      more.disabled = false
    }
  })
  return [list, more]
}

const PICTURES = 4

async function orderCard(order) {
  const { id, customer_reference: reference, created, order_value: value, order: bought } = order
  const names = bought.line_items.map(({ product_name: name }) => name)
  const shown = await withPictures(bought.line_items.slice(0, PICTURES))
  return make(
    'li',
    { className: 'order' },
    make(
      'div',
      { className: 'order-head' },
      make('a', { href: `#/orders/${id}` }, reference),
      make('strong', { className: 'amount' }, value.formatted_with_symbol),
    ),
    make('p', { className: 'note' }, dateOf(created)),
    make(
      'div',
      { className: 'order-pictures' },
      shown.map((line) => linePicture(line, 'bought-picture')),
    ),
    make('p', { className: 'note' }, names.slice(0, 3).join(', '), names.length > 3 ? ' and more' : ''),
    stateList(order),
  )
}

export async function showOrder(id) {
  const order = await ofCustomer(() => commerce.customer.getOrder(id).catch(missing))
  if (order === null) return askToLogIn()
  if (order === undefined)
    return {
      title: 'Not found',
      content: [nothing('You have no such order.', buttonLink('#/account', 'All your orders'))],
    }
  return {
    title: `Order ${order.customer_reference}`,
    before: breadcrumbs([['Your orders', '#/account'], [order.customer_reference]]),
    content: [
      make(
        'div',
        { className: 'receipt' },
        make('p', { className: 'note' }, `Ordered on ${dateOf(order.created)}`),
        await orderParts(order),
      ),
    ],
  }
}

function missing(error) {
  if (!isMissing(error)) throw error
  return undefined
}
