// Runs before all other scripts of the page.

// The SDK's browser build sets this variable. If it does not exist, the build creates it by evaluating text. A strict content security
// policy blocks that, and the SDK would not load. So it is created here.
globalThis.regeneratorRuntime = undefined

// The server renders its catalogue into the page. A visitor with a link to another view must not see it first.
document.documentElement.classList.add('scripted')
if (location.hash.length > 2) document.documentElement.classList.add('elsewhere')
