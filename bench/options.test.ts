import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  readHistoryOptions,
  readOpenPagesOptions,
  readOptions,
  readSoakOptions,
  UsageError,
} from './options.ts'
import { scenarioNames } from './scenarios.ts'

describe('command line options', () => {
  it('have defaults', () => {
    const { scenarios, clients, seconds, rounds, rate } = readOptions([])
    assert.deepEqual(scenarios, scenarioNames)
    assert.deepEqual(
      { clients, seconds, rounds, rate },
      {
        clients: 256,
        seconds: 10,
        rounds: 3,
        rate: null,
      },
    )
  })

  it('are read from arguments, which take precedence over --quick', () => {
    const args = '--scenario life,init --clients 8 --seconds 2 --rounds 1 --rate 300 --json'
    const { scenarios, clients, rate, isJson } = readOptions(args.split(' '))
    assert.deepEqual(
      { scenarios, clients, rate, isJson },
      {
        scenarios: ['life', 'init'],
        clients: 8,
        rate: 300,
        isJson: true,
      },
    )
    assert.equal(readOptions(['--quick']).rounds, 1)
    assert.equal(readOptions(['--quick', '--rounds', '4']).rounds, 4)
  })

  const invalid: [args: string, message: RegExp][] = [
    ['--scenario nothing', /--scenario must be all or some of init, life/],
    ['--scenario ,', /--scenario must be/],
    ['--clients 0', /--clients must be a whole number from 1 to 10000, not "0"/],
    ['--seconds 1.5', /--seconds must be a whole number/],
    ['--rate many', /--rate must be/],
    ['--nonsense', /nonsense/],
    ['--clients 0 --rounds no', /--clients must be .*\n--rounds must be/],
  ]
  const invalidElsewhere: [args: string, message: RegExp, read: (args: string[]) => unknown][] = [
    ['--transactions 0', /--transactions must be a whole number from 1/, readHistoryOptions],
    ['--minutes 0.5 --rate 0', /--minutes must be .*\n--rate must be/, readSoakOptions],
    ['--pages 2001 --rate 0', /--pages must be .*\n--rate must be/, readOpenPagesOptions],
  ]
  for (const [args, message, read = readOptions] of [...invalid, ...invalidElsewhere])
    it(`refuse ${args}`, () => {
      assert.throws(
        () => read(args.split(' ')),
        (problem) => {
          assert.ok(problem instanceof UsageError)
          assert.match(problem.message, message)
          return true
        },
      )
    })
})
