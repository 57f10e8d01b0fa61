import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '#base/kit/html.ts'
import { search } from './search.ts'

test('a search prepares what it looks through once', () => {
  let read = 0
  const section = {
    id: 'a',
    heading: 'Être prévenu',
    level: 2,
    get text() {
      read += 1
      return 'Une adresse reçoit chaque événement.'
    },
  }
  const about = { name: 'webhooks', title: 'Webhooks', summary: '', text: '' }
  const guide = { ...about, language: 'fr' as const }
  const guides = [{ guide, body: html``, sections: [section] }]
  assert.equal(search(guides, 'evenement').length, 1)
  read = 0
  for (let time = 0; time < 10; time += 1) assert.deepEqual(search(guides, 'zèbre'), [])
  assert.equal(read, 0)
  assert.match(search(guides, 'recoit')[0]?.excerpt.text ?? '', /<mark>reçoit<\/mark>/)
})
