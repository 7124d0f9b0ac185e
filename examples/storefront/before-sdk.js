// The SDK's build for pages sets this variable, and where there is none makes one by evaluating text. A strict content security policy
// refuses that, and the SDK would not load. So it is made beforehand.

globalThis.regeneratorRuntime = undefined
