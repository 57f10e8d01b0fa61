import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readReplay, shortReplay } from './replay.ts'
import { explainRestore, restoreWords } from './restore-command.ts'

const command = 'pgbackrest --pg1-path={folder} [--type=time --target={moment}] restore'

describe('RESTORE_COMMAND', () => {
  it('is words, of which those in brackets are for a moment', () => {
    assert.deepEqual(restoreWords(command, '/a b', undefined), [
      'pgbackrest',
      '--pg1-path=/a b',
      'restore',
    ])
    assert.deepEqual(restoreWords(command, '/a', new Date('2026-11-17T10:30:00.5Z')).slice(2), [
      '--type=time',
      '--target=2026-11-17 10:30:00.500+00',
      'restore',
    ])
    assert.throws(() => restoreWords('cp {folder}', '/a', new Date()), /has no \{moment\}/)
  })

  // said, expected
  const rows: [string, string][] = [
    ["ERROR: [082]: unable to write '/x': [28] No space left on device", 'the disk is full: '],
    [
      "WARN: repo1: [FormatError] unable to load info file '/r/backup.info'\n" +
        'ERROR: [075]: no backup set found to restore',
      'the key does not open the archive (repo1-cipher-pass), or its catalogue was changed: ',
    ],
    // Which of its layers notices a changed byte depends on where it is.
    [
      'ERROR: [029]: raised from local-2 protocol: zst error: [-20] Data corruption detected',
      'a file of the backup was changed after it was made: [029]',
    ],
    ['ERROR: [075]: no backup set found to restore', '[075]'],
    ['', 'it ended without a word.'],
  ]
  for (const [said, expected] of rows)
    it(`says in one sentence: ${expected}`, () => {
      const told = explainRestore(75, said)
      assert.ok(told.startsWith(`RESTORE_COMMAND ended with 75: ${expected}`), told)
      assert.match(told, /^[^\n]*[^.]\.$/)
    })
})

describe('a replay', () => {
  const log = (...lines: string[]) => lines.map((line) => `2026-11-19 04:36:22.1 UTC [1] ${line}`)
  const begun = log(
    'LOG:  database system was interrupted; last known up at 2026-11-19 04:30:10 UTC',
    'LOG:  restored log file "000000010000000000000005" from archive',
  )
  const ended = log(
    'LOG:  redo done at 0/52FBF88 system usage: CPU: user: 0.05 s',
    'LOG:  last completed transaction was at log time 2026-11-19 04:30:02.698814+00',
  )
  const read = (...lines: string[]) => readReplay([...begun, ...lines, ...ended].join('\n'))
  const handed = (file: string) => ({ file, segmentBytes: 16_777_216 })

  it('reaches what was handed over, or the file that it lacks is named', () => {
    assert.deepEqual(read().backupAt, new Date('2026-11-19T04:30:10Z'))
    assert.equal(shortReplay(read(), handed('000000010000000000000005')), undefined)
    assert.equal(shortReplay(read(), handed('00000002.history')), undefined)
    assert.match(
      shortReplay(read(), handed('000000010000000000000009.00000028.backup')) ?? '',
      /^The WAL file 0{7}10{15}6 is missing .* to 0{7}10{15}9\. The last .* 2026\S+698Z\.$/,
    )
  })

  it('that a damaged record ends is told with the words of PostgreSQL, or of the archive', () => {
    const [damaged = ''] = log(
      'LOG:  incorrect resource manager data checksum in record at 0/52FBF8',
    )
    const [empty = ''] = log('LOG:  invalid record length at 0/52FBF8: wanted 24, got 0')
    const short = (line: string) => shortReplay(read(line), handed('000000010000000000000009'))
    assert.match(short(damaged) ?? '', /cannot be read after 0{7}1\w+, .*: incorrect resource/)
    assert.match(short('ERROR: [042]: unexpected eof') ?? '', /cannot be read .*: \[042\]: unexp/)
    assert.match(short(empty) ?? '', /is missing/)
  })
})
