// What page and scripts have agreed on. The page works without any of it: who has no script, or one that fails, posts the same form.
//
// The page says:
// - `form[data-checkout]`: the one form. `data-token`: of the checkout. `data-language`: of the page. `data-typed`: the page shows what was
//   just sent. Its texts for what only a script can know: `data-say-offline` (the line is gone, it is tried again), `data-say-unavailable` (the
//   provider's form did not load: try again, or choose another way), `data-say-closed` (the provider's window was closed, nothing was paid).
//   `data-scripts`: the ways to pay whose scripts the policy of the page lets in; for another the page is loaded anew (`do=choose`).
// - Its inputs are named as capture's body. Buttons: `name="do"`, `value="update"` or `value="pay"`;
//   or they have the name of the quantity of a line, and the value that it is to have.
// - `[data-live="name"]`: shows what may change while one types; the same element stands in every answer under the same name. One that
//   holds the total is a live region (`role="status"`): its text is changed in place, and so announced.
// - `[data-charge]`: what is to be paid now, in a live element. `data-amount`: decimal text (`10.99`). `data-minor`: in minor units of the
//   currency (`1099`). `data-currency`: ISO 4217.
// - `[data-way="stripe"]`: the panel of a way to pay by a provider's script. `data-value`: what `payment[gateway]` is sent as where it is chosen.
//   `data-settings`: JSON, what the provider gives to shoppers. `data-script`: where our script for it lies. In it, an empty `[data-mount]`
//   where the provider draws its fields, and an empty `[data-problem]` (`role="alert"`) for what it says.
// - `[data-verification="stripe"]` `data-param="…"`, in a live element: the bank, or the provider's window, wants to see the shopper first.
// - `[data-without-script]` is hidden as soon as a script runs, `[data-with-script]` is shown.
// - `[data-status]` (`role="status"`), empty: where scripts say that the line is gone.
// - `form[data-straight-on]`: posts itself, once.
// - `body[data-reload="3"]`: after so many seconds the page is loaded again. Without a script the browser does so.
// - `form` also has `data-say-updating` and `data-say-paying`; `[data-problems]` is the summary of what is wrong.
// - `[data-paid="chkt_…"]`, on the receipt: what was kept of the form can be forgotten.
// Scripts add hidden inputs to a panel (`payment[stripe][payment_method_id]`), and post the form.

/** What is due, as the page says it. */
export type Charge = { readonly amount: string; readonly minor: number; readonly currency: string }

export type PanelOf = {
  readonly form: HTMLFormElement
  readonly panel: HTMLElement
  readonly mount: HTMLElement
  readonly language: string
  readonly settings: Readonly<Record<string, string | null>>
  charge(): Charge
  /** Of the form; empty where it is not asked for. */
  typed(name: string): string
  /** What the payer lives under: of billing where that is given, else of shipping. */
  address(field: string): string
  /** Shown at the panel, in place of what was said before. */
  say(text: string): void
  /** The text of the page for one of its own sayings. */
  saying(name: 'unavailable' | 'closed'): string
}

/** What a provider's script can do once it is there. */
export type Way = {
  /** The inputs that pay, by their names; null where the shopper has something to mend first, which was said. */
  pay(): Promise<Fields | null>
  /** Lets the provider show what the bank wants to see. The inputs that go on with it; null where it was not completed, which was said. */
  verify?(param: string): Promise<Fields | null>
  /** What is due has changed. */
  follow?(charge: Charge): void
}

export type Fields = Readonly<Record<string, string>>

/** Each script of a provider is a module with one of these. */
export type StartWay = (panel: PanelOf) => Promise<Way>

/** Loads a provider's own script, once. */
export function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.onload = () => resolve()
    script.onerror = () => {
      // A second try loads it anew.
      script.remove()
      reject(new Error(url))
    }
    document.head.append(script)
  })
}
