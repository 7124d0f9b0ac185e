// @unit @sampled: the proof tries more names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safeFilename } from '../../src/lib/text.ts'
import { size } from '../support/proof.ts'

describe('the name a file is saved under', () => {
  test.each([
    ['Kettle.png', 'png', 'Kettle.png'],
    ['Kettle.PNG', 'png', 'Kettle.PNG'],
    ['photo.jpeg', 'jpg', 'photo.jpeg'],
    ['page.html', 'png', 'page.html.png'],
    ['Invoice 1.2', 'pdf', 'Invoice 1.2.pdf'],
    ['picture', 'png', 'picture.png'],
    ['../../etc/passwd', 'pdf', 'passwd.pdf'],
    ['C:\\folder\\a.png', 'png', 'a.png'],
    ['.htaccess', 'png', 'htaccess.png'],
    ['.png', 'png', 'png.png'],
    ['...', 'png', 'file.png'],
    ['', 'png', 'file.png'],
    ['a. . .', 'png', 'a.png'],
    ['con.png', 'png', '_con.png'],
    ['LPT1', 'pdf', '_LPT1.pdf'],
    ['console.png', 'png', 'console.png'],
    ['a\u202Egnp.exe', 'png', 'agnp.exe.png'],
    ['a\r\nSet-Cookie: x=1.png', 'png', 'aSet-Cookie- x=1.png'],
    ['a"b;c%00.png', 'png', 'a-b-c-00.png'],
    ['Käse 漢字.png', 'png', 'Käse 漢字.png'],
    ['waiting.gif', '', 'waiting.gif'],
  ])('%j of a %s file is %j', (filename, extension, expected) => {
    expect(safeFilename(filename, extension)).toBe(expected)
  })

  test('is short, of whole characters, and never leads anywhere, whatever the client called it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (filename) => {
        const name = safeFilename(filename, 'png')
        expect([...name].length).toBeLessThanOrEqual(106)
        expect(name).not.toMatch(/[/\\"<>:|?*%;\p{Cc}]|^\.|^\s/u)
        expect(name.toLowerCase()).toMatch(/\.a?png$/)
        expect(() => encodeURIComponent(name)).not.toThrow()
      }),
      { numRuns: size(600, 2_000) },
    )
  })
})
