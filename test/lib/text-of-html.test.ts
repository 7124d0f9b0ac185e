// @unit
// The words of a description: what is left of HTML that anybody may have written, and how long that takes.

import { describe, expect, it } from 'vitest'
import { textOfHtml } from '../../src/lib/html/text-of-html.ts'
import { expectProportional } from './proportional.ts'

describe('the words of HTML', () => {
  it.each([
    ['plain text', 'A mug,  of\tclay.', ['A mug, of clay.']],
    [
      'paragraphs and breaks',
      '<p>One</p><p class="x">Two<br/>three<BR>four</P><hr>five',
      ['One', 'Two', 'three', 'four', 'five'],
    ],
    ['lists', '<ul><li>One</li><li>Two</li></ul>', ['One', 'Two']],
    ['tags that break no line', '<b>Bold</b>er, <broccoli>green</broccoli>', ['Bolder, green']],
    ['scripts and styles, closed or not', 'a<script>x</SCRIPT >b<style>y</script>z</style>c<iframe>d', ['a b c']],
    ['comments, closed or not', 'a<!-- <script> > -->b<!-- c', ['ab']],
    ['a tag that is not closed', 'a <b c', ['a']],
    ['signs that begin no tag', '1 < 2 <3 <> </>', ['1 < 2 <3 <> </>']],
    [
      'entities, which make no tags',
      '&lt;b&gt; &amp;amp; &#65;&#x42;&euro; &unknown; &#0;',
      ['<b> &amp; AB€ &unknown;'],
    ],
  ])('are read of %s', (_, written, paragraphs) => {
    expect(textOfHtml(written)).toEqual(paragraphs)
  })

  it('are those of the beginning', () => {
    expect(textOfHtml('abc', 2)).toEqual(['ab'])
  })

  it.each(['<br ', '<', '</', '<p>', '<!--', '<script', '<script>', '<script></style>', '</script ', '&', '&#1'])(
    'take time in proportion to a text of %s',
    (part) => {
      expectProportional(part, 262_144, (size) => textOfHtml(part.repeat(size / part.length), size))
    },
  )
})
