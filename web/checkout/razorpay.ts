// Razorpay's payment window. Our server first creates an order, and the window opens for it. The window returns signed values, which are
// sent unchanged.

import { type Fields, loadScript, type StartProviderPanel } from './ways.ts'

type PaymentResult = {
  readonly razorpay_payment_id: string
  readonly razorpay_order_id: string
  readonly razorpay_signature: string
}
type PaymentFailure = { readonly error?: { readonly description?: string } }
type RazorpayWindow = { open(): void; on(event: 'payment.failed', then: (failed: PaymentFailure) => void): void }

declare global {
  interface Window {
    Razorpay?: new (options: object) => RazorpayWindow
  }
}

export const start: StartProviderPanel = async (context) => {
  const { settings, input, show } = context
  if (!window.Razorpay) await loadScript('https://checkout.razorpay.com/v1/checkout.js')
  const Razorpay = window.Razorpay
  if (Razorpay === undefined) throw new Error('Razorpay')

  const openWindow = (orderId: string) =>
    new Promise<Fields | null>((resolve) => {
      const { minor, currency } = context.charge()
      const name = [input('customer[firstname]'), input('customer[lastname]')].filter(Boolean).join(' ')
      const razorpayWindow = new Razorpay({
        key: settings.key_id,
        order_id: orderId,
        amount: minor,
        currency,
        name: document.querySelector<HTMLElement>('[data-shop]')?.dataset.shop ?? document.title,
        prefill: {
          name: name || context.address('name'),
          email: input('customer[email]'),
          contact: input('customer[phone]'),
        },
        handler: (result: PaymentResult) =>
          resolve({
            'payment[razorpay][payment_id]': result.razorpay_payment_id,
            'payment[razorpay][order_id]': result.razorpay_order_id,
            'payment[razorpay][signature]': result.razorpay_signature,
          }),
        modal: {
          ondismiss: () => {
            show(context.text('closed'))
            resolve(null)
          },
        },
      })
      // The window stays open, so the shopper may try another card.
      razorpayWindow.on('payment.failed', ({ error }) => show(error?.description ?? ''))
      razorpayWindow.open()
    })

  return {
    // The shopper can enter nothing before the order exists.
    pay: async () => {
      show('')
      return {}
    },
    verify: async (param) => {
      show('')
      return openWindow(param)
    },
  }
}
