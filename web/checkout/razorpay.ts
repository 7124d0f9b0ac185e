// Razorpay's window. A payment begins without it: our server makes an order first, for which the window is then opened. What it gives is signed, and
// sent as it is.

import { type Fields, loadScript, type StartWay } from './ways.ts'

type Paid = {
  readonly razorpay_payment_id: string
  readonly razorpay_order_id: string
  readonly razorpay_signature: string
}
type Failed = { readonly error?: { readonly description?: string } }
type RazorpayWindow = { open(): void; on(event: 'payment.failed', then: (failed: Failed) => void): void }

declare global {
  interface Window {
    Razorpay?: new (options: object) => RazorpayWindow
  }
}

export const start: StartWay = async (told) => {
  const { settings, typed, say } = told
  if (!window.Razorpay) await loadScript('https://checkout.razorpay.com/v1/checkout.js')
  const Razorpay = window.Razorpay
  if (Razorpay === undefined) throw new Error('Razorpay')

  const open = (orderId: string) =>
    new Promise<Fields | null>((resolve) => {
      const { minor, currency } = told.charge()
      const name = [typed('customer[firstname]'), typed('customer[lastname]')].filter(Boolean).join(' ')
      const shown = new Razorpay({
        key: settings.key_id,
        order_id: orderId,
        amount: minor,
        currency,
        name: document.querySelector<HTMLElement>('[data-shop]')?.dataset.shop ?? document.title,
        prefill: {
          name: name || told.address('name'),
          email: typed('customer[email]'),
          contact: typed('customer[phone]'),
        },
        handler: (paid: Paid) =>
          resolve({
            'payment[razorpay][payment_id]': paid.razorpay_payment_id,
            'payment[razorpay][order_id]': paid.razorpay_order_id,
            'payment[razorpay][signature]': paid.razorpay_signature,
          }),
        modal: {
          ondismiss: () => {
            say(told.saying('closed'))
            resolve(null)
          },
        },
      })
      // The window stays open, and the shopper may try another card in it.
      shown.on('payment.failed', ({ error }) => say(error?.description ?? ''))
      shown.open()
    })

  return {
    // There is nothing to enter before the order is there.
    pay: async () => {
      say('')
      return {}
    },
    verify: async (param) => {
      say('')
      return open(param)
    },
  }
}
