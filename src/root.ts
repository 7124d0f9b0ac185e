// Where the program lies: the folder with package.json, migrations/, demo/ and examples/. Whoever looks for a file of the program begins here, as
// the build puts many files of src/ into one of dist/.

/** One step up from src/ and from dist/ alike: the build puts what it makes of this file into no folder of dist/. */
export const ROOT = new URL('../', import.meta.url)
