// Where a page finds the files that a browser loads besides it.

/** `checkout.css`, `enhance.js`, `stripe.js`. Null for one that was not built: the page does without. */
export const assetPath = (name: string): string | null => `/checkout-assets/${name}`
