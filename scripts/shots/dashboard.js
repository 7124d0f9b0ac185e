// States of the dashboard: the demo shop after a morning of orders. Each function returns the page to photograph. GUIDE maps picture names
// in docs/pictures to states.

/** `open` opens a page for a logged-in person. */
export function dashboardStates({ call, fillOrders }, open) {
  let filled = null
  const orders = async () => {
    filled ??= fillOrders().then(() => call('GET', 'orders?limit=20'))
    return (await filled).data
  }
  const orderOf = async (name) => {
    const found = (await orders()).find(({ customer }) => customer.lastname === name)
    return `/dashboard/orders/${found.id}`
  }
  const at = (path) => async () => {
    await orders()
    return open(path)
  }
  /** Presses a button in an order's header, and waits for the dialog. */
  const dialog = (lastname, button) => async () => {
    const page = await open(await orderOf(lastname))
    await page.locator('.page-actions').getByRole('button', { name: button }).click()
    await page.locator('dialog.dialog[open]').waitFor()
    return page
  }
  const product = async (permalink) => (await call('GET', `products/${permalink}?type=permalink`)).id

  return {
    'dashboard-overview': at('/dashboard'),
    'dashboard-orders': at('/dashboard/orders'),
    'dashboard-search': at('/dashboard/orders?query=lovelace'),
    'dashboard-order': async () => open(await orderOf('Lovelace')),
    'dashboard-ship': dialog('Lovelace', /^Ship/),
    'dashboard-refund': dialog('Tanaka', /^Refund/),
    'dashboard-paid': dialog('Oakfield', /^Mark/),
    'dashboard-customers': at('/dashboard/customers'),
    'dashboard-products': at('/dashboard/products'),
    'dashboard-product': async () => open(`/dashboard/products/${await product('stoneware-mug')}`),
    'dashboard-many': async () => {
      const page = await open('/dashboard/products')
      const boxes = page.getByRole('table', { name: 'Products' }).locator('tbody input[type=checkbox]')
      for (const index of [0, 1, 2]) await boxes.nth(index).check()
      await page.locator('.chosen-bar').getByRole('button', { name: 'Price' }).click()
      await page.locator('dialog.dialog[open]').waitFor()
      return page
    },
    'dashboard-categories': at('/dashboard/categories'),
    'dashboard-attributes': at('/dashboard/attributes'),
    'dashboard-files': at('/dashboard/files'),
    'dashboard-discounts': at('/dashboard/discounts'),
    'dashboard-discount-new': at('/dashboard/discounts/new'),
    'dashboard-giftcards': at('/dashboard/giftcards'),
    'dashboard-shipping': at('/dashboard/shipping'),
    'dashboard-tax': at('/dashboard/tax'),
    'dashboard-payment': at('/dashboard/payment'),
    'dashboard-shop': at('/dashboard/settings/shop'),
    'dashboard-checkout': at('/dashboard/settings/checkout'),
    'dashboard-mail': at('/dashboard/settings/mail'),
    'dashboard-keys': at('/dashboard/keys'),
    'dashboard-webhooks': at('/dashboard/webhooks'),
  }
}

/** The pictures in docs/merchant-guide.md and README.md: the picture's name → the state that it shows. */
export const GUIDE = {
  checkout: 'pay',
  overview: 'dashboard-overview',
  search: 'dashboard-search',
  ship: 'dashboard-ship',
  refund: 'dashboard-refund',
  paid: 'dashboard-paid',
  product: 'dashboard-product',
  many: 'dashboard-many',
  discount: 'dashboard-discount-new',
  shipping: 'dashboard-shipping',
  payment: 'dashboard-payment',
  keys: 'dashboard-keys',
}
