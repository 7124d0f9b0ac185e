// States of the hosted checkout. Each function returns the page to photograph.

const CARD = { number: '4242424242424242', expires: '01/35', cvc: '123' }

/** `visit` opens a path of the service in a new page. */
export function checkoutStates({ merchantId, call }, visit) {
  const product = (permalink) => visit(`/checkout/${merchantId}/${permalink}?sandbox=true`)
  const pay = async () => {
    const cart = await call('GET', 'carts')
    const { id } = await call('GET', 'products/wooden-spoons?type=permalink')
    await call('POST', `carts/${cart.id}`, { id, quantity: 2 })
    return visit(`/checkout/${merchantId}/cart/${cart.id}?sandbox=true`)
  }
  return {
    product: () => product('stoneware-mug'),
    'product-gone': () => product('no-such-thing'),
    pay,
    'pay-errors': async () => {
      const page = await pay()
      await page.locator('button[name=do][value=pay]').click()
      await page.getByRole('alert').first().waitFor()
      return page
    },
    receipt: async () => {
      const page = await visit(`/checkout/${merchantId}/stool-plans?sandbox=true&checkout=true`)
      await page.getByLabel('E-mail').fill('ada@example.com')
      const way = page.locator('input[name="payment[gateway]"][value=test_gateway]')
      if (!(await way.isChecked())) await way.check()
      for (const [name, value] of Object.entries(CARD))
        await page.locator(`[name="payment[card][${name}]"]`).fill(value)
      await page.locator('button[name=do][value=pay]').click()
      await page.waitForURL(/\/receipt(\?|$)/)
      return page
    },
  }
}
