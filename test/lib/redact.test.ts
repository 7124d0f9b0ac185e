// @sampled: the times of long lines are measured in the proof.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { redact } from '../../src/lib/redact.ts'
import { isProof } from '../support/proof.ts'
import { expectProportional } from './proportional.ts'

const BODY = 'a1B2c3D4e5F6g7H8i9J0k1L2'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJjaWQiOiJjc3Rtcl8xIn0.c2lnbmF0dXJl-_x'

describe('API keys', () => {
  test.each(['pk_', 'sk_', 'pk_test_', 'sk_test_', 'sk_live_', 'rk_live_'])('%s keeps its prefix only', (prefix) => {
    expect(redact(`key ${prefix}${BODY} used`)).toBe(`key ${prefix}*** used`)
  })

  test('are found wherever they stand', () => {
    for (const before of ['', '"', '=', '%22', '\\n', 'x', '_', 'é'])
      expect(redact(`${before}sk_test_${BODY}`)).toBe(`${before}sk_test_***`)
    expect(redact(`sk_${BODY},pk_${BODY}`)).toBe('sk_***,pk_***')
    expect(redact(`{"x-authorization":"sk_test_${BODY}"}`)).toBe('{"x-authorization":"sk_test_***"}')
  })

  test('words that only look like the beginning of one are left', () => {
    for (const text of ['sk_', 'pk_test_', 'the pk_ prefix', 'task_list_of_the_day', 'disk_usage', 'sk_short'])
      expect(redact(text)).toBe(text)
  })
})

