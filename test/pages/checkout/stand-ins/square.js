// Stands in for Square's Web Payments SDK, under its own address: the same names, a style sheet and frames of its own, tokens of the sandbox, and
// for one card the page of a bank, which Square puts into our page.

;(() => {
  const script = new URL(document.currentScript.src)
  const HOSTS = { 'sandbox.web.squarecdn.com': 'squareupsandbox.com', 'web.squarecdn.com': 'squareup.com' }
  const fail = (name, message) => {
    throw Object.assign(new Error(message), { name })
  }

  const frame = (url, title, at) => {
    const made = document.createElement('iframe')
    made.title = title
    made.src = url
    made.style.cssText = 'width:100%;height:10rem;border:0'
    at.append(made)
    return made
  }

  const answerOf = (made) =>
    new Promise((resolve) => {
      const listen = (event) => {
        if (event.source !== made.contentWindow) return
        removeEventListener('message', listen)
        resolve(event.data)
      }
      addEventListener('message', listen)
    })

  function checkDetails(details) {
    const { amount, currencyCode, intent, customerInitiated, sellerKeyedIn, billingContact } = details ?? {}
    const isRight =
      /^\d+(\.\d+)?$/.test(amount) &&
      /^[A-Z]{3}$/.test(currencyCode) &&
      intent === 'CHARGE' &&
      customerInitiated === true &&
      sellerKeyedIn === false &&
      typeof billingContact === 'object'
    if (!isRight)
      fail('InvalidVerificationDetailsError', `verificationDetails are not as expected: ${JSON.stringify(details)}`)
  }

  window.Square = {
    payments(applicationId, locationId) {
      const isSandbox = /^sandbox-sq0idb-/.test(applicationId)
      if (!isSandbox && !/^sq0idp-/.test(applicationId)) fail('InvalidApplicationIdError', applicationId)
      if (isSandbox !== script.host.startsWith('sandbox.')) fail('ApplicationIdEnvironmentMismatchError', script.host)
      if (!locationId) fail('InvalidLocationIdError', String(locationId))
      const state = { card: '', locale: null }
      window.standIn = state
      return {
        setLocale(locale) {
          state.locale = locale
        },
        async card() {
          const link = document.createElement('link')
          link.rel = 'stylesheet'
          link.href = `${script.origin}/1.70.0/card-wrapper.css`
          document.head.append(link)
          return {
            async attach(target) {
              const at = typeof target === 'string' ? document.querySelector(target) : target
              if (at === null) fail('ElementNotFoundError', String(target))
              const made = frame(
                `${script.origin}/1.70.0/single-card-element-iframe.html`,
                'Secure Credit Card Form',
                at,
              )
              addEventListener('message', ({ source, data }) => {
                if (source === made.contentWindow) state.card = data.card
              })
            },
            async tokenize(details) {
              checkDetails(details)
              state.details = details
              if (state.card.length < 12)
                return {
                  status: 'Invalid',
                  errors: [{ type: 'VALIDATION_ERROR', field: 'cardNumber', message: 'Card number is not valid' }],
                }
              if (state.card.endsWith('0004')) {
                const shade = document.createElement('div')
                shade.style.cssText = 'position:fixed;inset:0;background:#fff;z-index:2147483647'
                document.body.append(shade)
                const isPassed = (await answerOf(frame('https://acs.bank.example/challenge', 'Bank', shade))) === 'pass'
                shade.remove()
                if (!isPassed)
                  return { status: 'Error', errors: [{ type: 'SCA', message: 'The bank has not confirmed the card.' }] }
              }
              const answer = await fetch(`https://pci-connect.${HOSTS[script.host]}/v2/card-nonce`, {
                method: 'POST',
                body: JSON.stringify({ card_data: { number: state.card } }),
              })
              return { status: 'OK', token: (await answer.json()).card_nonce, details: { method: 'Card' } }
            },
          }
        },
      }
    },
  }
})()
