import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { addressesOf, findLinked, withQuery } from './addresses.ts'
import { parameters } from './inputs.ts'

const paths = ['/list', '/list/:id', '/list/:id/file', '/list/:id/end', '/changes', '/a*']

describe('the addresses that are attacked', () => {
  it('are found by links and forms, with their parameters', async () => {
    const pages: Record<string, string> = {
      '/list': '<a href="/list/7?form=csv&amp;all=1">…</a> <a href="https://elsewhere">…</a>',
      '/list/7?form=csv&all=1': '<form action="/list/7/end"> <a href="/list/7/file?form=pdf#a">',
    }
    const found = await findLinked(async (address) => pages[address], ['/list'], paths)
    assert.deepEqual(Object.fromEntries(found), {
      '/list': ['/list'],
      '/list/:id': ['/list/7?form=csv&all=1'],
      '/list/:id/file': ['/list/7/file?form=pdf'],
      '/list/:id/end': ['/list/7/end'],
    })
  })

  it('go on from one that is known where no link leads to them', () => {
    const found = new Map([['/list/:id', ['/list/7?form=csv']]])
    assert.deepEqual(addressesOf('/list/:id/end', found), ['/list/7/end'])
    assert.deepEqual(addressesOf('/pay/:id', found, 'mine'), ['/pay/mine'])
    assert.deepEqual(addressesOf('/a*', found), ['/a/x'])
  })

  it('keep the parameters of their link beside others, unless all are replaced', () => {
    assert.equal(withQuery('/file?form=csv', 'form=x&q=1', false), '/file?form=csv&q=1')
    assert.equal(withQuery('/file?form=csv', 'form=x&q=1', true), '/file?form=x&q=1')
    assert.equal(withQuery('/file', 'q=1', false), '/file?q=1')
    assert.equal(withQuery('/file?form=csv', '', false), '/file?form=csv')
  })

  it('are tried with every parameter that pages read', async () => {
    const read = new Set<string>()
    for (const file of globSync('src/doors/**/*.ts'))
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/\bquery\.(\w+)(?!\w*\()/g))
        read.add(name)
    const missing = [...read].filter((name) => name !== 'ts' && !parameters.includes(name))
    assert.deepEqual(missing, [])
    assert.ok(read.size > 20, [...read].join(' '))
  })
})