describe('tokens', () => {
  test('a JWT is masked, with or without a scheme', () => {
    expect(redact(`jwt is ${JWT}.`)).toBe('jwt is eyJ***.')
    expect(redact(`Authorization: Bearer ${JWT}`)).toBe('Authorization: Bearer ***')
    expect(redact(`x\\n${JWT}\\n`)).toBe('x\\neyJ***\\n')
    expect(redact('unsigned eyJhbGciOiJub25lIn0.eyJjaWQiOiIxIn0.')).toBe('unsigned eyJ***.')
  })

  test('bearer and basic values are masked whatever they are', () => {
    expect(redact('authorization: bearer abcdefghij0123456789')).toBe('authorization: bearer ***')
    expect(redact('"authorization":"BEARER abcdefghij0123456789"')).toBe('"authorization":"BEARER ***"')
    expect(redact('Basic dXNlcjpwYXNzd29yZA==')).toBe('Basic ***')
    expect(redact('Bearer%20abcdefghij0123456789')).toBe('Bearer%20***')
  })

  test('sentences about them are left', () => {
    for (const text of [
      'Send the Bearer token you were given.',
      'a basic product',
      'eyJabc',
      'the token: it has expired',
    ])
      expect(redact(text)).toBe(text)
  })

  test('a checkout token is masked and other ids are not', () => {
    const now = new Date('2026-01-01T00:00:00Z')
    expect(redact(`/v1/checkouts/${newId('checkoutToken', now)}/check/discount`)).toBe(
      '/v1/checkouts/chkt_***/check/discount',
    )
    for (const kind of ['order', 'product', 'request', 'customer'] as const) {
      const id = newId(kind, now)
      expect(redact(`"${id}"`)).toBe(`"${id}"`)
    }
  })

  test('webhook secrets are masked', () => {
    expect(redact('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe('whsec_***')
  })
})

describe('secrets known by their name', () => {
  test.each([
    ['{"password":"hunter2","a":1}', '{"password":"***","a":1}'],
    ['{"password":"a\\"b\\\\","a":1}', '{"password":"***","a":1}'],
    ['{"password":""}', '{"password":""}'],
    ['{"card":{"cvc":"123"}}', '{"card":{"cvc":"***"}}'],
    ['{"cvc":123,"cvv": 999}', '{"cvc":0,"cvv": 0}'],
    ['{"secret_key":"x y","key_secret":"abc"}', '{"secret_key":"***","key_secret":"***"}'],
    ['{"client_secret":"x y","token":"abc"}', '{"client_secret":"***","token":"***"}'],
    ['/login?token=abc123&next=/', '/login?token=***&next=/'],
    ['PASSWORD=x;', 'PASSWORD=***;'],
  ])('%s', (line, masked) => {
    expect(redact(line)).toBe(masked)
  })

  test('names that only contain one are left', () => {
    for (const line of ['{"token_id":"x"}', '{"tokens":3}', '{"secretary":"Ann"}', 'token_id=5'])
      expect(redact(line)).toBe(line)
  })

  test('any secret, quoted once or twice in JSON, leaves JSON behind and itself nowhere', () => {
    const secret = fc.string({
      unit: fc.constantFrom('Q', 'Z', '"', '\\', 'n', '\n', '{', '}', ':', ' ', 'é'),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(secret, (password) => {
        const body = JSON.stringify({ password, a: 1 })
        expect(JSON.parse(redact(body))).toEqual({ password: '***', a: 1 })
        const line: { body: string } = JSON.parse(redact(JSON.stringify({ body, b: 2 })))
        expect(JSON.parse(line.body)).toEqual({ password: '***', a: 1 })
      }),
      { numRuns: 3000 },
    )
  })
})

describe('passwords in URLs', () => {
  test.each([
    ['postgres://user:pw@db:5432/shop', 'postgres://user:***@db:5432/shop'],
    ['postgres://user:p@ss:w@db/shop', 'postgres://user:***@db/shop'],
    ['redis://:pw@cache', 'redis://:***@cache'],
    ['"smtp://me%40x.de:p%40@mail:587"', '"smtp://me%40x.de:***@mail:587"'],
    ['postgres://a:b@c and smtp://d:e@f', 'postgres://a:***@c and smtp://d:***@f'],
  ])('%s', (line, masked) => {
    expect(redact(line)).toBe(masked)
  })

  test('other URLs and addresses are left', () => {
    const lines = [
      'https://shop.example/v1/products?limit=5',
      'http://localhost:4000/v1/customers?email=a@b.c',
      'http://[::1]:4000/x@y',
    ]
    lines.push('https://user@host/x', 'a@b.c', '://', 'http://a:80 and b@c')
    for (const line of lines) expect(redact(line)).toBe(line)
  })
})

describe('card numbers', () => {
  const cards = ['4242424242424242', '378282246310005', '30569309025904', '4222222222222', '6205500000000000004']

  test.each(cards)('%s is masked, plain and in groups', (card) => {
    const fours = card.match(/.{1,4}/g) ?? []
    for (const text of [card, ...[' ', '-', '+', '%20'].map((separator) => fours.join(separator)), [...card].join(' ')])
      expect(redact(`paid with ${text}.`)).toBe('paid with [card].')
  })

  test('are found at the ends of the line, in quotes, in URLs and behind escapes', () => {
    const card = '4242424242424242'
    expect(redact(card)).toBe('[card]')
    expect(redact(`"${card}"`)).toBe('"[card]"')
    expect(redact(`%22number%22%3A%22${card}%22`)).toBe('%22number%22%3A%22[card]%22')
    expect(redact(`number%3D${card}`)).toBe('number%3D[card]')
    expect(redact(`a\\n${card}\\nb`)).toBe('a\\n[card]\\nb')
    expect(redact(`card_${card}`)).toBe('card_[card]')
    expect(redact(`{"body":"{\\"number\\":\\"${card}\\"}"}`)).toBe('{"body":"{\\"number\\":\\"[card]\\"}"}')
  })

  test('are found beside other numbers', () => {
    expect(redact('1763169000000 4242424242424242 1763169000000')).toBe('1763169000000 [card] 1763169000000')
    expect(redact('4242424242424242 5555555555554444')).toBe('[card] [card]')
    expect(redact('4242424242424242,5555555555554444')).toBe('[card],[card]')
    expect(redact('1 4242 4242 4242 4242 12/30 123')).toBe('1 [card] 12/30 123')
    expect(redact('4242 4242 4242 4242 x9')).toBe('[card] x9')
  })

  test('a bare JSON number becomes 0, so that the line stays JSON', () => {
    expect(
      JSON.parse(redact('{"a":4242424242424242,"b":[4242424242424242,-4242424242424242],"c":4242424242424242}')),
    ).toEqual({ a: 0, b: [0, -0], c: 0 })
  })

  test('a JSON number of more than 16 digits becomes 0, though rounding has spoilt its check sum', () => {
    const sent = JSON.parse('{"number":6304939304310009610,"list":[62500000000000001,6304939304310009610]}')
    expect(JSON.parse(redact(JSON.stringify(sent)))).toEqual({ number: 0, list: [0, 0] })
  })

  test('digits that fail the check sum, are too few or too many, or sit inside an id are left', () => {
    const lines = ['4242424242424241', '424242424242', '42424242424242424242', 'ord_4242424242424242x']
    lines.push('4242.4242.4242.4242', '4242  4242  4242  4242', '0x4242424242424242', '')
    for (const line of lines) expect(redact(line)).toBe(line)
  })

  test('times and response times are left, whatever their check sum', () => {
    for (let moment = 1_763_169_000_000; moment < 1_763_169_000_100; moment++) {
      const line = `{"level":30,"time":${moment},"us":${moment}123,"responseTime":12.${moment * 3}}`
      expect(redact(line)).toBe(line)
    }
  })
})

describe('every line', () => {
  test('masking twice changes nothing more', () => {
    const secrets = ['sk_test_', BODY, JWT, 'Bearer ', '4242424242424242', 'token', 'chkt_']
    const piece = fc.constantFrom(...secrets, ...' ":=@\\a1-', '://', '%20')
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 30 }), (line) => {
        const once = redact(line)
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 3000 },
    )
  })

  test.runIf(isProof)('X19: takes time in proportion to the line, whatever is in it', () => {
    const secrets = ['eyJ', 'eyJa.', 'sk_', 'sk_test_', '://a:', 'Bearer ', 'basic+', 'chkt_', 'whsec_']
    const named = ['token":"', 'token=', 'password\\":\\"', 'cvc":1']
    const cards = ['4', '4 ', '4242 ', '9-', '4242424242424242 ', '4%20']
    const units = [...secrets, ...named, ...cards, '\\', '"', '@', '%22']
    for (const unit of units)
      expectProportional(unit, 500_000, (size) => {
        const line = unit.repeat(Math.ceil(size / unit.length))
        redact(line)
        redact(`token":"${line}`)
        redact(`${line}!`)
      })
  })

  test('a line of many megabytes is cut and never throws', () => {
    for (const unit of ['9', '4 ', 'eyJ', 'token":"x', '\\', '"password":"x']) {
      const masked = redact(`${unit.repeat(10_000_000 / unit.length)}\n`)
      expect(masked.length, unit).toBeLessThan(1_500_000)
      expect(masked.endsWith('\n'), unit).toBe(true)
    }
    expect(redact(`${'x'.repeat(2_000_000)}\n`)).toBe(`${'x'.repeat(1_000_000)}… (cut)\n`)
    expect(redact('x'.repeat(1_000_000))).toBe('x'.repeat(1_000_000))
  })
})
