// What is measured: requests as a storefront sends them.

export const scenarios = ({ publicKey, productId }) => {
  const headers = { 'x-authorization': publicKey }
  return [
    { name: 'list 20 products', path: '/v1/products', headers },
    { name: 'get a product', path: `/v1/products/${productId}`, headers },
    { name: 'list 20 categories', path: '/v1/categories', headers },
  ]
}
