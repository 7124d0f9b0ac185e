// Prints a golden body in full: `npm run golden -- carts.add 2021-03-17`. The default version is the newest; `sdk` names the SDK.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = join(dirname(fileURLToPath(import.meta.url)), '../test/versions/golden')

const { outputFiles } = await build({
  stdin: {
    contents:
      "export { goldenText, readGolden } from './files.ts'; export { versions } from '../../../src/versions/index.ts'",
    resolveDir: folder,
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  define: { 'import.meta.dirname': JSON.stringify(folder) },
})
const { goldenText, readGolden, versions } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
)

const dates = versions.map(({ date }) => date)
const [exchange = '', version = dates[0]] = process.argv.slice(2)
try {
  process.stdout.write(goldenText(readGolden(), exchange, version, dates))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
