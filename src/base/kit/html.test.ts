import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html, raw } from './html.ts'

describe('html', () => {
  const rows: [string, { text: string }, string][] = [
    ['escapes text', html`<p>${'<b>&"\''}</p>`, '<p>&lt;b&gt;&amp;&quot;&#39;</p>'],
    [
      'escapes attributes',
      html`<p title="${'" onclick="x'}">`,
      '<p title="&quot; onclick=&quot;x">',
    ],
    ['does not escape nested templates', html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&lt;</b></p>'],
    ['escapes and joins the items of a list', html`${['<', html`<i>`, 3]}`, '&lt;<i>3'],
    ['leaves out null, undefined and false', html`a${null}${undefined}${false}${''}b`, 'ab'],
    ['writes zero as a digit', html`${0}`, '0'],
    ['does not escape raw markup', html`${raw('<hr>')}`, '<hr>'],
  ]
  for (const [name, made, expected] of rows) it(name, () => assert.equal(made.text, expected))
})
