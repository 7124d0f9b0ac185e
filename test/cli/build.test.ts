// In a checkout the command builds itself: when its source has changed, once, and so that every user can run it.
// Tried on a checkout with a source of a few lines; the command and the build script are the real ones.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkout, copyProgram, isRoot, refusal, run, tempFolder, timeout } from './support.ts'

const source = (text: string) => `export async function main(): Promise<void> {\n  process.stdout.write('${text}')\n}\n`

function smallCheckout(): string {
  const home = copyProgram(tempFolder(), ['bin', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'])
  symlinkSync(join(checkout, 'node_modules'), join(home, 'node_modules'))
  mkdirSync(join(home, 'src'))
  writeFileSync(join(home, 'src', 'main.ts'), source('one'))
  return home
}

const buildOf = (home: string) => statSync(join(home, 'dist', 'main.js'), { bigint: true }).ino
const leftovers = (home: string) => readdirSync(home).filter((name) => name.startsWith('dist-'))

describe('the build', { timeout }, () => {
  it('happens when the source has changed and not otherwise', async () => {
    const home = smallCheckout()
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: 'one', stderr: '' })
    const first = buildOf(home)
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: 'one', stderr: '' })
    expect(buildOf(home)).toBe(first)
    writeFileSync(join(home, 'src', 'main.ts'), source('two'))
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: 'two', stderr: '' })
    expect(buildOf(home)).not.toBe(first)
    expect(leftovers(home)).toEqual([])
  })

  it('that several need at the same moment serves them all', async () => {
    const home = smallCheckout()
    for (const text of ['two', 'three', 'four']) {
      writeFileSync(join(home, 'src', 'main.ts'), source(text))
      const ended = await Promise.all(Array.from({ length: 4 }, () => run([], { home })))
      for (const { code, stdout, stderr } of ended)
        expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: text, stderr: '' })
    }
    expect(leftovers(home)).toEqual([])
  })

  it('that fails says so, and the next one starts afresh', async () => {
    const home = smallCheckout()
    await run([], { home })
    writeFileSync(join(home, 'src', 'main.ts'), source('two').replace('void', 'number'))
    const failed = await run([], { home })
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('src/main.ts') })
    expect(failed.stderr).toMatch(/\nThe build failed; the messages above say why\.\n$/)
    expect(leftovers(home)).toEqual([])
    writeFileSync(join(home, 'src', 'main.ts'), source('three'))
    expect(await run([], { home })).toMatchObject({ code: 0, stdout: 'three' })
  })

  it.skipIf(!isRoot)('can be run by users who cannot write it, and tells them when it is outdated', async () => {
    const home = smallCheckout()
    const nobody = { home, uid: 65534, gid: 65534 }
    await run([], { home })
    expect(await run([], nobody)).toMatchObject({ code: 0, stdout: 'one', stderr: '' })
    writeFileSync(join(home, 'src', 'main.ts'), source('two'))
    const { code, stdout, lines } = refusal(await run([], nobody))
    expect({ code, stdout, lines }).toEqual({
      code: 1,
      stdout: '',
      lines: [expect.stringContaining('must be built first')],
    })
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
