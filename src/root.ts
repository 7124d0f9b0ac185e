// The folder of the program, with package.json, migrations/, demo/ and examples/. Resolve program files from here: the build merges many
// files of src/ into one of dist/.

/** One level above both src/ and dist/: the build puts this module directly into dist/. */
export const ROOT = new URL('../', import.meta.url)
