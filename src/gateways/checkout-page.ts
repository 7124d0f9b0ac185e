// Requirements of a gateway for the checkout page: how it collects the payment, and the scripts and frames it loads.
// Also the made-up payments that a sandbox can try before there is an account. pages/policy.ts builds the page's policies from this.

/** Sources of a Content-Security-Policy, by directive. */
export type PageHosts = {
  /** Hosts of scripts. The provider's own script comes from the first. */
  readonly script: readonly string[]
  readonly frame: readonly string[]
  readonly connect: readonly string[]
  /** Targets of forms that the script submits inside the page. */
  readonly form?: readonly string[]
  readonly style?: readonly string[]
  readonly img?: readonly string[]
  readonly font?: readonly string[]
}

/** One possible result of a made-up payment, with the form values that cause it. */
export type TrialMeans = {
  readonly id: 'pays' | 'declined' | 'insufficient_funds' | 'expired_card' | 'incorrect_cvc' | 'verifies'
  readonly fields: Readonly<Record<string, string>>
}

/** Inputs that confirm a made-up payment after a bank check, from the param of its outcome. */
type Confirm = (param: string) => Readonly<Record<string, string>>

/**
 * `card`: our page has the card fields, only for testing. `details`: the page shows how to pay.
 * `redirect`: the shopper goes to the provider and returns. `script`: the provider's own script collects the payment and is required.
 */
export type CheckoutPage =
  | { readonly kind: 'card'; readonly confirmedBy?: Confirm }
  | { readonly kind: 'details' }
  | { readonly kind: 'redirect' }
  | {
      readonly kind: 'script'
      hosts(is_sandbox: boolean): PageHosts
      /** Its policy cannot be limited to single hosts. The page allows it only while this gateway is selected. */
      readonly isAllowedOnlyWhileChosen?: true
      /** Its script or a bank opens windows that need access to the page. So the page must not isolate itself from them. */
      readonly opensWindows?: true
      /** Its script writes `style` attributes. External style sheets stay blocked. */
      readonly writesStyles?: true
      /** Its frames use the browser's wallets (Payment Request) and need permission for it. */
      readonly asksWallets?: true
      /** Payments that the simulation accepts. The first is the default. */
      readonly means: readonly TrialMeans[]
      readonly confirmedBy?: Confirm
    }
