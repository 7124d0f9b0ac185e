// @proof @alone: it builds programs.
// In a checkout the command builds itself when its source has changed. Tried with a source of a few lines and the real build script.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { checkout, copyProgram, expectRefusal, isRoot, run, tempFolder, timeout } from './support.ts'

/** Says a text, and which build it was loaded from. */
const source = (text: string) => `import { statSync } from 'node:fs'
const { ino } = statSync(new URL(import.meta.url), { bigint: true })
export async function main(): Promise<void> {
  process.stdout.write(\`${text} from \${ino}\`)
}
`

function smallCheckout(): string {
  const home = copyProgram(tempFolder(), ['bin', 'scripts', 'tsconfig.json', 'package.json'])
  symlinkSync(join(checkout, 'node_modules'), join(home, 'node_modules'))
  mkdirSync(join(home, 'src'))
  writeFileSync(join(home, 'src', 'main.ts'), source('one'))
  return home
}

const buildOf = (home: string) => statSync(join(home, 'dist', 'main.js'), { bigint: true }).ino
const leftovers = (home: string) => readdirSync(home).filter((name) => name.startsWith('dist-'))

describe('the build', { timeout }, () => {
  it('happens when the source has changed, also to one of the same size, and not otherwise', async () => {
    const home = smallCheckout()
    const first = await run([], { home })
    expect(first).toMatchObject({ code: 0, stdout: `one from ${buildOf(home)}`, stderr: '' })
    const times = join(home, 'dist', 'source-times')
    expect(await run([], { home })).toEqual(first)
    // Files that were changed a moment ago are read: another change may have the same time.
    expect(existsSync(times)).toBe(false)
    await pause(2_100)
    expect([await run([], { home }), existsSync(times)]).toEqual([first, true])
    expect(await run([], { home })).toEqual(first)
    writeFileSync(join(home, 'src', 'main.ts'), source('two'))
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: `two from ${buildOf(home)}`, stderr: '' })
    expect(leftovers(home)).toEqual([])
  })

  it('that several need at the same moment serves them all', async () => {
    const home = smallCheckout()
    for (const text of ['two', 'three', 'four']) {
      writeFileSync(join(home, 'src', 'main.ts'), source(text))
      const ended = await Promise.all(Array.from({ length: 4 }, () => run([], { home })))
      // The first build stays: a later one in its place would take away what somebody is just loading.
      const expected = { code: 0, signal: null, stdout: `${text} from ${buildOf(home)}`, stderr: '' }
      expect(ended).toEqual(Array(4).fill(expected))
    }
    expect(leftovers(home)).toEqual([])
  })

  it('that fails says so, and the next one starts afresh', async () => {
    const home = smallCheckout()
    await run([], { home })
    writeFileSync(join(home, 'src', 'main.ts'), source('two').replace('async', 'asink'))
    const failed = await run([], { home })
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('src/main.ts') })
    expect(failed.stderr).toMatch(/\nThe build failed; the messages above say why\.\n$/)
    expect(leftovers(home)).toEqual([])
    writeFileSync(join(home, 'src', 'main.ts'), source('three'))
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^three/) })
  })

  it('removes types and leaves checking them to the tests', async () => {
    const home = smallCheckout()
    writeFileSync(join(home, 'src', 'main.ts'), source('one').replace('void', 'number'))
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^one/), stderr: '' })
  })

  it.skipIf(!isRoot)('can be run by users who cannot write it, and tells them when it is outdated', async () => {
    const home = smallCheckout()
    const nobody = { home, uid: 65534, gid: 65534 }
    await run([], { home })
    expect(await run([], nobody)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^one/), stderr: '' })
    writeFileSync(join(home, 'src', 'main.ts'), source('two'))
    expectRefusal(await run([], nobody), expect.stringContaining('must be built first'))
  })

  it('is not looked for in a release', async () => {
    const home = copyProgram(tempFolder())
    symlinkSync(join(checkout, 'node_modules'), join(home, 'node_modules'))
    const before = readFileSync(join(home, 'dist', 'source-hash'), 'utf8')
    expect(await run(['help'], { home })).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(home, 'dist', 'source-hash'), 'utf8')).toBe(before)
    expect(existsSync(join(home, 'src'))).toBe(false)
  })
})
