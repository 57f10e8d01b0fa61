import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { outcomeWord } from '../transactions/timeline.ts'
import { isLost, noteIn } from './technical-words.ts'

const root = new URL('../../../', import.meta.url)

/** What rooms note of exchanges with others, as it stands in their code. */
function notesIn(pattern: string, form: RegExp): { path: string; note: string }[] {
  const paths = globSync(pattern, { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  return paths.flatMap((path) => {
    const text = readFileSync(new URL(path, root), 'utf8')
    return [...text.matchAll(form)].map(([, quoted = '']) => ({
      path,
      note: quoted
        .slice(1, -1)
        .replaceAll("\\'", "'")
        .replaceAll(/\$\{[^}]*\}/g, '7'),
    }))
  })
}

const quoted = String.raw`('(?:[^'\\\n]|\\.)+ [^'\n]+'|\`[^\`]+ [^\`]+\`)`
const all = [
  ...notesIn(
    'money/{providers,transactions,bills}/**/*.ts',
    new RegExp(`reason(?::| =) ${quoted}`, 'g'),
  ),
  ...notesIn('money/providers/**/*.ts', new RegExp(String.raw`unknown\([^()]*, ${quoted}\)`, 'g')),
  ...notesIn('money/providers/**/*.ts', new RegExp(`return ${quoted}$`, 'gm')),
  ...notesIn(
    'base/net/**/*.ts',
    new RegExp(String.raw`new (?:\w*Error|DeadlineExceeded|NotTried|\w+Response)\(${quoted}`, 'g'),
  ),
  ...notesIn('base/net/**/*.ts', new RegExp(String.raw`new ForbiddenAddress\(${quoted}`, 'g')),
  ...notesIn('backoffice/webhooks/send.ts', new RegExp(String.raw`return ${quoted}`, 'g')),
  ...notesIn('merchants/mail/smtp.ts', new RegExp(`problem: ${quoted}`, 'g')),
]

// Neither addresses nor the numbers of answers are words.
const notes = all.filter(({ note }) => !/^HTTP 7$|\//.test(note) || note.includes(' HTTP/'))

describe('what is noted of exchanges', () => {
  it('has its French', () => {
    assert.ok(notes.length > 40, `${notes.length} notes were found`)
    assert.deepEqual(
      notes.filter(({ note }) => noteIn('fr', note) === note),
      [],
    )
  })

  it('is English to others, and the words of others stay as they are', () => {
    for (const { note } of notes) assert.equal(noteIn('en', note), note)
    assert.equal(noteIn('fr', 'INSUFFICIENT_FUNDS'), 'INSUFFICIENT_FUNDS')
    assert.equal(
      noteIn('fr', 'could not ask: ECONNREFUSED'),
      'la question est restée sans réponse\u00a0: connexion refusée (ECONNREFUSED)',
    )
  })

  const mails: [string, string][] = [
    ['connect ECONNREFUSED 127.0.0.1:25', 'connexion refusée (ECONNREFUSED)'],
    ['Greeting never received', 'pas de réponse à temps'],
    [
      'Message failed: 550 no such user',
      'le serveur d’e-mail a refusé le message\u00a0: 550 no such user',
    ],
  ]
  for (const [problem, french] of mails)
    it(`says in French why a mail did not leave: ${problem}`, () => {
      assert.equal(noteIn('fr', problem), french)
    })

  // source, reason of an unknown outcome, whether it was lost, what it is called
  const rows: [string, string, boolean, string][] = [
    ['answer', 'ECONNRESET', true, 'Sans réponse'],
    ['answer', 'no answer within 5000 ms', true, 'Sans réponse'],
    ['query', 'could not ask: ECONNREFUSED', true, 'Sans réponse'],
    ['answer', 'unlisted answer: HTTP 500', false, 'Résultat inconnu'],
    ['query', 'the provider does not know the order it took', false, 'Résultat inconnu'],
    ['callback', 'a callback says completed', false, 'Notification reçue, à vérifier'],
  ]
  for (const [source, reason, lost, word] of rows)
    it(`calls “${reason}” ${word}`, () => {
      const evidence = { source, outcome: 'unknown', reason }
      assert.equal(isLost(evidence), lost)
      assert.equal(outcomeWord({ language: 'fr' }, evidence), word)
    })
})
