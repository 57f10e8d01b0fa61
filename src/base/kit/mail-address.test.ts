import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isMailAddress, readMailbox } from './mail-address.ts'

describe('isMailAddress', () => {
  const good = [
    'awa@shop.sn',
    'awa.diop+caisse@mail.shop.example.com',
    "o'neil_{x}=1@shop.sn",
    'contact@société.sn',
    'root@localhost',
    `${'a'.repeat(64)}@shop.sn`,
  ]
  for (const text of good) it(`accepts ${text}`, () => assert.ok(isMailAddress(text)))

  const bad = [
    '',
    'awa',
    '@shop.sn',
    'awa@',
    'awa@shop',
    'awa@shop..sn',
    'awa@shop.sn.',
    'awa@-shop.sn',
    'awa@127.0.0.1',
    'awa@[127.0.0.1]',
    'awa@shop_1.sn',
    'awa@sh%6fp.sn',
    '.awa@shop.sn',
    'a..wa@shop.sn',
    'é@shop.sn',
    'a wa@shop.sn',
    '"awa"@shop.sn',
    'awa@shop.sn ',
    ' awa@shop.sn',
    'awa@shop.sn\n',
    'awa@shop.sn\r\nBcc: thief@evil.test',
    'awa@shop.sn\0',
    'awa@shop\u00ad.sn',
    'awa@shop.sn,thief@evil.test',
    'awa@shop.sn;thief@evil.test',
    'awa@thief@evil.test',
    'Awa <awa@shop.sn>',
    '<awa@shop.sn>',
    'awa@shop.sn (Awa)',
    `${'a'.repeat(65)}@shop.sn`,
    `awa@${'a'.repeat(64)}.sn`,
    `awa@${'shop.'.repeat(60)}sn`,
  ]
  for (const text of bad)
    it(`refuses ${JSON.stringify(text).slice(0, 60)}`, () => assert.ok(!isMailAddress(text)))
})

describe('readMailbox', () => {
  const rows: [string, string | undefined, string?][] = [
    ['awa@shop.sn', '', 'awa@shop.sn'],
    ['Chez Awa <awa@shop.sn>', 'Chez Awa', 'awa@shop.sn'],
    ['"Awa, Dakar" <awa@shop.sn>', 'Awa, Dakar', 'awa@shop.sn'],
    ['Boutique Démo<awa@shop.sn>', 'Boutique Démo', 'awa@shop.sn'],
    ['<awa@shop.sn>', '', 'awa@shop.sn'],
    ['Awa awa@shop.sn', undefined],
    ['Awa <awa@shop.sn> Diop', undefined],
    ['Awa <awa@shop.sn>, Bob <bob@shop.sn>', undefined],
    ['Awa\r\nBcc: x <awa@shop.sn>', undefined],
    ['Awa\u0007 <awa@shop.sn>', undefined],
    ['Awa <awa@shop>', undefined],
    ['Awa <>', undefined],
    ['', undefined],
  ]
  for (const [text, name, address] of rows)
    it(`${name === undefined ? 'refuses' : 'reads'} ${JSON.stringify(text)}`, () =>
      assert.deepEqual(readMailbox(text), name === undefined ? undefined : { name, address }))
})
