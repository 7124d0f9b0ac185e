// Runs before anything else of the page does.

// The SDK's build for pages sets this variable, and where there is none makes one by evaluating text. A strict content security policy
// refuses that, and the SDK would not load. So it is made beforehand.
globalThis.regeneratorRuntime = undefined

// What the server has written into the page is its catalogue. Who comes by a link to something else must not see that first.
document.documentElement.classList.add('scripted')
if (location.hash.length > 2) document.documentElement.classList.add('elsewhere')
