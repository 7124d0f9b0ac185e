// Stands in for Stripe.js, under its own address: the same names, the same refusals of what it does not take, fields and the bank's check in frames
// of Stripe's own hosts. What it makes of a card it asks of api.stripe.com, as the real one does.

;(() => {
  const refuse = (message) => {
    throw Object.assign(new Error(message), { name: 'IntegrationError' })
  }
  const INCOMPLETE = { de: 'Die Kartennummer ist unvollständig.', en: 'Your card number is incomplete.' }

  const checkSum = ({ amount, currency }) => {
    if (!Number.isInteger(amount) || amount < 1)
      refuse(`Invalid value for elements(): amount should be a positive integer: ${amount}`)
    if (!/^[a-z]{3}$/.test(currency)) refuse(`Invalid value for elements(): currency should be lower case: ${currency}`)
  }

  const ask = async (path, body) => {
    const answer = await fetch(`https://api.stripe.com${path}`, { method: 'POST', body: new URLSearchParams(body) })
    return answer.json()
  }

  const frame = (url, title, at) => {
    const made = document.createElement('iframe')
    made.title = title
    made.src = url
    made.style.cssText = 'width:100%;height:12rem;border:0'
    at.append(made)
    return made
  }

  /** The next message of this frame. */
  const answerOf = (made) =>
    new Promise((resolve) => {
      const listen = (event) => {
        if (event.source !== made.contentWindow) return
        removeEventListener('message', listen)
        resolve(event.data)
      }
      addEventListener('message', listen)
    })

  window.Stripe = (key, { locale = 'auto' } = {}) => {
    if (!/^pk_(test|live)_\w+$/.test(key)) refuse(`Invalid API key: ${key}`)
    const state = { card: '', mounts: 0, locale }
    window.standIn = state
    return {
      elements(options) {
        if (options.mode !== 'payment') refuse('mode is required without a client secret')
        if (options.paymentMethodCreation !== 'manual')
          refuse('createPaymentMethod needs paymentMethodCreation: manual')
        checkSum(options)
        Object.assign(state, { amount: options.amount, currency: options.currency, appearance: options.appearance })
        return {
          update(changes) {
            if ('amount' in changes) checkSum({ ...state, ...changes })
            Object.assign(state, changes)
          },
          async submit() {
            state.isSubmitted = true
            if (state.card.length >= 12) return {}
            return {
              error: {
                type: 'validation_error',
                code: 'incomplete_number',
                message: INCOMPLETE[locale] ?? INCOMPLETE.en,
              },
            }
          },
          create(kind, given = {}) {
            if (kind !== 'payment') refuse(`There is no element ${kind}`)
            state.fields = given.fields ?? {}
            return {
              on() {},
              mount(at) {
                if (!(at instanceof Element) || !at.isConnected) refuse('Invalid DOM element')
                if (at.childNodes.length > 0)
                  refuse('This Element will be mounted to a DOM element that contains child nodes.')
                state.mounts++
                const made = frame(
                  `https://js.stripe.com/v3/elements-inner-payment.html`,
                  'Secure payment input frame',
                  at,
                )
                addEventListener('message', ({ source, data }) => {
                  if (source === made.contentWindow) state.card = data.card
                })
              },
            }
          },
        }
      },
      async createPaymentMethod({ elements, params = {} }) {
        if (elements === undefined) refuse('elements is required')
        if (!state.isSubmitted) refuse('elements.submit() must be called before stripe.createPaymentMethod().')
        state.isSubmitted = false
        const { address = {} } = params.billing_details ?? {}
        for (const [field, name] of Object.entries({ country: 'country', postalCode: 'postal_code' }))
          if (state.fields.billingDetails?.address?.[field] === 'never' && address[name] === undefined)
            refuse(
              `You specified "never" for fields.billing_details.address.${field}, but did not pass params.billing_details.address.${name}`,
            )
        state.billing = params.billing_details
        return ask('/v1/payment_methods', { key, 'card[number]': state.card })
      },
      async handleNextAction({ clientSecret }) {
        if (!/^pi_\w+_secret_\w+$/.test(clientSecret ?? '')) refuse(`Invalid client secret: ${clientSecret}`)
        const shade = document.createElement('div')
        shade.style.cssText = 'position:fixed;inset:0;background:#fff;z-index:2147483647'
        document.body.append(shade)
        const made = frame(
          'https://hooks.stripe.com/3d_secure_2/hosted?merchant=acct_1',
          'Stripe challenge frame',
          shade,
        )
        const isPassed = (await answerOf(made)) === 'pass'
        shade.remove()
        return ask('/v1/3ds2/challenge_complete', { key, client_secret: clientSecret, passed: String(isPassed) })
      },
    }
  }
})()
