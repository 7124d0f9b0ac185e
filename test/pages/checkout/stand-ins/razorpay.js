// Stands in for Razorpay's checkout.js, under its own address: a window over the page with a frame of Razorpay's, written as the real one writes
// it, as HTML with style attributes.

;(() => {
  window.Razorpay = class {
    #options
    #failed = () => {}

    constructor(options) {
      if (!/^rzp_(test|live)_\w+$/.test(options.key)) throw new Error('No key passed')
      if (!/^order_\w+$/.test(options.order_id)) throw new Error('An order is expected')
      if (!Number.isInteger(options.amount) || options.amount < 1) throw new Error(`Invalid amount: ${options.amount}`)
      this.#options = options
      window.standIn = { options }
    }

    on(event, then) {
      if (event === 'payment.failed') this.#failed = then
    }

    open() {
      const { order_id: order, handler, modal } = this.#options
      const box = document.createElement('div')
      box.className = 'razorpay-container'
      box.innerHTML = `<iframe class="razorpay-checkout-frame" title="Razorpay" style="position:fixed;inset:0;width:100%;height:100%;border:0;background:#fff;z-index:2147483647" src="https://api.razorpay.com/v1/checkout/public?order_id=${order}"></iframe>`
      document.body.append(box)
      const made = box.firstElementChild
      const listen = ({ source, data }) => {
        if (source !== made.contentWindow) return
        if (data.failed) return this.#failed({ error: { code: 'BAD_REQUEST_ERROR', description: data.failed } })
        removeEventListener('message', listen)
        box.remove()
        if (data.paid) handler(data.paid)
        else modal?.ondismiss?.()
      }
      addEventListener('message', listen)
    }
  }
})()
