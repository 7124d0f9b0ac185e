// The contract between the checkout page and its scripts. The page works without scripts: a browser without them, or with a failed one,
// posts the same form.
//
// Elements of the page:
// - `form[data-checkout]`: the only form. `data-token`: id of the checkout. `data-language`: language of the page. `data-typed`: the page
//   shows input that was just sent. `data-scripts`: the ways to pay whose scripts the page's policy allows; another way reloads the page
//   (`do=choose`).
// - Texts of the form for its scripts: `data-say-offline` (no connection, retrying), `data-say-unavailable` (the provider's form did not
//   load), `data-say-closed` (the provider's window was closed without a payment), `data-say-updating` and `data-say-paying`.
// - Inputs have the names of the capture body. Buttons: `name="do"` with `value="update"` or `value="pay"`. A button may also have the name
//   of a line item's quantity, and its new value.
// - `[data-live="name"]`: an element that may change while the shopper types. Every answer has it under the same name. The one with the
//   total is a live region (`role="status"`), so its text changes in place and is announced.
// - `[data-charge]`, in a live element: the amount due. `data-amount`: decimal text (`10.99`). `data-minor`: minor units of the currency
//   (`1099`). `data-currency`: ISO 4217.
// - `[data-way="stripe"]`: panel of a way to pay with a provider's script. `data-value`: value of `payment[gateway]` if it is chosen.
//   `data-settings`: the provider's public settings as JSON. `data-script`: path of our script for the provider. The panel has an empty
//   `[data-mount]` for the provider's fields, and an empty `[data-problem]` (`role="alert"`) for its messages.
// - `[data-verification="stripe"]` with `data-param="…"`, in a live element: the bank or the provider's window must verify the shopper
//   first.
// - `[data-without-script]` is hidden by scripts, `[data-with-script]` is shown by them.
// - `[data-status]` (`role="status"`), empty: the place for messages about the connection.
// - `[data-problems]`: summary of the problems.
// - `form[data-straight-on]`: posts itself once.
// - `body[data-reload="3"]`: the script reloads the page after so many seconds. Without scripts the browser does.
// - `[data-paid="chkt_…"]`, on the receipt: the stored input of this checkout can be deleted.
//
// Scripts add hidden inputs to a panel (`payment[stripe][payment_method_id]`) and post the form.

/** The amount due, as the page shows it. */
export type Charge = { readonly amount: string; readonly minor: number; readonly currency: string }

export type PanelContext = {
  readonly form: HTMLFormElement
  readonly panel: HTMLElement
  readonly mount: HTMLElement
  readonly language: string
  readonly settings: Readonly<Record<string, string | null>>
  charge(): Charge
  /** Value of an input of the form; empty if the form does not have it. */
  input(name: string): string
  /** Field of the billing address if the form has one, else of the shipping address. */
  address(field: string): string
  /** Shows a message at the panel and replaces the former one. */
  show(text: string): void
  /** The page's text for one of its messages. */
  text(name: 'unavailable' | 'closed'): string
}

/** Functions of a provider's script after it has started. */
export type ProviderPanel = {
  /** Returns the inputs that pay, by name. Null if the shopper must correct something first; the panel shows a message. */
  pay(): Promise<Fields | null>
  /**
   * Shows the bank's verification and returns the inputs that continue the payment. Null if it was not completed; the panel shows a
   * message.
   */
  verify?(param: string): Promise<Fields | null>
  /** Called after the amount due has changed. */
  follow?(charge: Charge): void
}

export type Fields = Readonly<Record<string, string>>

/** Every provider script exports one of these as `start`. */
export type StartProviderPanel = (panel: PanelContext) => Promise<ProviderPanel>

/** Loads a provider's own script. */
export function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.onload = () => resolve()
    script.onerror = () => {
      // Remove the script, so that a second try loads it again.
      script.remove()
      reject(new Error(url))
    }
    document.head.append(script)
  })
}
