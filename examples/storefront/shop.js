// The SDK, told where the shop is; and what it says when something fails, in sentences for the shopper.

import { config } from './config.js'

// Loaded by index.html; undefined when that failed.
const { Commerce } = globalThis

/** The settings are the third argument. As the second one they would be taken for `debug`, and the URL for none. */
export const commerce = Commerce
  ? new Commerce(config.publicKey, false, {
      url: config.url,
      axiosConfig: { headers: { 'Chec-Version': config.version } },
    })
  : null

/** Field → sentences, where the API names fields; of anything else one sentence under the name ''. */
export function problemsOf(error) {
  // The SDK throws plain objects: {statusCode, data: the body of the error}. Where nobody has answered, the error of its HTTP client.
  const told = error?.data?.error
  if (told === undefined) {
    if (error?.isAxiosError) return { '': ['The shop does not answer. Please try again in a moment.'] }
    // A mistake of this page, for whoever looks into the console.
    reportError(error)
    return { '': ['Something went wrong on this page. Please load it again.'] }
  }
  return told.errors && Object.keys(told.errors).length > 0 ? told.errors : { '': [told.message] }
}

export const sentenceOf = (error) => Object.values(problemsOf(error)).flat().join(' ')
