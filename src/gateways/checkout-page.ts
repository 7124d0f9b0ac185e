// What a gateway needs of the page on which shoppers pay, said by each in its own file: how it asks, whose scripts and frames the page has to let
// in, and what a sandbox can try before there is an account. pages/policy.ts makes the page's policies of it.

/** Sources of a Content-Security-Policy, by what the provider's script does with them. */
export type PageHosts = {
  /** The first is where its script is loaded from. */
  readonly script: readonly string[]
  readonly frame: readonly string[]
  readonly connect: readonly string[]
  /** What its script sends forms to, in the page itself. */
  readonly form?: readonly string[]
  readonly style?: readonly string[]
  readonly img?: readonly string[]
  readonly font?: readonly string[]
}

/** One way in which a made-up payment can go: what the form sends for it, by names of inputs. */
export type TrialMeans = {
  readonly id: 'pays' | 'declined' | 'insufficient_funds' | 'expired_card' | 'incorrect_cvc' | 'verifies'
  readonly fields: Readonly<Record<string, string>>
}

/** Inputs that confirm a made-up payment whose bank wants to see the shopper, by what it was told to show. */
type Confirm = (param: string) => Readonly<Record<string, string>>

/**
 * `card`: its fields stand on our page, for trying out alone. `details`: it is shown how to pay. `redirect`: the shopper goes to the provider and
 * comes back. `script`: by the provider's own script, and not without one.
 */
export type CheckoutPage =
  | { readonly kind: 'card'; readonly confirmedBy?: Confirm }
  | { readonly kind: 'details' }
  | { readonly kind: 'redirect' }
  | {
      readonly kind: 'script'
      hosts(isSandbox: boolean): PageHosts
      /** It needs more than can be named host by host: the page lets it in only while it is chosen. */
      readonly isLetInAlone?: true
      /** Its script, or a bank, opens windows that have to reach back: the page must not cut itself off from them. */
      readonly opensWindows?: true
      /** Its script writes `style` attributes. Style sheets from elsewhere are kept out nevertheless. */
      readonly writesStyles?: true
      /** Its frames ask the browser for wallets (Payment Request), and so need to be allowed to. */
      readonly asksWallets?: true
      /** What the simulation takes; the first is what one tries first. */
      readonly means: readonly TrialMeans[]
      readonly confirmedBy?: Confirm
    }
